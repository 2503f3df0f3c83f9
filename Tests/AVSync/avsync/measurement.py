"""A file or playlist of flash-and-beep clips, measured."""

from dataclasses import dataclass, field

import numpy as np

from . import statistics
from .clips import CLIPS, PERIOD
from .decoder import DecodingFailed, decode
from .ears import Ears
from .eyes import Eyes
from .statistics import Thresholds, milliseconds

EVEN = 0.002  # s by which the distance of two pictures may differ; containers round
FEWEST_MARKS = 2  # of a clip that counts as there
# With fewer than twenty marks, as with twenty, the 95th percentile allows for one outlier.
OF_FEW = "lower"


class CannotMeasure(Exception):
    """There is nothing to judge: no media, no clip of ours, or too little of it."""


@dataclass
class Publisher:
    """What was seen and heard of one clip. Times are seconds from the file's first picture."""

    name: str
    flashes: np.ndarray
    beeps: np.ndarray
    repeated_flashes: int
    repeated_beeps: int
    broken_beeps: int
    absences: list
    longest_freeze: float
    first_seen: float

    def pairs(self, begin=0.0, end=float("inf")):
        """Times and offsets (A minus V, s) of flashes with their beeps in a stretch of the file."""
        times, offsets = statistics.pairs(self.flashes, self.beeps)
        inside = (times >= begin) & (times < end)
        return times[inside], offsets[inside]

    def marks(self, begin, end):
        """The flashes and the beeps in a stretch of the file."""
        return tuple(
            found[(found >= begin) & (found < end)] for found in (self.flashes, self.beeps)
        )

    def report(self, thresholds, coarseness):
        times, offsets = self.pairs()
        if len(offsets) < thresholds.FEWEST_PAIRS:
            raise CannotMeasure(f"{self.name}: {len(offsets)} pairs of flash and beep")
        lost_flashes, expected_flashes = statistics.missing(self.flashes)
        lost_beeps, expected_beeps = statistics.missing(self.beeps)
        flashes_present = 1 - lost_flashes / expected_flashes
        beeps_present = 1 - lost_beeps / expected_beeps
        cadences = [
            np.percentile(statistics.cadence(marks), 95, method=OF_FEW)
            for marks in (self.flashes, self.beeps)]
        report = {
            "offset": statistics.percentiles(offsets),
            "cadence": {
                "flash_p95_ms": milliseconds(cadences[0]),
                "beep_p95_ms": milliseconds(cadences[1]),
            },
            "events": {
                "flashes": len(self.flashes), "missing_flashes": lost_flashes,
                "beeps": len(self.beeps), "missing_beeps": lost_beeps,
                "flashes_present": round(flashes_present, 4),
                "beeps_present": round(beeps_present, 4),
            },
            "repeats": {"flashes": self.repeated_flashes, "beeps": self.repeated_beeps},
            "gaps": {
                "broken_beeps": self.broken_beeps,
                "absences": len(self.absences),
                "longest_absence_ms": milliseconds(
                    max((end - begin for begin, end in self.absences), default=0)),
            },
            "longest_freeze_ms": milliseconds(self.longest_freeze),
            "drift_ms": milliseconds(statistics.drift(times, offsets)),
            "start": {
                "picture_ms": milliseconds(self.first_seen),
                "flash_ms": milliseconds(self.flashes[0]),
                "beep_ms": milliseconds(self.beeps[0]),
                "lag_ms": milliseconds(self.flashes[0] - self.beeps[0]),
            },
            "end": {
                "flash_ms": milliseconds(self.flashes[-1]),
                "beep_ms": milliseconds(self.beeps[-1]),
                "lag_ms": milliseconds(self.flashes[-1] - self.beeps[-1]),
            },
        }
        report["failures"] = [
            name for name, failed in {
                "offset": np.percentile(np.abs(offsets), 95, method=OF_FEW) > thresholds.offset,
                "cadence": max(cadences) > thresholds.cadence,
                "flashes": flashes_present < thresholds.present,
                "beeps": beeps_present < thresholds.present,
                "repeats": self.repeated_flashes + self.repeated_beeps > 0,
                "broken beeps": self.broken_beeps > 0,
                "absences": len(self.absences) > thresholds.absences,
                "freeze": self.longest_freeze > thresholds.freeze,
                "drift": abs(report["drift_ms"]) / 1000 > thresholds.drift + coarseness,
                "start": abs(report["start"]["lag_ms"]) / 1000 > thresholds.lag,
                "end": abs(report["end"]["lag_ms"]) / 1000 > thresholds.lag,
            }.items() if failed
        ]
        return report


