"""A Jitsi member in a process of its own, which sends a file again and again, as it is.

    python -m harness.jitsi_sender PORT AUTHORITY ROOM FILE [LAYER …]

It joins through the Prosody at the port, until its standard input ends. Each LAYER is a file of the
same video in a smaller form, best first. The files have VP8 with a key frame each second, and Opus.
"""

import asyncio
import math
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import av
from aiortc import MediaStreamTrack

from .jitsi_attendee import Attendee

END_TIMEOUT = 30  # s
CLOCKS = {"video": 90_000, "audio": 48_000}


class Clip(MediaStreamTrack):
    """One kind of a file's media, of which a loop begins at `began`, s of the machine's clock. It
    starts where the loop is at the next full second."""

    def __init__(self, path, kind, began):
        super().__init__()
        self.kind = kind
        with av.open(str(path)) as container:
            self._duration = round(container.duration / av.time_base)
            self._packets = sorted(
                (float(packet.pts * packet.time_base), bytes(packet))
                for packet in container.demux(**{kind: 0}) if packet.pts is not None)
        self._began = began
        position = math.ceil(time.monotonic() - began)
        self._loop, second = divmod(position, self._duration)
        self._next = next(
            index for index, (at, _) in enumerate(self._packets) if at > second - 0.010)

    async def recv(self):
        at, data = self._packets[self._next]
        at += self._loop * self._duration
        self._next += 1
        if self._next == len(self._packets):
            self._next = 0
            self._loop += 1
        await asyncio.sleep(self._began + at - time.monotonic())
        packet = av.Packet(data)
        packet.time_base = Fraction(1, CLOCKS[self.kind])
        packet.pts = round((at + 1) * CLOCKS[self.kind])  # none is before 0
        return packet


class JitsiSender:
    """Comes when it is made, leaves with its block or by `close`. As a Publisher."""

    def __init__(self, server, prosody, room, path, layers=(), log=subprocess.DEVNULL):
        self.process = subprocess.Popen(
            [*server.prefix, sys.executable, "-m", "harness.jitsi_sender", str(prosody.port),
             str(prosody.authority.file), room, *map(str, [path, *layers])],
            cwd=Path(__file__).parents[1], stdin=subprocess.PIPE, stdout=log, stderr=log)

    def is_there(self):
        return self.process.poll() is None

    def close(self):
        """Its exit status."""
        self.process.stdin.close()
        return self.process.wait(END_TIMEOUT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def main(port, authority, room, *paths):
    prosody = SimpleNamespace(port=int(port), authority=SimpleNamespace(file=authority))
    began = time.monotonic()
    cameras = [lambda path=path: Clip(path, "video", began) for path in paths]
    with Attendee(prosody, room, Path(paths[0]).stem, camera=cameras[0],
                  sound=lambda: Clip(paths[0], "audio", began), smaller=cameras[1:]):
        sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
