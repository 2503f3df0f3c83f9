"""The speaker is large: from the level in a voice's packets to the place of a tile."""

import avsync
import numpy as np
from harness import media
from harness.scene import CLIPS, LADDER, Guest, film

COLOURS = {clip.name: np.array(clip.colour) for clip in avsync.CLIPS}
LAYOUT = {"name": "speaker", "names": False, "speaker_border": False, "fit": "crop"}


def talkative(folder, clip):
    """A fixture whose sound goes on and on: a beep of a tenth of a second takes nobody's word."""
    path = folder / f"{clip}.webm"
    media.run("ffmpeg", "-v", "error", "-y", "-i", str(CLIPS / f"{clip}.webm"),
              "-f", "lavfi", "-i", "sine=frequency=440:duration=24,volume=4",
              "-map", "0:v", "-map", "1:a", "-c:v", "copy", "-c:a", "libopus", str(path))
    return path


def large(pictures):
    """The colour of the large tile's lower middle, as the layout has it on this canvas."""
    width, height = LADDER[0]["width"], LADDER[0]["height"]
    part = media.crop(pictures, 60, 220, 390, 120, width, height)
    return np.median(part.reshape(-1, 3), axis=0)


def test_who_comes_last_and_speaks_is_large(server, room, tmp_path):
    guests = [Guest("ann"), Guest("cleo"), Guest(talkative(tmp_path, "ben"), late=2)]
    take = film(server, room, 12, guests, tmp_path, {"layout": LAYOUT})
    pictures = media.frames(take.stream.top.file, 640, 360)
    before, after = large(pictures[:30]), large(pictures[-30:])
    assert min(np.abs(before - COLOURS[name]).max() for name in ("ann", "cleo")) < 40, before
    assert np.abs(after - COLOURS["ben"]).max() < 40, after
