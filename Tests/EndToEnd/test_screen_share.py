"""A browser's shared screen with its sound, on air: large while it is shared, and heard as long."""

import numpy as np
import pytest
from harness import checks, chromium, media
from harness.hls import Stream, segment_count
from harness.recording import SMALL_LADDER
from harness.waiting import wait_for

TIMEOUT = 30  # s
MAGENTA = (0xC0, 0x20, 0xC0)
TONE = 3500  # Hz; the fake microphone has nothing there
WINDOW = 0.1  # s
THERE = 0.03  # of full scale
# No test can press what a browser asks with before it gives a screen away.
SCREEN = """navigator.mediaDevices.getDisplayMedia = async () => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 1280, height: 720 });
  const context = canvas.getContext("2d");
  let count = 0;
  setInterval(() => {
    context.fillStyle = "rgb%s";
    context.fillRect(0, 0, 1280, 720);
    context.fillStyle = "white";
    context.fillRect(20 * (count++ %% 20), 0, 20, 20);
  }, 66);
  const audio = new AudioContext();
  const oscillator = new OscillatorNode(audio, { frequency: %d });
  const gain = new GainNode(audio, { gain: 0.3 });
  const left = new StereoPannerNode(audio, { pan: -1 });
  const destination = new MediaStreamAudioDestinationNode(audio);
  oscillator.connect(gain).connect(left).connect(destination);
  oscillator.start();
  return new MediaStream([...canvas.captureStream(15).getTracks(),
                          ...destination.stream.getTracks()]);
};""" % (MAGENTA, TONE)


@pytest.fixture(scope="module")
def shown(server, browser, tmp_path_factory):
    room = "shared-screen"
    ann = chromium.Participant(browser, server, room, "Ann", script=SCREEN)
    try:
        started = server.start_stream(room, {"ladder": SMALL_LADDER})
        server.wait_for_status(started["id"], "running", TIMEOUT)
        url = started["playback"]["url"]

        def pass_segments(number):
            begin = segment_count(server.http, url)
            wait_for("it goes on", lambda: segment_count(server.http, url) >= begin + number,
                     TIMEOUT)

        pass_segments(2)
        ann.page.get_by_role("button", name="Share the screen").click()
        for kind in ("audio", "video"):
            # Beside the microphone and the camera, whose layers are one.
            wait_for(f"its {kind} is sent", lambda kind=kind: len(
                {one["mid"] for one in ann.outbound(kind) if one["packetsSent"]}) == 2, TIMEOUT)
        pass_segments(4)
        ann.page.get_by_role("button", name="Stop sharing the screen").click()
        pass_segments(3)
        server.stop_stream(room)
        server.wait_for_status(started["id"], "completed", TIMEOUT)
        assert ann.errors == []
    finally:
        ann.close()
    return Stream(server.http, url, tmp_path_factory.mktemp("stream"))


@pytest.fixture(scope="module")
def seen(shown):
    """For each picture whether the screen is large in it."""
    pictures = media.frames(shown.top.file)
    middle = media.crop(pictures, 0.4, 0.4, 0.2, 0.2, 1, 1)
    colours = np.median(middle.reshape(len(middle), -1, 3), axis=1)
    return np.abs(colours - MAGENTA).max(axis=1) < 40


@pytest.fixture(scope="module")
def heard(shown):
    """For each tenth of a second how strong the screen's tone is on the left and on the right."""
    length = round(WINDOW * media.SAMPLE_RATE)
    sound = media.sound(shown.top.file, channels=2)
    blocks = sound[:len(sound) // length * length].reshape(-1, length, 2)
    spectrum = np.abs(np.fft.rfft(blocks, axis=1)) * 2 / length
    # Sound that is stretched in time, by half a percent at most, is as much lower.
    tone = round(TONE * WINDOW)
    return np.sqrt((spectrum[:, tone - 4:tone + 5] ** 2).sum(axis=1))


def span(flags, step):
    """From when to when (s); the flags must be set without a break."""
    [where] = np.nonzero(flags)
    assert len(where) == where[-1] - where[0] + 1, "it comes and goes"
    return where[0] * step, (where[-1] + 1) * step


def test_it_is_large_while_it_is_shared(seen):
    begin, end = span(seen, 1 / 30)
    assert begin > 3 and end - begin > 6 and end < len(seen) / 30 - 3


def test_its_sound_is_heard_as_long_as_it_is_seen(seen, heard):
    begin, end = span(seen, 1 / 30)
    first, last = span(heard[:, 0] > THERE, WINDOW)
    # Both are published one after the other, and what is seen comes and goes softly.
    assert abs(first - begin) < 1.5 and abs(last - end) < 1.5, (begin, end, first, last)


def test_its_sound_is_in_stereo(heard):
    left, right = heard[heard[:, 0] > THERE].T
    assert np.percentile(left, 10) > 0.1
    assert np.median(right) < 0.1 * np.median(left)


def test_the_stream_itself_never_wavers(shown):
    checks.time_runs_evenly(shown)
    checks.playlists_are_sound(shown, SMALL_LADDER)
