"""A machine without CPU to spare: pictures give way in steps, sound does not, all comes back."""

import contextlib
import os
import re
import signal
import threading
import time
from pathlib import Path

import avsync
import numpy as np
import pytest

from harness import checks, hls, media, scene
from harness.recording import SMALL_LADDER
from harness.server import Server
from harness.waiting import wait_for

PERIOD = 0.1  # s, the kernel's own for a quota (cpu.max of control groups)
# Shares of each period. Which one suffices depends on the machine, which may need a thirtieth or a
# third.
SHARES = (0.4, 0.28, 0.2, 0.14, 0.1, 0.07, 0.05, 0.035, 0.025, 0.017)
SHARE_TIME = 5  # s for which a share is tried
FRAME_RATE = 30
BLOCK = 1024 * 90_000 / 48_000  # ticks of sound in an AAC packet


def bot_of(server):
    """The only child of the server that is a bot."""

    def found():
        threads = Path(f"/proc/{server.process.pid}/task").iterdir()
        try:
            children = [one for thread in threads
                        for one in (thread / "children").read_text().split()]
            return [int(one) for one in children
                    if b"bot" in Path(f"/proc/{one}/cmdline").read_bytes()]
        except OSError:  # a thread has ended meanwhile
            return []

    [bot] = wait_for("its bot is there", found, 60)
    return bot


@contextlib.contextmanager
def quota(pid):
    """Gives the process less and less of each period while the block runs.

    Load beside it would not do: the scheduler decides how much of a core it then leaves.
    """
    ended = threading.Event()

    def halt_and_go_on():
        begin = time.monotonic()
        while not ended.is_set():
            step = int((time.monotonic() - begin) / SHARE_TIME)
            share = SHARES[min(step, len(SHARES) - 1)]
            ended.wait(PERIOD * share)
            os.kill(pid, signal.SIGSTOP)
            ended.wait(PERIOD * (1 - share))
            os.kill(pid, signal.SIGCONT)

    thread = threading.Thread(target=halt_and_go_on)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


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
        server.wait_for_status(started["id"], "running", 90)

        def state():
            found = server.stream(started["id"])["degradation"]
            # The contents of the segments change between the steps, too.
            if found and found["changes"] not in [one["changes"] for one in seen]:
                seen.append(found)
            return found

        with quota(bot_of(server)):
            patience = SHARE_TIME * len(SHARES)
            wait_for("a layer is thinned", lambda: (state() or {}).get("layers_thinned"), patience)
            changed = server.manage(
                "PATCH", f"/live-streams/{started['id']}",
                {"layout": {"name": "single", "focus": {"peer": "ben"}}})

        def recovered():
            found = state()
            return found["frame_rate"] == FRAME_RATE and found["layers_thinned"] == 0

        wait_for("the picture is whole again", recovered, 180, interval=0.5)
        url = started["playback"]["url"]
        count = hls.segment_count(server.http, url)
        wait_for("it goes on", lambda: hls.segment_count(server.http, url) > count + 1, 90)
        server.stop_stream(room)
        server.wait_for_status(started["id"], "completed", 90)
        state()
        stream = hls.Stream(server.http, url, tmp_path_factory.mktemp("stream"))
        log = server.log.read_text()
    stream.steps, stream.seen, stream.changed = steps(log), seen, changed
    return stream


def steps(log):
    """The frame rate and the thinned layers after each change, in order, as the server logs them:
    who asks from time to time may miss one."""
    return [(float(rate), int(thinned)) for rate, thinned in re.findall(
        r"picture adapted to the CPU.* frame_rate=(\S+) layers_thinned=(\d+)", log)]


def test_the_frame_rate_goes_before_the_lowest_layer(outcome):
    rate, thinned = outcome.steps[0]
    assert thinned == 0 and rate < FRAME_RATE, outcome.steps
    rates = [rate for rate, thinned in outcome.steps if thinned]
    assert rates and all(rate < FRAME_RATE for rate in rates), outcome.steps


def test_every_change_is_counted_and_logged(outcome):
    changes = [state["changes"] for state in outcome.seen]
    assert changes == sorted(set(changes))
    assert len(outcome.steps) == changes[-1]


def test_all_that_was_said_is_heard(outcome):
    heard = avsync.measure(outcome.top.file).publishers
    for name in ("ann", "ben"):
        beeps = heard[name].beeps
        assert heard[name].broken_beeps == heard[name].repeated_beeps == 0, name
        # The delay may grow to its maximum when nothing is on time; no beep may be missing.
        assert np.abs(np.diff(beeps) - 1).max() <= 0.4, (name, np.round(np.diff(beeps), 3))


def test_the_sound_has_no_gap(outcome):
    for layer in outcome.layers:
        times = [packet.pts for packet in media.packets(layer.file) if packet.kind == "audio"]
        steps = [late - early for early, late in zip(times, times[1:])]
        assert max(steps) < BLOCK * 1.5 and min(steps) > 0


def test_the_layout_can_be_changed_meanwhile(outcome):
    assert outcome.changed.status == 200, outcome.changed
    assert outcome.changed.json["layout"]["name"] == "single"
    last = media.frames(outcome.top.file)[-FRAME_RATE:]
    [ben] = [clip.colour for clip in avsync.CLIPS if clip.name == "ben"]
    # He alone, on both sides.
    for side in ((0.05, 0.1, 0.2, 0.9), (0.8, 0.1, 0.95, 0.9)):
        assert np.abs(media.colour_of(last, side) - ben).max() < 40, side


def test_a_player_is_told_the_time_however_few_the_pictures_are(outcome):
    checks.the_clock_is_told_in_time(outcome)


def test_segments_stay_aligned(outcome):
    starts = [hls.starts(layer) for layer in outcome.layers]
    times = [[time for time, _, _ in layer] for layer in starts]
    assert all(one == times[0] for one in times)
    assert all(is_key for layer in starts for _, _, is_key in layer)
    checks.playlists_are_sound(outcome, SMALL_LADDER)
