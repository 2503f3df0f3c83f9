"""The chat and the transcript beside the player of a recording that was paused."""

import contextlib
import json

import pytest

from harness import axe, tokens, watching
from harness.assets import BOTH, SHORT_SEGMENTS, manifest, segments, start
from harness.assets import TIMEOUT as PATIENCE
from harness.waiting import wait_for
from harness.watching import TIMEOUT, Watcher

SETTINGS = SHORT_SEGMENTS
CAPTIONS = {"languages": [{"code": "en", "name": "English"}]}
FOREIGN = "=1+1 <img src=x onerror=alert(1)>\nhttps://example.org/"
SHOWN = """() => {
  const list = [...document.querySelectorAll("#replay .lines")].find((one) => one.checkVisibility());
  const lines = list ? [...list.children].filter((one) => !one.hidden) : [];
  const text = (line, kind) => line.querySelector(`.line-${kind}`)?.textContent ?? null;
  return {
    lines: lines.map((line) => [text(line, "name"), text(line, "text")]),
    current: list?.querySelector("[aria-current=true] .line-text")?.textContent ?? null,
    reachable: lines.filter((line) => line.querySelector("button").tabIndex === 0).length,
    foreign: document.querySelectorAll("#replay img, #replay a").length,
    found: document.querySelector("[data-testid=found]").textContent,
    time: document.querySelector("video").currentTime,
  };
}"""
FOCUS = """(text) => [...document.querySelectorAll("#replay button.line")]
  .find((line) => line.textContent.includes(text)).focus()"""


def write_and_say(server, stream, peer, text, said):
    """Both at the same time, that of the message."""
    answer = peer.call("broadcast", {"info": {"message": text, "type": "chat"}})
    assert "result" in answer, answer
    now = answer["result"]["timestamp"]
    answer = server.manage("POST", f"/live-streams/{stream['id']}/captions", {"captions": [
        {"text": said, "start": now, "end": now + 500, "speaker": "Ann"}]})
    assert answer.status == 200, answer.body


def record(server, room, connect):
    """Returns when things were said, in s of the recording."""
    ann, ben = connect("Ann", role="host"), connect("=Ben, 2", role="host")
    for peer in ann, ben:
        peer.join()
    stream = start(server, room, recording=BOTH, container="cmaf", captions=CAPTIONS)
    count = segments(server, stream, 3)
    write_and_say(server, stream, ann, "first", "Good morning.")
    count = segments(server, stream, count + 3)
    server.pause_recording(stream["id"])
    count = segments(server, stream, count + 3)
    write_and_say(server, stream, ann, "off the record", "Off the record.")
    count = segments(server, stream, count + 3)
    server.resume_recording(stream["id"])
    count = segments(server, stream, count + 3)
    write_and_say(server, stream, ben, FOREIGN, "Over to you.")
    segments(server, stream, count + 3)
    server.stop_stream(room)
    server.wait_for_status(stream["id"], "completed", 2 * PATIENCE)
    [asset] = [one for one in manifest(server, stream)["assets"]
               if one["type"] == "transcript" and one["path"].endswith(".json")]
    said = json.loads((server.recordings / asset["path"]).read_text())["transcript"]
    assert [one["text"] for one in said] == ["Good morning.", "Over to you."]
    return [one["start_ms"] / 1000 for one in said]


def open_recording(watcher, server, room):
    watcher.watch(f"{server.base}/assets/common/base.css")  # no script of its own
    watcher.evaluate("(token) => sessionStorage.setItem('roomcast-management-token', token)",
                     tokens.management_token())
    watcher.watch(f"{server.base}/recordings?room={room}")
    wait_for("it is listed", lambda: watcher.evaluate(
        "() => document.querySelector('[data-testid=play]')?.checkVisibility()"), TIMEOUT)
    watcher.press("play")
    watcher.wait_for_playback(0.3)
    watcher.evaluate("() => document.querySelector('video').pause()")


