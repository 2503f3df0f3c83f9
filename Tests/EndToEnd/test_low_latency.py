"""The recorder's half of low-latency HLS: parts of segments on disk, and all else as without them."""

import re

from harness.assets import (
    LADDER,
    SHORT_SEGMENTS,
    TIMEOUT,
    check_assets,
    decode,
    directory,
    kill,
    probe,
    segments,
    start,
    writer,
)
from harness.hls_js import faults, is_beyond
from harness.waiting import wait_for
from test_cmaf import check_played, decoded, facts

SETTINGS = SHORT_SEGMENTS
BEGUN = 6  # segments
FRAMES = 10  # of a part, at 30 frames/s
PARTS = 3  # of a segment
# Six target durations and the newest segment's.
KEPT_MAXIMUM = (6 + 1) * PARTS


def part_names(folder):
    """The names of the parts by segment, in their order."""
    found = {}
    for path in folder.glob("part_*.m4s"):
        number, part = re.fullmatch(r"part_(\d{6})_(\d+)\.m4s", path.name).groups()
        found.setdefault(int(number), {})[int(part)] = path
    return {number: [parts[one] for one in sorted(parts)] for number, parts in found.items()}


def listed(folder):
    """The segments of a playlist: their numbers and lengths."""
    found = re.findall(r"^#EXTINF:([\d.]+),\nsegment_(\d{6})\.m4s$",
                       (folder / "stream.m3u8").read_text(), re.MULTILINE)
    return {int(number): float(length) for length, number in found}


class Cut:
    """A segment and its parts as they are now: parts go some seconds later."""

    def __init__(self, folder, number):
        names = part_names(folder)[number]
        assert [name.name for name in names] == [
            f"part_{number:06}_{part}.m4s" for part in range(len(names))]
        self.parts = [name.read_bytes() for name in names]
        self.segment = (folder / f"segment_{number:06}.m4s").read_bytes()
        [section] = set(re.findall(r'URI="(init_[0-9a-f]{8}\.mp4)"',
                                   (folder / "stream.m3u8").read_text()))
        self.section = (folder / section).read_bytes()
        self.seconds = listed(folder)[number]

    def check(self, tmp_path):
        """A segment is its parts, and a player can do with them alone."""
        assert self.segment == b"".join(self.parts)
        assert abs(self.seconds - len(self.parts) * FRAMES / 30) < 0.002
        path = tmp_path / "parts.mp4"
        path.write_bytes(self.section + b"".join(self.parts))
        decode(path)
        frames = probe(path, "-count_frames", "-select_streams", "v", "-show_entries",
                       "stream=nb_read_frames")[0].strip(",")
        # Some may be left out for lack of CPU.
        assert 0 < int(frames) <= len(self.parts) * FRAMES


def faults_past_a_death(viewer):
    """Who waits for a part when the bot dies gets 503, and asks again. The segment whose first part
    was to come, if it was one, comes behind a discontinuity, which hls.js remarks on."""
    known = "(status 503)", "discontinuity sequence mismatch (0!=1)"
    return [one for one in faults(viewer) if not any(text in one for text in known)]


def check_death(folders, tmp_path):
    """Kills the bot. What it leaves of its last segment is a segment, unless a layer had no part of
    it: then that is a whole one. Returns it, of the first layer."""
    kill(writer(folders[0].parent))

    def last(folder):
        before, mark, _ = (folder / "stream.m3u8").read_text().partition("#EXT-X-DISCONTINUITY\n")
        return mark and int(re.findall(r"^segment_(\d+)", before, re.MULTILINE)[-1])

    wait_for("all layers go on", lambda: all(last(one) != "" for one in folders), 2 * TIMEOUT)
    cuts = [Cut(one, last(one)) for one in folders]
    for cut in cuts:
        assert 1 <= len(cut.parts) <= PARTS
        cut.check(tmp_path)
    return cuts[0]


def test_parts_beside_transport_streams(server, room, viewer, tmp_path):
    stream = start(server, room, low_latency=True)
    assert stream["low_latency"] is True
    folder = directory(server, stream)
    segments(server, stream, BEGUN)
    urls = [stream["playback"]["url"], stream["playback"]["cmaf_url"]]
    expected = {("h264", str(one["width"]), str(one["height"])) for one in LADDER} | {("aac",)}
    for url in urls:
        assert facts(url) == expected
        assert len(decoded(url)) > 100
    for layer in range(len(LADDER)):
        beside = folder / f"cmaf_{layer}"
        cut = Cut(beside, max(listed(beside)))
        assert len(cut.parts) == PARTS
        cut.check(tmp_path)
        assert "EXT-X-PART" not in (beside / "stream.m3u8").read_text()
        assert not list((folder / f"stream_{layer}").glob("part_*"))
    check_played(viewer, urls[1])
    assert faults(viewer) == []

    check_death([folder / f"cmaf_{layer}" for layer in range(len(LADDER))], tmp_path)
    wait_for("what comes behind the discontinuity is shown",
             lambda: is_beyond(viewer, folder / "cmaf_0"), 2 * TIMEOUT)
    segments(server, stream, 4 * BEGUN)
    for layer in range(len(LADDER)):
        # One more may come before the oldest goes.
        assert len(list((folder / f"cmaf_{layer}").glob("part_*"))) <= KEPT_MAXIMUM + 1
    server.stop_stream(room)
    wait_for("it is over", lambda: viewer.state()["hasEnded"], 2 * TIMEOUT)
    server.wait_for_status(stream["id"], "completed", 2 * TIMEOUT)
    assert faults_past_a_death(viewer) == []
    assert not list(folder.glob("cmaf_*/.unfinished"))
    check_assets(server, stream, tmp_path)


def test_parts_alone_are_recorded(server, room, viewer, tmp_path):
    stream = start(server, room, container="cmaf", low_latency=True)
    folder = directory(server, stream)
    segments(server, stream, BEGUN)
    url = stream["playback"]["url"]
    assert len(decoded(url)) > 100
    Cut(folder / "stream_0", max(listed(folder / "stream_0"))).check(tmp_path)
    check_played(viewer, url)
    last = check_death([folder / f"stream_{layer}" for layer in range(len(LADDER))], tmp_path)
    count = segments(server, stream, 2 * BEGUN)
    wait_for("playback passes the discontinuity",
             lambda: is_beyond(viewer, folder / "stream_0"), 2 * TIMEOUT)
    assert faults_past_a_death(viewer) == []
    server.stop_stream(room)
    server.wait_for_status(stream["id"], "completed", 2 * TIMEOUT)
    # What the dead bot left of its last segment is on air, but not recorded; the rest is.
    # ffprobe decodes no pictures of the first fragment behind a discontinuity (docs/design/cmaf.md).
    seconds = check_assets(server, stream, tmp_path, unit="packets")
    # A segment of all its parts may have been logged or not.
    assert seconds >= count - 1 - 0.1
    assert last.seconds <= 1
