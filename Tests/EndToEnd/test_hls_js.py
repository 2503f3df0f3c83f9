"""A stream in hls.js, unmodified, in Chromium."""

import base64
import json
import time
from datetime import datetime

from harness.assets import (
    LADDER,
    SHORT_SEGMENTS,
    TIMEOUT,
    directory,
    kill,
    segments,
    start,
    writer,
)
from harness.hls_js import faults, is_beyond
from harness.waiting import wait_for

SETTINGS = SHORT_SEGMENTS
# Players begin three segments before the end, and need some more to be safe.
BEGUN = 6  # segments
PAYLOAD = "Quiz „ü“ 🎥"
PAYLOAD_KEY = "X-100MSLIVE-PAYLOAD"


def payload(value):
    return json.loads(base64.b64decode(value))["payload"]


def advances(viewer, seconds):
    begin = viewer.state()["time"]
    wait_for(f"playback advances by {seconds} s",
             lambda: viewer.state()["time"] >= begin + seconds, seconds + TIMEOUT)


def test_a_stream_plays_in_every_layer_and_past_the_death_of_its_bot(server, room, viewer):
    stream = start(server, room)
    segments(server, stream, BEGUN)
    viewer.play(stream["playback"]["url"])
    wait_for("playback begins", lambda: viewer.state()["time"] > 0, TIMEOUT)
    levels = viewer.state()["levels"]
    assert {(one["width"], one["height"]) for one in levels} == {
        (one["width"], one["height"]) for one in LADDER}
    assert all(one["videoCodec"].startswith("avc1.") and one["audioCodec"] == "mp4a.40.2"
               for one in levels)
    for level in reversed(range(len(levels))):
        viewer.show(level)
        wait_for(f"layer {level} is shown",
                 lambda: viewer.state()["width"] == levels[level]["width"], TIMEOUT)
        advances(viewer, 2)
    assert faults(viewer) == []

    folder = directory(server, stream)
    kill(writer(folder))
    wait_for("what comes behind the discontinuity is shown",
             lambda: is_beyond(viewer, folder / "stream_0"), 2 * TIMEOUT)
    advances(viewer, 2)
    assert faults(viewer) == []
    server.stop_stream(room)
    wait_for("it is over", lambda: viewer.state()["hasEnded"], 2 * TIMEOUT)


def test_timed_metadata_comes_when_it_was_meant(server, room, viewer):
    stream = start(server, room)
    segments(server, stream, BEGUN)
    viewer.play(stream["playback"]["url"])
    wait_for("playback begins", lambda: viewer.state()["time"] > 0, TIMEOUT)
    sent = send(server, stream)
    check_cue(wait_for("the range is known", lambda: with_cue(viewer), TIMEOUT), sent)
    advances(viewer, 3)
    assert faults(viewer) == []
    server.stop_stream(room)


def test_timed_metadata_is_in_the_recording_where_it_was(server, room, viewer):
    stream = start(server, room, recording={"hls_vod": True})
    segments(server, stream, 2)
    sent = send(server, stream)
    segments(server, stream, BEGUN)
    server.stop_stream(room)
    server.wait_for_status(stream["id"], "completed", TIMEOUT)
    [asset] = server.manage("GET", f"/recording-assets?room_id={room}").json["data"]
    links = server.manage("GET", f"/recording-assets/{asset['id']}/presigned-url").json
    viewer.play(links["playback_url"])
    # The player makes cues only of live playlists.
    check_range(wait_for("the range is known", lambda: with_range(viewer), TIMEOUT), sent)


def send(server, stream):
    """The metadata; when it was sent, and when that was answered."""
    begin = time.time()
    answer = server.manage("POST", f"/live-streams/{stream['id']}/timed-metadata",
                           {"payload": PAYLOAD, "duration": 1})
    assert answer.status == 200
    return begin, time.time()


def with_range(viewer):
    """The state, once the player knows of the range and plays."""
    state = viewer.state()
    return state["ranges"] and state["playingDate"] and state


def with_cue(viewer):
    """The same, once it has the range among its cues."""
    state = with_range(viewer)
    return state and state["cues"] and state


def check_range(state, sent):
    """Gives where the picture of that moment is on the player's own time line."""
    [one] = state["ranges"]
    assert payload(one["attributes"][PAYLOAD_KEY]) == PAYLOAD
    begin = datetime.fromisoformat(one["attributes"]["START-DATE"]).timestamp()
    assert sent[0] - 1 < begin < sent[1] + 1
    place = state["time"] + begin - state["playingDate"]
    assert abs(one["startTime"] - place) < 0.1
    return place


def check_cue(state, sent):
    place = check_range(state, sent)
    [cue] = [cue for cue in state["cues"] if cue["value"]["key"] == PAYLOAD_KEY]
    assert payload(cue["value"]["data"]) == PAYLOAD
    assert abs(cue["startTime"] - place) < 0.1
    assert abs(cue["endTime"] - cue["startTime"] - 1) < 0.01
