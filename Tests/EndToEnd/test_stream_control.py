"""The life of a stream through the control API, with an empty and an occupied room."""

from harness import hls, media, tokens
from harness.recording import record
from harness.server import Server
from harness.waiting import wait_for

TIMEOUT = 60  # s


def test_an_empty_room_gives_a_slate_and_silence(server, room, tmp_path):
    recording = record(server, room, 6, tmp_path)
    top = recording.stream.top
    pictures, sound = media.frames(top.file), media.sound(top.file)
    assert sum(one.duration for one in top.playlist.segments) >= 6
    assert media.luma(pictures).min() > 8, "a slate is not black"
    assert abs(sound).max() < 0.001


def test_variants_run_side_by_side_in_the_segments_that_were_asked_for_and_stop_together(
        server, room, tmp_path):
    page = f"{server.base}/rooms/{room}"
    body = {
        "variants": [{"meeting_url": page, "metadata": one} for one in ("one", "two")],
        "ladder": [{"width": 640, "height": 360, "videoBitrate": 300, "audioBitrate": 64}],
        "segment_seconds": 1.5,
    }
    first = server.start_stream(room, body)
    streams = first["variants"]
    assert [one["metadata"] for one in streams] == ["one", "two"]
    assert len({one["id"] for one in streams}) == 2
    for one in streams:
        server.wait_for_status(one["id"], "running", TIMEOUT)
        assert hls.segment_count(server.http, one["playback"]["url"]) >= 1
    wait_for("two segments are there", lambda: hls.segment_count(
        server.http, streams[1]["playback"]["url"]) >= 2, TIMEOUT)
    stopped = server.stop_stream(room)
    assert {one["id"] for one in stopped} == {one["id"] for one in streams}
    for one in streams:
        server.wait_for_status(one["id"], "completed", TIMEOUT)
    stream = hls.Stream(server.http, streams[1]["playback"]["url"], tmp_path)
    assert [layer.size for layer in stream.layers] == [(640, 360)]
    playlist = stream.top.playlist
    assert {segment.duration for segment in playlist.segments[:-1]} == {1.5}
    assert playlist.tags["EXT-X-TARGETDURATION"] == "2"


def test_bots_reach_a_server_whose_public_name_this_machine_does_not_know(binary, tmp_path, room):
    # As behind a TLS proxy: clients get the proxy's address, local bots do not.
    public = {"ROOMCAST_HTTP_PUBLIC_URL": "https://rooms.example.test"}
    server = Server(tmp_path, settings=public)
    try:
        told = server.http.get("/init?peer_id=a", token=tokens.room_token(room)).json["endpoint"]
        assert told == f"wss://rooms.example.test/ws?room={room}"
        stream = server.start_stream(room)
        assert stream["playback"]["url"].startswith("https://rooms.example.test/hls/")
        server.wait_for_status(stream["id"], "running", TIMEOUT)
        server.stop_stream(room)
        server.wait_for_status(stream["id"], "completed", TIMEOUT)
    finally:
        assert server.stop() == 0
