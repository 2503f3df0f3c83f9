"""The recordings page: access, its text during a recording, and playback."""

import time

import pytest

from harness import axe, tokens
from harness.assets import BOTH, LADDER, SHORT_SEGMENTS, TIMEOUT, segments, start
from harness.http import path_of
from harness.waiting import wait_for

SETTINGS = SHORT_SEGMENTS
CARD = "[data-recording='{}']"
SHOWN = """() => {
  const card = document.querySelector("CARD");
  return card && {
    state: card.querySelector(".lamp").textContent,
    detail: card.querySelector(".card-detail").textContent,
    files: [...card.querySelectorAll(".file")].map((file) => file.textContent),
    links: [...card.querySelectorAll("a.file")].map((file) => file.getAttribute("href")),
    play: !card.querySelector("[data-testid=play]").hidden,
  };
}"""
PLAYED = """() => {
  const video = document.querySelector("[data-testid=video]");
  return { time: video.currentTime, width: video.videoWidth, height: video.videoHeight,
    isOpen: document.querySelector("[data-testid=theatre]").open,
    error: document.querySelector("#theatre-error").textContent };
}"""


# Moves the pointer over a card's still, to that part of its width.
SCRUBBED = """() => {
  const still = document.querySelector("CARD [data-testid=still]");
  const { left, width } = still.getBoundingClientRect();
  still.dispatchEvent(new PointerEvent("pointermove",
    { clientX: left + width * PART, pointerType: "mouse" }));
  const tile = still.querySelector(".still-tile");
  const { backgroundImage, backgroundPosition, display } = getComputedStyle(tile);
  return display !== "none" && { sheet: backgroundImage, place: backgroundPosition,
    clock: still.textContent, width: tile.getBoundingClientRect().width / width };
}"""
# Moves the pointer to the middle of the player's line.
PREVIEWED = """() => {
  const line = document.querySelector(".player-seek");
  const { left, width } = line.getBoundingClientRect();
  line.dispatchEvent(new PointerEvent("pointermove",
    { clientX: left + width / 2, pointerType: "mouse" }));
  const tile = line.querySelector(".player-tile");
  return !tile.hidden && { sheet: getComputedStyle(tile).backgroundImage,
    clock: line.querySelector(".player-preview").textContent };
}"""
# The cues that a browser reads from a WebVTT file.
CUES = """() => new Promise((resolve, reject) => {
  const track = document.createElement("track");
  Object.assign(track, { kind: "metadata", src: "URL",
    onload: () => resolve([...track.track.cues].map((cue) =>
      [cue.startTime, cue.endTime, cue.text])),
    onerror: () => reject(new Error("the browser does not take it")) });
  const video = document.createElement("video");
  video.append(track);
  document.body.append(video);
  track.track.mode = "hidden";
})"""


# A server with 23 recordings of one room, listed 20 at a time, and none of any other room.
MANY = """() => {
  window.fetch = async (url) => {
    const query = new URL(url, location.href).searchParams;
    const first = Number(query.get("start"));
    const count = query.get("search") === "nowhere" ? 0 : Math.min(20, 23 - first);
    const data = Array.from({ length: count }, (_, index) => ({
      id: `r${first + index + 1}`, room_id: "hall", status: "completed", assets: [],
      created_at: "2026-01-01T00:00:00Z" }));
    return new Response(JSON.stringify({ data, last: first === 0 && count > 0 ? "20" : "" }));
  };
}"""
FOCUSED = """() => document.activeElement.id"""
SUMMARY = """() => document.querySelector("[data-testid=summary]").textContent"""


class InFirefox:
    """The few things that the tests do with a page."""

    def __init__(self, firefox):
        self.evaluate = firefox.evaluate
        self.goto = firefox.navigate

    def give(self, token):
        self.evaluate(f"""() => {{
          document.querySelector("[data-testid=token]").value = {token!r};
          document.querySelector("[data-testid=unlock]").click();
        }}""")

    def press_play(self, card):
        self.evaluate(f"""() => {{
          const button = document.querySelector("{card} [data-testid=play]");
          button.focus();
          button.click();
        }}""")

    def press_escape(self):
        self.evaluate("() => document.querySelector('[data-testid=theatre-close]').click()")


