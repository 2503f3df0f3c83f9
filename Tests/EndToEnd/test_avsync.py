"""The measuring instrument (Tests/AVSync), tried on files whose faults were put there."""

import avsync
import pytest
from harness import instrument, media
from harness.server import REPOSITORY

CLIPS = REPOSITORY / "fixtures/media"
PLAIN = "[0:v]null[v];[0:a]anull[a]"
SIDE_BY_SIDE = "[0:v][1:v]hstack[v];[0:a][1:a]amix=normalize=0[a]"


def make(path, clips, graph=PLAIN, kind=()):
    """Twelve seconds of clips through a filter graph, encoded as little as can be."""
    inputs = [part for clip in clips for part in ("-i", str(CLIPS / f"{clip}.webm"))]
    media.run("ffmpeg", "-v", "error", "-y", *inputs, "-filter_complex", graph,
              "-map", "[v]", "-map", "[a]", "-s", "320x180", "-t", "12",
              "-c:v", "libx264", "-preset", "ultrafast", "-c:a", "pcm_s16le", *kind, str(path))
    return path


def report_of(path, **thresholds):
    return avsync.measure(path).report(avsync.Thresholds(**thresholds))


@pytest.mark.parametrize("clip", [one.name for one in avsync.CLIPS])
def test_a_clip_is_in_time_with_itself(clip):
    report = report_of(CLIPS / f"{clip}.webm")
    assert report["failures"] == [], report["publishers"]
    assert list(report["publishers"]) == [clip]
    found = report["publishers"][clip]
    assert found["offset"]["max_ms"] <= 2 and found["cadence"]["beep_p95_ms"] <= 1
    # The clip of the first flash is known only after it.
    assert (found["events"]["flashes"], found["events"]["beeps"]) == (23, 24)
    assert found["longest_freeze_ms"] == 100  # of the three white pictures
    assert report["frame_rate"] == 30 and report["sizes"] == ["640x360"]


def test_an_offset_is_found_at_its_publisher(tmp_path):
    graph = "[1:a]adelay=80[late];[0:v][1:v]hstack[v];[0:a][late]amix=normalize=0[a]"
    report = report_of(make(tmp_path / "late.mkv", ["ann", "ben"], graph))
    # Mixing cuts off the 7 ms of sound that the clips have before their first picture.
    assert 6 <= report["publishers"]["ann"]["offset"]["p50_ms"] <= 8
    assert 86 <= report["publishers"]["ben"]["offset"]["p50_ms"] <= 88
    assert report["failures"] == ["ben: offset", "offsets disagree"]
    assert abs(report["agreement"]["offset_spread_ms"] - 80) <= 2


def test_publishers_that_are_in_time_but_not_alike_are_seen(tmp_path):
    graph = (
        "[0:a]atrim=start=0.04,asetpts=PTS-STARTPTS[early];[1:a]adelay=30[late];"
        "[0:v][1:v]hstack[v];[early][late]amix=normalize=0[a]"
    )
    report = report_of(make(tmp_path / "apart.mkv", ["ann", "ben"], graph))
    assert report["failures"] == ["offsets disagree"], report


def test_a_publisher_that_is_late_as_a_whole_is_seen_where_all_run_by_the_clock(tmp_path):
    graph = (
        "[0:v]fps=30,trim=start_frame=3,setpts=N/30/TB[early];[1:v]fps=30[late];"
        "[0:a]atrim=start=0.1,asetpts=PTS-STARTPTS[sound];"
        "[early][late]hstack[v];[sound][1:a]amix=normalize=0[a]"
    )
    file = make(tmp_path / "late.mkv", ["ann", "ben"], graph)
    report = report_of(file)
    assert report["failures"] == [], report
    assert abs(report["agreement"]["second_spread_ms"] - 100) <= 10
    assert report_of(file, second=0.045)["failures"] == ["seconds disagree"]
    assert report_of(file, second=0.15)["failures"] == []


def test_sound_before_its_picture_is_an_offset_below_zero(tmp_path):
    graph = "[0:v]setpts=PTS+0.1/TB[v];[0:a]anull[a]"
    report = report_of(make(tmp_path / "early.mkv", ["ann"], graph))
    assert -94 <= report["publishers"]["ann"]["offset"]["p50_ms"] <= -92
    assert report["failures"] == ["ann: offset"]


def test_a_missing_beep_and_a_missing_flash_are_counted(tmp_path):
    graph = (
        "[0:a]volume=0:enable='between(t,4.9,5.5)'[a];"
        "[0:v]drawbox=color=0xB03A3A:t=fill:enable='between(n,240,244)'[v]"
    )
    report = report_of(make(tmp_path / "missing.mkv", ["ann"], graph))
    events = report["publishers"]["ann"]["events"]
    assert (events["missing_beeps"], events["missing_flashes"]) == (1, 1)
    assert report["failures"] == ["ann: flashes", "ann: beeps"]


