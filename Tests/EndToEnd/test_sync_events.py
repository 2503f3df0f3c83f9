"""Events of a call: mutes, republications, a lost network, another camera, a turned phone."""

import avsync
import numpy as np
import pytest
from harness import checks, media, scene
from harness.scene import Guest, film

SETTINGS = {"ROOMCAST_ROOMS_VIDEO_ORIENTATION": "true"}
SECONDS = 27
DORA = next(clip.colour for clip in avsync.CLIPS if clip.name == "dora")


@pytest.fixture(scope="module")
def events(server, tmp_path_factory):
    folder = tmp_path_factory.mktemp("events")
    small = scene.make_clip(folder, "dora", 30, "scale=320:180")
    guests = [
        Guest("ann", "--at 8:mute-audio --at 12:unmute-audio "
                     "--at 16:mute-video --at 20:unmute-video"),
        Guest("ben", "--at 9:unpublish --at 14:publish"),
        Guest("cleo", "--at 8:break=10"),
        Guest("dora", f"--at 10:play={small} --at 18:rotate=90"),
    ]
    return film(server, "events", SECONDS, guests, folder)


def lengths(marks):
    return [round(end - begin) for begin, end in scene.gaps(marks)]


def test_a_muted_microphone_leaves_the_picture_alone_and_the_other_way_round(events):
    ann = events.publisher("ann")
    # The request to forward either again may arrive after its first mark.
    for marks, longest in ((ann.beeps, 6), (ann.flashes, 7)):
        assert len(scene.gaps(marks)) == 1 and 4 <= lengths(marks)[0] <= longest, marks
    scene.is_in_time(ann)
    scene.is_complete(ann, spare=1)


def test_the_camera_that_is_off_shows_no_old_picture(events):
    ann = events.publisher("ann")
    # Another tile that moves over this one may be mistaken for it for a moment.
    assert 3 <= sum(end - begin for begin, end in ann.absences) <= 6, ann.absences


def test_tracks_that_are_taken_out_and_put_in_again_are_in_time(events):
    ben = events.publisher("ben")
    for marks in (ben.flashes, ben.beeps):
        assert len(scene.gaps(marks)) == 1 and 5 <= lengths(marks)[0] <= 9, marks
    scene.is_in_time(ben)
    scene.is_complete(ben, spare=1)


def test_after_a_lost_network_sound_and_picture_come_back_in_time(events):
    cleo = events.publisher("cleo")
    for marks in (cleo.flashes, cleo.beeps):
        # Ten seconds are missing; ICE, signalling and a key frame may take three more.
        assert len(scene.gaps(marks)) == 1 and 10 <= lengths(marks)[0] <= 14, marks
    scene.is_in_time(cleo)
    scene.is_complete(cleo, spare=1)


def test_another_size_and_another_rotation_are_not_noticed(events):
    dora = events.publisher("dora")
    scene.is_in_time(dora)
    # Other tiles come and go twice, and hers moves.
    scene.is_complete(dora, spare=2)
    assert all(end - begin < 1 for begin, end in dora.absences)
    assert dora.longest_freeze <= 0.5


def test_a_turned_picture_stands_upright(events):
    pictures = media.frames(events.stream.top.file, 640, 360)
    # From one flash to the next, with neither of them.
    flashes = [round(time * 30) for time in events.publisher("dora").flashes]
    before, after = (
        text_shape(pictures[flashes[at] + 4:flashes[at] + 28]) for at in (1, -3)
    )
    # The tile crops the upright picture, so that the name is cut at its ends.
    assert after < 0.8 * before, (before, after)


def text_shape(pictures):
    """How much wider than high the name in the middle of Dora's tile is."""
    distance = np.abs(pictures.astype(np.int16) - np.array(DORA, np.int16)).max(axis=3)
    rows, columns = (np.median(distance, axis=0) < 40).nonzero()
    left, right, top, bottom = columns.min(), columns.max(), rows.min(), rows.max()
    margins = (right - left) // 5, (bottom - top) // 5
    middle = distance[:, top + margins[1]:bottom - margins[1], left + margins[0]:right - margins[0]]
    # The name stands still; the ball passes, and the number changes.
    letters = (middle > 60).all(axis=0)
    return np.ptp(letters.any(axis=0).nonzero()[0]) / np.ptp(letters.any(axis=1).nonzero()[0])


def test_the_stream_itself_never_wavers(events):
    assert len(events.measurement.sizes) == 1
    checks.playlists_are_sound(events.stream, scene.LADDER)
    checks.time_runs_evenly(events.stream)
    assert events.measurement.duration >= SECONDS
