"""The pages' player with a low-latency origin: parts, hints, waiting reloads, deltas, reports."""

import contextlib
import re
import shutil
import time

import pytest

from harness import watching
from harness.assets import directory, segments, start
from harness.parts_origin import HOLD_BACK, PART, Origin
from harness.publisher import Publisher
from harness.scene import CLIPS
from harness.waiting import wait_for
from harness.watching import TIMEOUT, Watcher

RECORDED = 4  # segments
LATENCY_MAXIMUM = 2.0  # s behind the newest part that exists

# A page of nothing but the player, on another origin than the stream's.
PLAY = """async (url) => {
  const { Player } = await import("/assets/playback/player.js");
  const { Controls } = await import("/assets/playback/player/controls.js");
  const video = document.createElement("video");
  Object.assign(video, { muted: true, width: 1280, height: 720 });
  const screen = document.createElement("div");
  screen.append(video);
  document.body.replaceChildren(screen);
  window.rates = [];
  video.addEventListener("ratechange", () => window.rates.push(video.playbackRate));
  window.asked = performance.now();
  video.addEventListener("playing", () => { window.begun ??= performance.now(); });
  window.roomcastPlayer = new Player(video, null);
  new Controls(screen, video, window.roomcastPlayer).hidden = false;
  await window.roomcastPlayer.play({ url, fragments: url });
}"""


@pytest.fixture(scope="module")
def recorded(server, tmp_path_factory):
    """The directory of a short stream of fragmented MP4."""
    folder = tmp_path_factory.mktemp("recorded")
    with Publisher(server, "recorded", CLIPS / "ann.webm", name="Ann"):
        stream = start(server, "recorded", container="both", recording=None)
        segments(server, stream, RECORDED)
        source = directory(server, stream)
        shutil.copy(source / "cmaf.m3u8", folder)
        for layer in ("cmaf_0", "cmaf_1"):
            keep(source / layer, folder / layer)
        server.stop_stream("recorded")
    return folder


def keep(source, target):
    """What the playlist of a layer on air names. The next files come while this is copied."""
    target.mkdir()
    playlist = source / "stream.m3u8"
    text = wait_for("so many segments", lambda: (text := playlist.read_text()).count("#EXTINF")
                    >= RECORDED and text, TIMEOUT)
    (target / playlist.name).write_text(text)
    names = re.findall(r'(?:MAP:URI="|^)([^"#\n]+\.(?:mp4|m4s))', text, re.MULTILINE)
    for name in set(names):
        shutil.copy(source / name, target)


@pytest.fixture
def origin(recorded):
    with contextlib.closing(Origin([recorded / "cmaf_0", recorded / "cmaf_1"],
                                   (recorded / "cmaf.m3u8").read_text())) as origin:
        yield origin


@pytest.fixture(params=["chromium", "firefox"])
def watcher(request, web):
    if request.param == "firefox":
        page = watching.InFirefox(request.getfixturevalue("firefox_outside"))
    else:
        page = watching.InChromium(request.getfixturevalue("browser"))
    with contextlib.closing(Watcher(page)) as watcher:
        yield watcher.watch(web.blank)


def begin(watcher, origin):
    watcher.evaluate(PLAY, origin.url)
    return watcher.wait_until("it plays", lambda state: state["time"] > 0 and state["frames"] > 3)


def test_it_begins_soon_and_stays_close_to_the_edge_by_parts_and_hints(watcher, origin):
    begin(watcher, origin)
    seconds = watcher.evaluate("() => (window.begun - window.asked) / 1000")
    print(f"start-up: {seconds:.2f} s, parts of {PART:.2f} s")
    assert seconds < 5
    watcher.wait_for_playback(5)
    # A part is asked for before it exists.
    early = []
    original = origin._wait_for

    def counting(count):
        early.append(count - origin._made)
        return original(count)

    origin._wait_for = counting
    watcher.wait_for_playback(3)
    assert sum(one > 0 for one in early) >= 6, early
    state = watcher.wait_until(
        "it is close to the edge", lambda state: state["distance"] < HOLD_BACK + 0.5)
    assert state["isLow"] and state["latency"] < LATENCY_MAXIMUM + 1, state
    # Nothing is asked for in vain, and each playlist is waited for.
    assert origin.refused == []
    waiting = origin.asked_for(r"stream\.m3u8\?.*_HLS_msn=\d+&_HLS_part=\d")
    plain = origin.asked_for(r"stream\.m3u8$")
    assert len(waiting) > 10 and len(plain) <= 2, plain
    assert any("_HLS_skip=YES" in path for path in waiting)
    parts = origin.asked_for(r"/s\d+\.\d\.m4s")
    twice = len(parts) - len(set(parts))
    assert len(parts) > 20 and twice <= len(parts) / 10, "a part is fetched once, unless it is late"
    assert len(origin.asked_for(r"/s\d+\.m4s")) <= 3
    watcher.check_rates()