@pytest.mark.parametrize(("lost", "graph"), [
    ("flashes", "[0:a]anull[a];"
                "[0:v]drawbox=color=0xB03A3A:t=fill:enable='between(n,240,244)'[v]"),
    ("beeps", "[0:v]null[v];[0:a]volume=0:enable='between(t,4.9,5.5)'[a]"),
], ids=["flashes", "beeps"])
def test_marks_of_one_kind_do_not_make_up_for_the_other(tmp_path, lost, graph):
    report = report_of(make(tmp_path / "one.mkv", ["ann"], graph), present=0.95)
    assert report["failures"] == [f"ann: {lost}"]


def test_a_picture_that_begins_to_flash_late_is_seen(tmp_path):
    graph = (
        "[0:a]anull[a];[0:v]drawbox=color=0xB03A3A:t=fill:"
        "enable='lt(n,100)*lt(mod(n,30),4)'[v]"
    )
    report = report_of(make(tmp_path / "begins.mkv", ["ann"], graph))
    assert report["publishers"]["ann"]["start"]["lag_ms"] >= 2900
    assert report["failures"] == ["ann: start"]


@pytest.mark.parametrize(("graph", "lag"), [
    ("[0:v]null[v];[0:a]volume=0:enable='gt(t,6.5)'[a]", 5000),
    ("[0:a]anull[a];[0:v]drawbox=color=0xB03A3A:t=fill:"
     "enable='gt(n,190)*lt(mod(n,30),4)'[v]", -5000),
], ids=["sound", "flashes"])
def test_what_ends_halfway_is_seen(tmp_path, graph, lag):
    report = report_of(make(tmp_path / "ends.mkv", ["ann"], graph))
    assert abs(report["publishers"]["ann"]["end"]["lag_ms"] - lag) <= 20
    assert report["failures"] == ["ann: end"]


@pytest.mark.parametrize(("graph", "lag"), [
    ("[0:v]null[v];[0:a]volume=0:enable='gt(t,10.5)'[a]", 1000),
    ("[0:a]anull[a];[0:v]drawbox=color=0xB03A3A:t=fill:"
     "enable='gt(n,310)*lt(mod(n,30),4)'[v]", -1000),
], ids=["beep", "flash"])
def test_a_file_may_end_between_a_flash_and_its_beep(tmp_path, graph, lag):
    report = report_of(make(tmp_path / "between.mkv", ["ann"], graph))
    assert abs(report["publishers"]["ann"]["end"]["lag_ms"] - lag) <= 20
    assert report["failures"] == [], report["publishers"]


@pytest.mark.parametrize("picture", [148, 150, 154])  # the flash is in 150 to 152
def test_a_flash_in_the_place_of_a_tile_that_has_gone_is_another_clips(tmp_path, picture):
    graph = (
        f"[0:v][1:v]overlay=enable='gte(n,{picture})'[v];"
        "[0:a][1:a]amix=normalize=0[a]"
    )
    found = avsync.measure(make(tmp_path / "gone.mkv", ["ann", "ben"], graph)).publishers
    assert list(found["ann"].flashes) == [1, 2, 3, 4, 5][:4 if picture <= 150 else 5]


def test_a_beep_that_comes_twice_or_is_broken_is_seen(tmp_path):
    graph = (
        "[0:a]asplit[one][two];[two]atrim=3:3.2,asetpts=PTS-STARTPTS,adelay=3300[again];"
        "[one]volume=0:enable='between(t,7.04,7.07)'[broken];"
        "[broken][again]amix=normalize=0[a];[0:v]null[v]"
    )
    found = report_of(make(tmp_path / "repeat.mkv", ["ann"], graph))["publishers"]["ann"]
    assert found["repeats"] == {"flashes": 0, "beeps": 1}
    assert found["gaps"]["broken_beeps"] == 1
    assert found["failures"] == ["repeats", "broken beeps"]


@pytest.mark.parametrize("apart", [-130, -40, -15, 15, 40, 130])
def test_a_beep_right_before_or_behind_another_does_not_break_it(tmp_path, apart):
    """A sharp beginning or end contains every frequency."""
    graph = (f"[1:a]volume=1.7,adelay={1000 + apart}:all=1[other];[0:v]null[v];"
             "[0:a][other]amix=normalize=0[a]")
    report = report_of(make(tmp_path / "near.mkv", ["ann", "ben"], graph))
    assert report["failures"] == [], report["publishers"]


def test_drift_is_found(tmp_path):
    # Sound that runs 0.8 % slow is 64 ms later in the last third than in the first.
    graph = "[0:a]asetrate=47616,aresample=48000[a];[0:v]null[v]"
    report = report_of(make(tmp_path / "drift.mkv", ["ann"], graph), offset=0.2)
    assert 52 <= report["publishers"]["ann"]["drift_ms"] <= 76
    assert report["failures"] == ["ann: drift"]


