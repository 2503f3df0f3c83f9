"""The eyes and ears of the other tests, tried on media of which everything is known."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from harness import hls, lanes, media, priority, tokens
from harness.server import REPOSITORY

CLIPS = ["ann", "ben", "cleo", "dora"]


def clip(name):
    return REPOSITORY / "fixtures" / "media" / f"{name}.webm"


@pytest.fixture(scope="module")
def ann():
    return media.frames(clip("ann"), 640, 360)


@pytest.mark.parametrize("name", CLIPS)
def test_a_clip_has_its_size_and_its_length(name):
    found = media.streams(clip(name))
    assert (found["video"]["width"], found["video"]["height"]) == (640, 360)
    assert found["video"]["avg_frame_rate"] == "30/1"
    assert (found["video"]["codec_name"], found["audio"]["codec_name"]) == ("vp8", "opus")
    assert abs(len(media.sound(clip(name))) / media.SAMPLE_RATE - 24) < 0.02


def test_a_clip_flashes_for_three_frames_a_second_and_counts_the_others(ann):
    assert len(ann) == 720
    white = media.luma(ann) > 240
    assert [index for index in range(720) if white[index]] == [
        index for index in range(720) if index % 30 < 3
    ]
    counted = {index: media.frame_number(ann[index]) for index in range(720) if not white[index]}
    assert all(index == number for index, number in counted.items())


def test_the_clips_are_told_apart_by_colour(ann):
    red, green, blue = media.colour_of(ann)
    assert red > 2 * green and red > 2 * blue
    red, green, blue = media.colour_of(media.frames(clip("ben")))
    assert green > 1.5 * red and green > 1.5 * blue
    red, green, blue = media.colour_of(media.frames(clip("cleo")))
    assert blue > 1.5 * red and blue > 1.5 * green


def test_a_frozen_picture_is_seen(ann):
    assert media.longest_run(media.movement(ann[:180]) < 8) <= 3  # the white frames
    frozen = np.concatenate([ann[10:20], np.repeat(ann[20:21], 15, axis=0)])
    assert media.longest_run(media.movement(frozen) < 8) == 14


def test_playlists_are_read_as_the_specification_has_them():
    variants = hls.parse_master(
        '#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-STREAM-INF:BANDWIDTH=2000,CODECS="avc1.4d001f,mp4a.40.2"'
        ",RESOLUTION=1280x720\nstream_0/stream.m3u8\n"
    )
    assert variants[0].size == (1280, 720)
    assert variants[0].attributes["CODECS"] == "avc1.4d001f,mp4a.40.2"
    playlist = hls.parse_media(
        "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:00.000Z\n"
        "#EXTINF:2.000,\na.ts\n#EXT-X-DISCONTINUITY\n#EXTINF:1.5,\nb.ts\n#EXT-X-ENDLIST\n"
    )
    assert [segment.duration for segment in playlist.segments] == [2.0, 1.5]
    assert [segment.is_discontinuity for segment in playlist.segments] == [False, True]
    assert playlist.is_ended and playlist.tags["EXT-X-TARGETDURATION"] == "2"


def test_tokens_have_three_parts_and_the_right_claims():
    header, payload, signature = tokens.room_token("r", role="guest").split(".")
    assert header and payload and len(signature) == 43
    assert tokens.management_token(algorithm="none").endswith(".")


GIVE_WAY = """
import os, subprocess
from harness import priority
before = os.getsid(0)
priority.give_way()
print(os.getsid(0) != before, flush=True)
browser = priority.script(["sh", "-c", "nice; cat /proc/self/autogroup || true"])
subprocess.run(["sh", "-c", browser], start_new_session=True, check=True)
"""


def test_a_lane_that_gives_way_does_so_in_every_session_that_it_begins():
    done = subprocess.run([sys.executable, "-c", GIVE_WAY], cwd=Path(__file__).parent,
                          capture_output=True, text=True, check=True)
    is_own, niceness, *autogroup = done.stdout.splitlines()
    assert is_own == "True"
    assert int(niceness) == os.nice(0) + priority.NICENESS
    if Path(priority.AUTOGROUP).exists():
        assert autogroup[0].endswith(f" nice {priority.NICENESS}"), autogroup


LANES = f"""
import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})
from harness import lanes

def pytest_xdist_make_scheduler(config, log):
    return lanes.Lanes(config, log)

def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: lanes.order(item.path.stem))
"""
# Says who has it, and waits until each of the three workers has something.
IN_A_LANE = """
import os, time
from pathlib import Path
import pytest

WORKERS = Path(__file__).parent / "workers"

@pytest.mark.parametrize("part", range(3))
def test_it(part):
    worker = os.environ["PYTEST_XDIST_WORKER"]
    with (WORKERS / worker).open("a") as file:
        file.write(Path(__file__).stem + "\\n")
    deadline = time.monotonic() + 60
    while len(list(WORKERS.iterdir())) < 3:
        assert time.monotonic() < deadline
        time.sleep(0.01)
"""


def test_each_module_has_one_lane_and_those_by_the_clock_share_one(tmp_path):
    (tmp_path / "workers").mkdir()
    (tmp_path / "conftest.py").write_text(LANES)
    clock, aside = ["test_first", "test_second"], ["test_captions", "test_polls", "test_relay"]
    # The first one aside comes first, however many tests the others have.
    counts = dict.fromkeys([*clock, *aside, lanes.LAST], 3) | dict.fromkeys(aside[1:], 5)
    for module, count in counts.items():
        (tmp_path / f"{module}.py").write_text(IN_A_LANE.replace("range(3)", f"range({count})"))
    subprocess.run([sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", "3", str(tmp_path)],
                   check=True)
    workers = [file.read_text().split() for file in (tmp_path / "workers").iterdir()]
    assert sorted(sum(workers, [])) == sorted(
        module for module, count in counts.items() for _ in range(count))
    assert all(worker[:6] == sorted(clock * 3) for worker in workers if worker[0] in clock)
    assert sum(worker[0] in clock for worker in workers) == 1
    [long] = [worker for worker in workers if worker[0] == aside[0]]
    assert long[-3:] == [lanes.LAST] * 3


@pytest.mark.parametrize("is_ci, status", [(True, 1), (False, 0)])
def test_ci_skips_nothing_and_every_run_counts_what_it_skipped(tmp_path, is_ci, status):
    (tmp_path / "conftest.py").write_text(
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from harness.skips import Skips\n"
        "def pytest_configure(config): config.pluginmanager.register(Skips())\n")
    (tmp_path / "test_it.py").write_text(
        "import pytest\n"
        "def test_one(): pass\n"
        "def test_two(): pytest.skip('no root')\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", str(tmp_path)],
        env=os.environ | {"CI": "true" if is_ci else ""}, capture_output=True, text=True,
        check=False)
    assert done.returncode == status, done.stdout
    assert "not tried here: 1 tests" in done.stdout and "no root" in done.stdout
