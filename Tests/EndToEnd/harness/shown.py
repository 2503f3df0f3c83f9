"""What a stream shows of its source."""

import numpy as np

from . import hls, media
from .waiting import wait_for

LADDER = [{"width": 320, "height": 180, "videoBitrate": 400, "audioBitrate": 64}]
TIMEOUT = 60  # s


def newest_segment(caster, stream):
    return hls.newest_segment(caster.http, stream["playback"]["url"])


def is_near(segment, colour):
    picture = np.median(media.frames(segment)[-1].reshape(-1, 3), axis=0)
    return np.abs(picture - colour).max() < 50


def is_heard(segment):
    return np.abs(media.sound(segment)).max() > 0.02


def assert_shows(caster, stream, colour):
    """The latest picture is of that colour, and there is sound."""
    def shown():
        with newest_segment(caster, stream) as segment:
            return is_near(segment, colour) and is_heard(segment)

    wait_for(f"the stream is {colour}", shown, TIMEOUT, interval=1)
