"""The player's controls, by keys and for screen readers; the embedded player; recordings."""

import contextlib

import pytest

from harness import axe, tokens, watching
from harness.assets import TIMEOUT as PATIENCE
from harness.assets import directory, kill, segments, start, writer
from harness.local_server import FileServer
from harness.publisher import Publisher
from harness.scene import CLIPS
from harness.waiting import wait_for
from harness.watching import TIMEOUT, Watcher

ROOM = "shown"
SEEN_IN_FRAME = """() => {
  const video = document.querySelector("video");
  return video && { time: video.currentTime, width: video.videoWidth,
    box: video.getBoundingClientRect().toJSON(), inner: [innerWidth, innerHeight] };
}"""


@pytest.fixture(scope="module")
def on_air(server):
    """A stream that is on air for all of the module."""
    with Publisher(server, ROOM, CLIPS / "ann.webm", name="Ann"):
        stream = start(server, ROOM, container="cmaf", recording=None)
        segments(server, stream, 8)
        yield stream
        server.stop_stream(ROOM)


@pytest.fixture(params=["chromium", "firefox"])
def watcher(request):
    if request.param == "firefox":
        page = watching.InFirefox(request.getfixturevalue("firefox_outside"))
    else:
        page = watching.InChromium(request.getfixturevalue("browser"))
    with contextlib.closing(Watcher(page)) as watcher:
        yield watcher


def label(watcher, testid):
    return watcher.evaluate(
        "(id) => document.querySelector(`[data-testid=${id}]`).getAttribute('aria-label')", testid)


def test_a_picture_in_the_picture_begins_and_ends(browser, server, on_air):
    with contextlib.closing(Watcher(watching.InChromium(browser))) as watcher:
        watcher.watch(f"{server.base}/watch/{ROOM}")
        watcher.wait_for_playback(1)
        watcher.wait_until("the notice is gone", lambda state: state["notice"] == "")
        # Pressed as people do, since a browser wants a person for this.
        button = watcher.page.page.locator("[data-testid=pip]")
        button.click()
        shown = "() => document.pictureInPictureElement === document.querySelector('video')"
        wait_for("it has a window of its own", lambda: watcher.evaluate(shown), TIMEOUT)
        watcher.wait_for_playback(1)
        button.click()
        wait_for("it is back", lambda: not watcher.evaluate(shown), TIMEOUT)


def test_its_keys(watcher, server, on_air):
    watcher.watch(f"{server.base}/watch/{ROOM}")
    watcher.wait_for_playback(1)
    watcher.wait_until("the notice is gone", lambda state: state["notice"] == "")
    press = watcher.page.press
    for key in ("k", " "):
        press(key)
        watcher.wait_until("it is paused", lambda state: state["isPaused"])
        wait_for("so it is said", lambda: label(watcher, "play-pause") == "Play", TIMEOUT)
        press(key)
        watcher.wait_until("it plays", lambda state: not state["isPaused"])
    press("m")
    watcher.wait_until("it is silent", lambda state: state["isMuted"])
    wait_for("so it is said", lambda: label(watcher, "mute") == "Unmute", TIMEOUT)
    press("m")
    watcher.wait_until("it is loud", lambda state: not state["isMuted"])
    press("ArrowDown")
    watcher.wait_until("it is less loud", lambda state: 0.85 < state["volume"] < 0.95)
    press("ArrowUp")
    watcher.wait_until("it is loud", lambda state: state["volume"] == 1)
    count = len(watcher.jumps())
    press("j")
    watcher.wait_for_jump("it is 10 s back", lambda begin, end: -11 < end - begin < -6, count)
    watcher.wait_until("it is not live", lambda state: not state["follows"])
    for key in ("ArrowRight", "ArrowLeft", "l", "End"):
        press(key)
    watcher.wait_until("it is live", lambda state: state["follows"]
                       and state["distance"] < state["target"] + 2)
    press("f")
    wait_for("it has the full screen", lambda: watcher.evaluate(
        "() => document.fullscreenElement?.id === 'screen'"), TIMEOUT)
    press("f")
    wait_for("it has not", lambda: watcher.evaluate(
        "() => document.fullscreenElement === null"), TIMEOUT)


