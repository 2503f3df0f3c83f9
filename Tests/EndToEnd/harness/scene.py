"""A room with deliberately difficult publishers, its stream, and the measurements."""

import contextlib
import functools
import math
import shlex
import time
from dataclasses import dataclass
from datetime import datetime

import avsync
import numpy as np

from . import hls, media
from .publisher import Publisher
from .server import REPOSITORY
from .waiting import wait_for

CLIPS = REPOSITORY / "fixtures/media"
# One small layer: how sound and picture go together is the same in every one.
LADDER = [{"width": 640, "height": 360, "videoBitrate": 900, "audioBitrate": 96}]
START_TIMEOUT = 90  # s
NEXT = 1.5  # s that neighbours among the marks are apart at most
# s without marks that somebody made on purpose. A tile that moves during its flash loses that one.
GAP = 2.5
SETTLED = 3.0  # s after a beginning or a gap: from then on all must be in time


@dataclass(frozen=True)
class Guest:
    """One publisher: `clip` is the name of a fixture or the path of a file made from one."""

    clip: object
    options: str = ""
    late: float | None = None  # s after the stream began to run; None before it does
    layers: tuple = ()  # files of the same video in smaller forms, best first


@dataclass
class Take:
    """A stream that was made and measured."""

    stream: hls.Stream
    measurement: avsync.Measurement
    stopped_at: float  # s since the epoch, when the stop was asked for

    def publisher(self, name):
        assert name in self.measurement.publishers, f"nothing of {name} is in the stream"
        return self.measurement.publishers[name]

    @property
    def began_at(self):
        """When the first picture was made, in seconds since the epoch."""
        return datetime.fromisoformat(self.stream.top.playlist.segments[0].date).timestamp()


def enter(server, room, guest, folder, stack):
    """A publisher, which is gone when the stack is unwound."""
    path = CLIPS / f"{guest.clip}.webm" if isinstance(guest.clip, str) else guest.clip
    log = stack.enter_context((folder / f"{path.stem}.log").open("wb"))
    layers = [option for layer in guest.layers for option in ("--layer", str(layer))]
    options = [*shlex.split(guest.options), *layers]
    return stack.enter_context(Publisher(server, room, path, options=options, log=log))


def enter_in_order(server, room, guests, folder, stack):
    """One after the other, so that the order of the tiles is known."""
    for count, guest in enumerate(guests, start=server.peer_count(room) + 1):
        enter(server, room, guest, folder, stack)
        wait_for(f"{guest.clip} is in the room",
                 lambda: server.peer_count(room) == count, START_TIMEOUT)


@contextlib.contextmanager
def present(server, room, guests, folder):
    """These guests in the room, all of them, as long as the block runs."""
    with contextlib.ExitStack() as stack:
        for guest in guests:
            enter(server, room, guest, folder, stack)
        wait_for("all are in the room",
                 lambda: server.peer_count(room) == len(guests), START_TIMEOUT)
        yield


def people(server, room, names, folder):
    """These clips' people in the room, all of them, as long as the block runs."""
    return present(server, room, [Guest(name) for name in names], folder)


def film(server, room, seconds, guests, folder, start=None, host=None, events=(), enter=enter):
    """Streams a room with these guests for so long, in one layer, and measures it.

    `start` is what else the start request says; `host` is the server whose room the guests are in,
    if it is not the one that streams it; `events` are pairs of seconds after the beginning and what
    is called then; `enter` has a guest come.
    """
    host = host or server
    with contextlib.ExitStack() as stack:
        processes = []

        def come(guest):
            processes.append(enter(host, room, guest, folder, stack))

        for guest in guests:
            if guest.late is None:
                come(guest)
        wait_for("all are in the room",
                 lambda: host.peer_count(room) == len(processes), START_TIMEOUT)
        started = server.start_stream(room, {"ladder": LADDER} | (start or {}))
        server.wait_for_status(started["id"], "running", START_TIMEOUT)
        began = time.monotonic()
        comings = [(guest.late, functools.partial(come, guest))
                   for guest in guests if guest.late is not None]
        for second, event in sorted([*comings, *events], key=lambda one: one[0]):
            time.sleep(max(0, began + second - time.monotonic()))
            event()
        # The length of the stream is what is asked for.
        time.sleep(max(0, began + seconds - time.monotonic()))
        assert all(one.is_there() for one in processes), "a publisher ended by itself"
        stopped_at = time.time()
        server.stop_stream(room)
        server.wait_for_status(started["id"], "completed", START_TIMEOUT)
        stream = hls.Stream(server.http, started["playback"]["url"], folder / "stream")
    return Take(stream, avsync.measure(stream.top.file), stopped_at)


