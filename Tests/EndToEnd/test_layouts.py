"""The layout of a stream: chosen at its start, changed while it runs, seen in its pictures."""

import contextlib
import json
import shlex
import time

import numpy as np
import pytest

from harness import hls, media, pictures
from harness.checks import FRAME, time_runs_evenly
from harness.scene import CLIPS, Guest, enter_in_order
from harness.server import Server
from harness.waiting import wait_for

LADDER = [{"width": 640, "height": 360, "videoBitrate": 900, "audioBitrate": 64}]
SECONDS_EACH = 3  # of every layout, after it has come to rest
RED, MAGENTA, LIME = (255, 0, 0), (255, 0, 255), (0, 255, 0)
PLAIN = {"names": False, "speaker_border": False}


def clip_colour(name):
    return media.colour_of(media.frames(CLIPS / f"{name}.webm")[:30])


def is_near(found, wanted, tolerance=40):
    return np.abs(np.asarray(found, float) - np.asarray(wanted, float)).max() < tolerance


def colour_at(pictures, left, top, right, bottom):
    """The median colour of a part, in pixels of the 640x360 layer."""
    return np.median(pictures[:, top:bottom, left:right].reshape(-1, 3), axis=0)


def picture(address):
    """The options that make a publisher name a picture of itself."""
    return f"--metadata {shlex.quote(json.dumps({'picture': address}))}"


class Show:
    """A room with three publishers on air, whose layout changes while it runs."""

    def __init__(self, server, host, folder, stack):
        self.server, self.host, self.room = server, host, "layouts"
        for colour in ("lime", "magenta"):
            pictures.solid(colour)  # made before anybody waits for it
        self.at = {}
        guests = [
            Guest("ann", f"{picture(f'{host.base}/lime.png')} --at 1:mute-video"),
            Guest("ben", picture("http://127.0.0.1:9/never.png")),
            Guest("cleo"),
        ]
        enter_in_order(server, self.room, guests, folder, stack)

    def change(self, layout):
        return self.server.manage(
            "PATCH", f"/live-streams/{self.stream['id']}", {"layout": layout})

    def rest(self, name):
        """Lets the layout be seen for a while; remembers which pictures are surely of it."""
        time.sleep(1)
        begin = hls.segment_count(self.server.http, self.url)
        wait_for(
            f"{name} is on air",
            lambda: (hls.segment_count(self.server.http, self.url) - begin) * 2 > SECONDS_EACH,
            90, interval=0.2)
        # By the segment after next, everything composed before has been written.
        self.at[name] = (begin + 1) * 60, (begin + 2) * 60

    def run(self, directory):
        start = {
            "ladder": LADDER,
            "layout": {"name": "speaker", "focus": {"peer": "ben"}, **PLAIN},
        }
        self.stream = self.server.start_stream(self.room, start)
        self.url = self.stream["playback"]["url"]
        self.server.wait_for_status(self.stream["id"], "running", 90)
        self.rest("speaker")
        self.changed = self.change({
            "name": "grid", "gap": 16, "background": {"color": "#ff0000"},
            "watermark": {"image": f"{self.host.base}/magenta.png", "opacity": 1, "width": 0.1}})
        self.refused = [
            self.change(layout) for layout in (
                {"gap": "wide"}, {"names": True, "nmae": "grid"},
                {"background": {"image": "http://example.org/a.png"}})
        ]
        self.shown = self.server.stream(self.stream["id"])
        self.rest("grid")
        self.change({"name": "single", "focus": {"peer": "ann"}, "gap": 0, "watermark": None})
        self.rest("single")
        self.server.stop_stream(self.room)
        self.server.wait_for_status(self.stream["id"], "completed", 90)
        self.after_the_end = self.change({"gap": 1})
        self.record = hls.Stream(self.server.http, self.url, directory)
        self.pictures = media.frames(self.record.layers[0].file, 640, 360)
        self.log = self.server.log.read_text()
        return self

    def seen(self, name):
        first, last = self.at[name]
        return self.pictures[first:last]


@pytest.fixture(scope="module")
def show(binary, tmp_path_factory):
    with contextlib.ExitStack() as stack:
        host = stack.enter_context(pictures.host())
        server = Server(
            tmp_path_factory.mktemp("layouts"),
            settings={"ROOMCAST_PICTURES_HOSTS": host.name,
                      "ROOMCAST_PICTURES_ALLOW_HTTP": "true"})
        stack.callback(server.stop)
        folder = tmp_path_factory.mktemp("stream")
        yield Show(server, host, folder, stack).run(folder)


def test_a_stream_begins_with_the_layout_that_was_asked_for(show):
    assert show.stream["layout"]["name"] == "speaker"
    assert show.stream["layout"]["fit"] == "crop", "the configured layout is not the base"
    # Ben is large, the others are beside him.
    seen = show.seen("speaker")
    assert is_near(colour_at(seen, 60, 220, 450, 340), clip_colour("ben"))
    assert is_near(colour_at(seen, 530, 222, 630, 248), clip_colour("cleo"))


def test_a_change_is_merged_and_shown(show):
    assert show.changed.status == 200, show.changed
    layout = show.changed.json["layout"]
    assert (layout["name"], layout["gap"], layout["names"]) == ("grid", 16, False)
    assert layout["focus"] == {"peer": "ben"}
    assert show.shown["layout"] == layout, "a refused change has changed something"
    seen = show.seen("grid")
    assert is_near(colour_at(seen, 314, 20, 326, 160), RED), "no gap"
    assert is_near(colour_at(seen, 10, 174, 500, 186), RED), "no gap"
    assert is_near(colour_at(seen, 350, 100, 560, 160), clip_colour("ben"))
    assert is_near(colour_at(seen, 200, 290, 440, 350), clip_colour("cleo"))


def test_a_watermark_is_fetched_from_a_listed_host(show):
    assert is_near(colour_at(show.seen("grid"), 570, 18, 620, 60), MAGENTA)
    assert not is_near(colour_at(show.seen("single"), 570, 18, 620, 60), MAGENTA)


def test_a_camera_that_is_off_shows_the_peers_picture(show):
    assert is_near(colour_at(show.seen("single"), 280, 120, 360, 200), LIME)
    assert "/lime.png" in show.host.asked


def test_a_host_that_is_not_listed_is_never_asked(show):
    assert "never.png" not in show.log


def test_what_is_wrong_is_refused_by_its_name(show):
    assert [answer.status for answer in show.refused] == [400] * 3
    details = [answer.json["details"][0] for answer in show.refused]
    assert details == [
        "layout.gap must be a whole number from 0 to 400",
        "layout.nmae is not known; did you mean name?",
        "layout.background.image must be on one of the hosts in pictures.hosts"]
    assert show.after_the_end.status == 409


def test_no_picture_is_lost_over_the_changes(show):
    time_runs_evenly(show.record)
    times = np.array(sorted(
        packet.pts for packet in media.packets(show.record.layers[0].file)
        if packet.kind == "video"))
    assert set(np.diff(times)) == {FRAME} and len(times) == len(show.pictures)


def test_tiles_are_on_their_way_for_a_moment_only(show):
    # The background's red comes with the second layout; before and after, it is at rest.
    red = (show.pictures[:, 174:186, 10:500].astype(int) - RED)
    share = (np.abs(red).max(axis=3) < 60).mean(axis=(1, 2))
    first = int(np.argmax(share > 0.02))
    settled = int(np.argmax(share > 0.95))
    assert 0 <= settled - first <= 15, f"on the way from {first} to {settled}"
