"""One room with a codec for each participant: codecs other than VP8 are forwarded and decoded too."""

import collections
import contextlib

import avsync
import numpy as np
import pytest

from harness import assets, checks, hls, media
from harness.recording import SMALL_LADDER
from harness.scene import CLIPS, Guest, enter_in_order
from harness.waiting import wait_for

SECONDS = 8

# Each is made from a clip identified by its colour (an RGB channel). The MP4 also holds AAC, which
# `publish` turns into Opus.
CODECS = {
    "H264": ("ann", 0, "mp4", ["-c:v", "libx264", "-preset", "veryfast", "-bf", "0",
                               "-pix_fmt", "yuv420p", "-g", "30", "-c:a", "aac"]),
    "VP9": ("ben", 1, "webm", ["-c:v", "libvpx-vp9", "-deadline", "realtime", "-cpu-used",
                               "8", "-lag-in-frames", "0", "-g", "30", "-c:a", "copy"]),
    "AV1": ("cleo", 2, "webm", ["-c:v", "libsvtav1", "-preset", "12", "-svtav1-params",
                               "pred-struct=1", "-g", "30", "-c:a", "copy"]),
}
# Two rows, the last one centred: the tiles of a grid of three, in shares of the canvas.
TILES = {"H264": (0, 0), "VP9": (0.5, 0), "AV1": (0.25, 0.5)}


@pytest.fixture(scope="module")
def stream(server, tmp_path_factory):
    folder = tmp_path_factory.mktemp("codecs")
    room = "codecs"

    def guests():
        for codec, (clip, _, kind, options) in CODECS.items():
            path = folder / f"{codec}.{kind}"
            media.run("ffmpeg", "-v", "error", "-i", str(CLIPS / f"{clip}.webm"), "-t", "12",
                      *options, str(path))
            yield Guest(path)

    with contextlib.ExitStack() as stack:
        enter_in_order(server, room, guests(), folder, stack)
        started = server.start_stream(room, {"ladder": SMALL_LADDER})
        server.wait_for_status(started["id"], "running", 90)
        recording = server.manage("POST", f"/recordings/room/{room}/start",
                                  {"tracks": {"composite": False}}).json
        server.wait_for_status(recording["id"], "running", 90, kind="recordings")
        url = started["playback"]["url"]
        wait_for("the stream is long enough",
                 lambda: hls.segment_count(server.http, url) > SECONDS // 2, 90)
        server.manage("POST", f"/recordings/room/{room}/stop")
        server.stop_stream(room)
        server.wait_for_status(started["id"], "completed", 90)
        recording = server.wait_for_status(recording["id"], "completed", 90, kind="recordings")
    stream = hls.Stream(server.http, url, folder / "stream")
    stream.pictures = media.frames(stream.top.file, 640, 360)
    stream.tracks = collections.defaultdict(list)
    for asset in recording["recording_assets"]:
        if asset["type"] == "track":
            stream.tracks[asset["metadata"]["track"]["codec"]].append(
                server.recordings / asset["path"])
    return stream


@pytest.mark.parametrize("codec", CODECS)
def test_the_picture_is_in_its_tile_and_moves(stream, codec):
    x, y = TILES[codec]
    tile = media.crop(stream.pictures, x * 1280, y * 720, 640, 360, 1280, 720)
    colour = media.colour_of(tile[60:])
    assert np.argmax(colour) == CODECS[codec][1], colour
    assert media.longest_run(media.movement(tile[60:]) < 8) < 15


@pytest.mark.parametrize("codec", CODECS)
def test_a_recorded_track_is_as_it_came(stream, codec):
    [file] = stream.tracks[codec.lower()]
    assert file.suffix == (".mp4" if codec == "H264" else ".webm")
    assert media.streams(file)["video"]["codec_name"] == codec.lower()
    assets.decode(file)
    pictures = media.frames(file)
    assert len(pictures) > 60
    assert np.argmax(media.colour_of(pictures)) == CODECS[codec][1]


def test_sound_and_picture_of_every_codec_come_together(stream):
    report = avsync.measure(stream.top.file).report(expected=len(CODECS))
    assert report["failures"] == [], report["publishers"]
    assert all(one["events"]["beeps"] >= SECONDS - 3 for one in report["publishers"].values())


def test_the_stream_is_as_any_other(stream):
    checks.playlists_are_sound(stream, SMALL_LADDER)
    checks.segments_are_cut_alike(stream)
    checks.time_runs_evenly(stream)
