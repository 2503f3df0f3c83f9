"""Measures how fast the machine's cores are during a measurement.

A virtual machine's core is half of a real one. While its host gives the other half to another
machine, which nothing reports, every second of CPU does up to half less work, for minutes at a
time. So a small piece of the job itself, decoding and encoding a clip, is repeated beside the
measured work, at the lowest priority; its cost in CPU seconds shows how much a second of CPU was
worth meanwhile."""

import os
import statistics
import subprocess
import threading

# One piece is about 0.2 s of CPU: 4 % of two cores.
PIECE_SECONDS = 1
INTERVAL = 2.5
PRIORITY = 19


class Yardstick:
    """Does the piece of work every few seconds, from `with` to the end of it."""

    def __init__(self, clip):
        self.command = [
            "nice", "-n", PRIORITY, "ffmpeg", "-nostdin", "-loglevel", "error",
            "-threads", "1", "-i", clip, "-t", PIECE_SECONDS, "-an",
            "-c:v", "libx264", "-preset", "superfast", "-threads", "1", "-f", "null", "-"]
        self.costs = []
        self.ended = threading.Event()

    def __enter__(self):
        self.thread = threading.Thread(target=self.repeat, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()

    def repeat(self):
        while True:
            self.costs.append(self.piece())
            if self.ended.wait(INTERVAL):
                return

    def piece(self):
        process = subprocess.Popen(
            list(map(str, self.command)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        return usage.ru_utime + usage.ru_stime

    @property
    def cost(self):
        """CPU seconds of the piece, on average over the time."""
        return statistics.fmean(self.costs)
