"""Independent publishers, for a minute in one room: each is seen and heard in the stream, and by a
viewer who joins late, with aiortc."""

import contextlib
from dataclasses import dataclass

import numpy as np
import pytest
from harness import gstreamer, hls, media, stranger
from harness.waiting import wait_for

# Small, since the test only looks for colours: five publishers share the machine's processor.
LADDER = [{"width": 320, "height": 180, "videoBitrate": 500}]
SETTINGS = {"ROOMCAST_STREAM_FRAME_RATE": "10"}
SECONDS = 60
BEGINNING = 5  # s in which those who came last may not be there yet
SHARE = 0.8  # of the seconds: a machine may be short of breath
NEAR = 60  # of 255, in each channel, from the colour that was sent
MOVEMENT = 50  # of 255: what a white ball makes of the wall
STILLNESS_MAXIMUM = 12  # s: tiles show the middle of a picture, which the ball leaves for some seconds
PITCH_MINIMUM = 0.05  # of full scale; each sounds at a tenth
DETUNING = 12  # Hz: more than 0.5 % of the highest
PITCH_RATIO = 3  # to what there is beside it


@dataclass(frozen=True)
class Act:
    name: str
    codec: str
    colour: tuple
    frequency: int  # Hz: whole, so that a second of one hides no other

    def enter(self, server, room):
        if self.name.startswith("GStreamer"):
            return gstreamer.Publisher(
                server, room, self.name,
                gstreamer.pipeline(self.codec, self.colour, self.frequency))
        peer = stranger.Stranger(server, room, self.name)
        try:
            peer.join()
            peer.publish(stranger.Colour(self.colour), stranger.Tone(self.frequency),
                         codec=self.codec)
        except BaseException:
            peer.close()
            raise
        return peer


ACTS = [
    Act("aiortc VP8", "VP8", (200, 30, 30), 440),
    Act("aiortc H264", "H264", (30, 160, 30), 620),
    Act("GStreamer VP8", "VP8", (30, 30, 200), 860),
    Act("GStreamer H264", "H264", (200, 200, 30), 1180),
    Act("GStreamer H264, sets in the description", "H264 with its sets in the description",
        (200, 30, 200), 1620),
]


class Evening:
    """All of them, the stream, and a viewer who joins near the end."""

    def __init__(self, server, folder):
        self.seen = {}  # by the latecomer: pictures and samples, by publisher and kind
        with contextlib.ExitStack() as stack:
            room = "strangers"
            self.peers = [stack.enter_context(one.enter(server, room)) for one in ACTS]
            started = server.start_stream(room, {"ladder": LADDER})
            server.wait_for_status(started["id"], "running", 60)
            url = started["playback"]["url"]
            wait_for("the stream is long enough",
                     lambda: hls.segment_count(server.http, url) > (SECONDS + BEGINNING) // 2,
                     5 * SECONDS, interval=1)
            self.watch(server, room, stack)
            self.gone = [one.name for one in self.peers if not one.is_there()]
            stream = hls.Stream(server.http, url, folder)
            server.stop_stream(room)
        self.pictures = media.frames(stream.top.file, 320, 180)
        length = sum(segment.duration for segment in stream.top.playlist.segments)
        self.rate = len(self.pictures) / length
        self.sound = media.sound(stream.top.file)

    def watch(self, server, room, stack):
        late = stack.enter_context(stranger.Stranger(server, room, "late", role="viewer"))
        late.join()
        listed = late.told("peer-list")["peers"].values()
        self.tracks = {peer["info"]["name"]: peer["tracks"] for peer in listed}
        for name, tracks in self.tracks.items():
            for identifier, track in tracks.items():
                late.wait_for_frames(identifier, 5 if track["type"] == "video" else 50, 120)
                self.seen[name, track["type"]] = late.received[identifier].last

    def seconds(self):
        return range(BEGINNING, int(len(self.pictures) / self.rate) - 1)

    def picture(self, second):
        return self.pictures[int(second * self.rate)]

    def tile(self, colour):
        """Where that colour is on most pictures: top, bottom, left and right."""
        near = np.mean([is_near(self.picture(second), colour) for second in self.seconds()], axis=0)
        rows, columns = np.where(near > 0.5)
        assert len(rows) > near.size * 0.03, f"{colour} is nowhere"
        return (slice(rows.min(), rows.max() + 1), slice(columns.min(), columns.max() + 1))

    def pitch(self, second, frequency):
        """The amplitude of the tone at about that frequency in that second, as a share of full
        scale. If a busy machine holds back a publisher's clock, it is played faster, or slower, by
        up to 0.4 %."""
        samples = self.sound[second * media.SAMPLE_RATE:(second + 1) * media.SAMPLE_RATE]
        window = np.hanning(len(samples))
        power = np.abs(np.fft.rfft(samples * window)) ** 2  # in steps of 1 Hz
        band = power[frequency - DETUNING:frequency + DETUNING + 1].sum()
        return 2 * np.sqrt(band / (len(samples) * (window ** 2).sum()))