def test_its_menu_by_keys(watcher, server, on_air):
    watcher.watch(f"{server.base}/watch/{ROOM}")
    watcher.wait_for_playback(1)
    watcher.wait_until("the notice is gone", lambda state: state["notice"] == "")
    watcher.evaluate("() => document.querySelector('[data-testid=quality]').focus()")
    assert watcher.evaluate("() => document.activeElement.dataset.testid") == "quality"
    watcher.page.press("Enter")
    focused = """() => { const node = document.activeElement;
      return [document.hasFocus(), node.getAttribute("role"),
              node.querySelector("span")?.textContent, node.getAttribute("aria-checked")]; }"""

    def wait_for_choice(what, *choice):
        def is_focused():
            seen.append(watcher.evaluate(focused))
            return seen[-1] == [True, "menuitemradio", *choice]

        seen = []
        try:
            wait_for(what, is_focused, TIMEOUT)
        except AssertionError as error:
            raise AssertionError(f"{error}: {seen[0]}, then {seen[-1]}") from None

    wait_for_choice("the menu is open", "Auto", "true")
    watcher.page.press("ArrowUp")
    wait_for_choice("the last one has the focus", "180p", "false")
    watcher.page.press("Enter")
    watcher.wait_until("the layer is shown", lambda state: state["width"] == 320)
    wait_for("so it is said", lambda: label(watcher, "quality") == "Quality: 180p", TIMEOUT)
    assert watcher.evaluate("() => document.activeElement.dataset.testid") == "quality"
    watcher.page.press("Enter")
    watcher.page.press("Escape")
    wait_for("the menu is closed", lambda: watcher.evaluate(
        "() => document.querySelector('[data-testid=player-menu]') === null"
        " && document.activeElement.dataset.testid === 'quality'"), TIMEOUT)


