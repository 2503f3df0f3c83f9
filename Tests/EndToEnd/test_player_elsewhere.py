"""Low latency on the watch page where its own player does not play: in the browser's own, in hls.js,
and on a managed media source, all that iPhones have. Chromium stands in for those."""

import contextlib

import pytest

from harness import hls_js, watching
from harness.assets import segments, start
from harness.publisher import Publisher
from harness.scene import CLIPS
from harness.server import Server
from harness.waiting import wait_for
from harness.watching import TIMEOUT, Watcher

ROOM = "elsewhere"
BEGUN = 4  # segments

WITHOUT_SOURCES = "() => { delete window.MediaSource; delete window.ManagedMediaSource; }"

MANAGED = """() => {
  window.ManagedMediaSource = class extends window.MediaSource {
    constructor() {
      super();
      window.managed = this;
    }
  };
  delete window.MediaSource;
}"""

WITHOUT_HLS = """() => {
  const original = HTMLMediaElement.prototype.canPlayType;
  HTMLMediaElement.prototype.canPlayType = function(type) {
    return /mpegurl/i.test(type) ? "" : original.call(this, type);
  };
}"""

# The browser's own player asks for what it plays without the page.
SOURCE = "() => document.querySelector('video').src"


@pytest.fixture(scope="module", params=[True, False], ids=["parts", "segments"])
def on_air(request, server):
    """Whether the stream is of low latency."""
    with Publisher(server, ROOM, CLIPS / "ann.webm", name="Ann"):
        stream = start(server, ROOM, low_latency=request.param, recording=None)
        segments(server, stream, BEGUN)
        yield request.param
        server.stop_stream(ROOM)


@pytest.fixture
def watcher(browser):
    with contextlib.closing(Watcher(watching.InChromium(browser))) as watcher:
        yield watcher


def prepare(watcher, function):
    watcher.page.page.add_init_script(f"({function})()")


def test_the_browsers_own_player_gets_the_parts(watcher, server, on_air):
    prepare(watcher, WITHOUT_SOURCES)
    watcher.watch(f"{server.base}/watch/{ROOM}")
    state = watcher.wait_for_playback(3)
    assert not state["isOurs"] and state["error"] is None
    name = watcher.evaluate(SOURCE).rsplit("/", 1)[1]
    assert name == ("cmaf.m3u8" if on_air else "master.m3u8")
    watcher.check_sight_and_sound()


def test_a_managed_source_is_as_good(watcher, server, on_air):
    prepare(watcher, MANAGED)
    watcher.watch(f"{server.base}/watch/{ROOM}")
    state = watcher.wait_for_playback(3)
    assert state["isOurs"] and state["isLow"] is on_air
    video = watcher.evaluate("() => document.querySelector('video').disableRemotePlayback")
    assert video is True
    watcher.check_sight_and_sound()
    watcher.check_rates()


def test_a_managed_source_is_filled_only_while_it_wants_more(watcher, server, on_air):
    prepare(watcher, MANAGED)
    watcher.watch(f"{server.base}/watch/{ROOM}")
    watcher.wait_for_playback(1)
    # Far enough from the live edge that there is something to play meanwhile.
    watcher.evaluate("() => roomcastPlayer.seek(roomcastPlayer.window.end - 12)")
    watcher.wait_until("all is loaded", lambda state: state["ahead"] > 6)
    tell = "(name) => managed.dispatchEvent(new Event(name))"
    watcher.evaluate(tell, "endstreaming")
    watcher.wait_for_playback(0.5)  # what was on its way has come
    sated = watcher.state()["ranges"][-1][1]
    watcher.wait_for_playback(3.5)
    assert watcher.state()["ranges"][-1][1] == sated
    watcher.evaluate(tell, "startstreaming")
    watcher.wait_until("more is loaded", lambda state: state["ranges"][-1][1] > sated + 2)
    # What it has is too little to be believed.
    watcher.evaluate(tell, "endstreaming")
    watcher.wait_for_playback(15)


@pytest.fixture(scope="module")
def with_library(binary, hls_js_site, tmp_path_factory):
    """A server whose pages play with hls.js, in low latency."""
    server = Server(tmp_path_factory.mktemp("library"), settings={
        "ROOMCAST_PAGES_HLS_SCRIPT_URL": f"{hls_js_site.base}{hls_js.MODULE}"})
    try:
        with Publisher(server, ROOM, CLIPS / "ann.webm", name="Ann"):
            stream = start(server, ROOM, low_latency=True, recording=None)
            segments(server, stream, BEGUN)
            yield server
    finally:
        assert server.stop() == 0, server.tail()


@pytest.mark.parametrize("name", ["chromium", "firefox"])
def test_the_operators_hls_js_plays_the_parts(request, with_library, name):
    if name == "firefox":
        page = watching.InFirefox(request.getfixturevalue("firefox_outside"))
    else:
        page = watching.InChromium(request.getfixturevalue("browser"))
        page.page.add_init_script(f"({WITHOUT_HLS})()")
    with contextlib.closing(Watcher(page)) as watcher:
        watcher.watch(f"{with_library.base}/watch/{ROOM}")
        state = watcher.wait_for_playback(3)
        assert not state["isOurs"]
        asked = watcher.evaluate("""() => performance.getEntriesByType("resource")
          .map(({ name }) => name.split("/").slice(-2).join("/"))""")
        assert any("/cmaf.m3u8" in one for one in asked)
        wait_for("it waits for parts at the server", lambda: any(
            "_HLS_part=" in one for one in watcher.evaluate(
                "() => performance.getEntriesByType('resource').map(({ name }) => name)")), TIMEOUT)
        latency = "() => window.roomcastPlayer.lag"
        wait_for("it is close to the edge", lambda: watcher.evaluate(latency) < 6, TIMEOUT)
