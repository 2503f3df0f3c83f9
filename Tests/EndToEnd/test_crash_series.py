"""The short form of `make crash-series`: each phase and each victim, until each has been hit."""

import random

import crash_series


def test_nothing_is_lost_whoever_is_killed_whenever(binary, tmp_path, record_property):
    seed = random.SystemRandom().randrange(1 << 32)
    record_property("seed", seed)
    series = crash_series.run(12, seed, tmp_path)
    assert set(series.hits) == {(phase, victim) for phase in crash_series.PHASES
                                for victim in crash_series.VICTIMS}
    assert min(series.hits.values()) >= 1