class InChromium:
    def __init__(self, page):
        self.page = page
        self.evaluate = page.evaluate
        self.goto = page.goto

    def give(self, token):
        # By keyboard only: the field has the focus.
        self.page.keyboard.type(token)
        self.page.keyboard.press("Enter")

    def press_play(self, card):
        self.page.focus(f"{card} [data-testid=play]")
        self.page.keyboard.press("Enter")

    def press_escape(self):
        self.page.keyboard.press("Escape")


@pytest.fixture(params=["chromium", "firefox"])
def world(request, server):
    """A server and a page of one of the browsers."""
    if request.param == "firefox":
        yield server, InFirefox(request.getfixturevalue("firefox_outside"))
        return
    context = request.getfixturevalue("browser").new_context()
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield server, InChromium(page)
    context.close()
    assert errors == []


@pytest.fixture(scope="module")
def recorded(server):
    """A recording with a thumbnail."""
    wish = {"offsets": [0], "width": 480}
    stream = start(server, "recorded", recording=BOTH | {"thumbnails": wish})
    segments(server, stream, 8)
    server.stop_stream("recorded")
    server.wait_for_status(stream["id"], "completed", TIMEOUT)
    return stream


def seen(page, stream):
    return page.evaluate(SHOWN.replace("CARD", CARD.format(stream["id"])))


def test_a_recording_is_followed_played_and_downloaded(world, room):
    server, page = world
    stream = start(server, room)
    page.goto(f"{server.base}/recordings?room={room}")
    wait_for("a token is asked for", lambda: page.evaluate(
        "() => !document.querySelector('[data-testid=key]').hidden"
        " && document.activeElement.id === 'token'"), TIMEOUT)
    page.give("not a token")
    wait_for("it is refused", lambda: page.evaluate(
        "() => document.querySelector('[data-testid=key-error]').textContent"), TIMEOUT)
    page.evaluate("() => { document.querySelector('[data-testid=token]').value = ''; }")
    page.give(tokens.management_token())
    wait_for("it is being recorded", lambda: (seen(page, stream) or {}).get("state") == "Recording",
             TIMEOUT)
    assert page.evaluate(FOCUSED) == "title", "the form that had the focus is gone"
    assert page.evaluate(SUMMARY) == f"1 recording with “{room}”, 1 in progress"
    assert not seen(page, stream)["play"]
    segments(server, stream, 3)
    server.stop_stream(room)
    server.wait_for_status(stream["id"], "completed", TIMEOUT)
    # Without a reload.
    card = wait_for("it is ready", lambda: seen(page, stream)["state"] == "Ready"
                    and seen(page, stream), TIMEOUT)
    assert card["play"]
    assert page.evaluate(SUMMARY) == f"1 recording with “{room}”"
    sizes = [f"{one['width']} × {one['height']} MP4" for one in LADDER]
    assert [text.split(" · ")[0] for text in card["files"]] == [*sizes, "640 × 360 HLS in a zip"]
    listed = server.manage("GET", f"/recording-assets?room_id={room}").json["data"]
    sizes = {one["id"].rsplit("-", 1)[1]: one["size"] for one in listed}
    for link, asset in zip(card["links"], ["0", "1", "vod"], strict=True):
        file = server.http.get(link)
        assert file.status == 200 and len(file.body) == sizes[asset]
        assert file.headers["content-disposition"].startswith("attachment")
    page.press_play(CARD.format(stream["id"]))
    played = wait_for("it plays", lambda: page.evaluate(PLAYED)["time"] > 0.5
                      and page.evaluate(PLAYED), TIMEOUT)
    assert (played["width"], played["height"]) == (640, 360)
    assert played["isOpen"] and played["error"] == ""
    page.press_escape()
    wait_for("it is closed", lambda: not page.evaluate(PLAYED)["isOpen"], TIMEOUT)
    assert page.evaluate("() => document.activeElement.dataset.testid") == "play", (
        "the focus is back where it was")


