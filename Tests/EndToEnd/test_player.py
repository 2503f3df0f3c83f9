"""The pages' own player on the watch page, live, in both browsers."""

import contextlib

import pytest

from harness import watching
from harness.assets import LADDER, directory, kill, segments, start, writer
from harness.publisher import Publisher
from harness.scene import CLIPS
from harness.server import Server
from harness.waiting import wait_for
from harness.watching import TIMEOUT, Watcher

# Small, so that two cores have time to play them.
SETTINGS = {"ROOMCAST_STREAM_SEGMENT_SECONDS": "2"}
BEGUN = 3  # segments
DEATH = "#EXT-X-DISCONTINUITY\n"


@pytest.fixture(params=["chromium", "firefox"])
def watcher(request):
    if request.param == "firefox":
        page = watching.InFirefox(request.getfixturevalue("firefox_outside"))
    else:
        page = watching.InChromium(request.getfixturevalue("browser"))
    with contextlib.closing(Watcher(page)) as watcher:
        yield watcher


@pytest.fixture
def chromium_watcher(browser):
    with contextlib.closing(Watcher(watching.InChromium(browser))) as watcher:
        yield watcher


@pytest.fixture(scope="module")
def room(server):
    """Somebody who moves and beeps, on air for all tests. One that ends the stream begins another."""
    with Publisher(server, "player", CLIPS / "ann.webm", name="Ann"):
        go_on_air(server, "player", container="both")
        yield "player"
        server.stop_stream("player")


def go_on_air(server, room, **body):
    stream = start(server, room, recording=None, **body)
    segments(server, stream, BEGUN)


def on_air(server, room):
    """The stream of a room."""
    return server.stream(server.http.get(f"/api/rooms/{room}/stream").json["id"])


def test_it_plays_on_air_and_shows_the_layer_that_is_chosen(watcher, server, room):
    watcher.watch(f"{server.base}/watch/{room}")
    state = watcher.wait_until("it plays", lambda state: state["time"] > 0.5 and state["frames"] > 5)
    assert state["isOurs"] and state["error"] is None
    watcher.wait_until("the notice is gone", lambda state: state["notice"] == "")
    watcher.check_sight_and_sound()
    wide, narrow = (one["width"] for one in LADDER)
    watcher.wait_until("the best layer is shown", lambda state: state["width"] == wide)
    viewers = on_air(server, room)["viewers"]
    assert 1 <= viewers["now"] <= viewers["peak"]
    assert server.metrics()["roomcast_viewers"] >= 1
    for text, width in (("180p", narrow), ("360p", wide), ("Auto", wide)):
        watcher.choose("quality", text)
        watcher.wait_until(f"{text} is shown", lambda state, width=width: state["width"] == width)
    watcher.wait_for_playback(5)
    watcher.wait_until("it is near the live edge", lambda state: (
        state["distance"] < state["target"] + 4 and 0 < state["latency"] < 15))
    watcher.check_rates()


def test_a_stream_is_rewound_and_caught_up(watcher, server, room):
    segments(server, on_air(server, room), 8)
    watcher.watch(f"{server.base}/watch/{room}")
    watcher.wait_for_playback(1)
    before = watcher.state()["time"]
    watcher.evaluate("() => window.roomcastPlayer.seek(2)")
    watcher.wait_until("the past is shown", lambda state: 2.5 < state["time"] < before - 1
                       and not state["follows"])
    assert watcher.evaluate(
        "() => document.querySelector('[data-testid=go-live-edge]').textContent") in (
            "Live", "Go live")
    watcher.wait_for_playback(1)
    watcher.press("go-live-edge")
    watcher.wait_until("the present is shown", lambda state: state["follows"]
                       and state["distance"] < state["target"] + 2)
    watcher.wait_for_playback(1)


def test_it_comes_back_after_the_network_was_lost(chromium_watcher, server, room):
    watcher = chromium_watcher
    watcher.watch(f"{server.base}/watch/{room}")
    watcher.wait_for_playback(2)
    context = watcher.page.page.context
    context.set_offline(True)
    # Chromium stops a little before the end.
    watcher.wait_until("what was loaded is played", lambda state: state["ahead"] < 0.3)
    stood = watcher.state()
    context.set_offline(False)
    watcher.wait_until("it goes on at the live edge",
                       lambda state: state["time"] > stood["time"] + 1
                       and state["distance"] < state["target"] + 5)
    watcher.wait_for_playback(2)
    watcher.check_rates()


def test_it_jumps_to_the_edge_after_the_machine_has_slept(chromium_watcher, server, room):
    watcher = chromium_watcher
    watcher.watch(f"{server.base}/watch/{room}")
    watcher.wait_for_playback(2)
    # The page stands still, with all that it has begun; the video goes on to the end of the buffer.
    watcher.evaluate("""() => {
      const end = performance.now() + 14000;
      while (performance.now() < end);
    }""")
    watcher.wait_until("it is at the edge",
                       lambda state: state["distance"] < state["target"] + 2)
    watcher.wait_for_playback(2)


def test_it_plays_on_when_a_bot_is_replaced(watcher, server, room):
    stream = on_air(server, room)
    folder = directory(server, stream)
    playlist = folder / "cmaf_0/stream.m3u8"
    deaths = playlist.read_text().count(DEATH)
    watcher.watch(f"{server.base}/watch/{room}")
    watcher.wait_for_playback(2)
    kill(writer(folder))
    count = segments(server, stream, 1)
    segments(server, stream, count + BEGUN)
    assert playlist.read_text().count(DEATH) == deaths + 1
    # It has more than what was made before.
    end = watcher.wait_until("what comes behind it is loaded",
                             lambda state: state["ahead"] > 0.5)["ranges"][-1][1]
    watcher.wait_until("that is shown", lambda state: state["time"] > end + 4, 2 * TIMEOUT)
    watcher.check_sight_and_sound()
    watcher.check_rates()


def test_it_ends_with_the_stream_and_begins_with_the_next(watcher, server, room):
    watcher.watch(f"{server.base}/watch/{room}")
    watcher.wait_for_playback(1)
    server.stop_stream(room)
    watcher.wait_until("it says that it is over",
                       lambda state: "ended" in state["notice"], 2 * TIMEOUT)
    go_on_air(server, room, container="cmaf")
    watcher.wait_until("the next one is shown",
                       lambda state: state["notice"] == "" and not state["hasEnded"])
    watcher.wait_for_playback(1)
    watcher.check_sight_and_sound()


def test_it_plays_the_stream_of_a_server_that_was_restarted(binary, browser, tmp_path):
    server = Server(tmp_path, settings=SETTINGS)
    try:
        with Publisher(server, "restarted", CLIPS / "ann.webm"), contextlib.closing(
                Watcher(watching.InChromium(browser))) as watcher:
            stream = start(server, "restarted", container="both", recording=None)
            segments(server, stream, BEGUN)
            watcher.watch(f"{server.base}/watch/restarted")
            watcher.wait_for_playback(2)
            server.kill()
            server = Server(tmp_path, port=server.port, settings=SETTINGS)
            wait_for("the publisher is back", lambda: server.peer_count("restarted") > 0, TIMEOUT)
            stream = start(server, "restarted", container="both", recording=None)
            segments(server, stream, BEGUN)
            watcher.wait_until("the new stream plays", lambda state: state["notice"] == ""
                               and state["time"] > 0.5 and not state["hasEnded"], 2 * TIMEOUT)
            watcher.wait_for_playback(2)
            watcher.check_sight_and_sound()
    finally:
        server.stop()