def seen(watcher, what, holds):
    """The lines, once they fulfil something."""
    state = {}

    def look():
        state.update(watcher.evaluate(SHOWN))
        return holds(state)

    try:
        wait_for(what, look, TIMEOUT)
    except AssertionError as error:
        raise AssertionError(f"{error}: {state}") from None
    return state


def seek(watcher, at):
    watcher.evaluate("(time) => window.roomcastPlayer.seek(time)", at)


def is_at(wanted):
    return lambda state: abs(state["time"] - wanted) < 0.4


def follow_chat(watcher, first, second):
    messages = [["Ann", "first"], ["=Ben, 2", FOREIGN]]
    for at, lines in [(second + 0.7, messages), (second - 0.7, messages[:1]),
                      (first - 0.7, []), (first + 0.7, messages[:1])]:
        seek(watcher, at)
        state = seen(watcher, f"the chat of {at} s", lambda state, lines=lines:
                     state["lines"] == lines)
        assert state["foreign"] == 0 and state["reachable"] == min(len(lines), 1)
    seek(watcher, second + 0.7)
    seen(watcher, "both are there", lambda state: state["lines"] == messages)
    # By keys.
    watcher.evaluate(FOCUS, "=Ben")
    watcher.page.press("ArrowUp")
    watcher.page.press("Enter")
    seen(watcher, "it is where the first was written",
         lambda state: is_at(first)(state) and state["lines"] == messages[:1])
    assert "first" in watcher.evaluate("() => document.activeElement.textContent")


def follow_transcript(watcher, first, second):
    watcher.press("replay-tab-transcript")
    said = [["Ann", "Good morning."], ["Ann", "Over to you."]]
    for at, current in [(second + 0.3, "Over to you."), (first - 0.7, None),
                        (first + 0.3, "Good morning.")]:
        seek(watcher, at)
        state = seen(watcher, f"what is said at {at} s", lambda state, current=current:
                     state["lines"] == said and state["current"] == current)
        assert state["reachable"] == 1
    watcher.evaluate("""() => {
      const field = document.querySelector("[data-testid=search]");
      field.value = " YOU";
      field.dispatchEvent(new InputEvent("input"));
    }""")
    seen(watcher, "one is found", lambda state: state["lines"] == said[1:]
         and state["found"] == "1 of 2 lines" and state["reachable"] == 1)
    watcher.evaluate(FOCUS, "Over to")
    watcher.page.press("Enter")
    seen(watcher, "it is where that was said", is_at(second))
    watcher.evaluate("() => document.querySelector('[data-testid=search]').focus()")
    watcher.page.press("Escape")
    seen(watcher, "all are there", lambda state: state["lines"] == said)
    assert watcher.evaluate("() => document.querySelector('[data-testid=theatre]').open")


def test_they_follow_playback_and_lead_to_its_places(
        server, room, connect, browser, firefox_outside):
    first, second = record(server, room, connect)
    assert first > 0.8 and second > first + 1
    for page in (watching.InChromium(browser, color_scheme="dark", reduced_motion="reduce"),
                 watching.InFirefox(firefox_outside)):
        with contextlib.closing(Watcher(page)) as watcher:
            open_recording(watcher, server, room)
            follow_chat(watcher, first, second)
            follow_transcript(watcher, first, second)
            if isinstance(page, watching.InChromium):
                assert axe.faults(watcher) == []
                page.page.set_viewport_size({"width": 390, "height": 844})
                assert page.page.evaluate("document.documentElement.scrollWidth") <= 390
                picture, lines = (page.page.locator(one).bounding_box()
                                  for one in ("#screen", "#replay"))
                assert lines["y"] >= picture["y"] + picture["height"] and lines["height"] > 300
            watcher.evaluate("() => document.querySelector('[data-testid=theatre-close]').click()")
            wait_for("it is gone", lambda watcher=watcher: watcher.evaluate(
                "() => document.getElementById('replay').hidden"), TIMEOUT)
