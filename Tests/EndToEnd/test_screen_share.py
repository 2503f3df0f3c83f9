"""A browser's shared screen with its sound, on air: large while it is shared, audible as long, in
stereo, and in sync."""

import time

import avsync
import numpy as np
import pytest
from harness import checks, chromium, media
from harness.hls import Stream, segment_count
from harness.recording import SMALL_LADDER
from harness.waiting import wait_for

TIMEOUT = 90  # s
# The screen flashes and beeps like this clip; in addition, it has a constant tone on the left.
[DORA] = [clip for clip in avsync.CLIPS if clip.name == "dora"]
WHITE = (255, 255, 255)
TONE = 3500  # Hz; the fake microphone has hardly anything there
WINDOW = 0.1  # s
THERE = 0.03  # of full scale
AUDIBLE = -60  # dB
OFFSET = 0.1  # s that sound and picture may be apart
# No test can press the buttons of the browser's own screen-sharing prompt.
SCREEN = """navigator.mediaDevices.getDisplayMedia = async () => {
  const audio = new AudioContext();
  const destination = new MediaStreamAudioDestinationNode(audio);
  const sound = (frequency, gain) => {
    const oscillator = new OscillatorNode(audio, { frequency });
    oscillator.start();
    return oscillator.connect(new GainNode(audio, { gain }));
  };
  const left = new StereoPannerNode(audio, { pan: -1 });
  sound(%d, 0.2).connect(left).connect(destination);
  const beep = sound(%d, 0);
  beep.connect(destination);
  const canvas = Object.assign(document.createElement("canvas"), { width: 1280, height: 720 });
  const context = canvas.getContext("2d");
  let count = 0, second = null, end = 0;
  setInterval(() => {
    const now = performance.now();
    if (Math.floor(now / 1000) !== second) {
      second = Math.floor(now / 1000);
      end = now + 100;
      beep.gain.setValueAtTime(0.5, audio.currentTime);
      beep.gain.setValueAtTime(0, audio.currentTime + 0.1);
    }
    context.fillStyle = now < end ? "white" : "rgb%s";
    context.fillRect(0, 0, 1280, 720);
    context.fillStyle = "black";
    context.fillRect(20 * (count++ %% 20), 0, 20, 20);
  }, 33);
  return new MediaStream([...canvas.captureStream(30).getTracks(),
                          ...destination.stream.getTracks()]);
};""" % (TONE, DORA.pitch, DORA.colour)


# The level of a frequency band (dB), on the left and on the right, in each received sound.
CHANNELS = """async ([low, high]) => {
  const audio = new AudioContext();
  const receivers = window.connections.flatMap((one) => one.getReceivers());
  const sounds = receivers.map(({ track }) => track)
    .filter(({ kind, readyState }) => kind === "audio" && readyState === "live");
  const all = sounds.map((track) => {
    const source = audio.createMediaStreamSource(new MediaStream([track]));
    const splitter = new ChannelSplitterNode(audio, { numberOfOutputs: 2 });
    source.connect(splitter);
    return [0, 1].map((output) => {
      const analyser = new AnalyserNode(audio, { fftSize: 4096 });
      splitter.connect(analyser, output);
      return analyser;
    });
  });
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const bin = audio.sampleRate / 4096;
  const found = all.map((channels) => channels.map((analyser) => {
    const levels = new Float32Array(analyser.frequencyBinCount);
    analyser.getFloatFrequencyData(levels);
    return Math.max(-200, ...levels.slice(Math.floor(low / bin), Math.ceil(high / bin) + 1));
  }));
  await audio.close();
  return found;
}"""