@dataclass
class Measurement:
    media: str
    duration: float  # s
    interval: float  # s from picture to picture
    sizes: set
    is_monotonic: bool
    is_even: bool
    sound_jump: float  # s
    publishers: dict = field(default_factory=dict)  # by name

    @property
    def coarseness(self):
        """How exact a median of flashes is (s): to a picture, over a minute much better."""
        return self.interval if self.duration < 180 else 0.0

    def report(self, thresholds=Thresholds(), expected=None):
        """All figures and the verdict, ready for JSON.

        `expected`: the required number of publishers. Raises `CannotMeasure`.
        """
        if not self.publishers:
            raise CannotMeasure("no flash-and-beep clip is in it")
        agreement = self._agreement()
        found = {
            name: one.report(thresholds, self.coarseness) for name, one in self.publishers.items()}
        failures = [f"{name}: {what}" for name, one in found.items() for what in one["failures"]]
        failures += [
            what for what, failed in {
                "timestamps go back or stand": not self.is_monotonic,
                "frame rate changes": not self.is_even,
                "size changes": len(self.sizes) > 1,
                "sound jumps": self.sound_jump > EVEN,
                "offsets disagree": agreement["offset_spread_ms"] / 1000 > thresholds.spread,
                "seconds disagree": thresholds.second is not None
                and agreement["second_spread_ms"] / 1000 > thresholds.second,
                f"not {expected} publishers": expected is not None and len(found) != expected,
            }.items() if failed
        ]
        return {
            "media": self.media,
            "seconds": round(self.duration, 3),
            "frame_rate": round(1 / self.interval, 3),
            "sizes": [f"{width}x{height}" for width, height in sorted(self.sizes)],
            "is_monotonic": self.is_monotonic,
            "is_constant_rate": self.is_even,
            "sound_jump_ms": milliseconds(self.sound_jump),
            "publishers": found,
            "agreement": agreement,
            "failures": failures,
            "verdict": "fail" if failures else "pass",
        }

    def _agreement(self):
        """The agreement between the publishers.

        The spread of their offsets shows whether all are equally in sync. The wander of their marks
        against each other shows whether one moved on the stream's clock while another stood still.
        The spread of their flashes and beeps within the second is their difference in delay, if
        their clips run by the wall clock (`roomcast publish --by-the-clock`).
        """
        offsets = [np.median(one.pairs()[1]) for one in self.publishers.values()]
        first, *others = self.publishers.values()
        flashes = [phases(one.flashes, first.flashes) for one in others]
        beeps = [phases(one.beeps, first.beeps) for one in others]
        centres = [0.0, *(np.median(one) for one in [*flashes, *beeps] if len(one))]
        wander = [np.percentile(np.abs(one - np.median(one)), 95) for one in beeps if len(one)]
        return {
            "offset_spread_ms": milliseconds(max(offsets) - min(offsets)),
            "wander_p95_ms": milliseconds(max(wander, default=0)),
            "second_spread_ms": milliseconds(max(centres) - min(centres)),
        }


def phases(marks, reference):
    """By how much each mark is after the nearest one of another publisher (s)."""
    nearest = reference[np.abs(marks[:, None] - reference[None]).argmin(1)]
    apart = marks - nearest
    return apart[np.abs(apart) <= PERIOD / 2]


def measure(media, seconds=None):
    """Decodes `media` (a path or an address) and finds the clips in it.

    Raises `CannotMeasure` if it cannot be decoded.
    """
    eyes, ears = Eyes(), Ears()
    try:
        timing = decode(media, eyes.see, ears.hear, seconds)
    except DecodingFailed as failure:
        raise CannotMeasure(str(failure)) from None
    pictures = np.array(timing.pictures)
    if len(pictures) < 2:
        raise CannotMeasure("a single picture")
    origin, steps = pictures[0], np.diff(pictures)
    interval = (pictures[-1] - origin) / (len(pictures) - 1)
    result = Measurement(
        media=str(media), duration=pictures[-1] - origin + interval, interval=interval,
        sizes=timing.sizes, is_monotonic=bool((steps > 0).all()),
        is_even=bool(np.abs(steps - np.median(steps)).max() <= EVEN),
        sound_jump=timing.largest_sound_jump(),
    )
    for number, clip in enumerate(CLIPS):
        sight = eyes.sights[number]
        onsets, breaks = ears.beeps(number)
        flashes, repeated_flashes = statistics.without_repeats(pictures[sight.flashes] - origin)
        beeps, repeated_beeps = statistics.without_repeats(timing.of_samples(onsets) - origin)
        if min(len(flashes), len(beeps)) < FEWEST_MARKS:
            continue
        times = pictures - origin
        result.publishers[clip.name] = Publisher(
            name=clip.name, flashes=flashes, beeps=beeps, repeated_flashes=repeated_flashes,
            repeated_beeps=repeated_beeps, broken_beeps=sum(one > 0 for one in breaks),
            absences=statistics.absences(times, sight.visible),
            longest_freeze=statistics.longest_still(times, sight.moving, sight.visible),
            first_seen=float(times[sight.visible.index(True)]),
        )
    return result
