"""Quality, cost and delay of a stream: loose bounds, compared with `ffmpeg` doing the same job in
the same run where the machine decides. `make bench` has the exact figures."""

import os
import resource
import time
from datetime import datetime

import avsync
import numpy as np
import pytest
from harness import checks, hls, media, scene
from harness.scene import Guest
from harness.waiting import wait_for
from test_degradation import bot_of

SETTINGS = {"ROOMCAST_STREAM_PRESET": "balanced"}
WIDTH, HEIGHT, RATE = 640, 360, 30
VIDEO, AUDIO = 900, 96  # kbit/s
LADDER = [{"width": WIDTH, "height": HEIGHT, "videoBitrate": VIDEO, "audioBitrate": AUDIO}]
BARE = {"names": False, "speaker_border": False, "margin": 0, "gap": 0, "corner_radius": 0}
# Below the numbers along the top, the picture moves more than any encoder has bits for.
BUSY = f"mandelbrot=s={WIDTH}x300:r={RATE}[busy];[in][busy]overlay=0:60:shortest=1"
SECONDS = 14  # that the bot's CPU time is counted
SETTLING = 3  # s at a stream's start: rate control settles
TICK = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def peak_megabytes(pid):
    with open(f"/proc/{pid}/status") as file:
        lines = dict(line.split(":", 1) for line in file)
    return int(lines["VmHWM"].split()[0]) / 1024


def by_ffmpeg(clip, path):
    """The same job by `ffmpeg`: its CPU seconds for each second of the clip, and its memory."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    media.run("/usr/bin/time", "-f", "%M", "-o", str(path.with_suffix(".kb")),
              "ffmpeg", "-nostdin", "-v", "error", "-y", "-i", str(clip), "-t", str(SECONDS),
              "-c:v", "libx264", "-preset", "veryfast", "-threads", "1", "-b:v", f"{VIDEO}k",
              "-maxrate", f"{VIDEO * 1.1}k", "-bufsize", f"{VIDEO * 2}k", "-g", str(2 * RATE),
              "-c:a", "aac", "-aac_coder", "fast", "-b:a", f"{AUDIO}k", str(path))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used / SECONDS, int(path.with_suffix(".kb").read_text()) / 1024


def luma_planes(path):
    data = media.run("ffmpeg", "-nostdin", "-v", "error", "-i", str(path), "-map", "0:v:0",
                     "-fps_mode", "passthrough", "-vf", "extractplanes=y", "-f", "rawvideo", "-")
    return np.frombuffer(data, np.uint8).reshape(-1, HEIGHT, WIDTH)


FLASH = 2**10 - 1  # white all along the top


def number_of(luma):
    """The number that a picture of our clips has along its top (fixtures/)."""
    return media.frame_number(np.repeat(luma[..., None], 3, axis=2))


def quality(path, originals):
    """PSNR in dB of each picture, but for the first ones and for flashes, which have no number."""
    errors = []
    for luma in luma_planes(path)[SETTLING * RATE:]:
        number = number_of(luma)
        if number == FLASH:
            continue
        original = originals[number]
        errors.append(np.square(luma.astype(np.int16) - original, dtype=np.int32).mean())
    return 10 * np.log10(255**2 / np.maximum(errors, 1e-9))


class Film:
    """A clip that needs every bit, streamed as it is; and the same clip by ffmpeg."""

    def __init__(self, server, folder):
        clip = scene.make_clip(folder, "ann", RATE, BUSY, bitrate=4000)
        originals = {number_of(luma): luma for luma in luma_planes(clip)}
        with scene.present(server, "busy", [Guest(clip)], folder):
            started = server.start_stream("busy", {"ladder": LADDER, "layout": BARE})
            server.wait_for_status(started["id"], "running", scene.START_TIMEOUT)
            bot = bot_of(server)
            begun, used = time.monotonic(), cpu_seconds(bot)
            time.sleep(SECONDS)  # is measured for so long
            self.cost = (cpu_seconds(bot) - used) / (time.monotonic() - begun)
            self.memory = peak_megabytes(bot)
            server.stop_stream("busy")
            server.wait_for_status(started["id"], "completed", scene.START_TIMEOUT)
        self.stream = hls.Stream(server.http, started["playback"]["url"], folder / "stream")
        other = folder / "ffmpeg.mp4"
        self.other_cost, self.other_memory = by_ffmpeg(clip, other)
        self.quality = quality(self.stream.top.file, originals)
        self.other_quality = quality(other, originals)


@pytest.fixture(scope="module")
def film(server, tmp_path_factory):
    return Film(server, tmp_path_factory.mktemp("film"))


def test_the_bits_that_were_asked_for_are_spent(film):
    video = sum(one.path.stat().st_size for one in film.stream.top.playlist.segments[2:-1]) * 8
    seconds = sum(one.duration for one in film.stream.top.playlist.segments[2:-1])
    rate = video / seconds / 1000
    print("kbit/s", rate)
    assert rate >= 0.9 * (VIDEO + AUDIO)


def test_the_picture_is_as_good_as_ffmpeg_makes_it(film):
    # `make bench` allows 0.3 dB on natural video; this clip is drawn.
    ours, theirs = np.median(film.quality), np.median(film.other_quality)
    print("dB", ours, theirs, "worst", film.quality.min(), film.other_quality.min())
    assert ours >= theirs - 1
    # No single picture falls apart.
    assert film.quality.min() >= theirs - 8


def test_it_costs_about_as_much_as_ffmpeg(film):
    checks.time_runs_evenly(film.stream)  # nothing is left out to be cheap
    print("cores", film.cost, film.other_cost, "MB", film.memory, film.other_memory)
    assert film.cost <= 1.5 * film.other_cost
    assert film.memory <= 2.5 * film.other_memory


def test_the_stream_is_at_most_a_segment_and_a_second_old(server, tmp_path):
    """From the flash of a clip that runs by the wall clock to the segment that shows it."""
    found = []
    with scene.present(server, "age", [Guest("ann", "--by-the-clock")], tmp_path):
        started = server.start_stream("age", {"ladder": LADDER, "layout": BARE})
        server.wait_for_status(started["id"], "running", scene.START_TIMEOUT)
        url = started["playback"]["url"]
        for count in range(hls.segment_count(server.http, url) + 1, 6):
            wait_for("a segment", lambda: hls.segment_count(server.http, url) >= count,
                     scene.START_TIMEOUT, interval=0.02)
            found.append((count - 1, time.time()))
        server.stop_stream("age")
        server.wait_for_status(started["id"], "completed", scene.START_TIMEOUT)
    stream = hls.Stream(server.http, url, tmp_path / "stream")
    flashes = avsync.measure(stream.top.file).publishers["ann"].flashes
    segments = stream.top.playlist.segments
    began = datetime.fromisoformat(segments[0].date).timestamp()
    # The clip flashes at each full second.
    shown = began + flashes
    delays = shown - np.round(shown)
    print("shown after", np.round(delays, 3))
    ages = [seen - datetime.fromisoformat(segments[number].date).timestamp()
            for number, seen in found]
    print("fetched after", np.round(ages, 3))
    assert np.abs(np.median(delays)) <= 0.1, "dates are not those of capture"
    assert np.median(ages) <= 3
