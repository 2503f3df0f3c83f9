"""Streams of sound alone, and of some roles' voices only, with a publisher's clip in the room."""

import subprocess
from contextlib import contextmanager
from pathlib import Path

from harness import media, tokens
from harness.recording import record
from harness.sniffer import Sniffer
from harness.waiting import wait_for

CLIP = Path(__file__).parents[2] / "fixtures" / "media" / "ann.webm"


@contextmanager
def publishing(binary, server, room):
    """Ann's clip in the room, as a host, as long as the block runs."""
    process = subprocess.Popen(
        [binary, "publish", "--endpoint", server.base, "--name", "Ann",
         "--token", tokens.room_token(room), str(CLIP)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for("Ann is in the room", lambda: server.peer_count(room) == 1, 15)
        yield
    finally:
        process.terminate()
        process.wait(60)


def test_a_stream_of_sound_alone_has_the_voices_and_no_picture(binary, server, room, tmp_path):
    with publishing(binary, server, room), Sniffer(server.media_port) as sniffer:
        recording = record(server, room, 6, tmp_path, {"audio": {"only": True}})
    # Ann publishes both. To the recorder, who alone receives, only one of them is forwarded.
    (streams,) = sniffer.packets.values()
    (packets,) = streams.values()
    assert packets >= 6 * 50 * 0.8, packets
    assert recording.started["audio"] == {"roles": None, "only": True}
    for layer in recording.stream.layers:
        assert layer.variant.attributes["CODECS"] == "mp4a.40.2"
        assert "RESOLUTION" not in layer.variant.attributes
        assert "FRAME-RATE" not in layer.variant.attributes
        assert set(media.streams(layer.file)) == {"audio"}
        found = media.streams(layer.file)["audio"]
        assert (found["sample_rate"], found["channels"]) == ("48000", 2)
        samples = media.sound(layer.file)
        announced = sum(segment.duration for segment in layer.playlist.segments)
        assert abs(len(samples) / media.SAMPLE_RATE - announced) <= 0.1
        # A beep of 100 ms in every second.
        assert len(media.onsets(media.loudness(samples), 0.02, 0.05)) >= announced - 3
        # -1 dBFS, and no sample-to-sample step that a tone of 20 kHz would not make.
        assert abs(samples).max() < 0.891


def test_roles_that_are_not_named_are_not_heard(binary, server, room, tmp_path):
    with publishing(binary, server, room):
        recording = record(server, room, 4, tmp_path, {"audio": {"roles": ["guest"]}})
    top = recording.stream.top
    assert set(media.streams(top.file)) == {"audio", "video"}
    assert abs(media.sound(top.file)).max() < 0.001
