"""Finds each clip's tile by its colour, wherever it is, and notes what happens in it."""

import numpy as np

from .clips import CLIPS
from .decoder import HEIGHT, WIDTH

TOLERANCE = 45  # distance in RGB within which a pixel still has a clip's colour
WHITE = 200  # the darkest channel of a white pixel
NONE, BLANK = 0, 255  # classes of pixels beside 1, 2, … for the clips
IS_WHITE, HAS_MOVED = 32, 64  # bits above the owner's number

AREA = int(0.004 * WIDTH * HEIGHT)  # pixels that a tile has at least
FLASH_BEGINS, FLASH_ENDS = 0.5, 0.3  # share of the tile that is white
REST = 0.2  # share of the tile that still has its colour in a flash, at most
CONFIRM = 75  # pictures after a flash within which the clip's colour comes back, if it was its own
FORGET = 30  # pictures without a clip's colour after which a pixel belongs to none
MOVED = 24  # change of a pixel's brightest channel that no encoder makes of a still picture
MOTION = 0.0005  # share of the tile that the ball changes at least


def _classes():
    """The class of each colour, in five bits a channel."""
    levels = np.arange(32) * 8 + 4
    colours = np.stack(np.meshgrid(levels, levels, levels, indexing="ij"), -1).reshape(-1, 3)
    wanted = np.array([clip.colour for clip in CLIPS])
    distances = np.linalg.norm(colours[:, None] - wanted[None], axis=2)
    table = np.where(distances.min(1) <= TOLERANCE, distances.argmin(1) + 1, NONE)
    return np.where(colours.min(1) >= WHITE, BLANK, table).astype(np.uint8)


class Sight:
    """What was seen of one clip, by numbers of pictures."""

    def __init__(self):
        self.flashes = []
        self.visible = []  # one flag a picture
        self.moving = []  # one flag a picture
        self.is_white = False
        self.unconfirmed = []  # the latest flashes, until the clip's colour is back


class Eyes:
    def __init__(self):
        self.sights = [Sight() for _ in CLIPS]
        self._table = _classes()
        # The clip that each pixel shows, or showed before the flash, the ball or a letter.
        self._owner = np.zeros((HEIGHT, WIDTH), np.uint8)
        self._foreign = np.zeros((HEIGHT, WIDTH), np.uint8)
        self._before = None

    def see(self, index, picture):
        green, blue, red = picture
        bits = picture >> 3
        seen = self._table[bits[2].astype(np.uint16) << 10 | bits[0].astype(np.uint16) << 5
                           | bits[1]]
        white = seen == BLANK
        coloured = (seen != NONE) & ~white
        self._foreign += 1
        # White does not count: a flash is short, and initials in the clip's place are white too.
        self._foreign[coloured] = 0
        np.minimum(self._foreign, FORGET + 1, out=self._foreign)
        self._owner[self._foreign > FORGET] = NONE
        np.copyto(self._owner, seen, where=coloured)
        brightness = np.maximum(np.maximum(red, green), blue).astype(np.int16)
        moved = (np.ones_like(white) if self._before is None
                 else np.abs(brightness - self._before) >= MOVED)
        self._before = brightness
        colours = np.bincount(seen.ravel(), minlength=256)
        # The number of pixels of each owner, white or not, moved or not.
        kinds = np.bincount(
            (self._owner | white * np.uint8(IS_WHITE) | moved * np.uint8(HAS_MOVED)).ravel(),
            minlength=4 * IS_WHITE,
        ).reshape(2, 2, IS_WHITE)
        for number, sight in enumerate(self.sights, start=1):
            mine = kinds[..., number]
            self._note(
                index, sight, area=mine.sum(), blank=mine[:, 1].sum(), colour=colours[number],
                motion=mine[1].sum(),
            )

    def _note(self, index, sight, area, blank, colour, motion):
        share = blank / area if area >= AREA else 0.0
        is_flash = share >= FLASH_BEGINS and colour <= REST * area
        if is_flash and not sight.is_white:
            sight.flashes.append(index)
            sight.unconfirmed.append(index)
            sight.is_white = True
        elif share <= FLASH_ENDS:
            sight.is_white = False
        if colour >= AREA and colour > REST * area:
            sight.unconfirmed.clear()
        elif sight.unconfirmed and index - sight.unconfirmed[0] > CONFIRM:
            # A tile that has gone left its place to another clip's flash or letters.
            sight.flashes.remove(sight.unconfirmed.pop(0))
        sight.visible.append(area >= AREA and colour + blank >= area / 2)
        sight.moving.append(motion > area * MOTION)