def test_a_publisher_that_jumps_wanders_against_the_others(tmp_path):
    # From second 6 on, every mark of one clip is 100 ms late; the other clip's marks continue.
    graph = (
        "[1:v]trim=end=5.7,setpts=PTS-STARTPTS[v0];"
        "[1:v]trim=start=5.6,setpts=PTS-STARTPTS[v1];[v0][v1]concat[late];"
        "[1:a]atrim=end=5.7,asetpts=PTS-STARTPTS[a0];"
        "[1:a]atrim=start=5.6,asetpts=PTS-STARTPTS[a1];[a0][a1]concat=v=0:a=1[sound];"
        "[0:v][late]hstack[v];[0:a][sound]amix=normalize=0[a]"
    )
    measurement = avsync.measure(make(tmp_path / "jump.mkv", ["ann", "ben"], graph))
    beeps = measurement.publishers["ben"].beeps
    assert abs(beeps[6] - beeps[5] - 1.1) <= 0.002
    assert abs(measurement.report()["agreement"]["wander_p95_ms"] - 100) <= 60


def test_a_freeze_and_an_absence_are_measured(tmp_path):
    graph = (
        "[0:v]select='not(between(n,155,175))',fps=30,"
        "drawbox=color=0x101010:t=fill:enable='between(n,250,269)'[v];[0:a]anull[a]"
    )
    path = make(tmp_path / "freeze.mkv", ["ann"], graph)
    found = report_of(path)["publishers"]["ann"]
    assert {"freeze", "absences"} <= set(found["failures"])
    left = report_of(path, freeze=0.8, absences=1)["publishers"]["ann"]["failures"]
    assert set(found["failures"]) - set(left) == {"freeze", "absences"}
    assert abs(found["longest_freeze_ms"] - 733) <= 34
    assert found["gaps"]["absences"] == 1
    assert abs(found["gaps"]["longest_absence_ms"] - 667) <= 34


def test_white_initials_in_the_place_of_a_picture_are_not_that_picture(tmp_path):
    off = "enable='between(n,155,244)'"
    graph = (
        f"[0:v]drawbox=color=0x101010:t=fill:{off},"
        f"drawbox=x=iw/3:y=ih/3:w=iw/4:h=ih/4:color=white:t=fill:{off}[v];[0:a]anull[a]"
    )
    found = report_of(make(tmp_path / "initials.mkv", ["ann"], graph))["publishers"]["ann"]
    assert found["gaps"]["absences"] == 1
    assert abs(found["gaps"]["longest_absence_ms"] - 3000) <= 34


def test_pictures_left_out_and_a_new_size_are_seen(tmp_path):
    graph = "[0:v]select='not(eq(n,100))'[v];[0:a]anull[a]"
    uneven = make(tmp_path / "uneven.mkv", ["ann"], graph, kind=["-fps_mode", "passthrough"])
    assert report_of(uneven)["failures"] == ["frame rate changes"]

    kind = ["-c:a", "aac"]
    first = make(tmp_path / "first.ts", ["ann"], kind=[*kind, "-muxdelay", "0"])
    second = make(tmp_path / "second.ts", ["ann"], PLAIN,
                  kind=[*kind, "-s", "640x360", "-output_ts_offset", "12", "-muxdelay", "0"])
    whole = tmp_path / "sizes.ts"
    whole.write_bytes(first.read_bytes() + second.read_bytes())
    assert "size changes" in report_of(whole)["failures"]


def test_tiles_are_found_after_they_moved(tmp_path):
    # Ann on the left of Ben, then on the right of him.
    graph = (
        "[0:v]split[a0][a1];[1:v]split[b0][b1];"
        "[a0][b0]hstack,trim=end=5.5,setpts=PTS-STARTPTS[one];"
        "[b1][a1]hstack,trim=start=5.5,setpts=PTS-STARTPTS[two];"
        "[one][two]concat[v];[0:a][1:a]amix=normalize=0[a]"
    )
    report = report_of(make(tmp_path / "moved.mkv", ["ann", "ben"], graph))
    assert report["failures"] == [], report["publishers"]
    assert all(one["events"]["flashes"] == 11 for one in report["publishers"].values())


def test_the_tool_says_what_it_found_on_one_line_and_by_its_status(tmp_path):
    both = make(tmp_path / "both.mkv", ["ann", "cleo"], SIDE_BY_SIDE)
    status, report = instrument.run(both, "--publishers", 2)
    assert (status, report["verdict"]) == (0, "pass")
    status, report = instrument.run(both, "--publishers", 3)
    assert (status, report["failures"]) == (1, ["not 3 publishers"])
    status, report = instrument.run(both, "--seconds", 6)
    assert status == 0 and abs(report["seconds"] - 6) < 0.1
    later = make(tmp_path / "later.ts", ["ann", "cleo"], SIDE_BY_SIDE,
                 ["-c:a", "aac", "-output_ts_offset", "3600"])
    status, report = instrument.run(later, "--seconds", 6)
    assert status == 0 and abs(report["seconds"] - 6) < 0.1
    status, report = instrument.run(tmp_path / "nothing.ts")
    assert (status, report["verdict"]) == (2, "unknown")
    assert "No such file" in report["reason"]
    empty = make(tmp_path / "empty.mkv", ["ann"], "[0:v]hue=s=0[v];[0:a]volume=0[a]")
    assert instrument.run(empty)[0] == 2
