"""Recordings of a room without a live stream: their assets, and that they cannot be watched."""

import avsync
import numpy as np
import pytest

from harness import assets, media
from harness.assets import SHORT_SEGMENTS, published, segments
from harness.http import path_of
from harness.receiver import seconds_on_air
from harness.scene import people
from harness.server import Server
from harness.waiting import wait_for

SETTINGS = SHORT_SEGMENTS
TIMEOUT = 90  # s
SIZE = (854, 480)
GUESTS = ("ann", "ben", "cleo")
TOLD = [
    "beam.started.success",
    "beam.stopped.success",
    "beam.recording.success",
    "recording.success",
]


@pytest.fixture
def told(binary, receiver, tmp_path):
    """A server that tells the receiver."""
    server = Server(tmp_path / "server", settings=receiver.settings | SETTINGS)
    yield server
    assert server.stop() == 0, server.tail()


def manage(server, method, path, body=None, status=200):
    answer = server.manage(method, f"/recordings{path}", body)
    assert answer.status == status, answer
    return answer.json


def wait_for_status(server, recording, status):
    return server.wait_for_status(recording["id"], status, TIMEOUT, kind="recordings")


def start(server, room, **body):
    recording = manage(server, "POST", f"/room/{room}/start", body)
    assert recording["status"] == "starting" and recording["asset_types"] == ["room-composite"]
    wait_for_status(server, recording, "running")
    return recording


def stop(server, room, recording):
    [stopped] = manage(server, "POST", f"/room/{room}/stop")["data"]
    assert stopped["id"] == recording["id"] and stopped["status"] == "stopping"
    return wait_for_status(server, recording, "completed")


def movie(server, recording):
    """The one file of a recording, by its link."""
    [asset] = recording["recording_assets"]
    assert asset["type"] == "room-composite" and asset["status"] == "completed"
    path = server.recordings / asset["path"]
    room, date = recording["room_id"], recording["created_at"][:10]
    assert path.parent == server.recordings / "beam" / room / date
    assert path.name.startswith(f"Rec-{room}-")
    assert path.stat().st_size == asset["size"]
    link = server.manage("GET", f"/recording-assets/{asset['id']}/presigned-url").json["url"]
    assert server.http.get(path_of(link)).body == path.read_bytes()
    assets.decode(path)
    return path


def test_three_publishers_are_recorded_without_a_stream(told, receiver, room, tmp_path):
    with people(told, room, GUESTS, tmp_path):
        recording = start(
            told, room, resolution={"width": SIZE[0], "height": SIZE[1]},
            meeting_url=f"{told.base}/rooms/{room}")
        # A second request returns the same recording.
        again = manage(told, "POST", f"/room/{room}/start", {})
        assert again["id"] == recording["id"]
        segments(told, recording, 6)
        nobody_is_shown(told, room, recording)
        paused = manage(told, "POST", f"/room/{room}/pause")
        assert paused["recording_paused"] and paused["status"] == "running"
        before = segments(told, recording, 1)
        segments(told, recording, before + 3)
        assert not manage(told, "POST", f"/room/{room}/resume")["recording_paused"]
        resumed = segments(told, recording, 1)
        segments(told, recording, resumed + 6)
        done = stop(told, room, recording)
    assert done["stop_reason"] == "client request"
    whole = sum(one.duration for one in published(assets.directory(told, recording)))
    path = movie(told, done)
    found = media.streams(path)
    assert set(found) == {"audio", "video"}
    assert (found["video"]["width"], found["video"]["height"]) == SIZE
    assert found["video"]["codec_name"] == "h264" and found["audio"]["codec_name"] == "aac"
    seconds = float(found["video"]["duration"])
    assert abs(seconds - done["recording_assets"][0]["duration"]) <= 0.5
    assert abs(seconds - float(found["audio"]["duration"])) < 0.1
    # The pause and the segments that it touched are not in the recording.
    assert 10 <= seconds <= whole - 3, (seconds, whole)
    boxes = path.read_bytes()
    assert boxes.index(b"moov") < boxes.index(b"mdat"), "players begin before it is loaded"
    sound_and_picture_are_together(avsync.measure(path))
    # All events, in order.
    wait_for("all is told", lambda: receiver.types(recording["id"]) == TOLD, TIMEOUT)
    began, ended, made, again = (event["data"] for event in receiver.events(recording["id"]))
    assert made == again, "by both of its names"
    assert began["recording_enabled"] and began["rtmp"] == [] and "url" not in began
    assert (began["max_width"], began["max_height"]) == SIZE
    assert ended["reason"] == "client request" and seconds_on_air(ended) >= 10
    assert made["size"] == path.stat().st_size
    assert told.http.get(path_of(made["recording_presigned_url"])).body == boxes
    [thumbnail] = made["recording_thumbnails"]
    assert (thumbnail["width"], thumbnail["height"], thumbnail["offset"]) == (320, 180, 2)
    for url in thumbnail["url"], made["recording_sprite"]["url"]:
        picture = told.http.get(path_of(url))
        assert picture.status == 200 and picture.headers["content-type"] == "image/jpeg"


