"""Streams and recordings on the room page, by keys only and through the accessibility tree, in both
browsers."""

from harness.room_world import announced, heard
from harness.waiting import wait_for

CAMERA_RATE = 10  # frames/s
ON_AIR_TIMEOUT = 90  # s
RECORD_WITH_THE_STREAM = "Record with the stream Its files are on the recordings page later."


def test_a_stream_is_started_recorded_and_ended(world):
    ann, ben = world.open(), world.connect("Ben")
    ann.operate("button", "Go live")
    ann.wait_for("dialog", "Go live?")
    ann.press("Escape")
    ann.wait_for_none("dialog", "Go live?")
    ann.wait_for_focus("button", "Go live")
    ann.press("Enter")
    ann.operate("checkbox", RECORD_WITH_THE_STREAM, "Space")
    ann.operate("button", "Go live")  # the dialog's
    ann.wait_for("button", "End stream", ON_AIR_TIMEOUT)
    ann.wait_for_focus("button", "End stream")
    announced(ann, "The room is on air")
    recording = heard(ben, "on-record-update", ON_AIR_TIMEOUT, type="HLS", state="started")
    assert recording["hls_recording"] == {"single_file_per_layer": True, "hls_vod": True}
    for lamp, text in (("streaming-state", "Live 0:"), ("recording-state", "Recording 0:")):
        wait_for(f"a lamp says {text}", lambda lamp=lamp, text=text: any(
            one.startswith(text) for one in ann.texts(lamp)), ON_AIR_TIMEOUT)
    ann.wait_for("link", "Watch page")
    ann.operate("button", "End stream")
    ann.wait_for("dialog", "End the stream?")
    ann.operate("button", "End stream")  # the dialog's
    announced(ann, "The stream has ended")
    ann.wait_for("button", "Go live", ON_AIR_TIMEOUT)
    wait_for("the lamps are out", lambda: not [
        *ann.texts("streaming-state"), *ann.texts("recording-state")], ON_AIR_TIMEOUT)


def test_a_room_is_recorded_and_everybody_knows(world):
    ann, ben = world.open(), world.connect("Ben")
    assert ann.texts("recording-state") == []
    ann.operate("button", "Record the room")
    announced(ann, "The room is being recorded")
    wait_for("the lamp is on", lambda: any(
        text.startswith("Recording 0:") for text in ann.texts("recording-state")), ON_AIR_TIMEOUT)
    heard(ben, "on-record-update", type="Browser", state="started")
    ann.operate("button", "End recording")
    announced(ann, "The recording has ended")
    ann.wait_for("button", "Record the room", ON_AIR_TIMEOUT)
    wait_for("the lamp is out", lambda: ann.texts("recording-state") == [], ON_AIR_TIMEOUT)


def test_why_a_stream_or_a_recording_failed_stands_beside_the_title(world):
    ann = world.open()
    ann.tell("on-hls-update", enabled=False, variants=[
        {"state": "failed", "error": {"code": 500, "message": "The encoder ended."}}])
    ann.tell("on-record-update", type="Browser", state="failed",
             error={"code": 500, "message": "The disk is full."})
    ann.wait_for_text("streaming-state", "Stream failed: The encoder ended.")
    ann.wait_for_text("recording-state", "Recording failed: The disk is full.")


def test_who_is_not_in_the_stream_and_why_is_said(world):
    ann = world.open()
    ann.tell("on-hls-update", enabled=True, variants=[{
        "state": "started", "url": "http://localhost/hls/r/s/master.m3u8", "started_at": 1,
        "tracks_left_out": [{"track_id": "v1", "peer_id": "p1", "peer_name": "Ben",
                             "reason": "the video is 4096x2304"}]}])
    ann.wait_for_text("stream-note", "Not in the stream: Ben (the video is 4096x2304).")
