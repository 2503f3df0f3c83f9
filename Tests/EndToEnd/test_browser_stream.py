"""A real browser publishes its fake camera and microphone; the decoded stream is checked."""

from dataclasses import dataclass

import numpy as np
import pytest

from harness import checks, chromium, media
from harness.publisher import Publisher
from harness.recording import SMALL_LADDER, Recording, record
from harness.scene import CLIPS
from harness.waiting import wait_for

LENGTH = 14  # s of segments
START = {"ladder": SMALL_LADDER}
ENOUGH = 600_000  # bit/s; it begins with 300,000
READY_MAXIMUM = 4.0  # s from the start request to `running`, with segments of 2 s


@dataclass
class Published:
    name: str
    recording: Recording
    pictures: np.ndarray  # of the top layer, scaled down
    sound: np.ndarray
    outgoing_bitrate: float | None = None  # bit/s


def published(name, recording, **more):
    top = recording.stream.top.file
    return Published(name, recording, media.frames(top), media.sound(top), **more)


@pytest.fixture(scope="module")
def by_chromium(server, browser, tmp_path_factory):
    person = chromium.Participant(browser, server, "chromium-room", "Ann")
    try:
        wait_for("Ann is seen", lambda: any(
            one.get("framesSent") for one in person.outbound("video")), 90)
        recording = record(
            server, "chromium-room", LENGTH, tmp_path_factory.mktemp("chromium"), START)
        # It may have been lower for a moment.
        bitrate = wait_for(
            "the browser may send more than it began with",
            lambda: (found := person.outgoing_bitrate() or 0) > ENOUGH and found, 60)
        assert person.errors == []
    finally:
        person.close()
    return published("chromium", recording, outgoing_bitrate=bitrate)


@pytest.fixture(scope="module")
def by_firefox(namespace_server, firefox, tmp_path_factory):
    server = namespace_server
    firefox.enter(server, "firefox-room", "Fox")
    wait_for("Fox is counted", lambda: server.peer_count("firefox-room") == 1, 60)
    recording = record(
        server, "firefox-room", LENGTH, tmp_path_factory.mktemp("firefox"), START)
    firefox.navigate("about:blank")
    return published("firefox", recording)


@pytest.fixture(params=["chromium", "firefox"], scope="module")
def stream(request):
    return request.getfixturevalue(f"by_{request.param}")


def test_it_runs_soon_after_the_start(stream):
    assert stream.recording.started["status"] in ("starting", "running")
    assert stream.recording.ready_after < READY_MAXIMUM


def test_the_stopped_stream_is_completed_and_says_when(stream):
    record = stream.recording.stopped
    assert record["status"] == "completed"
    assert record["created_at"] <= record["started_at"] <= record["stopped_at"]
    assert record["playback"] == stream.recording.started["playback"]


def test_the_playlists_are_sound_and_ended(stream):
    checks.playlists_are_sound(stream.recording.stream, SMALL_LADDER)


def test_the_origin_says_how_long_to_keep_what(stream):
    checks.origin_headers_are_right(stream.recording.stream)


def test_every_layer_has_its_size_its_frame_rate_and_its_bitrate(stream):
    checks.sizes_and_rates_are_right(stream.recording.stream)


def test_all_layers_are_cut_at_the_same_pictures(stream):
    checks.segments_are_cut_alike(stream.recording.stream)


def test_picture_and_sound_run_on_without_a_gap(stream):
    assert len(stream.pictures) >= LENGTH * 30
    checks.time_runs_evenly(stream.recording.stream)


def test_the_picture_is_never_black(stream):
    assert media.luma(stream.pictures).min() > 16


def test_chromiums_picture_fills_the_canvas_and_moves(by_chromium):
    # The fake camera is a bright disc on green, corner to corner.
    pictures = by_chromium.pictures[90:]
    for rectangle in [(0.02, 0.3, 0.12, 0.7), (0.88, 0.3, 0.98, 0.7), (0.3, 0.02, 0.45, 0.1),
                      (0.3, 0.9, 0.7, 0.98)]:
        red, green, blue = media.colour_of(pictures, rectangle)
        assert green > 90 and green > 2 * red and green > 2 * blue, rectangle
    checks.picture_is_there_and_moves(by_chromium.pictures)


def test_chromiums_beep_is_heard_again_and_again(by_chromium):
    levels = media.loudness(by_chromium.sound[3 * media.SAMPLE_RATE:])
    peak = np.percentile(levels, 99)
    assert peak > 0.01, "the beep is not in the sound"
    beeps = media.onsets(levels, 0.02, peak / 3, quiet=0.2)
    seconds = len(levels) * 0.02
    assert len(beeps) >= seconds * 0.8, "the fake microphone beeps once or twice a second"
    assert np.diff(beeps).max() < 2.5, "a hole in the sound"


def test_our_feedback_lets_chromium_send_more_than_it_began_with(by_chromium):
    assert by_chromium.outgoing_bitrate > ENOUGH


def test_firefoxs_picture_fills_the_canvas_and_changes(by_firefox):
    # The fake camera is one flat colour, which wanders through the colours.
    pictures = by_firefox.pictures[90:]
    colours = np.median(pictures[::30], axis=(1, 2))
    away = np.abs(pictures[::30].astype(int) - colours[:, None, None])
    assert np.percentile(away, 90) < 24
    assert np.ptp(colours, axis=0).max() > 20


def test_firefoxs_tone_is_heard_all_the_time(by_firefox):
    levels = media.loudness(by_firefox.sound[3 * media.SAMPLE_RATE:], window=0.1)
    assert np.percentile(levels, 5) > 0.005, "the tone of the fake microphone has holes"


def test_firefox_sees_and_hears_a_participant(namespace_server, firefox, room):
    server = namespace_server
    publisher = Publisher(server, room, CLIPS / "ben.webm", name="Ben")
    try:
        firefox.enter(server, room, "Fox")

        def green():
            tiles = firefox.evaluate(chromium.TILES)
            ben = next((tile for tile in tiles if tile["name"] == "Ben"), None)
            if not ben or not ben["colour"] or ben["time"] < 2:
                return None
            red, green, blue = ben["colour"]
            return green > red and green > blue

        wait_for("Firefox shows Ben's green picture", green, 90, interval=0.5)
    finally:
        assert publisher.close() == 0
    wait_for("Ben is gone", lambda: server.peer_count(room) == 1, 60)
    firefox.navigate("about:blank")
