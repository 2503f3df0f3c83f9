"""What the origin serves in fragmented MP4, read by a parser that is neither ours nor ffmpeg's: Shaka
Packager finds the same packets in it."""

import subprocess
import sys
from pathlib import Path

import pytest

from harness.assets import LADDER, SHORT_SEGMENTS, TIMEOUT, segments, start
from harness.http import path_of
from harness.low_latency import parse
from harness.waiting import wait_for

SETTINGS = SHORT_SEGMENTS
PACKAGER = Path(sys.prefix, "share", "shaka-packager")
BEGUN = 6  # segments
ROOM = "second-parser"


@pytest.fixture(scope="module")
def layers(server):
    """The paths of the layers' playlists, of a stream on air in parts."""
    assert PACKAGER.is_file(), f"{PACKAGER} is missing: make install-test-dependencies"
    stream = start(server, ROOM, low_latency=True, recording=None)
    segments(server, stream, BEGUN)
    master = path_of(stream["playback"]["cmaf_url"])
    paths = [master.replace("cmaf.m3u8", f"cmaf_{layer}/stream.m3u8")
             for layer in range(len(LADDER))]
    yield paths
    server.stop_stream(ROOM)


def packets(path, kind):
    """The times and sizes of a file's packets."""
    done = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", kind, "-show_entries",
         "packet=pts_time,size", "-of", "csv=p=0", path],
        check=True, capture_output=True, text=True)
    assert done.stderr == ""
    return [tuple(round(float(one), 3) for one in line.strip(",").split(","))
            for line in done.stdout.split()]


def repackaged(source, folder):
    """The packager's own files of the picture and of the sound."""
    kinds = {"video": folder / "video.mp4", "audio": folder / "audio.mp4"}
    done = subprocess.run(
        [PACKAGER, *(f"in={source},stream={kind},output={path}" for kind, path in kinds.items())],
        capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    complaints = [line for line in done.stderr.splitlines() if "ERROR" in line or "WARN" in line]
    assert complaints == []
    return kinds


def newest(server, path):
    """The initialization section of a layer, some whole segments, and the same ones in parts."""
    folder = path.rsplit("/", 1)[0]

    def served():
        playlist = parse(server.http.get(path).body.decode())
        chosen = [one for one in playlist.segments if one.parts][-2:]
        if len(chosen) < 2:
            return None
        section = server.http.get(f"{folder}/{playlist.map}").body
        whole = [server.http.get(f"{folder}/{one.uri}") for one in chosen]
        parts = [server.http.get(f"{folder}/{part.uri}") for one in chosen for part in one.parts]
        # Parts go some seconds later.
        if any(one.status != 200 for one in [*whole, *parts]):
            return None
        return section, [one.body for one in whole], [one.body for one in parts]

    return wait_for("segments and their parts are there", served, TIMEOUT)


@pytest.mark.parametrize("layer", range(len(LADDER)))
def test_another_parser_finds_the_same_packets(server, layers, layer, tmp_path):
    section, *kinds = newest(server, layers[layer])
    counts = []
    for name, pieces in zip(("segments", "parts"), kinds, strict=True):
        folder = tmp_path / name
        folder.mkdir()
        source = folder / "source.mp4"
        source.write_bytes(section + b"".join(pieces))
        again = repackaged(source, folder)
        for kind, file in again.items():
            ours, theirs = packets(source, kind[0]), packets(file, kind[0])
            assert len(ours) > 20 and len(ours) == len(theirs)
            # It may begin its files at another time.
            shift = theirs[0][0] - ours[0][0]
            for mine, other in zip(ours, theirs, strict=True):
                assert abs(other[0] - mine[0] - shift) < 0.002
                assert other[1] == mine[1]
            counts.append((kind, len(ours)))
    assert counts[:2] == counts[2:], "parts and segments have the same"
