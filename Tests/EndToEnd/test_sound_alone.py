"""Streams of sound only, of some roles' voices only, and of people without a camera, with a
publisher's clip in the room."""

import numpy as np
from harness import hls, media
from harness.recording import record
from harness.scene import CLIPS, LADDER, Guest, film, people
from harness.sniffer import Sniffer
from harness.waiting import wait_for

ANN = ["ann"]


def test_a_stream_of_sound_alone_has_the_voices_and_no_picture(server, room, tmp_path):
    with people(server, room, ANN, tmp_path), Sniffer(server.media_port) as sniffer:
        recording = record(server, room, 6, tmp_path, {"audio": {"only": True}})
    # Ann publishes both. Only one of them is forwarded to the recorder, the only receiver.
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
        # -1 dBFS, and no step between samples larger than those of tones of up to 2.7 kHz.
        assert abs(samples).max() < 0.891
        assert abs(np.diff(samples)).max() < 0.4


def test_people_without_a_camera_are_shown_by_their_initials(server, room, tmp_path):
    voice = tmp_path / "ann.webm"
    media.run("ffmpeg", "-v", "error", "-y", "-i", str(CLIPS / "ann.webm"), "-vn", "-c", "copy",
              str(voice))
    # The gap shows only the stage.
    take = film(server, room, 8, [Guest(voice)], tmp_path, {"layout": {"margin": 40}})
    pictures = media.frames(take.stream.top.file, 640, 360)
    width, height = LADDER[0]["width"], LADDER[0]["height"]
    edge = media.crop(pictures, 0, 0, 20, height, width, height)
    tile = media.crop(pictures, 60, 60, 100, 60, width, height)
    middle = media.crop(pictures, 220, 100, 200, 160, width, height)
    assert media.luma(pictures).min() > 16, "a black picture"
    colours = [np.median(part[30:].reshape(-1, 3), axis=0) for part in (edge, tile)]
    assert np.abs(np.subtract(*colours)).max() > 20, "no tile"
    assert middle[-1].std() > 5, "no initials"
    levels = media.loudness(media.sound(take.stream.top.file))
    beeps = media.onsets(levels, 0.02, 0.05)
    assert beeps[0] < 2.1 and len(beeps) >= 6, beeps


def test_roles_that_are_not_named_are_not_heard(server, room, tmp_path):
    with people(server, room, ANN, tmp_path), Sniffer(server.media_port) as sniffer:
        recording = record(server, room, 6, tmp_path, {"audio": {"roles": ["guest"]}})
    # Ann's voice is not received either: it would be 50 packets a second.
    (streams,) = sniffer.packets.values()
    picture, *voices = sorted(streams.values(), reverse=True)
    assert picture > 100 and sum(voices) < 50, streams
    top = recording.stream.top
    assert set(media.streams(top.file)) == {"audio", "video"}
    assert abs(media.sound(top.file)).max() < 0.001


def test_who_is_heard_can_be_changed_on_air(server, room, tmp_path):
    with people(server, room, ANN, tmp_path):
        stream = server.start_stream(room, {"audio": {"roles": ["guest"]}})
        url = stream["playback"]["url"]

        def change(audio):
            return server.manage("PATCH", f"/live-streams/{stream['id']}", {"audio": audio})

        def run(segments):
            """Gives the stream's length (s), as far as it is written."""
            least = hls.segment_count(server.http, url) + segments
            return 2 * wait_for(
                f"{least} segments",
                lambda: (count := hls.segment_count(server.http, url)) >= least and count,
                segments * 4 + 60)

        try:
            server.wait_for_status(stream["id"], "running", 90)
            ends = [run(1)]
            answer = change({"roles": ["host"]})
            assert answer.status == 200, answer
            assert answer.json["audio"] == {"roles": ["host"], "only": False}
            # One segment was being written when the change came.
            ends.append(run(4))
            refused = change({"only": True})
            assert refused.status == 400 and "audio.only" in refused.json["details"][0], refused
            assert change({"roles": []}).status == 200
            ends.append(run(4))
            assert change({"roles": None}).status == 200
            assert server.stream(stream["id"])["audio"] == {"roles": None, "only": False}
            ends.append(run(4))
        finally:
            server.stop_stream(room)
        server.wait_for_status(stream["id"], "completed", 90)
    top = hls.Stream(server.http, url, tmp_path).top
    # Ann beeps every second.
    beeps = media.onsets(media.loudness(media.sound(top.file)), 0.02, 0.05)
    heard = [sum(end - 2.5 < beep < end for beep in beeps) for end in ends]
    assert heard[0] == 0 and heard[1] >= 2 and heard[2] == 0 and heard[3] >= 2, (ends, beeps)
