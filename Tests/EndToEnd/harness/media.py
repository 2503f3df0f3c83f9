"""ffmpeg's findings about a file, as numbers."""

import json
import subprocess
from dataclasses import dataclass

import numpy as np

SAMPLE_RATE = 48_000  # Hz
TICKS = 90_000  # of an MPEG transport stream's clock, per second


@dataclass(frozen=True)
class Packet:
    kind: str  # "video" or "audio"
    pts: int  # in ticks of 1/90000 s
    is_key: bool


def run(*command):
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode(errors="replace")[-2000:]
    return done.stdout


def streams(path):
    """ffprobe's description of each stream, by kind."""
    found = json.loads(run("ffprobe", "-v", "error", "-show_streams", "-of", "json", str(path)))
    return {stream["codec_type"]: stream for stream in found["streams"]}


def packets(path):
    """All packets in file order; times as they are in the file, not from zero."""
    text = run("ffprobe", "-v", "error", "-show_entries", "packet=codec_type,pts,flags",
               "-of", "json", str(path))
    return [
        Packet(one["codec_type"], int(one["pts"]), "K" in one["flags"])
        for one in json.loads(text)["packets"]
    ]


def frames(path, width=320, height=180):
    """Every decoded frame in the order shown, scaled: an array of frame, y, x, RGB."""
    data = run("ffmpeg", "-v", "error", "-i", str(path), "-map", "0:v:0",
               "-fps_mode", "passthrough", "-vf", f"scale={width}:{height}:flags=area",
               "-pix_fmt", "rgb24", "-f", "rawvideo", "-")
    return np.frombuffer(data, np.uint8).reshape(-1, height, width, 3)


def sound(path, channels=1):
    """The decoded sound at 48 kHz, between -1 and 1: an array of samples, or of samples' channels."""
    data = run("ffmpeg", "-v", "error", "-i", str(path), "-map", "0:a:0", "-ac", str(channels),
               "-ar", str(SAMPLE_RATE), "-f", "f32le", "-")
    samples = np.frombuffer(data, np.float32)
    return samples if channels == 1 else samples.reshape(-1, channels)


def luma(pictures):
    """Mean brightness of each frame, 0 to 255."""
    return pictures.mean(axis=(1, 2)) @ np.array([0.299, 0.587, 0.114])


def colour_of(pictures, rectangle=(0.1, 0.55, 0.9, 0.95)):
    """The median colour over a part of the picture: left, top, right, bottom as shares of 1.

    The default part contains neither a name nor a number in our clips, and little of the ball.
    """
    _, height, width, _ = pictures.shape
    left, top, right, bottom = rectangle
    part = pictures[:, int(top * height):int(bottom * height), int(left * width):int(right * width)]
    return np.median(part.reshape(-1, 3), axis=0)


def share_of(picture, colour):
    """How much of a picture is near a colour."""
    return (np.abs(picture.astype(int) - colour).max(axis=2) < 50).mean()


def crop(pictures, x, y, width, height, canvas_width, canvas_height):
    """A tile of the canvas, given in the canvas' pixels, out of scaled pictures."""
    rows, columns = pictures.shape[1:3]
    top, bottom = round(y * rows / canvas_height), round((y + height) * rows / canvas_height)
    left, right = round(x * columns / canvas_width), round((x + width) * columns / canvas_width)
    return pictures[:, top:bottom, left:right]


def movement(pictures):
    """How much each frame differs from the one before: the largest change of any pixel."""
    brightness = pictures.astype(np.int16).max(axis=3)
    return np.abs(np.diff(brightness, axis=0)).max(axis=(1, 2))


def longest_run(flags):
    """The length of the longest stretch of True."""
    longest = current = 0
    for flag in flags:
        current = current + 1 if flag else 0
        longest = max(longest, current)
    return longest


def loudness(samples, window=0.02):
    """RMS of consecutive windows (in seconds)."""
    size = int(window * SAMPLE_RATE)
    count = len(samples) // size
    return np.sqrt(np.mean(samples[: count * size].reshape(count, size) ** 2, axis=1))


def onsets(levels, step, threshold, quiet=0.3):
    """The times (s) at which `levels` rises above `threshold` after `quiet` s below it.

    A sound that is there from the first level on has no known beginning, and is left out."""
    times, below = [], 0.0 if levels[0] > threshold else quiet
    for index, level in enumerate(levels):
        if level > threshold:
            if below >= quiet:
                times.append(index * step)
            below = 0.0
        else:
            below += step
    return times


def frame_number(picture):
    """The number in the ten cells along the top of one frame of our clips (fixtures/)."""
    height, width, _ = picture.shape
    number = 0
    for cell in range(10):
        x = (120 + cell * 40 + 18) / 640 * width
        y = 26 / 360 * height
        number = number * 2 + int(picture[round(y), round(x)].mean() > 128)
    return number
