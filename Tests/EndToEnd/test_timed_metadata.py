"""Timed metadata: into the live playlists of every layer in time, and into the VOD."""

import base64
import json
import time
import zipfile
from datetime import datetime

from harness import hls
from harness.assets import (
    BOTH,
    LADDER,
    SHORT_SEGMENTS,
    TIMEOUT,
    directory,
    kill,
    manifest,
    start,
    writer,
)
from harness.http import path_of
from harness.waiting import wait_for

SEGMENT = 1  # s
LAYERS = range(len(LADDER))
# With the shortest allowed window, so that it moves on within the test.
SETTINGS = SHORT_SEGMENTS | {
    "ROOMCAST_STREAM_PLAYLIST": "live", "ROOMCAST_STREAM_PLAYLIST_WINDOW": "3"}


def seconds(date):
    return datetime.fromisoformat(date).timestamp()


def envelope(one):
    return json.loads(base64.b64decode(one["X-100MSLIVE-PAYLOAD"]))


def payloads(ranges):
    return [envelope(one)["payload"] for one in ranges]


def belongs_to(segment, begin):
    """Whether metadata begins in that segment, or in the one before: that one may be out before a busy
    bot hears of the metadata (docs/design/recordings.md)."""
    return -SEGMENT - 0.1 <= begin - seconds(segment.date) <= SEGMENT + 0.1


class Listed:
    """A stream's live playlists, fetched as players do."""

    def __init__(self, server, stream):
        self.server = server
        self.path = path_of(stream["playback"]["url"])

    def playlist(self, layer):
        answer = self.server.http.get(hls.resolve(self.path, f"stream_{layer}/stream.m3u8"))
        return hls.parse_media(answer.body.decode())

    def newest(self):
        playlist = self.playlist(0)
        return int(playlist.tags["EXT-X-MEDIA-SEQUENCE"]) + len(playlist.segments)

    def wait_for_more(self, count):
        least = self.newest() + count
        wait_for(f"{count} more segments", lambda: self.newest() >= least, TIMEOUT)

    def wait_for(self, payload):
        """It, and the segment that it is listed with, in each layer."""

        def found(layer):
            return [(one, segment) for segment in self.playlist(layer).segments
                    for one in segment.ranges if envelope(one)["payload"] == payload]

        # The same look counts: the window moves on.
        hits = wait_for(f"'{payload}' in all layers", lambda: all(
            hits := [found(layer) for layer in LAYERS]) and hits, TIMEOUT)
        assert all(len(one) == 1 for one in hits), hits
        return [one[0] for one in hits]


def send(server, stream, payload, duration=SEGMENT):
    body = {"payload": payload, "duration": duration}
    return server.manage("POST", f"/live-streams/{stream['id']}/timed-metadata", body)


def test_it_is_listed_in_time_and_kept_in_the_recording(server, room, connect):
    early = server.start_stream(room, {"ladder": LADDER, "recording": BOTH})
    assert send(server, early, "too early").status == 409
    stream = start(server, room)
    assert stream["id"] == early["id"]
    listed = Listed(server, stream)

    before = time.time()
    answer = send(server, stream, "Quiz „ü“ 🎥")
    after = time.time()
    assert answer.status == 200 and answer.json["id"] == stream["id"]
    for one, segment in listed.wait_for("Quiz „ü“ 🎥"):
        begin = seconds(one["START-DATE"])
        assert before - 0.002 <= begin <= after, (before, begin, after)
        assert belongs_to(segment, begin)
        content = envelope(one)
        assert one["DURATION"] == str(SEGMENT) and content["hms_version"] == "v1.1"
        assert seconds(content["start_date"]) == begin
        assert seconds(content["end_date"]) == begin + SEGMENT

    ann = connect("Ann", role="host")
    ann.join()
    guest = connect("Ben", role="guest")
    guest.join()
    objects = {"metadata_objs": [{"payload": "from the room", "duration": SEGMENT}]}
    before = time.time()
    assert "result" in ann.call("hls-timed-metadata", objects)
    after = time.time()
    assert guest.call("hls-timed-metadata", objects)["error"]["code"] == 403
    for one, segment in listed.wait_for("from the room"):
        begin = seconds(one["START-DATE"])
        assert before - 0.002 <= begin <= after and belongs_to(segment, begin)

    # The death of the bot loses none of it.
    assert send(server, stream, "when it died", duration=60).status == 200
    kill(writer(directory(server, stream)))
    listed.wait_for_more(2)
    listed.wait_for("when it died")

    for action, payload in [(server.pause_recording, "behind the pause"),
                            (server.resume_recording, "behind the resume")]:
        action(stream["id"])
        listed.wait_for_more(2)
        assert send(server, stream, payload).status == 200
        listed.wait_for(payload)
    listed.wait_for_more(1)
    for layer in LAYERS:
        now = payloads(listed.playlist(layer).ranges)
        assert "from the room" not in now, "it was over when the window began"
        assert "when it died" in now, "it is not over"

    server.stop_stream(room)
    assert send(server, stream, "too late").status == 409
    server.wait_for_status(stream["id"], "completed", TIMEOUT)
    [vod] = [one for one in manifest(server, stream)["assets"] if one["type"] == "room-vod"]
    path = server.recordings / vod["path"]
    with zipfile.ZipFile(path) as archive:
        for layer in LAYERS:
            text = archive.read(f"stream_{layer}/stream.m3u8").decode()
            assert text == (path.parent / f"stream_{layer}/stream.m3u8").read_text()
            assert payloads(hls.parse_media(text).ranges) == [
                "Quiz „ü“ 🎥", "from the room", "when it died", "behind the resume"]
