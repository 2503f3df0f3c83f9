"""Recorded streams and recordings: starting them, and checking their files."""

import json
import os
import signal
import subprocess
import zipfile
from pathlib import Path

from . import hls
from .waiting import wait_for

TIMEOUT = 60  # s
# Small, so that the tests do not wait for encoding.
LADDER = [
    {"width": 640, "height": 360, "videoBitrate": 400, "audioBitrate": 64},
    {"width": 320, "height": 180, "videoBitrate": 150, "audioBitrate": 64},
]
BOTH = {"hls_vod": True, "single_file_per_layer": True}
# For servers: the tests mostly wait for segments.
SHORT_SEGMENTS = {"ROOMCAST_STREAM_SEGMENT_SECONDS": "1"}


def start(server, room, **body):
    stream = server.start_stream(room, {"ladder": LADDER, "recording": BOTH} | body)
    server.wait_for_status(stream["id"], "running", TIMEOUT)
    return stream


def directory(server, stream):
    """That of a stream, or of a recording without one, which is hidden."""
    name = stream["id"] if "playback" in stream else f".{stream['id']}"
    return server.output / stream["room_id"] / name


def published(directory, layer=0):
    """The segments that a layer's playlist names; none before there is one."""
    playlist = directory / f"stream_{layer}/stream.m3u8"
    return hls.parse_media(playlist.read_text()).segments if playlist.exists() else []


def segments(server, stream, at_least):
    """Waits for so many segments in the playlist; returns how many there are."""
    folder = directory(server, stream)
    return wait_for(
        f"{at_least} segments",
        lambda: (count := len(published(folder))) >= at_least and count,
        2 * at_least + TIMEOUT,
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


def check_assets(server, stream, tmp_path, unit="frames"):
    """All that was ordered is there and plays; returns its length in seconds.

    Of the VOD `unit` is counted: decoded frames, or packets."""
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
        # A picture dropped for lack of CPU is missing only in its layer.
        frames.add(facts[3])
        boxes = path.read_bytes()
        assert boxes.index(b"moov") < boxes.index(b"mdat"), "players begin before it is loaded"
    [vod] = by_type["room-vod"]
    unpacked = tmp_path / stream["id"]
    with zipfile.ZipFile(server.recordings / vod["path"]) as archive:
        assert archive.testzip() is None
        archive.extractall(unpacked)
    for playlist in unpacked.rglob("*.m3u8"):
        assert "://" not in playlist.read_text() and "\n/" not in playlist.read_text()
    for root in unpacked, (server.recordings / vod["path"]).parent:
        # Timestamps restart after a discontinuity, which a muxer would complain about, but not a
        # player.
        counts = probe(root / "master.m3u8", f"-count_{unit}", "-select_streams", "v",
                       "-show_entries", f"stream=nb_read_{unit}")
        assert set(filter(None, (line.strip(",") for line in counts))) == frames, counts
    return seconds


def writer(directory):
    """The process that holds the directory's lock: its bot, or its finisher; None if there is none."""
    lock = directory / ".lock"
    if not lock.exists():
        return None
    inode = lock.stat().st_ino
    # A list longer than a page is read in pieces, between which a line may move.
    for _ in range(3):
        for line in Path("/proc/locks").read_text().splitlines():
            fields = line.split()
            if fields[1] == "FLOCK" and fields[5].endswith(f":{inode}"):
                return int(fields[4])
    return None


def kill(process):
    """`kill -9`; true when there was something to kill."""
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True
