"""What becomes of requests that wait at the server for parts when it restarts, or when the disk is
full."""

import contextlib
import json
import time

import pytest

from harness.assets import SHORT_SEGMENTS, TIMEOUT, directory, segments, start
from harness.http import path_of
from harness.low_latency import parse
from harness.server import Server
from harness.small_disk import SmallDisks
from harness.waiters import Waiters
from harness.waiting import wait_for

VIEWERS = 1000
RESTARTED = 10  # s in which all who waited know
FULL = "No space left on device"
GIVING_UP = 180  # s: six bots may die
SMALL = 2 << 20  # bytes
ROOM = "waited-for"


@pytest.fixture
def servers(binary, tmp_path):
    """`servers()`: the next server of a directory, at the same port."""
    with contextlib.ExitStack() as stack:
        ports = []

        def begun():
            server = Server(tmp_path, port=ports[0] if ports else None)
            ports.append(server.port)
            stack.callback(server.stop)
            return server

        yield begun


def on_air(server, **settings):
    """A stream of parts, and the path of its first layer's playlist."""
    stream = start(server, ROOM, low_latency=True, recording=None, **settings)
    segments(server, stream, 2)
    path = path_of(stream["playback"]["cmaf_url"]).replace("cmaf.m3u8", "cmaf_0/stream.m3u8")
    wait_for("parts are listed",
             lambda: "PRELOAD-HINT" in server.http.get(path).body.decode(), TIMEOUT)
    return stream, path


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_a_restart_leaves_nobody_waiting(servers, end):
    server = servers()
    stream, path = on_air(server)
    with contextlib.closing(Waiters(server, path, VIEWERS)) as waiters:
        if end == "stop":
            # Some parts may have been waited for in vain meanwhile; most were not due yet.
            assert server.stop() == 0
        else:
            server.kill()
        waiters.wait(RESTARTED)
        assert waiters.left == 0
        statuses = waiters.statuses()
        assert len(statuses) == VIEWERS
        if end == "stop":
            assert set(statuses) == {200}
            bodies = {one.partition(b"\r\n\r\n")[2] for one in waiters.answers}
            assert all(b"#EXTM3U" in one for one in bodies)
    # Whoever asks again gets the end of that stream, and soon the next one.
    server = servers()
    wait_for("the playlist has its end", lambda: b"#EXT-X-ENDLIST" in server.http.get(path).body,
             TIMEOUT)
    assert server.stream(stream["id"])["status"] != "running"
    again, path = on_air(server)
    with contextlib.closing(Waiters(server, path, VIEWERS)) as waiters:
        waiters.wait(TIMEOUT)
        assert set(waiters.statuses()) == {200} and len(waiters.answers) == VIEWERS
    server.stop_stream(ROOM)


def test_a_full_disk_answers_who_waits_and_fails_the_stream(binary, tmp_path):
    with contextlib.ExitStack() as stack:
        folder = tmp_path / "output" / ROOM
        small = stack.enter_context(contextlib.closing(SmallDisks({folder: SMALL})))
        server = Server(tmp_path, namespace=small, settings=SHORT_SEGMENTS)
        stack.callback(server.stop)
        server.output = small.path(server.output)
        stream, path = on_air(server)
        known = parse(server.http.get(path).body.decode()).next
        small.fill(folder)
        began = time.monotonic()
        waiters = stack.enter_context(contextlib.closing(Waiters(server, path, 50)))
        waiters.wait(TIMEOUT)
        print(f"all were answered in {time.monotonic() - began:.1f} s: {set(waiters.statuses())}")
        # 503 when their bot has died; a few may have got what was written before.
        assert waiters.left == 0 and set(waiters.statuses()) <= {200, 503}
        done = server.wait_for_status(stream["id"], "failed", GIVING_UP)
        assert FULL in done["stop_reason"], done
        end = json.loads((directory(server, stream) / "stream.json").read_text())["end"]
        assert end["code"] == "disk_full"
        # What is there plays to its end.
        text = server.http.get(path).body.decode()
        playlist = parse(text)
        assert playlist.is_ended and playlist.next >= known - 1 and not playlist.hints
        for one in playlist.segments:
            answer = server.http.get(f"{path.rsplit('/', 1)[0]}/{one.uri}")
            assert answer.status == 200 and answer.body
        asked = server.http.get(f"{path}?_HLS_msn={playlist.next}&_HLS_part=0")
        assert asked.status == 200 and b"#EXT-X-ENDLIST" in asked.body
