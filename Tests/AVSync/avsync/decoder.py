"""One ffmpeg that decodes pictures and sound of a file or playlist, read through pipes.

It keeps only the timestamps: pictures go to `see(index, picture)` and samples to `hear(samples)` as
they come, so that an hour takes no more memory than a minute. ffmpeg's own filters print the
timestamps of the file, which are matched to the data by their order. A picture is three planes:
green, blue, red.
"""

import os
import re
import subprocess
import threading
from dataclasses import dataclass, field

import numpy as np

SAMPLE_RATE = 48_000  # Hz
WIDTH, HEIGHT = 256, 144  # pixels that the picture is scaled to
BLOCK = SAMPLE_RATE // 2  # samples handed over at once
KEPT_LINES = 20  # of what ffmpeg says besides

# Ticks per second in which the filters print timestamps. In seconds they print no more than six
# digits, which after a quarter of an hour is only hundredths.
TICKS = 720_000
PICTURE = re.compile(r"_showinfo_.*? pts: *(-?\d+) .*? s:(\d+)x(\d+) ")
SOUND = re.compile(r"_ashowinfo_.*? pts: *(-?\d+) .*? nb_samples:(\d+) ")


@dataclass
class Timing:
    """When everything is shown and heard, in the file's own seconds."""

    pictures: list = field(default_factory=list)  # s, in the order shown
    sizes: set = field(default_factory=set)  # (width, height) before scaling
    blocks: list = field(default_factory=list)  # (s, samples)

    def of_samples(self, positions):
        """The times of samples, which are counted from the first one."""
        starts = np.array([time for time, _ in self.blocks])
        counts = np.array([count for _, count in self.blocks])
        firsts = np.concatenate([[0], np.cumsum(counts)[:-1]])
        block = np.searchsorted(firsts, positions, side="right") - 1
        return starts[block] + (np.asarray(positions) - firsts[block]) / SAMPLE_RATE

    def largest_sound_jump(self):
        """How far a block of sound is from where the one before ended, at most; in seconds."""
        starts = np.array([time for time, _ in self.blocks])
        ends = starts + np.array([count for _, count in self.blocks]) / SAMPLE_RATE
        return float(np.abs(starts[1:] - ends[:-1]).max(initial=0))


class DecodingFailed(Exception):
    pass


def decode(media, see, hear, seconds=None):
    """Decodes all of `media`, or so many seconds, and returns its `Timing`."""
    read, write = os.pipe()
    process = subprocess.Popen(
        _command(media, write, seconds), pass_fds=[write], stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )
    os.close(write)
    timing, said = Timing(), []
    ears = threading.Thread(target=_read_sound, args=(os.fdopen(read, "rb"), hear))
    notes = threading.Thread(target=_read_notes, args=(process.stderr, timing, said))
    ears.start()
    notes.start()
    try:
        count = _read_pictures(process.stdout, see)
    except BaseException:
        process.kill()
        raise
    finally:
        status = process.wait()
        ears.join()
        notes.join()
        process.stdout.close()
        process.stderr.close()
    if status != 0:
        raise DecodingFailed("\n".join(said))
    if count == 0 or not timing.blocks:
        raise DecodingFailed("no picture" if count == 0 else "no sound")
    # A decoder that is cut short may output fewer pictures than its filter was shown.
    del timing.pictures[count:]
    return timing


def _command(media, descriptor, seconds):
    is_playlist = str(media).split("?")[0].endswith((".m3u8", ".m3u"))
    # An output's own `-t` would count from timestamp zero.
    limit = [f"trim=duration={seconds}"] if seconds else []
    picture = [*limit, f"settb=1/{TICKS}", "showinfo=checksum=0",
               f"scale={WIDTH}:{HEIGHT}:flags=area"]
    sound = [*(f"a{one}" for one in limit), f"aresample={SAMPLE_RATE}",
             "aformat=sample_fmts=flt:channel_layouts=mono", f"asettb=1/{TICKS}", "ashowinfo"]
    return [
        "ffmpeg", "-hide_banner", "-nostats", "-nostdin", "-copyts",
        # A running stream is read from its first segment, not from its live edge.
        *(["-live_start_index", "0"] if is_playlist else []),
        "-i", str(media),
        "-map", "0:v:0", "-fps_mode", "passthrough", "-vf", ",".join(picture),
        "-pix_fmt", "gbrp", "-f", "rawvideo", "pipe:1",
        "-map", "0:a:0", "-af", ",".join(sound), "-f", "f32le", f"pipe:{descriptor}",
    ]


def _read_pictures(pipe, see):
    size, count = WIDTH * HEIGHT * 3, 0
    while len(data := pipe.read(size)) == size:
        see(count, np.frombuffer(data, np.uint8).reshape(3, HEIGHT, WIDTH))
        count += 1
    return count


def _read_sound(pipe, hear):
    with pipe:
        while data := pipe.read(BLOCK * 4):
            hear(np.frombuffer(data[:len(data) // 4 * 4], np.float32))


def _read_notes(pipe, timing, said):
    for line in pipe:
        text = line.decode(errors="replace").rstrip()
        if found := PICTURE.search(text):
            timing.pictures.append(int(found[1]) / TICKS)
            timing.sizes.add((int(found[2]), int(found[3])))
        elif found := SOUND.search(text):
            timing.blocks.append((int(found[1]) / TICKS, int(found[2])))
        elif "showinfo" not in text:
            said.append(text)
            del said[:-KEPT_LINES]
