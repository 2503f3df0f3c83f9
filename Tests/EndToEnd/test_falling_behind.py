"""A bot that has less than half of the CPU it needs: the stream stays near the clock, and can be stopped."""

import contextlib
import os
import signal
import threading
import time
from datetime import datetime
from pathlib import Path

from test_degradation import bot_of

from harness import hls, scene
from harness.http import path_of
from harness.recording import SMALL_LADDER
from harness.server import Server

PERIOD = 0.5  # s
EASE = 8  # s in which the bot shows what it takes where there is enough
SHARE = 0.45  # of that
PATIENCE = 2  # s for others to leave it its share
LOOK = 0.005  # s
STARVED = 40  # s
EDGE_MAXIMUM = 10  # s


@contextlib.contextmanager
def starved(pid, share):
    """The process stands still for most of the time while this lasts.

    It has its share of a core however busy the machine is: others may take the cores while it could
    run.
    """
    ended = threading.Event()

    def halt_and_go_on():
        with contextlib.suppress(ProcessLookupError):  # it has finished
            while not ended.is_set():
                os.kill(pid, signal.SIGSTOP)
                ended.wait(PERIOD * (1 - share))
                enough, patience = on_cores(pid) + PERIOD * share, time.monotonic() + PATIENCE
                os.kill(pid, signal.SIGCONT)
                ended.wait(PERIOD * share)
                while on_cores(pid) < enough and time.monotonic() < patience:
                    ended.wait(LOOK)

    thread = threading.Thread(target=halt_and_go_on)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def on_cores(pid):
    """The seconds that a process' threads have run so far."""
    total = 0
    for thread in Path(f"/proc/{pid}/task").glob("*/schedstat"):
        with contextlib.suppress(OSError):  # it has just ended
            total += int(thread.read_text().split()[0])
    return total / 1e9


def effort(pid, seconds):
    """The share of a core that a process takes."""
    begin, before = time.monotonic(), on_cores(pid)
    time.sleep(seconds)
    return (on_cores(pid) - before) / (time.monotonic() - begin)


def edge(server, url):
    """How far the end of the newest segment is behind the clock, in seconds."""
    master = server.http.get(path_of(url)).body.decode()
    path = hls.resolve(path_of(url), hls.parse_master(master)[0].uri)
    segment = hls.parse_media(server.http.get(path).body.decode()).segments[-1]
    return time.time() - datetime.fromisoformat(segment.date).timestamp() - segment.duration


def test_the_edge_stays_near_the_clock_and_a_stop_completes_the_stream(binary, tmp_path):
    server = Server(
        tmp_path / "server", binary=binary, settings={"ROOMCAST_STREAM_PRESET": "veryfast"})
    room = "starved"
    with contextlib.ExitStack() as stack:
        stack.callback(server.stop)
        (tmp_path / "people").mkdir()
        stack.enter_context(scene.people(server, room, ("ann", "ben"), tmp_path / "people"))
        started = server.start_stream(room, {"ladder": SMALL_LADDER})
        server.wait_for_status(started["id"], "running", 90)
        url = started["playback"]["url"]
        edges = []
        bot = bot_of(server)
        # What is too little depends on the machine.
        ease = effort(bot, EASE)
        print(f"at ease it takes {ease:.3f} of a core")
        with starved(bot, ease * SHARE):
            end = time.monotonic() + STARVED
            while time.monotonic() < end:
                edges.append(edge(server, url))
                time.sleep(0.5)
            server.stop_stream(room)
            done = server.wait_for_status(started["id"], "completed", 90)
        print("edges", [round(one, 1) for one in edges])
        assert done["stop_reason"] == "client request"
        assert max(edges) < EDGE_MAXIMUM, edges
        stream = hls.Stream(server.http, url, tmp_path)
        assert all(layer.playlist.is_ended for layer in stream.layers)
