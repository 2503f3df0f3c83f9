"""The job done by a browser on a virtual screen that `ffmpeg` captures, like Jibri and LiveKit
Egress.

The page plays the four clips in a 2x2 grid; its sound goes to a null sink of PulseAudio. The cost
includes the browser with all its processes, Xvfb, PulseAudio and ffmpeg, from the moment the clips
play; a browser in a call would have WebRTC's work in addition."""

import contextlib
import os
import pathlib
import time

from .files import FFMPEG, aac, veryfast
from .job import FRAME_RATE, LADDER, Unfit
from .processes import TreeMeter, end, spawn, until

PAGE = """<!doctype html><title>grid</title>
<style>html, body {{ margin: 0; overflow: hidden; background: #000 }}
body {{ display: grid; grid-template-columns: {width}px {width}px; cursor: none }}
video {{ width: {width}px; height: {height}px; display: block }}</style>
{videos}
<script>
const videos = [...document.querySelectorAll("video")];
Promise.all(videos.map(video => video.play())).then(() => document.title = "playing");
</script>
"""
# Time between the browser's start and the capture, which excludes the start from the figures.
SETTLING_SECONDS = 5


def page(clips, directory):
    width, height = LADDER[0][0] // 2, LADDER[0][1] // 2
    videos = "\n".join(f'<video src="{clip.as_uri()}" loop></video>' for clip in clips)
    path = directory / "grid.html"
    path.write_text(PAGE.format(width=width, height=height, videos=videos))
    return path


def free_display():
    numbers = (n for n in range(90, 200) if not pathlib.Path(f"/tmp/.X11-unix/X{n}").exists())
    return f":{next(numbers)}"


def start_sound(directory, environment, processes):
    """A PulseAudio of its own with a sink that nobody hears. Gives what to capture."""
    socket = directory / "sound.socket"
    processes.append(
        spawn(["pulseaudio", "-n", "--exit-idle-time=-1", "--daemonize=no", "--disallow-exit",
               "--load=module-null-sink sink_name=grid",
               f"--load=module-native-protocol-unix auth-anonymous=1 socket={socket}"],
              directory / "pulse.log", env=environment))
    until("PulseAudio's start", socket.exists)
    environment["PULSE_SERVER"] = f"unix:{socket}"
    return ["-f", "pulse", "-i", "grid.monitor"]


def start_browser(clips, directory, environment, processes):
    display = environment["DISPLAY"]
    width, height, *_ = LADDER[0]
    processes.append(
        spawn(["Xvfb", display, "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp"],
              directory / "xvfb.log"))
    until("Xvfb's start", pathlib.Path(f"/tmp/.X11-unix/X{display[1:]}").exists)
    processes.append(
        spawn(["chromium", "--no-sandbox", "--no-first-run", "--kiosk", "--hide-scrollbars",
               "--autoplay-policy=no-user-gesture-required", "--window-position=0,0",
               f"--window-size={width},{height}", f"--user-data-dir={directory / 'profile'}",
               "--disable-dev-shm-usage", "--disable-infobars", page(clips, directory).as_uri()],
              directory / "chromium.log", env=environment))


def capture(directory, display, sound, seconds):
    width, height, *_ = LADDER[0]
    low_width, low_height, *_ = LADDER[1]
    command = [*FFMPEG, "-thread_queue_size", "512", "-f", "x11grab", "-draw_mouse", "0",
               "-video_size", f"{width}x{height}", "-framerate", FRAME_RATE,
               "-i", display, "-thread_queue_size", "512", *sound]
    command += ["-filter_complex",
                f"[0:v]format=yuv420p,fps={FRAME_RATE},split[v0][canvas];"
                f"[canvas]scale={low_width}:{low_height}:flags=area[v1]"]
    layers = []
    for n, (_, _, video, audio) in enumerate(LADDER):
        layers.append(directory / f"layer_{n}.m3u8")
        command += ["-map", f"[v{n}]", "-map", "1:a", "-t", seconds, *veryfast(video)]
        command += aac(audio)
        command += ["-f", "hls", "-hls_time", "2", "-hls_playlist_type", "event", layers[-1]]
    return command, layers


def by_chromium(clips, directory, seconds):
    directory.mkdir()
    environment = {**os.environ, "DISPLAY": free_display(), "HOME": str(directory),
                   "XDG_RUNTIME_DIR": str(directory)}
    directory.chmod(0o700)
    processes = []
    try:
        sound = start_sound(directory, environment, processes)
        start_browser(clips, directory, environment, processes)
        time.sleep(SETTLING_SECONDS)
        for process in processes:
            if process.poll() is not None:
                raise Unfit(f"{process.args[0]} ended; its log is in {directory}")
        command, layers = capture(directory, environment["DISPLAY"], sound, seconds)
        log = directory / "ffmpeg.log"
        meter = TreeMeter([process.pid for process in processes])
        meter.start()
        recorder = spawn(command, log, env=environment)
        meter.roots.append(recorder.pid)
        until("the capture's end", lambda: recorder.poll() is not None,
              maximum=seconds * 2 + 30)
        figures = meter.stop()
        if recorder.returncode != 0:
            raise Unfit(f"the capture failed:\n{log.read_text()[-2000:]}")
        return {**figures, "layers": layers}
    finally:
        for process in reversed(processes):
            with contextlib.suppress(ProcessLookupError):
                end(process)
