"""Finds each clip's beeps by their pitch."""

import numpy as np

from .clips import CLIPS
from .decoder import SAMPLE_RATE

WINDOW = SAMPLE_RATE // 50  # samples that one level is made of
HOP = SAMPLE_RATE // 1000  # samples from level to level
FLOOR = 0.03  # amplitude that is a beep
BREAK = 50  # levels of silence that end a beep
SHORTEST = 40  # levels of a beep
# The minimum level of a beep's parts, as a share of the loudest part. A sharp beginning or end has,
# for an instant, a sixth of its level at the pitches of other clips.
PART = 1 / 3


class Ears:
    """The amplitude of every clip's pitch each millisecond, kept; the samples are not."""

    def __init__(self):
        times = np.arange(WINDOW) / SAMPLE_RATE
        window = np.hanning(WINDOW)
        waves = np.stack([np.exp(-2j * np.pi * clip.pitch * times) * window for clip in CLIPS], 1)
        waves *= 2 / window.sum()
        self._waves = np.concatenate([waves.real, waves.imag], 1).astype(np.float32)
        # Each level belongs to the middle of its window: the first level to the first sample.
        self._rest = np.zeros(WINDOW // 2, np.float32)
        self._levels = []

    def hear(self, samples):
        samples = np.concatenate([self._rest, samples])
        count = (len(samples) - WINDOW) // HOP + 1
        if count <= 0:
            self._rest = samples
            return
        windows = np.lib.stride_tricks.sliding_window_view(samples, WINDOW)[::HOP][:count]
        parts = windows @ self._waves
        self._levels.append(np.hypot(parts[:, :len(CLIPS)], parts[:, len(CLIPS):]))
        self._rest = samples[count * HOP:]

    def beeps(self, clip):
        """The positions (samples) at which a clip's beeps begin, and the breaks within each."""
        levels = np.concatenate(self._levels)[:, clip] if self._levels else np.zeros(0, np.float32)
        edges = np.diff(np.concatenate([[0], (levels > FLOOR).astype(np.int8), [0]]))
        begins, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1)
        beeps = []  # each a list of its parts
        for part in zip(begins, ends):
            if beeps and part[0] - beeps[-1][-1][1] < BREAK:
                beeps[-1].append(part)
            else:
                beeps.append([part])
        runs = [self._run(levels, parts) for parts in beeps]
        runs = [run for run in runs if run[1] - run[0] >= SHORTEST]
        onsets = [self._onset(levels, begin, end) * HOP for begin, end, _ in runs]
        return onsets, [breaks for _, _, breaks in runs]

    @staticmethod
    def _run(levels, parts):
        """From where to where a beep lasts, and how many breaks are in it."""
        heights = [levels[begin:end].max() for begin, end in parts]
        parts = [part for part, height in zip(parts, heights) if height >= PART * max(heights)]
        return parts[0][0], parts[-1][1], len(parts) - 1

    @staticmethod
    def _onset(levels, begin, end):
        """Where the level has risen to half: there half of the window is in the beep."""
        half = np.median(levels[begin:end]) / 2
        at = begin + int(np.argmax(levels[begin:end] >= half))
        if at == 0:
            return 0.0
        rise = levels[at] - levels[at - 1]
        return at - (levels[at] - half) / rise if rise > 0 else float(at)
