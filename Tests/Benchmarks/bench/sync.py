"""How far sound and picture are apart in what a browser shows.

The clips of the cost have neither flashes nor beeps, so a browser shows those of the fixtures once
more, for a shorter time, and `avsync` measures what comes of it."""

import sys

from .clips import lengthened
from .job import ROOT

sys.path.insert(0, str(ROOT / "Tests/AVSync"))

import avsync  # noqa: E402

SECONDS = 20
# What a browser takes beside that until it is captured, at most, so that no clip begins anew.
SPARE_SECONDS = 100
NAMES = ("ann", "ben", "cleo", "dora")


def clips(directory):
    directory.mkdir()
    return [lengthened(ROOT / f"fixtures/media/{name}.webm", SECONDS + SPARE_SECONDS, directory)
            for name in NAMES]


def measured(playlist):
    """A minus V in ms of the worst of the clips; None if too few marks are in it."""
    try:
        found = avsync.measure(str(playlist)).report()["publishers"].values()
    except avsync.CannotMeasure:
        return None
    if len(found) < len(NAMES):
        return None
    return {"p50": max((one["offset"]["p50_ms"] for one in found), key=abs),
            "p95": max(one["offset"]["p95_ms"] for one in found)}
