"""Simulcast through the whole house: layers that come and go, and the one that a tile needs."""

import contextlib
import re
import time

import avsync
import numpy as np
import pytest
from harness import checks, hls, media, scene
from harness.scene import Guest, film
from harness.waiting import wait_for

PLAIN = {"names": False, "speaker_border": False}
SECONDS = 15
OFF, ON = 5, 10  # s after the publisher's start: its upper layers
ENTRANCE = 90  # s
STEEP = 70  # of 255, from a pixel to the next: 120 in the best layer, 33 in the smallest
BACK = 3.0  # s until a picture is there again
# Makes bots log the layers that they request and receive.
SETTINGS = {"ROOMCAST_LOG_LEVEL": "debug"}


@pytest.fixture(scope="module")
def layers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("layers")
    return {name: scene.make_layers(folder, name) for name in ("ann", "ben")}


def said(server, room, what):
    """The bot's log of its tracks' layers: (track, layer), in order."""
    lines = server.log.read_text(errors="replace").splitlines()
    found = []
    for line in lines:
        if f'message="layer {what}"' in line and f"room={room} " in f"{line} ":
            values = dict(re.findall(r'(\w+)=(\S+)', line))
            found.append((values["track"], values["layer"]))
    return found


# A publisher whose uplink is limited for a while.

@pytest.fixture(scope="module")
def short(server, layers, tmp_path_factory):
    script = f"--at {OFF}:layers=1 --at {ON}:layers=3"
    return film(server, "short", SECONDS, [Guest("ann", script, layers=layers["ann"])],
                tmp_path_factory.mktemp("short"), {"layout": PLAIN})


def test_layers_that_are_switched_off_and_on_leave_sound_and_picture_together(short):
    ann = short.publisher("ann")
    scene.is_in_time(ann)
    scene.is_complete(ann, spare=1)
    assert ann.longest_freeze <= 0.5
    assert len(short.measurement.sizes) == 1
    checks.time_runs_evenly(short.stream)


def test_the_bot_gets_the_best_layer_that_is_sent(short, server):
    given = [layer for _, layer in said(server, "short", "given")]
    assert given[0] == "high", given
    # Two layers disappear one after the other, so the bot may try the one between.
    assert [layer for layer in given if layer != "medium"][-2:] == ["low", "high"], given
    # The picture shows it: the smallest layer has no steep edges.
    is_blurred = steepness_by_second(short) < STEEP
    assert not is_blurred[:2].any() and not is_blurred[-2:].any(), is_blurred
    assert ON - OFF - 1 <= is_blurred.sum() <= ON - OFF + 1, is_blurred


def steepness_by_second(take):
    """How steep the steepest edges are: the names' in most pictures."""
    pictures = media.frames(take.stream.top.file, 640, 360).mean(axis=3)
    edges = np.percentile(np.abs(np.diff(pictures, axis=2)), 99.8, axis=(1, 2))
    whole = len(edges) // 30 * 30
    return np.median(edges[:whole].reshape(-1, 30), axis=1)


# Tiles that become large and small, and leave the screen.

class Show:
    """Two publishers, and a layout that changes while the stream runs."""

    def __init__(self, server, folder, layers, stack):
        self.server, self.room, self.folder = server, "tiles", folder
        guests = [Guest(name, layers=layers[name]) for name in ("ann", "ben")]
        scene.enter_in_order(server, self.room, guests, folder, stack)
        self.wishes = {}

    def change(self, layout):
        """Returns the bot's requests and layers of both, in order, and the time of the change."""
        before = [len(said(self.server, self.room, what)) for what in ("wanted", "given")]
        asked_at = time.time()
        answer = self.server.manage(
            "PATCH", f"/live-streams/{self.stream['id']}", {"layout": layout})
        assert answer.status == 200, answer

        def news():
            return [dict(said(self.server, self.room, what)[count:])
                    for what, count in zip(("wanted", "given"), before)]

        wait_for("both have their layers", lambda: all(len(one) == 2 for one in news()), ENTRANCE)
        time.sleep(4)  # is seen for so long
        return asked_at, news()

    def run(self):
        layout = PLAIN | {"name": "single", "focus": {"peer": "ann"}}
        self.stream = self.server.start_stream(
            self.room, {"ladder": scene.LADDER, "layout": layout})
        self.server.wait_for_status(self.stream["id"], "running", ENTRANCE)
        wait_for("the tiles have their layers",
                 lambda: len(set(said(self.server, self.room, "given"))) >= 2, ENTRANCE)
        time.sleep(2)
        self.first = dict(said(self.server, self.room, "wanted"))
        self.small_at, self.small = self.change({"name": "grid", "margin": 90})
        whole = {"name": "single", "margin": 0}
        self.gone_at, self.gone = self.change(whole | {"focus": {"peer": "ben"}})
        self.back_at, self.back = self.change(whole | {"focus": {"peer": "ann"}})
        self.server.stop_stream(self.room)
        self.server.wait_for_status(self.stream["id"], "completed", ENTRANCE)
        stream = hls.Stream(
            self.server.http, self.stream["playback"]["url"], self.folder / "stream")
        self.take = scene.Take(stream, avsync.measure(stream.top.file), time.time())
        return self


@pytest.fixture(scope="module")
def show(server, layers, tmp_path_factory):
    with contextlib.ExitStack() as stack:
        yield Show(server, tmp_path_factory.mktemp("tiles"), layers, stack).run()


def test_a_tile_gets_the_layer_that_fits_it_and_who_is_not_seen_none(show):
    assert sorted(show.first.values()) == ["high", "none"], show.first
    ann, ben = sorted(show.first, key=show.first.get)
    # Two tiles of 230x180 side by side.
    assert show.small == [{ann: "medium", ben: "medium"}] * 2
    assert show.gone == [{ann: "none", ben: "high"}] * 2
    assert show.back == [{ann: "high", ben: "none"}] * 2


def test_who_comes_back_to_the_screen_is_there_at_once_and_in_time(show):
    ann = show.take.publisher("ann")
    back_at = show.back_at - show.take.began_at
    # While Ben flashes, the owner of a picture is unknown.
    seen_again = max(end for _, end in ann.absences if end - back_at < BACK)
    assert 0 < seen_again - back_at, (ann.absences, back_at)
    # The picture moves, so it is not the last one from before.
    assert any(back_at < flash <= back_at + BACK + 1 for flash in ann.flashes), ann.flashes
    assert ann.longest_freeze <= 0.5


def test_who_is_not_seen_is_heard(show):
    ben = show.take.publisher("ben")
    assert len(ben.beeps) >= int(show.take.measurement.duration) - 3
    checks.time_runs_evenly(show.take.stream)