@pytest.fixture(scope="module")
def shown(server, browser, tmp_path_factory):
    room = "shared-screen"
    ann = chromium.Participant(browser, server, room, "Ann", script=SCREEN)
    ben = chromium.Participant(browser, server, room, "Ben", "viewer")
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
        sent = {}  # when each was first seen to be sent

        def is_sent():
            for kind in {"audio", "video"} - set(sent):
                # In addition to the microphone and the camera, whose layers count as one.
                if len({one["mid"] for one in ann.outbound(kind) if one["packetsSent"]}) == 2:
                    sent[kind] = time.monotonic()
            return len(sent) == 2

        wait_for("both are sent", is_sent, TIMEOUT)
        pass_segments(5)
        # A browser short of CPU drops some sound.
        both = wait_for("Ben hears the tone", lambda: (found := ben.page.evaluate(
            CHANNELS, [TONE - 50, TONE + 50])) and max(found)[0] > AUDIBLE and found, TIMEOUT)
        ann.page.get_by_role("button", name="Stop sharing the screen").click()
        pass_segments(3)
        server.stop_stream(room)
        server.wait_for_status(started["id"], "completed", TIMEOUT)
        assert ann.errors == ben.errors == []
    finally:
        ann.close()
        ben.close()
    stream = Stream(server.http, url, tmp_path_factory.mktemp("stream"))
    stream.at_bens = both
    stream.apart = abs(sent["audio"] - sent["video"])
    return stream


@pytest.fixture(scope="module")
def seen(shown):
    """For each picture whether the screen is large in it.

    It may be flashing: a browser short of CPU keeps a flash for as long as it paints nothing else.
    """
    pictures = media.frames(shown.top.file)
    middle = media.crop(pictures, 0.4, 0.4, 0.2, 0.2, 1, 1)
    colours = np.median(middle.reshape(len(middle), -1, 3), axis=1)
    return np.any([np.abs(colours - one).max(axis=1) < 40 for one in (DORA.colour, WHITE)], axis=0)


@pytest.fixture(scope="module")
def heard(shown):
    """For each tenth of a second how strong the screen's tone is on the left and on the right."""
    length = round(WINDOW * media.SAMPLE_RATE)
    sound = media.sound(shown.top.file, channels=2)
    blocks = sound[:len(sound) // length * length].reshape(-1, length, 2)
    spectrum = np.abs(np.fft.rfft(blocks, axis=1)) * 2 / length
    # Sound stretched in time, by half a percent at most, is that much lower.
    tone = round(TONE * WINDOW)
    return np.sqrt((spectrum[:, tone - 4:tone + 5] ** 2).sum(axis=1))


def span(flags, step):
    """From when to when (s); the flags must be set nearly all of that time."""
    [where] = np.nonzero(flags)
    first, end = where[0], where[-1] + 1
    # A browser short of CPU drops some sound.
    assert flags[first:end].mean() > 0.75, f"it comes and goes: {where}"
    return first * step, end * step


def test_it_is_large_while_it_is_shared(seen):
    begin, end = span(seen, 1 / 30)
    assert begin > 3 and end - begin > 6 and end < len(seen) / 30 - 3


def test_its_sound_is_heard_as_long_as_it_is_seen(shown, seen, heard):
    begin, end = span(seen, 1 / 30)
    first, last = span(heard[:, 0] > THERE, WINDOW)
    # Both are published one after the other, and the picture fades in and out.
    assert abs(first - begin) < 1.5 + shown.apart and abs(last - end) < 1.5, (
        begin, end, first, last, shown.apart)


def test_its_sound_is_in_stereo(heard):
    left, right = heard[heard[:, 0] > THERE].T
    # Where sound is dropped, a part of a block is there.
    assert np.percentile(left, 25) > 0.07
    assert np.median(right) < 0.1 * np.median(left)


def test_others_in_the_room_hear_it_in_stereo(shown):
    left, right = max(shown.at_bens)
    assert left > AUDIBLE and right < left - 20, shown.at_bens


def test_its_sound_and_its_picture_are_together(shown):
    _, offsets = avsync.measure(shown.top.file).publishers["dora"].pairs()
    # A browser short of CPU captures only some flashes or beeps.
    assert len(offsets) >= 4
    assert abs(np.median(offsets)) <= OFFSET, np.round(offsets * 1000)


def test_the_stream_itself_never_wavers(shown):
    checks.time_runs_evenly(shown)
    checks.playlists_are_sound(shown, SMALL_LADDER)