def forget_token(server, page):
    """The tab may still have an earlier test's token. It is removed on a page without scripts,
    since the page stores the token again as soon as it was useful."""
    page.goto(f"{server.base}/assets/common/base.css")
    page.evaluate("() => sessionStorage.clear()")


def test_what_is_shown_is_said_and_the_focus_goes_to_what_is_new(world):
    server, page = world
    forget_token(server, page)
    page.goto(f"{server.base}/recordings")
    wait_for("a token is asked for", lambda: page.evaluate(FOCUSED) == "token", TIMEOUT)
    page.evaluate(MANY)
    page.give("any")
    wait_for("they are counted", lambda: page.evaluate(SUMMARY) == (
        "20 recordings, and older ones"), TIMEOUT)
    assert page.evaluate(FOCUSED) == "title"
    page.evaluate("() => { const more = document.getElementById('more'); more.focus(); more.click(); }")
    wait_for("all are", lambda: page.evaluate(SUMMARY) == "23 recordings", TIMEOUT)
    assert page.evaluate(FOCUSED) == "card-r21", "the first of the older ones"
    page.evaluate("""() => {
      document.getElementById("search").value = "nowhere";
      document.getElementById("filter").requestSubmit();
    }""")
    wait_for("none is", lambda: page.evaluate(SUMMARY) == "No recordings with “nowhere”", TIMEOUT)


def test_a_card_shows_the_picture_of_the_time_under_the_pointer(world, recorded):
    server, page = world
    room = recorded["room_id"]
    card = CARD.format(recorded["id"])
    forget_token(server, page)
    page.goto(f"{server.base}/recordings?room={room}")
    wait_for("a token is asked for", lambda: page.evaluate(
        "() => !document.querySelector('[data-testid=key]').hidden"), TIMEOUT)
    page.give(tokens.management_token())
    wait_for("the thumbnail is there", lambda: page.evaluate(
        f'() => document.querySelector("{card} .still img")?.naturalWidth') == 480, TIMEOUT)

    def scrub(part):
        return page.evaluate(SCRUBBED.replace("CARD", card).replace("PART", str(part)))

    wait_for("the sheet is there", lambda: scrub(0.01), TIMEOUT)
    first, last = scrub(0.01), scrub(0.99)
    [listed] = [one for one in server.manage("GET", f"/recording-assets?room_id={room}")
                .json["data"] if one["type"] == "room-vod"]
    links = server.manage("GET", f"/recording-assets/{listed['id']}/presigned-url").json
    assert first["place"] == "0px 0px" and last["place"] != first["place"]
    assert first["sheet"] == last["sheet"]
    assert first["sheet"].endswith(f"{links['sprite_url'].rsplit('/', 1)[1]}\")")
    assert abs(first["width"] - 1) < 0.02, "the still is filled"
    # As read by players that know nothing about our extensions.
    cues = page.evaluate(CUES.replace("URL", path_of(links["sprite_vtt_url"])))
    assert [begin for begin, _, _ in cues] == [0, *(end for _, end, _ in cues[:-1])]
    assert len(cues) == listed["sprite"]["count"] >= 4
    end = cues[-1][1]
    assert abs(end - listed["duration"]) <= 0.5, "which is in whole seconds"
    # A browser may point only at whole pixels.
    near = {f"0:{int(0.99 * end - less):02}" for less in (0, 0.05)}
    assert first["clock"] == "0:00" and last["clock"] in near
    assert cues[1][2].endswith("-sprite.jpg#xywh=160,0,160,90")
    # Playback begins where the still is clicked.
    page.evaluate(f'() => document.querySelector("{card} [data-testid=still]").click()')
    played = wait_for("it plays", lambda: page.evaluate(PLAYED)["time"] > 1
                      and page.evaluate(PLAYED), TIMEOUT)
    assert played["time"] > 0.95 * end and played["error"] == ""
    # The line under the picture shows the same pictures.
    shown = wait_for("a small picture is shown", lambda: page.evaluate(PREVIEWED), TIMEOUT)
    assert shown["sheet"] == first["sheet"] and shown["clock"] in {
        f"0:{int(0.5 * end + by):02}" for by in (-1, 0, 1)}


