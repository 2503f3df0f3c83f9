"""A session of an OpenVidu server on another machine: sound and picture, and ten seconds without a
network. `make avsync-soak MINUTES=5` runs it, on a quiet machine: with
other tests beside it, a picture has come back ten seconds after the sound."""

import contextlib
import json
import os

import pytest
from harness import checks, scene
from harness.namespace import ADDRESS, Namespace
from harness.scene import Guest, film
from harness.server import Server

SECRET = "MY_SECRET"
MINUTES = float(os.environ.get("ROOMCAST_SOAK_MINUTES", "0.7"))
CUT_AT, CUT_FOR = 10, 10  # s
# s after the network is back until its pictures are, and until sound and picture have settled: the
# connections are found to live, key frames are asked for, and what came late is played faster.
BACK, SETTLED = 8, 6
# s from one mark to the next, beyond their second: what a shortage of CPU may cost is judged elsewhere.
CADENCE = 0.1


@pytest.fixture(scope="module")
def near():
    with contextlib.closing(Namespace()) as near:
        yield near


@pytest.fixture(scope="module")
def far(near):
    with contextlib.closing(near.neighbour()) as far:
        yield far


@pytest.fixture(scope="module")
def host(binary, near, tmp_path_factory):
    """The OpenVidu server."""
    host = Server(tmp_path_factory.mktemp("host"), namespace=near, media_address=ADDRESS, settings={
        "ROOMCAST_HTTP_HOST": "0.0.0.0",
        "ROOMCAST_OPENVIDU_SECRET": SECRET,
    })
    yield host
    assert host.stop() == 0, host.tail()


@pytest.fixture(scope="module")
def caster(binary, far, host, tmp_path_factory):
    """The server that streams its sessions."""
    address = f"{ADDRESS}:{host.port}"
    caster = Server(tmp_path_factory.mktemp("caster"), namespace=far, settings={
        "ROOMCAST_STREAM_SOURCE_HOSTS": address,
        "ROOMCAST_OPENVIDU_SERVERS": json.dumps({address: {"secret": SECRET}}),
    })
    yield caster
    assert caster.stop() == 0, caster.tail()


def test_ten_seconds_without_a_network_are_a_gap_and_nothing_drifts(
        host, caster, far, room, tmp_path):
    guests = [Guest(name) for name in ("ann", "ben", "cleo")]
    take = film(
        caster, room, MINUTES * 60, guests, tmp_path, host=host,
        start={"meeting_url": f"openvidu:ws://{ADDRESS}:{host.port}/openvidu?sessionId={room}"},
        events=[(CUT_AT, far.link_down), (CUT_AT + CUT_FOR, far.link_up)])
    print(json.dumps(take.measurement.report(expected=len(guests))))
    for guest in guests:
        publisher = take.publisher(guest.clip)
        scene.is_in_time(publisher, cadence=CADENCE, patience=SETTLED)
        scene.is_complete(publisher, spare=1)
        for marks in (publisher.flashes, publisher.beeps):
            (begin, end), = scene.gaps(marks)
            assert CUT_FOR - 1 <= end - begin <= CUT_FOR + BACK, scene.gaps(marks)
    checks.playlists_are_sound(take.stream, scene.LADDER)
    checks.time_runs_evenly(take.stream)
    assert "server lost" in caster.log.read_text()
