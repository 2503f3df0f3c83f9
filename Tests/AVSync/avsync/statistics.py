"""Marks in time (flashes or beeps) as figures."""

from dataclasses import dataclass

import numpy as np

from .clips import PERIOD


@dataclass(frozen=True)
class Thresholds:
    """What passes. EBU R37 tolerates +40/-60 ms for the whole chain."""

    offset: float = 0.045  # s, 95th percentile of |A-V|
    cadence: float = 0.040  # s, 95th percentile
    present: float = 0.99  # share of the expected flashes, and of the expected beeps
    drift: float = 0.020  # s, the first minute against the last
    freeze: float = 0.5  # s without a change in a visible picture
    absences: int = 0  # times that a picture is gone for a while
    # s between the first flash and the first beep, and between the last ones. A recording may begin
    # in the middle of either, which is then not counted, and end between the two or in the middle
    # of the beep: so one mark may be missing at each end, but not a second one.
    lag: float = 1.5
    spread: float = 0.045  # s between the publishers' median offsets
    # s between the publishers' marks. Clips that do not run by the wall clock may have any value.
    second: float | None = None

    #: Pairs of flash and beep without which nothing can be said.
    FEWEST_PAIRS = 3


def without_repeats(marks):
    """The marks, and how many came again within half a period."""
    kept = []
    for mark in marks:
        if not kept or mark - kept[-1] > PERIOD / 2:
            kept.append(mark)
    return np.array(kept), len(marks) - len(kept)


def missing(marks):
    """How many marks are missing between the first and the last, and how many are expected."""
    if len(marks) == 0:
        return 0, 0
    steps = np.maximum(np.round(np.diff(marks) / PERIOD), 1).astype(int)
    return int((steps - 1).sum()), int(steps.sum()) + 1


def cadence(marks):
    """How far each mark is from a period after the one before, where none is between."""
    steps = np.diff(marks)
    return np.abs(steps[steps < 1.5 * PERIOD] - PERIOD)


def pairs(flashes, beeps):
    """The beep nearest to each flash, within half a period: times and offsets, A minus V."""
    if len(flashes) == 0 or len(beeps) == 0:
        return np.zeros(0), np.zeros(0)
    right = np.clip(np.searchsorted(beeps, flashes), 1, len(beeps) - 1) if len(beeps) > 1 else 0
    left = np.maximum(right - 1, 0)
    nearest = np.where(
        np.abs(beeps[right] - flashes) < np.abs(beeps[left] - flashes), beeps[right], beeps[left]
    )
    offsets = nearest - flashes
    near = np.abs(offsets) <= PERIOD / 2
    return flashes[near], offsets[near]


def drift(times, offsets):
    """The last minute's median offset less the first one's; thirds when that is shorter."""
    span = min(60.0, (times[-1] - times[0]) / 3)
    first, last = offsets[times <= times[0] + span], offsets[times >= times[-1] - span]
    return float(np.median(last) - np.median(first))


def longest_still(times, moving, visible):
    """The longest time (s) from one change of a visible picture to the next."""
    longest, since = 0.0, None
    for time, moves, is_seen in zip(times, moving, visible):
        if since is not None:
            longest = max(longest, time - since)
        if not is_seen:
            since = None
        elif moves or since is None:
            since = time
    return longest


def absences(times, visible):
    """The stretches (from, to) without the picture, after it was first seen and before the end."""
    found, since = [], None
    seen = False
    for time, is_seen in zip(times, visible):
        if is_seen:
            if since is not None:
                found.append((since, time))
            seen, since = True, None
        elif seen and since is None:
            since = time
    return found


def milliseconds(value):
    return round(float(value) * 1000, 1)


def percentiles(values):
    """p50, p95 and maximum of |values|, the first with its sign."""
    sizes = np.abs(values)
    return {
        "p50_ms": milliseconds(np.median(values)),
        "p95_ms": milliseconds(np.percentile(sizes, 95)),
        "max_ms": milliseconds(sizes.max()),
    }