def test_the_page_is_whole_at_every_width_and_named_for_who_cannot_see_it(
        server, browser, recorded):
    room = recorded["room_id"]
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    page.goto(f"{server.base}/recordings?room={room}")
    page.get_by_role("textbox", name="Token").fill(tokens.management_token())
    page.get_by_role("button", name="Show recordings").click()
    for width in (320, 390, 640, 641, 900, 1600):
        page.set_viewport_size({"width": width, "height": 800})
        page.get_by_role("heading", name=room).wait_for()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_role("button", name=f"Play the recording of {room}").click()
    page.get_by_role("dialog", name=room).wait_for()
    page.get_by_role("button", name="Close", exact=True).click()
    assert page.get_by_role("link", name="640 × 360 MP4").count() == 1
    page.get_by_role("searchbox", name="Name or room").fill("nowhere")
    page.keyboard.press("Enter")
    page.get_by_text("No recording fits.").wait_for()
    context.close()


# What is done with a recording




@pytest.fixture
def manager(server, browser, request):
    """A page with the list, for whoever holds the token."""
    kind = getattr(request, "param", tokens.management_token)
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    context.add_init_script(
        f"sessionStorage.setItem('roomcast-management-token', {kind()!r})")
    page = context.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert errors == []


def act(page, stream, name):
    card = page.locator(CARD.format(stream["id"]))
    card.get_by_role("button", name="More about").click()
    page.get_by_role("menuitem", name=name, exact=True).click()


def actions(page, stream):
    page.locator(CARD.format(stream["id"])).get_by_role("button", name="More about").click()
    names = page.get_by_role("menuitem").all_inner_texts()
    page.keyboard.press("Escape")
    return names


def made(server, room):
    stream = start(server, room)
    segments(server, stream, 3)
    server.stop_stream(room)
    server.wait_for_status(stream["id"], "completed", TIMEOUT)
    return stream


def test_a_recording_is_renamed_found_by_its_name_and_deleted(manager, server, room):
    stream = made(server, room)
    page = manager
    page.goto(f"{server.base}/recordings?search={room}")
    act(page, stream, "Rename")
    page.get_by_role("textbox", name="Name", exact=True).fill("  공지 🎉 <b>May</b> ")
    page.keyboard.press("Enter")
    title = page.locator(CARD.format(stream["id"])).get_by_role("heading")
    wait_for("it has its name", lambda: title.inner_text() == "공지 🎉 <b>May</b>", TIMEOUT)
    notes = list(server.recordings.glob(f"hls/{room}/*/*/recording.json"))
    assert len(notes) == 1 and "공지" in notes[0].read_text()
    server.reindex(loses_catalogue=False)
    page.get_by_role("searchbox").fill("공지")
    page.get_by_text("1 recording with “공지”").wait_for()
    page.get_by_test_id("to").fill("2020-01-01")
    page.get_by_text("No recording fits.").wait_for()
    page.get_by_test_id("to").fill("")
    page.get_by_text("1 recording with “공지”").wait_for()
    file = page.locator(f"{CARD.format(stream['id'])} a.file").first.get_attribute("href")
    assert server.http.get(file).status == 200
    act(page, stream, "Delete")
    question = page.get_by_role("dialog", name="Delete “공지 🎉 <b>May</b>”?")
    question.get_by_role("button", name="Cancel").click()
    assert title.count() == 1
    act(page, stream, "Delete")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    page.get_by_text("No recording fits.").wait_for()
    # Both are in the files from which the catalogue is made.
    server.reindex(loses_catalogue=False)
    assert server.http.get(file).status == 404
    assert server.manage("GET", f"/recordings/{stream['id']}").status == 410
    wait_for("its segments are gone", lambda: [
        path.name for path in (server.output / room / stream["id"]).iterdir()] == ["stream.json"],
        TIMEOUT)