def is_near(picture, colour):
    return (np.abs(picture.astype(np.int16) - colour) < NEAR).all(axis=-1)


@pytest.fixture(scope="module")
def evening(server, tmp_path_factory):
    return Evening(server, tmp_path_factory.mktemp("strangers"))


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.name)
def test_each_is_seen_for_a_minute_and_moves(evening, act):
    tile = evening.tile(np.array(act.colour))
    seconds = evening.seconds()
    assert len(seconds) >= SECONDS - BEGINNING
    shown = [is_near(evening.picture(second)[tile], act.colour).mean() > 0.5 for second in seconds]
    assert np.mean(shown) >= SHARE, shown
    # A machine short of CPU shows fewer pictures, and none for long if nothing arrives.
    shots = evening.pictures[(slice(None), *tile)].astype(np.int16)
    moved = np.abs(np.diff(shots, axis=0)).max(axis=(1, 2, 3)) > MOVEMENT
    stillness = media.longest_run(~moved[int(BEGINNING * evening.rate):]) / evening.rate
    assert stillness < STILLNESS_MAXIMUM, f"{stillness} s without movement"


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.name)
def test_each_is_heard_for_a_minute(evening, act):
    heard = [evening.pitch(second, act.frequency) for second in evening.seconds()]
    beside = [evening.pitch(second, act.frequency + 70) for second in evening.seconds()]
    is_heard = np.array(heard) > np.maximum(PITCH_MINIMUM, PITCH_RATIO * np.array(beside))
    assert np.mean(is_heard) >= SHARE, list(zip(heard, beside))


@pytest.mark.parametrize("act", ACTS, ids=lambda act: act.name)
def test_who_comes_late_sees_and_hears_each(evening, act):
    picture = evening.seen[act.name, "video"]
    assert is_near(picture, act.colour).mean() > 0.5
    assert np.abs(evening.seen[act.name, "audio"]).max() > 0.03


def test_they_are_there_to_the_end_and_told_apart(evening):
    assert evening.gone == []
    ids = [identifier for tracks in evening.tracks.values() for identifier in tracks]
    assert len(set(ids)) == len(ids) == 2 * len(ACTS)
    # Each GStreamer counts its tracks from 0.
    assert len({name for peer in evening.peers for name in getattr(peer, "tracks", [])}) == 2


def test_a_browser_shows_two_whose_tracks_are_called_alike(server, room, enter):
    """One of them sends no parameter sets: Chromium asks for key frames without end where none come."""
    with contextlib.ExitStack() as stack:
        acts = [one for one in ACTS if one.name in ("GStreamer VP8", ACTS[-1].name)]
        for act in acts:
            stack.enter_context(act.enter(server, room))
        ann = enter("Ann")
        for act in acts:
            ann.wait_for_picture_of(act.name)