def test_it_plays_on_when_what_was_hinted_is_not_there(watcher, origin):
    origin.keeps_hints = False
    begin(watcher, origin)
    watcher.wait_for_playback(1)
    watcher.evaluate("""() => {
      window.seeks = 0;
      document.querySelector("video").addEventListener("seeking", () => { window.seeks += 1; });
    }""")
    watcher.wait_for_playback(5)
    assert watcher.evaluate("() => window.seeks") <= 1
    assert len(origin.refused) == len(set(origin.refused)), "each is asked for once"


def test_another_layer_is_reached_by_the_reports(watcher, origin):
    begin(watcher, origin)
    watcher.wait_for_playback(1)
    for layer, width in ((1, 320), (0, 640), (1, 320)):
        watcher.evaluate("(layer) => window.roomcastPlayer.engine.choose(layer)", layer)
        watcher.wait_until(f"layer {layer} is shown",
                           lambda state, width=width: state["width"] == width)
    reached = [path for path in origin.asked_for(r"stream\.m3u8")]
    first = {}
    for path in reached:
        first.setdefault(re.search(r"cmaf_(\d)", path)[1], path)
    assert sum("_HLS_msn" in path for path in first.values()) == len(first) - 1
    watcher.wait_for_playback(2)
    watcher.wait_until("it is near the edge", lambda state: state["distance"] < HOLD_BACK + 3)


def test_a_narrow_network_costs_quality_and_not_playback(watcher, origin):
    begin(watcher, origin)
    watcher.wait_until("the best layer is shown", lambda state: state["width"] == 640,
                       2 * TIMEOUT)
    origin.rate = 45_000  # bytes/s: less than the best layer has, more than the other
    watcher.wait_until("the other is shown", lambda state: state["width"] == 320, 2 * TIMEOUT)
    watcher.wait_for_playback(4)


def test_what_a_silent_connection_owes_comes_by_another(watcher, origin):
    """As after the loss of several packets, when TCP waits for longer and longer."""
    begin(watcher, origin)
    watcher.wait_for_playback(3)
    respond = origin._send_media
    silenced = []

    def send(request, layer, sequence, part):
        name = sequence, part
        if part == "2" and name not in silenced:
            silenced.append(name)
            time.sleep(4)
        respond(request, layer, sequence, part)

    origin._send_media = send
    before = watcher.evaluate("() => window.roomcastPlayer.engine.statistics.stalls")
    wait_for("several connections were silent", lambda: len(silenced) > 4, TIMEOUT)
    watcher.wait_for_playback(1)
    assert watcher.evaluate("() => window.roomcastPlayer.engine.statistics.stalls") == before
    origin._send_media = respond
    asked = origin.asked_for(r"/s\d+\.\d\.m4s")
    assert len(asked) - len(set(asked)) <= len(silenced) + 3, "and nothing else comes twice"


# Whether there was a picture, each time that playback was sent elsewhere.
SOUGHT = """async () => {
  await import("/assets/playback/player.js");
  await import("/assets/playback/player/controls.js");
  window.sought = [];
  addEventListener("seeking", ({ target: { buffered, currentTime } }) => {
    window.sought.push(Array.from({ length: buffered.length }).some((_, index) =>
      buffered.start(index) <= currentTime && currentTime < buffered.end(index)));
  }, true);
}"""


