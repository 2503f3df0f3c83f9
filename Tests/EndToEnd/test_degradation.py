"""A machine without CPU to spare: pictures give way in steps, sound does not, all comes back."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness import checks, hls, media, scene
from harness.recording import SMALL_LADDER
from harness.server import Server
from harness.waiting import wait_for

HOGS = 12  # processes that want the bot's core for themselves
FRAME_RATE = 30
BLOCK = 1024 * 90_000 / 48_000  # ticks of sound in an AAC packet


def bot_of(server):
    """The only child of the server that is a bot."""
    threads = Path(f"/proc/{server.process.pid}/task").iterdir()
    children = [child for thread in threads for child in (thread / "children").read_text().split()]
    bots = [child for child in children if b"bot" in Path(f"/proc/{child}/cmdline").read_bytes()]
    assert len(bots) == 1, bots
    return int(bots[0])


def pin(pid, cores):
    for thread in os.listdir(f"/proc/{pid}/task"):
        os.sched_setaffinity(int(thread), cores)


@contextlib.contextmanager
def crowded_core(pid):
    """The process shares one core with many others while this lasts."""
    cores = os.sched_getaffinity(pid)
    with contextlib.ExitStack() as stack:
        pin(pid, {max(cores)})
        stack.callback(pin, pid, cores)
        for _ in range(HOGS):
            # A session of its own each: the kernel shares the core between sessions.
            hog = subprocess.Popen(
                [sys.executable, "-c",
                 f"import os\nos.sched_setaffinity(0, {{{max(cores)}}})\nwhile True: pass"],
                start_new_session=True,
            )
            stack.callback(hog.wait)
            stack.callback(hog.kill)
        yield


@pytest.fixture(scope="module")
def outcome(binary, tmp_path_factory):
    server = Server(
        tmp_path_factory.mktemp("short"), settings={"ROOMCAST_STREAM_PRESET": "veryfast"})
    room = "short"
    seen = []
    with contextlib.ExitStack() as stack:
        stack.callback(server.stop)
        stack.enter_context(
            scene.people(server, room, ("ann", "ben"), tmp_path_factory.mktemp("people")))
        started = server.start_stream(room, {"ladder": SMALL_LADDER})
        assert started["degradation"] is None
        server.wait_for_status(started["id"], "running", 20)

        def state():
            found = server.stream(started["id"])["degradation"]
            if found and found not in seen:
                seen.append(found)
            return found

        with crowded_core(bot_of(server)):
            wait_for("a layer is thinned", lambda: (state() or {}).get("layers_thinned"), 40)

        def recovered():
            found = state()
            return found["frame_rate"] == FRAME_RATE and found["layers_thinned"] == 0

        wait_for("the picture is whole again", recovered, 90, interval=0.5)
        url = started["playback"]["url"]
        count = hls.segment_count(server.http, url)
        wait_for("it goes on", lambda: hls.segment_count(server.http, url) > count + 1, 30)
        server.stop_stream(room)
        server.wait_for_status(started["id"], "completed", 30)
        stream = hls.Stream(server.http, url, tmp_path_factory.mktemp("stream"))
        log = server.log.read_text()
    stream.log, stream.seen = log, seen
    return stream


def test_the_frame_rate_goes_before_the_lowest_layer(outcome):
    first = outcome.seen[0]
    assert first["layers_thinned"] == 0 and first["frame_rate"] < FRAME_RATE, outcome.seen
    thinned = [state for state in outcome.seen if state["layers_thinned"]]
    assert thinned and all(state["frame_rate"] < FRAME_RATE for state in thinned)


def test_every_change_is_counted_and_logged(outcome):
    changes = [state["changes"] for state in outcome.seen]
    assert changes == sorted(set(changes))
    assert outcome.log.count("picture adapted to the CPU") == changes[-1]


def test_the_sound_has_no_gap(outcome):
    for layer in outcome.layers:
        times = [packet.pts for packet in media.packets(layer.file) if packet.kind == "audio"]
        steps = [late - early for early, late in zip(times, times[1:])]
        assert max(steps) < BLOCK * 1.5 and min(steps) > 0


def test_segments_stay_aligned(outcome):
    starts = [hls.starts(layer) for layer in outcome.layers]
    times = [[time for time, _, _ in layer] for layer in starts]
    assert all(one == times[0] for one in times)
    assert all(is_key for layer in starts for _, _, is_key in layer)
    checks.playlists_are_sound(outcome, SMALL_LADDER)
