"""Streams that are recorded: what lies on the disk when they are completed."""

import json
import os
import signal
import subprocess
import time
import zipfile
from pathlib import Path

from harness import hls
from harness.server import Server
from harness.waiting import wait_for

TIMEOUT = 15  # s
# Small, so that encoding is not what is waited for.
LADDER = [
    {"width": 640, "height": 360, "videoBitrate": 400, "audioBitrate": 64},
    {"width": 320, "height": 180, "videoBitrate": 150, "audioBitrate": 64},
]
BOTH = {"hls_vod": True, "single_file_per_layer": True}


def start(server, room, **body):
    stream = server.start_stream(room, {"ladder": LADDER, "recording": BOTH} | body)
    server.wait_for_status(stream["id"], "running", TIMEOUT)
    return stream


def directory(server, stream):
    return server.output / stream["room_id"] / stream["id"]


def segments(server, stream, at_least):
    playlist = directory(server, stream) / "stream_0" / "stream.m3u8"
    return wait_for(
        f"{at_least} segments",
        lambda: len(hls.parse_media(playlist.read_text()).segments) >= at_least,
        TIMEOUT,
    )


def manifest(server, stream):
    found = list(server.recordings.glob(f"hls/{stream['room_id']}/*/*/manifest.json"))
    named = [one for one in map(lambda p: json.loads(p.read_text()), found)
             if one["stream"]["id"] == stream["id"]]
    assert len(named) == 1, found
    return named[0]


def probe(path, *entries):
    output = subprocess.run(
        ["ffprobe", "-v", "error", *entries, "-of", "csv=p=0", str(path)],
        check=True, capture_output=True, text=True)
    assert output.stderr == "", output.stderr
    return output.stdout.strip().splitlines()


def decode(path):
    """Every frame of it, which has to be without a word of complaint."""
    result = subprocess.run(
        ["ffmpeg", "-v", "error", "-xerror", "-i", str(path), "-f", "null", "-"],
        capture_output=True, text=True)
    assert result.returncode == 0 and result.stderr == "", (path, result.stderr)


def check_assets(server, stream, tmp_path):
    """All that was ordered is there and plays; returns its length in seconds."""
    made = manifest(server, stream)
    by_type = {}
    for asset in made["assets"]:
        by_type.setdefault(asset["type"], []).append(asset)
        assert (server.recordings / asset["path"]).stat().st_size == asset["bytes"]
    movies = sorted(by_type["room-composite"], key=lambda one: one["layer"])
    assert [one["layer"] for one in movies] == [0, 1]
    seconds = movies[0]["duration_ns"] / 1e9
    frames = set()
    for asset, layer in zip(movies, LADDER, strict=True):
        path = server.recordings / asset["path"]
        decode(path)
        facts = probe(path, "-count_frames", "-select_streams", "v", "-show_entries",
                      "stream=width,height,duration,nb_read_frames")[0].split(",")
        assert [int(facts[0]), int(facts[1])] == [layer["width"], layer["height"]]
        assert abs(float(facts[2]) - seconds) < 0.001
        frames.add(facts[3])
        boxes = path.read_bytes()
        assert boxes.index(b"moov") < boxes.index(b"mdat"), "players begin before it is loaded"
    assert len(frames) == 1, "the layers have the same pictures"
    [vod] = by_type["room-vod"]
    unpacked = tmp_path / stream["id"]
    with zipfile.ZipFile(server.recordings / vod["path"]) as archive:
        assert archive.testzip() is None
        archive.extractall(unpacked)
    for playlist in unpacked.rglob("*.m3u8"):
        assert "://" not in playlist.read_text() and "\n/" not in playlist.read_text()
    for root in unpacked, (server.recordings / vod["path"]).parent:
        # Times begin anew behind a discontinuity, which a muxer would complain of, not a player.
        counts = probe(root / "master.m3u8", "-count_frames", "-select_streams", "v",
                       "-show_entries", "stream=nb_read_frames")
        assert set(filter(None, (line.strip(",") for line in counts))) == frames, counts
    return seconds


def test_all_assets_are_there_when_the_stream_is_completed(server, room, tmp_path):
    stream = start(server, room)
    segments(server, stream, 3)
    server.stop_stream(room)
    done = server.wait_for_status(stream["id"], "completed", TIMEOUT)
    assert done["stop_reason"] == "client request"
    # What the live playlist had is what the recording has.
    live = hls.parse_media((directory(server, stream) / "stream_0/stream.m3u8").read_text())
    assert live.is_ended
    seconds = check_assets(server, stream, tmp_path)
    assert abs(seconds - sum(one.duration for one in live.segments)) < 0.05