def sound_and_picture_are_together(shown):
    assert set(shown.publishers) == set(GUESTS)
    assert shown.is_monotonic and shown.is_even and shown.sizes == {SIZE}
    for one in shown.publishers.values():
        _, offsets = one.pairs()
        # Where the pause is cut out, one pair may be of two sides.
        worst = np.percentile(np.abs(offsets), 90, method="lower")
        assert len(offsets) >= 8 and worst <= 0.06, (one.name, np.round(offsets * 1000))


def nobody_is_shown(server, room, recording):
    """Neither the origin nor the room's state knows of it as a stream."""
    for directory in (recording["id"], f".{recording['id']}", f"%2e{recording['id']}"):
        for name in ("master.m3u8", "stream_0/stream.m3u8", "stream_0/segment_000000.ts"):
            assert server.http.get(f"/hls/{room}/{directory}/{name}").status == 404
    assert server.http.get(f"/api/rooms/{room}/stream").json["state"] == "none"
    assert server.manage("GET", f"/live-streams/{recording['id']}").status == 404
    assert server.manage("GET", f"/live-streams?room_id={room}").json["data"] == []


def browser_in(params):
    """The recording without a stream, of a `peer-list`."""
    return params["room"]["recording"]["browser"]


def test_a_recording_and_a_live_stream_of_a_room_go_their_own_ways(server, room, connect):
    ann = connect("Ann")
    ann.join()
    assert browser_in(ann.wait_for("peer-list"))["state"] == "none"
    recording = start(server, room, resolution={"width": 640, "height": 480})
    ann.wait_for("on-record-update",
                 lambda one: (one["type"], one["state"]) == ("Browser", "started"))
    late = connect("Late")
    late.join()
    seen = late.wait_for("peer-list")
    assert browser_in(seen)["enabled"] and browser_in(seen)["state"] == "started"
    assert seen["room"]["streaming"]["hls"] == {"enabled": False, "variants": []}
    stream = assets.start(server, room)
    segments(server, stream, 2)
    server.stop_stream(room)
    done = server.wait_for_status(stream["id"], "completed", TIMEOUT)
    assert len(done["recording_assets"]) == 3
    assert manage(server, "GET", f"/{recording['id']}")["status"] == "running"
    kept = {one["id"] for one in manage(server, "GET", f"?room_id={room}")["data"]}
    assert kept == {recording["id"], stream["id"]}
    manage(server, "POST", f"/{stream['id']}/stop", status=409)
    stopped = manage(server, "POST", f"/{recording['id']}/stop")
    assert stopped["status"] == "stopping"
    movie(server, wait_for_status(server, recording, "completed"))
    ann.wait_for("on-record-update",
                 lambda one: (one["type"], one["state"]) == ("Browser", "stopped"))


def test_sound_alone_is_an_m4a(server, room, tmp_path):
    with people(server, room, GUESTS, tmp_path):
        recording = start(server, room, audio_only=True)
        assert recording["audio_only"]
        segments(server, recording, 4)
        done = stop(server, room, recording)
        path = movie(server, done)
    assert path.suffix == ".m4a"
    [made] = done["recording_assets"]
    assert made["thumbnails"] is None and made["thumbnail_images"] == []
    assert made["sprite"] is None
    found = media.streams(path)
    assert set(found) == {"audio"} and found["audio"]["codec_name"] == "aac"
    assert float(found["audio"]["duration"]) >= 3
    # Three publishers beep in every second.
    assert abs(media.sound(path)).max() > 0.05