def test_playback_goes_nowhere_before_its_beginning_is_loaded(watcher, origin):
    origin.rate = len(origin.layers[1].part(0, 0)) / 0.5  # bytes/s: half a second for a part
    watcher.evaluate(SOUGHT)
    # Playback begins with the segment's second part, or a later one.
    wait_for("the segment has parts", lambda: origin._made % origin.parts == 4, TIMEOUT, 0.02)
    begin(watcher, origin)
    assert watcher.evaluate("() => window.sought")[0]


def test_a_better_layer_that_is_too_slow_is_left_with_its_first_part(watcher, origin):
    respond = origin._send_media
    better = []

    def send(request, layer, sequence, part):
        is_better = layer is origin.layers[0]
        if is_better:
            better.append((sequence, part))
        origin.rate = 15_000 if is_better else None  # bytes/s
        respond(request, layer, sequence, part)

    origin._send_media = send
    begin(watcher, origin)
    wait_for("the better layer is tried", lambda: better, TIMEOUT)
    watcher.wait_for_playback(3)
    assert {part for _, part in better} <= {None, "0"}, better
    tried = better[0][0]
    assert origin.asked_for(rf"cmaf_1/s{tried}(\.0)?\.m4s"), "the segment comes from the other"


def test_it_goes_on_when_the_origin_is_back(watcher, origin):
    begin(watcher, origin)
    watcher.wait_for_playback(2)
    origin.is_down = True
    stood = watcher.wait_until("nothing is left", lambda state: state["ahead"] < 0.3)
    wait_for("it keeps asking", lambda: len(origin.asked) > 0, TIMEOUT)
    count = len(origin.asked)
    wait_for("it asks again", lambda: len(origin.asked) > count + 1, TIMEOUT)
    origin.is_down = False
    watcher.wait_until("it goes on", lambda state: state["time"] > stood["time"] + 2)
    watcher.wait_until("it is close to the edge again",
                       lambda state: state["distance"] < state["target"] + 0.6)
    watcher.check_rates()


def test_it_jumps_over_what_it_never_loaded(watcher, origin):
    begin(watcher, origin)
    watcher.wait_for_playback(1)
    origin.rate = 1_000  # bytes/s: nothing arrives
    watcher.evaluate("""() => {
      window.seeks = 0;
      const video = document.querySelector("video");
      video.addEventListener("seeking", () => { window.seeks += 1; });
      video.pause();
    }""")
    left = watcher.wait_until("it is far behind", lambda state: state["distance"] > 6)
    assert left["ahead"] < 3
    origin.rate = None
    watcher.press("go-live-edge")
    watcher.wait_until("it is at the edge", lambda state: state["distance"] < state["target"] + 1
                       and state["time"] > left["time"] + 3)
    assert watcher.evaluate("() => window.seeks") <= 2


# The text that is shown, and the one that belongs to the picture.
CAPTION = """() => {
  const { engine } = window.roomcastPlayer;
  const video = document.querySelector("video");
  const track = [...video.textTracks].find(({ mode }) => mode === "showing");
  const offset = engine.offset(0);
  return { shown: [...track?.activeCues ?? []].map(({ text }) => text),
           language: track?.language, time: video.currentTime - offset };
}"""


def test_captions_are_shown_with_their_pictures(watcher, origin):
    begin(watcher, origin)
    assert watcher.evaluate(
        "() => window.roomcastPlayer.engine.captions.map(({ name }) => name)") == ["English"]
    watcher.choose("captions", "English")

    def fits():
        found = watcher.evaluate(CAPTION)
        if not found["shown"]:
            return None
        media = found["time"] - origin.media_begin
        numbers = [int(text.removeprefix("Segment ")) for text in found["shown"]]
        assert all(abs(number * 2 + 1 - media) < 1.5 for number in numbers), found
        return found["language"] == "en" and numbers

    first = wait_for("a caption is shown", fits, TIMEOUT)
    wait_for("the next one is shown", lambda: (now := fits()) and now != first, TIMEOUT)
    watcher.page.press("c")
    wait_for("no caption is shown", lambda: watcher.evaluate(CAPTION)["shown"] == [], TIMEOUT)
    label = "() => document.querySelector('[data-testid=captions]').getAttribute('aria-label')"
    assert watcher.evaluate(label) == "Captions: off"
