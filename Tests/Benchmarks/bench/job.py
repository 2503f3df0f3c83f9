"""The job that every contender does, and where things are."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
# Files that take long to make and can be reused; `make clean` removes them.
CACHE = ROOT / ".build" / "benchmarks"

FRAME_RATE = 30
SEGMENT_SECONDS = 2
TILE = (640, 360)
# Width, height, kbit/s of the picture, kbit/s of the sound.
LADDER = [(1280, 720, 2000, 96), (640, 360, 600, 64)]
GROUP = FRAME_RATE * SEGMENT_SECONDS
# The peak rate's ratio to the mean, for every contender.
PEAK_RATIO = 1.1
# Seconds at the peak rate that ffmpeg's and GStreamer's rate control may run ahead.
BUFFER_SECONDS = 2
STEP_SECONDS_MAXIMUM = 60


class Unfit(Exception):
    """The figures would not mean what they say."""


def machine():
    """What the figures depend on, in one line."""
    model = "unknown processor"
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    return f"{os.cpu_count()} x {model}, load {os.getloadavg()[0]:.1f} before"