def make_clip(folder, clip, frame_rate, graph, seconds=24, bitrate=400):
    """A fixture with other pictures, at so many kbit/s, and the same sound; a key frame each second."""
    path = folder / f"{clip}-{frame_rate}.webm"
    media.run("ffmpeg", "-v", "error", "-y", "-i", str(CLIPS / f"{clip}.webm"), "-t", str(seconds),
              "-vf", graph,
              "-r", str(frame_rate), "-fps_mode", "passthrough", "-c:v", "libvpx",
              "-deadline", "realtime", "-cpu-used", "8", "-lag-in-frames", "0",
              "-auto-alt-ref", "0", "-b:v", f"{bitrate}k", "-g", str(frame_rate),
              "-c:a", "copy",
              str(path))
    return path


def make_layers(folder, clip, sizes=((320, 180), (160, 90))):
    """A fixture's pictures in a half and a quarter of its size, for its simulcast."""
    paths = []
    for width, height in sizes:
        paths.append(folder / f"{clip}-{width}.webm")
        media.run("ffmpeg", "-v", "error", "-y", "-i", str(CLIPS / f"{clip}.webm"), "-an",
                  "-vf", f"scale={width}:{height}", "-c:v", "libvpx", "-deadline", "realtime",
                  "-cpu-used", "8", "-lag-in-frames", "0", "-auto-alt-ref", "0",
                  "-b:v", f"{width}k", "-g", "30", str(paths[-1]))
    return tuple(paths)


def gaps(marks):
    """The stretches without marks, as (last before, first after)."""
    return [(a, b) for a, b in zip(marks, marks[1:]) if b - a > GAP]


def settled(publisher, patience=SETTLED, disturbances=()):
    """Whether a time is neither soon after the publisher's beginning, nor after a gap or one of the
    disturbances."""
    beginnings = [max(publisher.flashes[0], publisher.beeps[0])]
    disturbed = [(0.0, beginnings[0] + patience)]
    disturbed += [(at, at + patience) for at in disturbances]
    for begin, end in gaps(publisher.flashes) + gaps(publisher.beeps):
        disturbed.append((begin, end + patience))
    return lambda times: np.array(
        [not any(begin < time < end for begin, end in disturbed) for time in times], dtype=bool)


def is_in_time(publisher, offset=0.045, cadence=0.040, patience=SETTLED, disturbances=()):
    """Sound and picture together and regular, but for a while after each disturbance."""
    keep = settled(publisher, patience, disturbances)
    times, offsets = publisher.pairs()
    offsets = offsets[keep(times)]
    assert len(offsets) >= 3, f"{publisher.name}: {len(times)} pairs, of which too few settled"
    # Of fewer than twenty, one may be beyond.
    worst = np.percentile(np.abs(offsets), 95, method="lower")
    assert worst <= offset, (publisher.name, "A-V", np.round(offsets * 1000))
    for marks in (publisher.flashes, publisher.beeps):
        steps = np.diff(marks)
        steps = steps[(steps < NEXT) & keep(marks[1:])] - 1
        # As many marks may be late; each of them makes the steps to it and from it wrong.
        late = max(1, math.floor(0.05 * len(steps)))
        assert (np.abs(steps) > cadence).sum() <= 2 * late, (
            publisher.name, "cadence", np.round(steps * 1000))


def is_complete(publisher, present=0.99, spare=0):
    """All marks but `spare` are there from the first to the last, apart from whole gaps."""
    for marks in (publisher.flashes, publisher.beeps):
        lost = sum(round(b - a) - 1 for a, b in gaps(marks))
        expected = round(marks[-1] - marks[0]) + 1 - lost
        assert len(marks) >= math.ceil(present * expected) - spare, (publisher.name, marks)


def the_last_second_is_there(take, name):
    """For a clip that runs by the wall clock: its contents until shortly before the stop."""
    publisher = take.publisher(name)
    end = take.began_at + take.measurement.duration
    assert end >= take.stopped_at - 0.3, "the stream ends before the stop"
    for marks in (publisher.flashes, publisher.beeps):
        # The clip flashes at each full second; it is seen up to half a second later, and by the
        # little that the clocks differ earlier.
        shown = math.floor(take.began_at + marks[-1] + 0.1)
        assert shown >= math.floor(take.stopped_at - 0.6), (name, shown, take.stopped_at)