def test_the_controls_go_and_come_back(browser, server, on_air):
    with contextlib.closing(Watcher(watching.InChromium(browser))) as watcher:
        watcher.watch(f"{server.base}/watch/{ROOM}")
        watcher.wait_for_playback(1)
        page = watcher.page.page
        page.mouse.move(300, 300)
        idle = "() => document.getElementById('screen').classList.contains('is-idle')"
        wait_for("they are gone", lambda: watcher.evaluate(idle), TIMEOUT)
        page.mouse.move(320, 320)
        wait_for("they are back", lambda: not watcher.evaluate(idle), TIMEOUT)
        page.locator("video").click(position={"x": 200, "y": 200})
        watcher.wait_until("a click pauses", lambda state: state["isPaused"])
        page.locator(".player-big").click()
        watcher.wait_until("another one plays", lambda state: not state["isPaused"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["watch", "embed"])
def test_axe_finds_no_fault_with_it(browser, server, on_air, path, scheme):
    page = watching.InChromium(browser, color_scheme=scheme, reduced_motion="reduce")
    with contextlib.closing(Watcher(page)) as watcher:
        watcher.watch(f"{server.base}/{path}/{ROOM}")
        watcher.wait_for_playback(1)
        watcher.wait_until("the notice is gone", lambda state: state["notice"] == "")
        assert axe.faults(watcher) == []
        watcher.press("quality")
        assert axe.faults(watcher) == []


def test_it_is_embedded_in_another_sites_frame(browser, server, on_air):
    frame = (f'<!doctype html><html lang="en"><title>Another site</title><iframe title="Live" '
             f'src="{server.base}/{{}}/{ROOM}" width="480" height="270" style="border:0" '
             f'allow="autoplay; fullscreen; picture-in-picture"></iframe>')
    site = FileServer({f"/{path}": ("text/html", frame.format(path).encode())
                       for path in ("embed", "watch")})
    context = browser.new_context()
    try:
        page = context.new_page()
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(f"{site.base}/embed")
        inner = wait_for("the frame is there", lambda: next(
            (one for one in page.frames if "/embed/" in one.url), None), TIMEOUT)
        seen = wait_for("it plays", lambda: (state := inner.evaluate(SEEN_IN_FRAME))
                        and state["time"] > 1 and state["width"] > 0 and state, TIMEOUT)
        assert seen["inner"] == [480, 270]
        assert [seen["box"][key] for key in ("x", "y", "width", "height")] == [0, 0, 480, 270]
        assert inner.evaluate("() => window.roomcastPlayer.engine !== null")
        assert errors == []
        page.goto(f"{site.base}/watch")
        wait_for("the watch page is refused", lambda: any(
            one.url.startswith("chrome-error:") for one in page.frames), TIMEOUT)
    finally:
        context.close()
        site.close()


@pytest.fixture(scope="module")
def recordings(server):
    """Streams in both containers, recorded with an MP4 or without."""
    rooms = {"rec-cmaf": {"container": "cmaf", "recording": {"hls_vod": True}},
             "rec-ts": {"container": "ts", "recording": {"hls_vod": True}},
             "rec-file": {"container": "ts", "recording": {"hls_vod": True,
                                                           "single_file_per_layer": True}}}
    for room, body in rooms.items():
        with Publisher(server, room, CLIPS / "ben.webm", name="Ben"):
            stream = start(server, room, **body)
            segments(server, stream, 3)
            if room == "rec-cmaf":
                # A discontinuity, behind which the media's clock begins anew.
                kill(writer(directory(server, stream)))
                segments(server, stream, 6)
            server.stop_stream(room)
            server.wait_for_status(stream["id"], "completed", 2 * PATIENCE)
    return rooms


def open_recording(watcher, server, room):
    watcher.watch(f"{server.base}/assets/common/base.css")  # no script of its own
    watcher.evaluate("(token) => sessionStorage.setItem('roomcast-management-token', token)",
                     tokens.management_token())
    watcher.watch(f"{server.base}/recordings?room={room}")
    wait_for("it is listed", lambda: watcher.evaluate(
        "() => document.querySelector('[data-testid=play]')?.checkVisibility()"), TIMEOUT)
    watcher.press("play")


def test_a_recording_of_fragments_plays_to_its_end(watcher, server, recordings):
    open_recording(watcher, server, "rec-cmaf")
    watcher.wait_for_playback(1)
    length = watcher.evaluate("() => document.querySelector('video').duration")
    assert length > 8
    watcher.check_sight_and_sound()
    text = watcher.evaluate("() => document.querySelector('[data-testid=position]').textContent")
    assert text.endswith(f"/ 0:{int(length):02}"), text
    # Over the discontinuity, back, and to the end.
    for at in (8, 1, 5):
        count = len(watcher.jumps())
        watcher.evaluate("(time) => window.roomcastPlayer.seek(time)", at)
        watcher.wait_for_jump(f"it is sent to {at} s",
                              lambda _, end, at=at: at - 0.1 < end < at + 1, count)
        watcher.wait_until(f"it plays at {at} s", lambda state, at=at: at + 0.3 < state["time"]
                           and state["isOurs"])
    watcher.wait_until("it is over", lambda state: state["hasEnded"], 2 * TIMEOUT)
    assert abs(watcher.state()["time"] - length) < 0.5


def test_its_keys_do_nothing_while_it_is_closed(watcher, server, recordings):
    open_recording(watcher, server, "rec-cmaf")
    watcher.wait_for_playback(0.5)
    watcher.evaluate("() => document.querySelector('[data-testid=theatre-close]').click()")
    watcher.evaluate("""() => {
      document.activeElement.blur();
      window.taken = [];
      addEventListener("keydown", (event) => window.taken.push(event.defaultPrevented));
    }""")
    for key in ("k", "ArrowUp", "m"):
        watcher.page.press(key)
    wait_for("they are the page's", lambda: watcher.evaluate("() => window.taken") == [False] * 3,
             TIMEOUT)
    assert not watcher.state()["isMuted"]


def test_a_recording_of_transport_streams_plays_as_a_file(watcher, server, recordings):
    open_recording(watcher, server, "rec-file")
    watcher.wait_for_playback(1)
    assert watcher.evaluate("() => document.querySelector('video').src").split("?")[0].endswith(
        ".mp4")


def test_a_recording_that_the_browser_cannot_play_says_how(watcher, server, recordings):
    open_recording(watcher, server, "rec-ts")
    can_play = watcher.evaluate(
        "() => document.querySelector('video').canPlayType('application/vnd.apple.mpegurl') !== ''")
    if can_play:
        watcher.wait_for_playback(1)
        return
    wait_for("it says how", lambda: "VLC" in watcher.evaluate(
        "() => document.getElementById('theatre-error').textContent"), TIMEOUT)