def test_a_recording_goes_on_behind_a_bot_that_was_killed(server, room, tmp_path):
    stream = start(server, room)
    segments(server, stream, 2)
    kill_bot(directory(server, stream))
    segments(server, stream, 4)
    server.stop_stream(room)
    server.wait_for_status(stream["id"], "completed", TIMEOUT)
    assert check_assets(server, stream, tmp_path) > 5


def test_a_stream_that_is_stopped_at_once_has_no_asset_or_a_whole_one(server, room, tmp_path):
    for moment in (0, 0.2, 1.5):
        stream = server.start_stream(room, {"ladder": LADDER, "recording": BOTH})
        time.sleep(moment)
        server.stop_stream(room)
        server.wait_for_status(stream["id"], "completed", TIMEOUT)
        found = list(server.recordings.glob(f"hls/{room}/*/*/manifest.json"))
        if any(json.loads(one.read_text())["stream"]["id"] == stream["id"] for one in found):
            check_assets(server, stream, tmp_path)


def test_a_link_to_a_vod_plays_and_one_to_a_movie_downloads(server, room, tmp_path):
    stream = start(server, room)
    segments(server, stream, 2)
    server.stop_stream(room)
    done = server.wait_for_status(stream["id"], "completed", TIMEOUT)
    listed = server.manage("GET", f"/recording-assets?room_id={room}").json["data"]
    assert {one["id"] for one in listed} == {one["id"] for one in done["recording_assets"]}
    assert len(listed) == 3
    for asset in listed:
        link = server.manage("GET", f"/recording-assets/{asset['id']}/presigned-url").json
        path = hls.urlsplit(link["url"]).path
        whole = server.http.get(f"{path}?download")
        assert len(whole.body) == asset["size"]
        assert whole.headers["content-disposition"].startswith("attachment; filename=\"Rec-")
        part = server.http.get(path, headers={"Range": "bytes=10-19"})
        assert part.status == 206 and part.body == whole.body[10:20]
        assert server.http.get(path.replace("/Rec-", "/../Rec-")).status == 404
        if asset["type"] == "room-vod":
            counts = probe(link["playback_url"], "-count_frames", "-select_streams", "v",
                           "-show_entries", "stream=nb_read_frames")
            assert len(set(filter(None, (line.strip(",") for line in counts)))) == 1, counts


def test_a_server_that_was_killed_leaves_nothing_unfinished(binary, tmp_path):
    """And the catalogue can be made anew from the directories."""
    settings = {"ROOMCAST_HTTP_PUBLIC_URL": "http://roomcast.test"}
    server = Server(tmp_path / "one", settings=settings)
    streams = [start(server, room) for room in ("first", "second")]
    for stream in streams:
        segments(server, stream, 2)
    server.stop_stream("second")
    server.process.kill()
    server.process.wait()
    server.stop()
    again = Server(tmp_path / "one", settings=settings)
    try:
        first = again.wait_for_status(streams[0]["id"], "failed", 2 * TIMEOUT)
        assert first["stop_reason"] == "failure: the server was restarted"
        second = again.wait_for_status(streams[1]["id"], "completed", 2 * TIMEOUT)
        assert second["stop_reason"] == "client request"
        for stream in streams:
            assert check_assets(again, stream, tmp_path) >= 4
        lists = ["/live-streams", "/recordings", "/recording-assets"]
        before = [again.manage("GET", path).json for path in lists]
        assert len(before[2]["data"]) == 6
    finally:
        assert again.stop() == 0
    for name in again.recordings.glob("catalogue.sqlite*"):
        name.unlink()
    environment = os.environ | again.settings | settings
    done = subprocess.run([str(binary), "reindex"], env=environment, capture_output=True,
                          text=True, check=True)
    assert done.stdout == "2 streams, 6 assets\n" and done.stderr == ""
    third = Server(tmp_path / "one", settings=settings)
    try:
        assert [third.manage("GET", path).json for path in lists] == before
    finally:
        assert third.stop() == 0


def kill_bot(directory):
    """`kill -9` of the process that holds the directory's lock."""
    inode = (directory / ".lock").stat().st_ino
    for line in Path("/proc/locks").read_text().splitlines():
        fields = line.split()
        if fields[1] == "FLOCK" and fields[5].endswith(f":{inode}"):
            subprocess.run(["kill", f"-{int(signal.SIGKILL)}", fields[4]], check=True)
            return
    raise AssertionError("nobody holds the lock")
