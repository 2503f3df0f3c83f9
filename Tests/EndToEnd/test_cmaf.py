"""Streams in fragmented MP4: beside transport streams, and alone."""

import re
import subprocess

from harness.assets import (
    LADDER,
    SHORT_SEGMENTS,
    TIMEOUT,
    check_assets,
    directory,
    kill,
    segments,
    start,
    writer,
)
from harness.hls_js import faults, is_beyond
from harness.waiting import wait_for

SETTINGS = SHORT_SEGMENTS
BEGUN = 6  # segments
BESIDE_MAXIMUM = 23  # segments


def decoded(url, seconds=3):
    """What ffmpeg makes of a stream on air, and what it complains of."""
    result = subprocess.run(
        ["ffmpeg", "-v", "warning", "-xerror", "-i", url, "-t", str(seconds), "-map", "0:v:0",
         "-map", "0:a:0", "-f", "framecrc", "-"], capture_output=True, text=True, timeout=60)
    # ffmpeg reads the initialization section again at each reload of a playlist.
    complaints = [line for line in result.stderr.splitlines() if "duplicated MOOV" not in line]
    assert result.returncode == 0 and complaints == [], complaints
    return [line for line in result.stdout.splitlines() if not line.startswith("#")]


def facts(url):
    output = subprocess.run(
        ["ffprobe", "-v", "error", "-show_entries", "stream=codec_name,width,height", "-of",
         "csv=p=0", url], check=True, capture_output=True, text=True, timeout=60)
    assert output.stderr == ""
    return {tuple(line.strip(",").split(",")) for line in output.stdout.split()}


def lines(text, name):
    return re.findall(rf"^#{name}:(.*)$", text, re.MULTILINE)


def check_played(viewer, url):
    viewer.play(url)
    wait_for("playback begins", lambda: viewer.state()["time"] > 0, TIMEOUT)
    for level in reversed(range(len(LADDER))):
        viewer.show(level)
        wait_for(f"layer {level} is shown",
                 lambda: viewer.state()["width"] == viewer.state()["levels"][level]["width"],
                 TIMEOUT)
        begin = viewer.state()["time"]
        wait_for("playback advances", lambda: viewer.state()["time"] >= begin + 2, 2 + TIMEOUT)


def test_fragments_beside_transport_streams(server, room, viewer, tmp_path):
    stream = start(server, room, container="both")
    folder = directory(server, stream)
    # Fragments come first: who finds one master playlist finds both.
    assert (folder / "cmaf.m3u8").exists()
    segments(server, stream, BEGUN)
    urls = [stream["playback"]["url"], stream["playback"]["cmaf_url"]]
    expected = {("h264", str(one["width"]), str(one["height"])) for one in LADDER} | {("aac",)}
    for url in urls:
        assert facts(url) == expected
        assert len(decoded(url)) > 100
    check_played(viewer, urls[1])
    assert faults(viewer) == []

    kill(writer(folder))
    wait_for("what comes behind the discontinuity is shown",
             lambda: is_beyond(viewer, folder / "cmaf_0"), 2 * TIMEOUT)
    assert faults(viewer) == []
    segments(server, stream, BESIDE_MAXIMUM + 3)
    for layer in range(len(LADDER)):
        # Each is read once, since it changes every second; the one that keeps all is read last.
        cmaf, ts = ((folder / f"{name}_{layer}/stream.m3u8").read_text()
                    for name in ("cmaf", "stream"))
        dates = lines(cmaf, "EXT-X-PROGRAM-DATE-TIME")
        lengths = lines(cmaf, "EXTINF")
        both = [pair for pair in zip(lines(ts, "EXT-X-PROGRAM-DATE-TIME"), lines(ts, "EXTINF"),
                                     strict=True) if pair[0] in dates]
        # The newest may have been published in between.
        assert len(both) >= len(dates) - 1
        assert both[:-1] == list(zip(dates, lengths, strict=True))[:len(both) - 1]
        assert lines(cmaf, "EXT-X-VERSION") == ["6"]
        # One more may come before the oldest goes.
        assert len(list((folder / f"cmaf_{layer}").glob("*.m4s"))) <= BESIDE_MAXIMUM + 1
    server.stop_stream(room)
    wait_for("it is over", lambda: viewer.state()["hasEnded"], 2 * TIMEOUT)
    server.wait_for_status(stream["id"], "completed", TIMEOUT)
    check_assets(server, stream, tmp_path)


def test_fragments_alone_on_air_and_recorded(server, room, viewer, tmp_path):
    stream = start(server, room, container="cmaf")
    folder = directory(server, stream)
    assert "cmaf_url" not in stream["playback"] and not (folder / "cmaf.m3u8").exists()
    segments(server, stream, BEGUN)
    assert not list(folder.rglob("*.ts"))
    url = stream["playback"]["url"]
    assert len(decoded(url)) > 100
    check_played(viewer, url)
    kill(writer(folder))
    count = segments(server, stream, 2 * BEGUN)
    wait_for("playback passes the discontinuity",
             lambda: is_beyond(viewer, folder / "stream_0"), 2 * TIMEOUT)
    assert faults(viewer) == []
    server.stop_stream(room)
    server.wait_for_status(stream["id"], "completed", 2 * TIMEOUT)
    # Nothing that was published is lost.
    # Behind a discontinuity ffprobe reads all packets, but does not decode those of the first
    # fragment, whose times begin anew (docs/design/cmaf.md).
    assert check_assets(server, stream, tmp_path, unit="packets") >= count - 0.1
    [vod] = [one for one in server.manage("GET", f"/recording-assets?room_id={room}").json["data"]
             if one["type"] == "room-vod"]
    links = server.manage("GET", f"/recording-assets/{vod['id']}/presigned-url").json
    viewer.play(links["playback_url"])
    wait_for("the recording plays", lambda: viewer.state()["time"] > 1, TIMEOUT)
    assert faults(viewer) == []
