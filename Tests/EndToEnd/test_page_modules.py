"""The pages' modules as files, in the browsers that run them, without the server."""

import re

import pytest
from harness.web import WEB

# A module may look for elements of its page, which this one does not have.
LOADS = """async (name) => {
  try {
    await import(name);
  } catch (error) {
    if (!/^The page has no element #[a-z-]+\\.$/.test(error.message)) throw error;
  }
}"""


def test_no_page_needs_inline_scripts_or_styles():
    for file in WEB.glob("*.html"):
        text = file.read_text()
        assert re.search(r"<script(?![^>]*\bsrc=)", text) is None, file.name
        assert " style=" not in text and "<style" not in text, file.name
        assert re.search(r"\son[a-z]+=", text) is None, file.name


def test_no_module_makes_markup_of_text():
    for file in WEB.glob("assets/**/*.js"):
        text = file.read_text()
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
            assert word not in text, f"{word} in {file.name}"


def test_every_module_loads(page):
    names = [f"/{file.relative_to(WEB)}" for file in WEB.glob("assets/**/*.js")]
    # These modules run a page as soon as they are loaded.
    runs = re.compile(r"/(docs|home|recordings|room|shared|watch)\.js$")
    names = [name for name in names if not runs.search(name)]
    for name in names:
        page.evaluate(LOADS, name)


def test_how_a_stream_goes_is_said_in_words(page):
    def words(name, argument):
        return page.evaluate(
            "([name, argument]) => import('/assets/playback/stream-words.js').then((words) =>"
            " words[name](argument))", [name, argument])

    assert words("startWords", {"waited": 9}) == ""
    assert words("startWords", {"waited": 10}) == (
        "It takes longer than usual. The server keeps trying.")
    assert words("startWords", {"waited": 3, "restarts": 2}) == (
        "It did not start and is tried again (attempt 3).")
    assert words("endWords", {"waited": 9}) == ""
    assert words("endWords", {"waited": 10}) == (
        "It takes longer than usual: the last seconds are still being written.")
    assert words("lackWords", None) == ""
    lack = {"frame_rate": 0.54, "layers_thinned": 0, "videos_left_out": 0}
    assert words("lackWords", lack) == "The server is short of CPU: 0.5 pictures a second."
    lack = {"frame_rate": 14.9, "layers_thinned": 2, "videos_left_out": 1}
    assert words("lackWords", lack) == (
        "The server is short of CPU: 14.9 pictures a second, even fewer in small sizes, "
        "1 video left out.")
    assert words("leftOutWords", []) == ""
    lost = {"peer_name": "Ann", "reason": "the video is too large"}
    assert words("leftOutWords", [lost]) == "Not in the stream: Ann (the video is too large)."
    assert words("leftOutWords", [lost] * 5) == (
        "Not in the stream: " + ", ".join(["Ann (the video is too large)"] * 3) + ", and 2 more.")


def test_the_cues_of_a_sheet_of_pictures_are_read(page):
    text = ("WEBVTT\r\n\r\n00:00:00.000 --> 00:00:02.500 align:start\r\na b.jpg#xywh=0,0,160,90\r\n"
            "\r\n2\r\n59:02.500 --> 01:00:04.000\r\nhttps://o.test/c.jpg#xywh=160,90,160,90\r\n")
    cues = page.evaluate(
        "(text) => import('/assets/playback/cues.js').then((scrubber) =>"
        " scrubber.parseCues(text, 'https://h.test/d/e.vtt'))", text)
    size = {"width": 160, "height": 90}
    assert cues == [
        {"begin": 0, "end": 2.5, "url": "https://h.test/d/a%20b.jpg", "x": 0, "y": 0} | size,
        {"begin": 3542.5, "end": 3604, "url": "https://o.test/c.jpg", "x": 160, "y": 90} | size]
    assert page.evaluate(
        "() => import('/assets/playback/cues.js').then((scrubber) =>"
        " scrubber.parseCues('<html>', 'https://h.test/'))") == []


@pytest.mark.parametrize(("name", "room", "title"), [
    ("Monday stand-up", "monday-stand-up", "monday-stand-up"), ("Café", "cafe", "cafe"),
    ("한국어", "xn--3e0bk47br7k", "한국어"), ("العربية", "xn--mgbcd4a2b0d2b", "العربية"),
    ("🎉 Party 🎉", "xn---party--yk84fha", "🎉-party-🎉"), ("ＡＢＣ", "abc", "abc"),
    ("Straße", "xn--strae-oqa", "straße"), ("-a_b--c-", "a_b--c", "a_b--c"), ("!?", "", ""),
    ("\u202e", "", ""),
])
def test_a_room_may_have_a_name_in_any_script(page, name, room, title):
    """The same as in RoomNameTests."""
    made, shown = page.evaluate("""(name) => import("/assets/common/room-name.js").then(
      ({ roomIDFrom, roomTitle }) => [roomIDFrom(name), roomTitle(roomIDFrom(name))])""", name)
    assert (made, shown) == (room, title)


