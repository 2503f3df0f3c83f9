"""The short form of `make crash-series`: each phase and each victim once."""

import crash_series


def test_nothing_is_lost_whoever_is_killed_whenever(binary, tmp_path):
    outcomes = crash_series.run(12, 1, tmp_path)
    assert outcomes.total() == 12
