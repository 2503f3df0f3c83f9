"""Recorded streams: the files on disk once they are completed."""

import json
import subprocess
import time

from harness import hls
from harness.assets import (
    BOTH,
    LADDER,
    SHORT_SEGMENTS,
    TIMEOUT,
    check_assets,
    decode,
    directory,
    kill,
    manifest,
    probe,
    published,
    segments,
    start,
    writer,
)
from harness.http import path_of
from harness.server import Server

SETTINGS = SHORT_SEGMENTS


def test_all_assets_are_there_when_the_stream_is_completed_and_links_lead_to_them(
        server, room, tmp_path):
    stream = start(server, room)
    segments(server, stream, 3)
    server.stop_stream(room)
    done = server.wait_for_status(stream["id"], "completed", TIMEOUT)
    assert done["stop_reason"] == "client request"
    # The recording has the same segments as the live playlist had.
    live = hls.parse_media((directory(server, stream) / "stream_0/stream.m3u8").read_text())
    assert live.is_ended
    seconds = check_assets(server, stream, tmp_path)
    assert abs(seconds - sum(one.duration for one in live.segments)) < 0.05

    listed = server.manage("GET", f"/recording-assets?room_id={room}").json["data"]
    assert {one["id"] for one in listed} == {one["id"] for one in done["recording_assets"]}
    assert len(listed) == 3
    for asset in listed:
        link = server.manage("GET", f"/recording-assets/{asset['id']}/presigned-url").json
        path = path_of(link["url"])
        whole = server.http.get(f"{path}?download")
        assert len(whole.body) == asset["size"]
        assert whole.headers["content-disposition"].startswith("attachment; filename=\"Rec-")
        part = server.http.get(path, headers={"Range": "bytes=10-19"})
        assert part.status == 206 and part.body == whole.body[10:20]
        assert server.http.get(path.replace("/Rec-", "/../Rec-")).status == 404
        if asset["type"] == "room-vod":
            counts = probe(link["playback_url"], "-count_frames", "-select_streams", "v",
                           "-show_entries", "stream=nb_read_frames")
            assert all(int(line.strip(",")) > 5 for line in counts if line.strip(",")), counts


def test_a_stream_that_is_stopped_at_once_has_no_asset_or_a_whole_one(server, room, tmp_path):
    for moment in (0, 0.2, 1.5):
        stream = server.start_stream(room, {"ladder": LADDER, "recording": BOTH})
        time.sleep(moment)
        server.stop_stream(room)
        server.wait_for_status(stream["id"], "completed", TIMEOUT)
        found = list(server.recordings.glob(f"hls/{room}/*/*/manifest.json"))
        if any(json.loads(one.read_text())["stream"]["id"] == stream["id"] for one in found):
            check_assets(server, stream, tmp_path)


def test_what_is_on_air_during_a_pause_is_in_no_asset(server, room, tmp_path):
    stream = start(server, room)
    folder = directory(server, stream)
    segments(server, stream, 2)
    assert server.pause_recording(stream["id"])["status"] == "running"
    segments(server, stream, segments(server, stream, 1) + 3)
    # A successor of a dead bot keeps to the pause.
    kill(writer(folder))
    segments(server, stream, segments(server, stream, 1) + 2)
    server.resume_recording(stream["id"])
    segments(server, stream, segments(server, stream, 1) + 4)
    server.stop_stream(room)
    server.wait_for_status(stream["id"], "completed", TIMEOUT)
    seconds = check_assets(server, stream, tmp_path)
    whole = sum(one.duration for one in published(folder))
    assert 3 <= seconds <= whole - 3, (seconds, whole)
    [movie] = [one["path"] for one in manifest(server, stream)["assets"] if one.get("layer") == 0]
    times = [float(line) for line in probe(
        server.recordings / movie, "-select_streams", "v", "-show_entries", "packet=dts_time")]
    steps = [after - before for before, after in zip(times, times[1:])]
    # Pictures may be dropped for lack of CPU, but not a segment's first one, which comes each second;
    # the pause was five times as long.
    assert max(steps) < 1.5, "the times go on where the pause was"


def test_a_server_that_is_refused_has_touched_nothing(server, binary, tmp_path):
    """The catalogue of another version neither."""
    settings = {"ROOMCAST_HTTP_PORT": "0", "ROOMCAST_UDP_PORT": "0",
                "ROOMCAST_RECORDINGS_DIRECTORY": str(tmp_path)}
    second = subprocess.run([str(binary), "serve"], env=server.environment | settings,
                            capture_output=True, text=True, timeout=TIMEOUT)
    assert second.returncode != 0
    assert f"{server.output} is in use by another server" in second.stderr
    assert not list(tmp_path.glob("catalogue.sqlite*"))


def test_a_server_that_was_killed_leaves_nothing_unfinished(binary, tmp_path):
    """Of streams and of a recording without one; and the catalogue can be made anew from the
    directories."""
    server = Server(tmp_path / "one", settings=SETTINGS)
    streams = [start(server, room) for room in ("first", "second")]
    answer = server.manage("POST", "/recordings/room/third/start", {
        "resolution": {"width": 640, "height": 480}})
    assert answer.status == 200, answer
    recording = answer.json
    server.wait_for_status(recording["id"], "running", TIMEOUT, kind="recordings")
    for one in (*streams, recording):
        segments(server, one, 2)
    server.stop_stream("second")
    server.kill()
    again = Server(tmp_path / "one", settings=SETTINGS)
    try:
        first = again.wait_for_status(streams[0]["id"], "failed", 2 * TIMEOUT)
        assert first["stop_reason"] == "failure: the server was restarted"
        second = again.wait_for_status(streams[1]["id"], "completed", 2 * TIMEOUT)
        assert second["stop_reason"] == "client request"
        for stream in streams:
            assert check_assets(again, stream, tmp_path) >= 2
        ended = again.wait_for_status(recording["id"], "failed", 2 * TIMEOUT, kind="recordings")
        assert ended["stop_reason"] == "failure: the server was restarted"
        [movie] = ended["recording_assets"]
        decode(again.recordings / movie["path"])
        lists = ["/live-streams", "/recordings", "/recording-assets"]
        before = [again.manage("GET", path).json for path in lists]
        assert [len(one["data"]) for one in before] == [2, 3, 7]
    finally:
        assert again.stop() == 0
    assert again.reindex() == "3 streams, 7 assets\n"
    third = Server(tmp_path / "one")
    try:
        assert [third.manage("GET", path).json for path in lists] == before
    finally:
        assert third.stop() == 0
