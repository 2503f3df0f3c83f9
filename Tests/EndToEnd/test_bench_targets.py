"""A benchmark's results against its targets."""

import sys

import pytest

from harness.server import REPOSITORY

sys.path.insert(0, str(REPOSITORY / "Tests/Benchmarks"))

from bench import targets  # noqa: E402

GOOD = {
    "bot_over_ffmpeg": 0.65, "psnr_delta_db": -0.3, "bot_over_ffmpeg_equal_psnr": 0.87,
    "equal_psnr_delta_db_layers": [0.11, 0.0], "bot_over_chromium": 0.48,
    "page_over_chromium": 0.46, "page_mb": 634, "noncodec_share": 0.072, "rss_mb": 194,
    "start_ms": 2620, "edge_ms_maximum": 2559, "shortages": 0,
}


def test_a_run_at_its_limits_meets_them_all():
    status, lines = targets.verdict(GOOD, targets.STREAM)
    assert status == targets.MET == 0
    assert len(lines) == len(targets.STREAM)
    assert all(line.startswith("met ") for line in lines)


@pytest.mark.parametrize(("name", "figure"), [
    ("bot_over_ffmpeg", 0.651), ("psnr_delta_db", -0.31), ("equal_psnr_delta_db_layers", [0.1, -0.01]),
    ("rss_mb", 251), ("shortages", 1)])
def test_one_missed_target_is_named_and_fails_the_run(name, figure):
    status, lines = targets.verdict({**GOOD, name: figure}, targets.STREAM)
    assert status == targets.MISSED == 1
    missed = [line for line in lines if line.startswith("MISSED")]
    assert len(missed) == 1 and name in missed[0]


@pytest.mark.parametrize(("name", "figure"), [
    ("bot_over_chromium", None), ("equal_psnr_delta_db_layers", None), ("noncodec_share", None)])
def test_a_figure_that_is_not_there_is_open(name, figure):
    status, lines = targets.verdict({**GOOD, name: figure}, targets.STREAM)
    assert status == targets.MET
    assert any(line.startswith("open ") and name in line for line in lines)


def test_a_room_that_was_left_out_is_open():
    figures = {"ratios": {"audio": 0.7}, "rooms": {"audio": {"roomcast": {
        "latency_ms_p99": 5.1, "lost_share": 0}}}}
    status, lines = targets.verdict(figures, targets.ROOMS)
    assert status == targets.MISSED
    assert [line.split()[0] for line in lines] == [
        "met", "open", "open", "MISSED", "open", "open", "met", "open", "open"]


def test_a_run_that_could_not_measure_has_a_status_of_its_own(capsys):
    with pytest.raises(SystemExit) as ended:
        targets.unfit("bench", "nothing to compare")
    assert ended.value.code == targets.UNFIT not in (targets.MET, targets.MISSED)
    assert "nothing to compare" in capsys.readouterr().err