def test_a_link_shows_a_recording_to_anybody_until_it_ends(manager, server, browser, recorded):
    page = manager
    page.goto(f"{server.base}/recordings?search=recorded")
    act(page, recorded, "Share a link")
    field = page.get_by_role("textbox", name="Link to the recording")
    wait_for("there is a link", lambda: "/shared/" in field.input_value(), TIMEOUT)
    first = field.input_value()
    page.get_by_role("radio", name="1 hour").check()
    wait_for("there is another", lambda: field.input_value() not in ("", first), TIMEOUT)
    link = field.input_value()
    expiry = int(link.split(".")[-2])
    assert abs(expiry - time.time() - 3600) < 60
    page.get_by_role("button", name="Copy: Link to the recording").click()
    page.get_by_text("Copied.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == link
    context = browser.new_context()
    guest = context.new_page()
    guest.goto(link)
    guest.wait_for_selector("#stage:not([hidden])")
    assert guest.get_by_test_id("title").inner_text() == "recorded"
    wait_for("it plays or waits for a click", lambda: guest.evaluate(
        "() => document.querySelector('video').readyState") >= 2, TIMEOUT)
    assert guest.get_by_test_id("files").get_by_role("link").count() == 2
    tags = guest.evaluate("""() => Object.fromEntries([...document.querySelectorAll("meta[property]")]
      .map((tag) => [tag.getAttribute("property"), tag.content]))""")
    assert tags["og:title"] == "recorded" and tags["og:type"] == "video.other"
    picture = server.http.get(path_of(tags["og:image"]))
    assert picture.status == 200 and picture.headers["content-type"] == "image/jpeg"
    # One that was altered is explained.
    guest.goto(link[:-1])
    guest.get_by_role("heading", name="This link does not work").wait_for()
    context.close()


def test_what_is_known_of_a_recording_is_told(manager, server, recorded):
    page = manager
    page.goto(f"{server.base}/recordings?search=recorded")
    act(page, recorded, "Details")
    facts = page.get_by_test_id("facts").inner_text()
    for fact in ("Ready", "recorded", "640 × 360", "Layers", "3 files"):
        assert fact in facts, facts


@pytest.mark.parametrize("manager", [tokens.recordings_token], indirect=True)
def test_a_token_for_looking_only_looks(manager, server, recorded):
    page = manager
    page.goto(f"{server.base}/recordings?search=recorded")
    page.locator(CARD.format(recorded["id"])).wait_for()
    assert actions(page, recorded) == ["Share a link", "Details"]
    for method in ("PATCH", "DELETE"):
        for path in ("/api/recordings", "/v2/recordings"):
            answer = server.http.request(
                method, f"{path}/{recorded['id']}", body={"name": "x"} if method == "PATCH" else None,
                headers={"Authorization": f"Bearer {tokens.recordings_token()}"})
            assert answer.status == 403, answer.body
            assert answer.json["message"] == "this token may only look at recordings"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault_with_the_page_and_its_dialogs(manager, server, recorded, scheme):
    page = manager
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto(f"{server.base}/recordings?search=recorded")
    page.locator(CARD.format(recorded["id"])).wait_for()
    assert axe.faults(page) == []
    for name in ("Rename", "Share a link", "Details", "Delete"):
        act(page, recorded, name)
        page.get_by_role("dialog").wait_for()
        assert axe.faults(page) == [], name
        page.keyboard.press("Escape")
