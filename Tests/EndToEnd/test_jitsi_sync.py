"""A Jitsi conference on another machine, in which our own focus and bridge are: sound and picture of
three of its members, a session that is replaced, and ten seconds without a network. `make
avsync-soak MINUTES=5` runs it for longer; only then, on a quiet machine, is the network cut."""

import contextlib
import json
import os
import time

import pytest
from harness import checks, scene
from harness.jitsi_cast import PASSWORD
from harness.jitsi_prosody import (
    DOMAIN,
    FOCUS,
    HIDDEN,
    OWN_HOSTS,
    ROOMS,
    JitsiProsody,
    focus_settings,
)
from harness.jitsi_sender import JitsiSender
from harness.namespace import ADDRESS, Namespace
from harness.scene import Guest, film
from harness.server import Server
from test_simulcast import said

SOAK = os.environ.get("ROOMCAST_SOAK_MINUTES")
MINUTES = float(SOAK or "0.5")
MOVED_AT = 10  # s
CUT_AT, CUT_FOR = 20, 10  # s
# As in test_openvidu_sync.py.
BACK, SETTLED = 8, 6
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
def prosody(near):
    with contextlib.closing(JitsiProsody(OWN_HOSTS, namespace=near)) as prosody:
        prosody.start()
        yield prosody


@pytest.fixture(scope="module")
def host(binary, near, prosody, tmp_path_factory):
    """The focus and the bridge."""
    host = Server(tmp_path_factory.mktemp("host"), namespace=near, media_address=ADDRESS, settings={
        "ROOMCAST_HTTP_HOST": "0.0.0.0",
        "ROOMCAST_JITSI_FOCUS": focus_settings(prosody),
    })
    yield host
    assert host.stop() == 0, host.tail()


@pytest.fixture(scope="module")
def caster(binary, far, host, prosody, tmp_path_factory):
    """The server that streams the conferences."""
    caster = Server(tmp_path_factory.mktemp("caster"), namespace=far, settings={
        "ROOMCAST_LOG_LEVEL": "debug",  # tells which layers the bot wants
        "ROOMCAST_JITSI_DEPLOYMENTS": json.dumps({DOMAIN: {
            "server": f"{ADDRESS}:{prosody.port}", "domain": DOMAIN,
            "certificates": str(prosody.authority.file), "mucDomain": ROOMS, "focus": FOCUS,
            "hiddenDomain": HIDDEN, "isJibri": True, "user": "recorder", "password": PASSWORD}}),
    })
    yield caster
    assert caster.stop() == 0, caster.tail()


def test_another_session_is_no_gap_an_outage_is_one_and_nothing_drifts(
        host, caster, prosody, far, room, tmp_path):
    def enter(host, room, guest, folder, stack):
        log = stack.enter_context((folder / f"{guest.clip}.log").open("wb"))
        path = scene.CLIPS / f"{guest.clip}.webm"
        return stack.enter_context(
            JitsiSender(host, prosody, room, path, guest.layers, log=log))

    small = scene.make_layers(tmp_path, "ann", sizes=[(320, 180)])
    guests = [Guest("ann", layers=small), Guest("ben"), Guest("cleo")]
    moves = []

    def move():
        moves.append(time.time())
        prosody.reload()

    outage = [(CUT_AT, far.link_down), (CUT_AT + CUT_FOR, far.link_up)] if SOAK else []
    take = film(
        caster, room, MINUTES * 60, guests, tmp_path, host=host, enter=enter,
        start={"meeting_url": f"jitsi:https://{DOMAIN}/{room}"},
        events=[(MOVED_AT, move), *outage])
    print(json.dumps(take.measurement.report(expected=len(guests))))
    # It was noticed, and nothing else was.
    assert "the media path to the server is lost" in caster.log.read_text()
    disturbances = [at - take.began_at for at in moves]
    for name in ("ann", "ben", "cleo"):
        publisher = take.publisher(name)
        for marks in (publisher.flashes, publisher.beeps):
            assert len(scene.gaps(marks)) == len(outage[:1]), (name, scene.gaps(marks))
            for begin, end in scene.gaps(marks):
                assert CUT_FOR - 1 <= end - begin <= CUT_FOR + BACK, (name, begin, end)
        scene.is_in_time(
            publisher, cadence=CADENCE, patience=SETTLED, disturbances=disturbances)
        scene.is_complete(publisher, spare=2)
    # Three tiles of 320x180 at most.
    wanted = dict(said(caster, room, "wanted"))
    assert list(wanted.values()) == ["low"] * 3, wanted
    checks.playlists_are_sound(take.stream, scene.LADDER)
    checks.time_runs_evenly(take.stream)
