"""`roomcast demo`: three real publishers, mostly of known clips, so the stream can be read to the
frame; `demo` by itself shows drawn people, one of whom shares slides."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import time
import zipfile
from collections import Counter
from pathlib import Path

import avsync
import numpy as np
import pytest

from harness import assets, checks, hls, media, server
from harness.http import Response
from harness.push_servers import FFmpegListener
from harness.scene import CLIPS
from harness.server import free_media_port, free_port
from harness.waiting import wait_for

DURATION = 12  # s
READY_MAXIMUM = 4000  # ms

PEOPLE = {"Ann": 0, "Ben": 1, "Cleo": 2}  # the RGB channel of each one's colour


class Demo:
    """One complete run. Its session id finds any processes left behind."""

    def __init__(self, binary, arguments, directory, errors=subprocess.PIPE, environment=None):
        self.process = subprocess.Popen(
            [str(binary), "demo", *arguments],
            cwd="/",
            env=server.environment() | {
                "ROOMCAST_HTTP_PORT": str(free_port(socket.SOCK_STREAM)),
                "ROOMCAST_UDP_PORT": str(free_media_port()),
                "ROOMCAST_OUTPUT_DIRECTORY": str(directory),
                "ROOMCAST_RECORDINGS_DIRECTORY": f"{directory}-recordings",
            } | (environment or {}),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        )

    def finish(self, timeout):
        try:
            output, errors = self.process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            raise
        return output, errors

    def left_behind(self):
        """Processes of the demo's session that still run."""
        found = []
        for directory in Path("/proc").glob("[0-9]*"):
            try:
                fields = (directory / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == self.process.pid and fields[0] != "Z":
                found.append(directory.name)
        return found


class Result:
    def __init__(self, output, directory):
        self.line = json.loads(output.strip().splitlines()[-1])
        self.directory = Path(self.line["directory"])
        self.stream = hls.Stream(Directory(self.directory), "/master.m3u8", directory)
        self.pictures = media.frames(self.stream.top.file, 640, 360)
        self.tiles = {tile["peer"]: tile for tile in self.line["tiles"]}

    def tile(self, name):
        tile = self.tiles[name]
        place = (tile[key] for key in ("x", "y", "width", "height"))
        return media.crop(self.pictures, *place, 1280, 720)


class Directory:
    """The output directory in place of the origin: the demo's server is gone by then."""

    def __init__(self, root):
        self.root = root

    def get(self, path):
        return Response(200, {}, (self.root / path.lstrip("/")).read_bytes())


@pytest.fixture(scope="module")
def demo(binary, tmp_path_factory):
    run = Demo(
        binary, ["--media", str(CLIPS), "--record", str(DURATION)],
        tmp_path_factory.mktemp("demo-output"))
    output, errors = run.finish(DURATION + 180)
    assert run.process.returncode == 0, errors[-3000:]
    assert run.left_behind() == []
    return Result(output, tmp_path_factory.mktemp("demo"))


def test_it_prints_one_line_with_what_was_made(demo):
    line = demo.line
    assert line["master"].startswith("http://") and line["master"].endswith("/master.m3u8")
    assert line["segments"] == len(demo.stream.top.playlist.segments)
    assert line["segments"] >= DURATION / 2 - 1
    assert 0 < line["started_after_ms"] < READY_MAXIMUM
    assert line["bot_cpu_seconds"] > 0
    assert set(demo.tiles) == set(PEOPLE)


def test_the_stream_is_sound_in_every_layer(demo):
    checks.playlists_are_sound(demo.stream)
    checks.sizes_and_rates_are_right(demo.stream)
    checks.segments_are_cut_alike(demo.stream)
    checks.time_runs_evenly(demo.stream)


def test_everybodys_picture_is_where_its_tile_is(demo):
    for name, channel in PEOPLE.items():
        colour = media.colour_of(demo.tile(name)[90:])
        others = [value for index, value in enumerate(colour) if index != channel]
        assert colour[channel] > 1.4 * max(others), (name, colour, demo.tiles[name])


def test_tiles_lie_on_the_canvas_and_apart(demo):
    tiles = list(demo.line["tiles"])
    for tile in tiles:
        assert 0 <= tile["x"] and tile["x"] + tile["width"] <= 1280
        assert 0 <= tile["y"] and tile["y"] + tile["height"] <= 720
    for index, one in enumerate(tiles):
        for other in tiles[index + 1:]:
            beside = (one["x"] + one["width"] <= other["x"]
                      or other["x"] + other["width"] <= one["x"])
            below = (one["y"] + one["height"] <= other["y"]
                     or other["y"] + other["height"] <= one["y"])
            assert beside or below, (one, other)


def test_no_picture_is_black_and_none_stands_still(demo):
    checks.picture_is_there_and_moves(demo.pictures)
    for name in PEOPLE:
        still = media.movement(demo.tile(name)[90:]) < 8
        # The flash consists of three identical white frames.
        assert media.longest_run(still) <= 15, f"{name}'s picture stood still"


def test_everybodys_flashes_and_beeps_are_all_there_and_come_together(demo):
    report = avsync.measure(demo.stream.top.file).report(expected=len(PEOPLE))
    assert report["failures"] == [], report["publishers"]
    assert all(one["events"]["flashes"] >= DURATION - 2 for one in report["publishers"].values())
    # All participants are there from the beginning.
    starts = [one["start"] for one in report["publishers"].values()]
    assert all(one["picture_ms"] <= 1000 and one["beep_ms"] <= 1500 for one in starts), starts


def test_frames_follow_each_other_in_order(demo):
    tile = demo.tile("Ann")
    numbers = [media.frame_number(picture) for picture in tile[90:-30]]
    flashing = media.luma(tile[90:-30]) > 200
    shown = [number for number, is_white in zip(numbers, flashing) if not is_white]
    steps = np.mod(np.diff(shown), 720)
    # Two clocks drift: now and then a frame is repeated or skipped, never more.
    assert np.isin(steps, [0, 1, 2, 3, 4, 5]).mean() > 0.99
    assert (steps == 1).mean() > 0.8


def test_what_is_recorded_is_named_and_plays(demo):
    paths = [Path(one) for one in demo.line["assets"]]
    assert [one.suffix for one in paths] == [".mp4", ".mp4", ".mp4", ".zip"]
    for movie in paths[:3]:
        assets.decode(movie)
    shown = avsync.measure(paths[0]).report(expected=len(PEOPLE))
    assert shown["failures"] == [], shown["publishers"]
    with zipfile.ZipFile(paths[3]) as archive:
        assert archive.testzip() is None and "master.m3u8" in archive.namelist()


def test_its_tracks_can_be_recorded_while_it_is_pushed(binary, tmp_path):
    with contextlib.closing(FFmpegListener(tmp_path, "hunter2")) as listener:
        run = Demo(binary, ["--tracks", "4"], tmp_path / "streams", environment={
            "PUSH": listener.url, "ROOMCAST_STREAM_PUSH_HOSTS": "127.0.0.1"})
        output, errors = run.finish(240)
        assert run.process.returncode == 0, errors[-3000:]
        wait_for("the push has ended", listener.has_ended, 30)
    assert "hunter2" not in output + errors
    pushed = media.streams(listener.file)
    assert pushed["video"]["codec_name"] == "h264" and pushed["audio"]["codec_name"] == "aac"
    assert (pushed["video"]["width"], pushed["video"]["height"]) == (1280, 720)
    paths = [Path(one) for one in json.loads(output.splitlines()[-1])["assets"]]
    kinds = Counter(one.suffix for one in paths)
    assert kinds == {".json": 1, ".ogg": 3, ".webm": 4, ".zip": 1}
    [index] = [one for one in paths if one.suffix == ".json"]
    shared = [track for track in json.loads(index.read_text())["tracks"]
              if track["source"] == "screen"]
    assert [track["type"] for track in shared] == ["video"]


def test_interrupting_it_ends_it_cleanly(binary, tmp_path):
    run = Demo(binary, [], tmp_path, errors=subprocess.STDOUT)
    found = []

    def is_on_air():
        line = run.process.stdout.readline()
        found.append(line)
        return "is running" in line

    try:
        wait_for("the demo says that the stream runs", is_on_air, 120, interval=0)
        text = "".join(found)
        begin = time.monotonic()
        run.process.send_signal(signal.SIGINT)
        rest, _ = run.finish(60)
    except BaseException:
        os.killpg(run.process.pid, signal.SIGKILL)
        raise
    text += rest
    assert run.process.returncode == 0, text[-3000:]
    assert time.monotonic() - begin < 28  # else it was the end of all patience
    assert run.left_behind() == []
    for place in (r"/rooms/\S+", r"/watch/\S+", r"/master\.m3u8"):
        assert re.search(r"http://\S+" + place, text), text
    # Where its files are, and what is recorded in the room; and how to stop it.
    assert re.search(rf"(?m)^Files: +{tmp_path}/demo/\w+$", text), text
    assert f"Recordings: {tmp_path}-recordings\n" in text, text
    assert "The stream is running. Ctrl-C ends it.\n" in text, text
    [line] = [one for one in rest.splitlines() if one.startswith("{")]
    assert "assets" not in json.loads(line), "it was not asked to record"
    playlists = list(tmp_path.glob("**/stream_0/stream.m3u8"))
    assert len(playlists) == 1
    assert hls.parse_media(playlists[0].read_text()).is_ended
