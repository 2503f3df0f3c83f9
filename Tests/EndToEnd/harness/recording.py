"""Puts a room on air, lets it run, stops it, and brings everything down to look at it."""

from dataclasses import dataclass

from . import hls, machine
from .waiting import wait_for

# Two layers that leave a small machine time for the browser or the sources.
SMALL_LADDER = [
    {"width": 640, "height": 360, "videoBitrate": 900},
    {"width": 320, "height": 180, "videoBitrate": 300},
]
START_TIMEOUT = 60  # s
STOP_TIMEOUT = 60  # s


@dataclass
class Recording:
    started: dict  # the answer to the start request
    stopped: dict  # the stream's record after its end
    ready_after: float  # s from the start request to `running`
    stream: hls.Stream


def record(server, room, seconds, directory, body=None):
    """A recording of at least so many seconds. The room is not on air any more afterwards."""
    begin = machine.clock()
    started = server.start_stream(room, body)
    try:
        server.wait_for_status(started["id"], "running", START_TIMEOUT)
        ready_after = machine.clock() - begin
        url = started["playback"]["url"]
        # Segments, not the clock, show how long the stream is.
        wait_for(
            f"{seconds} s of segments",
            lambda: hls.segment_count(server.http, url) * 2 >= seconds,
            seconds * 3 + 60,
            interval=0.5,
        )
    finally:
        server.stop_stream(room)
    stopped = server.wait_for_status(started["id"], "completed", STOP_TIMEOUT)
    return Recording(started, stopped, ready_after, hls.Stream(server.http, url, directory))