def test_a_long_name_of_a_room_is_cut_and_can_still_be_read(page):
    made, shown = page.evaluate("""() => import("/assets/common/room-name.js").then(
      ({ roomIDFrom, roomTitle }) => {
        const id = roomIDFrom("한글".repeat(40));
        return [id, roomTitle(id)];
      })""")
    assert 50 < len(made) <= 64 and shown.startswith("한글한글한글")


@pytest.mark.parametrize("room", ["xn--", "xn--a", "xn--zzzzzzzzzzzzzz", "xn--A-b", "xn---"])
def test_an_id_that_is_no_name_is_shown_as_it_is(page, room):
    assert page.evaluate("""(id) => import("/assets/common/room-name.js").then(
      ({ roomTitle }) => roomTitle(id))""", room) == room


def test_the_studio_says_what_is_the_case(page):
    def words(name, argument):
        return page.evaluate(
            "([name, argument]) => import('/assets/room/studio/studio-words.js').then((words) =>"
            " words[name](argument))", [name, argument])

    def health(phase, waited=0, **found):
        said = words("healthWords", {"phase": phase, "waited": waited, "found": found or None,
                                     "error": "The disk is full."})
        return f"{said['head']} / {said['text']} / {said['mood']}"

    lack = {"frame_rate": 15, "layers_thinned": 0, "videos_left_out": 0}
    assert health("none") == "Not on air /  / off"
    assert health("starting") == "Starting … /  / wait"
    assert health("starting", 11) == (
        "Starting … / It takes longer than usual. The server keeps trying. / wait")
    assert health("live") == "Live /  / good"
    assert health("live", studio={"frame_rate": 29.97}) == (
        "Live · all is well / 30 pictures a second. / good")
    assert health("live", studio={"frame_rate": 20, "frame_rate_wanted": 30}) == (
        "Live · reduced picture: this machine is busy / The server is short of CPU: 20 of 30 "
        "pictures a second. / lack")
    wanted = {"frame_rate": 15, "frame_rate_wanted": 30}
    assert health("live", bot_restarts=2, degradation=lack, studio=wanted) == (
        "Live · reduced picture: this machine is busy / The server is short of CPU: 15 of 30 "
        "pictures a second. It was interrupted 2 times, and went on by itself. / lack")
    assert health("ending", 11) == (
        "Ending … / It takes longer than usual: the last seconds are still being written. / wait")
    assert health("failed") == "The stream failed / The disk is full. / bad"

    assert words("viewerWords", None) == ""
    assert words("viewerWords", {"now": 1, "peak": 1}) == "1 person is watching"
    assert words("viewerWords", {"now": 0, "peak": 7}) == (
        "0 people are watching · 7 at most so far")

    def record(stream, room, waited=0):
        return words("recordWords", {"stream": stream, "room": room, "roomWaited": waited})

    assert record("none", "none") == "Nothing is being recorded."
    assert record("recording", "none") == (
        "The stream is being recorded. That ends with the stream.")
    assert record("recording", "recording").endswith(
        "The room is being recorded, whether or not it is on air.")
    assert record("none", "starting", 11) == (
        "The recording of the room starts … It takes longer than usual. The server keeps trying.")


def test_a_person_is_put_on_the_stage_as_the_layout_permits(page):
    def call(name, *arguments):
        return page.evaluate(
            "([name, arguments]) => import('/assets/room/studio/layouts.js').then((layouts) =>"
            " layouts[name](...arguments))", [name, arguments])

    focus = {"focus": {"peer": "p1"}}
    for name, result in (("grid", "speaker"), ("screen", "speaker"), ("speaker", "speaker"),
                         ("pip", "pip"), ("single", "single"), (None, "speaker")):
        layout = {"name": name} if name else {}
        assert call("staged", layout, "p1") == {"name": result, **focus}
    assert call("staged", {"name": "pip", **focus}, None) == {"focus": None}
    assert call("stagedPeer", {"name": "single", **focus}) == "p1"
    assert call("stagedPeer", {"name": "grid", **focus}) is None
    assert call("stagedPeer", {"name": "single", "focus": {"role": "host"}}) is None
