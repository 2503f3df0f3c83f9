"""The pages in the reader's language: what a browser shows, in every state."""

import json
import re
import shutil

import pytest
from harness import axe, texts
from harness.server import Server

TIMEOUT = 60  # s
# A language of our own (a code for private use), in which every text is in brackets: what has none
# was not translated.
OURS = "qaa"
# The visible texts of a page, and what is read out, that have letters outside of brackets; without
# `own`, which are words of people, formats and units.
# `notranslate`: people's own words, which are told by what they are.
STRAY = """([own]) => {
  const stray = new Set();
  const left = (text) => {
    let rest = text.replace(/ \\([a-z]\\)$/, ""); // a key
    for (let before = null; before !== rest;) {
      before = rest;
      rest = rest.replace(/⟦[^⟦⟧]*⟧/g, "");
    }
    for (const word of own) rest = rest.replaceAll(word, "");
    return rest;
  };
  const isForeign = (node) => node.closest("[lang=en], [translate=no], pre, code, script, style, svg");
  const check = (text, what) => {
    if (/\\p{L}/u.test(left(text))) stray.add(`${what}: ${text.trim().slice(0, 120)}`);
  };
  check(document.title, "title");
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT);
  for (let node = document.body; node; node = walker.nextNode()) {
    if (isForeign(node)) continue;
    const isShown = node.checkVisibility({ visibilityProperty: true });
    if (!isShown && node.tagName !== "OPTION") continue;
    for (const name of ["title", "aria-label", "placeholder", "alt", "aria-valuetext", "label"]) {
      if (node.hasAttribute(name)) check(node.getAttribute(name), `${node.tagName} ${name}`);
    }
    // A sentence goes on in plain tags.
    const parts = [...node.childNodes].filter((one) => one.nodeType === Node.TEXT_NODE
      || one.matches?.("br, kbd, strong:not([class]), em")
      || one.matches?.("code"));
    const whole = parts.map((one) => one.textContent).join("");
    // Code by itself is no sentence.
    const isSaid = (one) => !one.matches?.("code") && /\\p{L}/u.test(one.textContent);
    if (parts.some(isSaid)) check(whole, node.tagName);
  }
  return [...stray];
}"""

CARD = {
    "id": "r1", "room_id": "hall", "room_title": "MYROOM", "status": "completed",
    "created_at": "2026-03-01T10:00:00Z", "started_at": "2026-03-01T10:00:00Z", "duration": 754,
    "started_by": "ANN", "people": ["ANN", "BEN"], "people_cut": True, "uploads": {},
    "name": "MYNAME",
}


def asset(kind, name, **more):
    return {"id": name, "type": kind, "status": "completed", "size": 78_000_000,
            "url": f"/recordings/{name}"} | more


ASSETS = [
    asset("room-composite", "a.mp4", width=1280, height=720, layers=3),
    asset("chat", "chat.csv", size=200),
    asset("room-composite", "b.m4a"), asset("room-vod", "c.zip", width=1280, height=720),
    asset("track", "d.webm"), asset("stream", "e.webm"), asset("track-index", "f.json"),
    asset("audio-mix", "g.m4a"), asset("individual", "h.zip"),
    asset("transcript", "x-transcript-en.json", size=200),
    asset("transcript", "x-transcript-de.json", size=200),
    {**asset("track", "i.webm"), "url": None, "status": "failed"},
]
RECORDINGS = [
    {**CARD, "assets": ASSETS},
    {**CARD, "id": "r2", "status": "running", "assets": []},
    {**CARD, "id": "r3", "status": "post_processing", "progress": 0.4, "assets": [],
     "uploads": {"a": {"bytes_sent": 5000, "failures": 1, "reason": ""}}},
    {**CARD, "id": "r4", "status": "failed", "assets": []},
    {**CARD, "id": "r5", "assets": [{**asset("chat", "y.csv"), "url": None, "status": "expired"}]},
    {**CARD, "id": "r6", "status": "starting", "assets": []},
    {**CARD, "id": "r7", "status": "stopping", "assets": []},
]
CHAT = ("SenderName,SenderUserID,Roles,SentAt,Type,Message\r\n"
        "ANN,ann,host,2026-03-01T10:00:05Z,chat,HELLO\r\n"
        ",,,2026-03-01T10:00:06Z,chat,HELLO\r\n")
TRANSCRIPT = {"language": "en", "transcript": [
    {"start_ms": 1000, "end_ms": 2000, "peer_name": "ANN", "text": "HELLO"}]}
# Other people's words, formats and units.
OWN = ["Roomcast", "MYROOM", "MYNAME", "ANN", "BEN", "HELLO", "hall", "host", "MP4", "HLS", "CSV",
       "JSON", "YAML", "webm", "MB", "kB", "200 B", "kbit/s", "Mbit/s", "Mar", "AM", "PM", "API", "720p",
       "English", "German", "HTTP", "GET", "POST", "PUT", "PATCH", "DELETE", "REASON"]


def bracketed(value):
    return f"⟦{value}⟧"


def translated(english):
    """Of a list of words, the page shows the first one."""
    context, _, text = english.rpartition("|")
    return ", ".join(map(bracketed, text.split(", "))) if context == "emoji" else bracketed(text)


@pytest.fixture(scope="module")
def our_server(binary, tmp_path_factory):
    """A server whose pages have another language, because there is another file."""
    place = tmp_path_factory.mktemp("languages")
    shutil.copytree(texts.WEB, place / "web")
    keys = json.loads((texts.FOLDER / "de.json").read_text())
    ours = {english: {"other": bracketed(english)} if isinstance(translation, dict)
            else translated(english) for english, translation in keys.items()}
    (place / f"web/assets/texts/{OURS}.json").write_text(json.dumps(ours))
    server = Server(place / "data", settings={"ROOMCAST_PAGES_DIRECTORY": str(place / "web")})
    yield server
    assert server.stop() == 0, server.tail()


@pytest.fixture
def ours(browser, our_server):
    """A page for whoever reads our language, on our server."""
    with reader(browser, OURS) as page:
        page.base = our_server.base
        yield page


class reader:
    """A page of a browser in that language."""

    def __init__(self, browser, language, **options):
        self.context = browser.new_context(
            extra_http_headers={"Accept-Language": language}, **options)

    def __enter__(self):
        return self.context.new_page()

    def __exit__(self, *_):
        self.context.close()


@pytest.mark.parametrize(("language", "reason", "code", "words"), [
    ("de", "failure: the server was restarted", "server_restarted",
     "der Server wurde neu gestartet"),
    ("de", "failure: the bot died 4 times, at last: signal 9", "bot_died",
     "der Recorder wurde unerwartet beendet (the bot died 4 times, at last: signal 9)"),
    # As a room is told it.
    ("es", "failure: segment-1.ts: No space left on device", 507,
     "no queda espacio en el disco (segment-1.ts: No space left on device)"),
    ("de", "client request", "stopped", "auf Anfrage"),
    ("de", "we are done", "bot_left", "we are done"),
    ("de", None, None, ""),
    ("en", "failure: the bot died 4 times, at last: signal 9", "bot_died",
     "the bot died 4 times, at last: signal 9"),
])
def test_why_a_stream_ended_is_told_in_the_readers_language(
        browser, server, language, reason, code, words):
    with reader(browser, language) as page:
        page.goto(f"{server.base}/recordings")
        assert page.evaluate("""([reason, code]) => import("/assets/common/end-text.js").then(
          ({ endText }) => endText(reason, code))""", [reason, code]) == words


def stray(page):
    return page.evaluate(STRAY, [OWN])


def show_recordings(page, cards):
    page.route("**/api/recordings?*", lambda route: route.fulfill(
        json={"data": cards, "last": "", "may_change": True}))
    page.route("**/api/recordings/r1", lambda route: route.fulfill(json=cards[0]))
    page.route("**/api/recordings/r3", lambda route: route.fulfill(json=cards[2]))
    page.route("**/api/recordings/r1/link?*", lambda route: route.fulfill(
        json={"url": "https://example.org/1"}))
    page.route("**/recordings/chat.csv*", lambda route: route.fulfill(body=CHAT))
    page.route("**/recordings/*-transcript-*", lambda route: route.fulfill(json=TRANSCRIPT))
    page.goto(f"{page.base}/recordings")


def test_the_home_page(ours):
    rooms = [{"id": f"hall{count}", "name": "MYROOM", "peer_count": count, "hls": {"state": state}}
             for count, state in enumerate(["started", "initialised", "failed", "stopped"])]
    ours.route("**/api/rooms", lambda route: route.fulfill(json=rooms))
    ours.goto(ours.base)
    ours.get_by_test_id("room-card").nth(3).wait_for()
    assert stray(ours) == []
    assert axe.faults(ours) == []
    ours.unroute("**/api/rooms")
    ours.route("**/api/rooms", lambda route: route.fulfill(json=[]))
    ours.locator("#empty").wait_for()
    assert stray(ours) == []
    ours.route("**/api/rooms", lambda route: route.abort())
    ours.get_by_test_id("rooms-summary").get_by_text(
        "⟦The server could not be reached.⟧").wait_for()


@pytest.mark.parametrize("place", ["watch", "embed"])
@pytest.mark.parametrize("state", ["none", "starting", "running", "completed", "failed", "lost"])
def test_a_stream(ours, place, state):
    answer = {"id": "s", "state": state, "url": "/hls/x/master.m3u8", "bot_restarts": 1,
              "cmaf_url": "/hls/x/cmaf.m3u8",
              "degradation": {"frame_rate": 1, "layers_thinned": 1, "videos_left_out": 2}}
    ours.route("**/api/rooms/*/stream", lambda route: route.abort() if state == "lost"
               else route.fulfill(json=answer))
    ours.route("**/hls/**", lambda route: None)
    ours.goto(f"{ours.base}/{place}/hall")
    ours.locator("#notice-text:not(:empty)").wait_for()
    assert stray(ours) == []
    if place == "watch" and state == "running":
        assert "⟦" in ours.locator("#lack").inner_text()
    # The controls, which a stream would show.
    ours.evaluate("document.querySelector('[data-testid=controls]').hidden = false")
    ours.evaluate("document.querySelector('#notice').hidden = true")
    ours.evaluate("document.querySelector('#sound-only').hidden = false")
    assert stray(ours) == []


def test_recordings(ours):
    show_recordings(ours, RECORDINGS)
    ours.get_by_test_id("recording").nth(6).wait_for()
    assert stray(ours) == []
    assert axe.faults(ours) == []
    for action, number in [(0, 0), (1, 0), (2, 0), (3, 0)]:
        ours.get_by_test_id("more-actions").nth(number).click()
        assert stray(ours) == []
        ours.get_by_role("menuitem").nth(action).click()
        ours.get_by_test_id("dialog").wait_for()
        assert stray(ours) == []
        ours.keyboard.press("Escape")
    ours.get_by_test_id("more-actions").nth(2).click()
    ours.get_by_role("menuitem").nth(1).click()
    ours.get_by_test_id("facts").wait_for()
    assert stray(ours) == []
    ours.keyboard.press("Escape")
    ours.get_by_test_id("play").first.click()
    ours.get_by_test_id("line").first.wait_for()
    assert stray(ours) == []
    ours.get_by_test_id("replay-tab-transcript").click()
    ours.get_by_test_id("search").fill("x")
    ours.get_by_test_id("found").get_by_text("⟦None of 1 lines⟧").wait_for()
    assert stray(ours) == []


def test_no_recordings(ours):
    show_recordings(ours, [])
    ours.locator("#empty").wait_for()
    assert stray(ours) == []
    ours.get_by_test_id("find-recordings").fill("HELLO")
    ours.get_by_text("⟦No recording fits. Try another word, or other dates.⟧").wait_for()
    assert stray(ours) == []


def test_a_token_is_asked_for(ours):
    refusal = {"code": 401, "message": "Token validation error", "details": []}
    ours.route("**/api/recordings?*", lambda route: route.fulfill(status=401, json=refusal))
    ours.goto(f"{ours.base}/recordings")
    ours.get_by_test_id("token").fill("x")
    ours.get_by_test_id("unlock").click()
    ours.locator("#key-error:not(:empty)").wait_for()
    assert stray(ours) == []


@pytest.mark.parametrize("card", [0, 1, 3])
def test_a_shared_recording(ours, card):
    ours.route("**/api/shared/*", lambda route: route.fulfill(json=RECORDINGS[card]))
    # The server makes it for real links only.
    ours.route(re.compile("[0-9]/shared/link$"), lambda route: route.fulfill(
        body=(texts.WEB / "shared.html").read_text().replace('lang="en"', f'lang="{OURS}"').replace(
            "<title>Recording ·", "<title>⟦Recording⟧ ·").replace(
            "Chat and transcript", "⟦⟧"), content_type="text/html"))
    ours.goto(f"{ours.base}/shared/link")
    ours.locator("#title:not(:empty)").wait_for()
    assert stray(ours) == []


def test_the_description_of_the_api(ours):
    ours.goto(f"{ours.base}/docs")
    ours.get_by_test_id("call").first.wait_for()
    ours.get_by_test_id("wanted").fill("room")
    for call in range(3):
        ours.get_by_test_id("call").locator("visible=true").nth(call).click()
    assert stray(ours) == []
    ours.get_by_test_id("wanted").fill("nothing has this")
    ours.locator("#empty").wait_for()
    assert stray(ours) == []


@pytest.mark.parametrize("path", [
    "/nowhere", "/rooms/a%20b", "/shared/x", "/hls/nowhere/s/master.m3u8", "/v2/rooms", "/v2/token",
])
def test_an_error(ours, path):
    ours.goto(ours.base + path)
    assert stray(ours) == []
    assert ours.evaluate("document.documentElement.lang") == OURS
    assert axe.faults(ours) == []


def test_without_the_file_scripts_speak_english(ours):
    ours.route("**/assets/texts/*", lambda route: route.abort())
    ours.goto(f"{ours.base}/watch/nobody")
    ours.get_by_role("heading", name="Nothing is on air").wait_for()


def test_english_asks_for_no_texts(browser, our_server):
    asked = []
    with reader(browser, "en-GB,en;q=0.9,de;q=0.8") as page:
        page.on("request", lambda request: asked.append(request.url))
        page.goto(our_server.base)
        page.get_by_test_id("open-room").get_by_text("Open room").wait_for()
        assert page.evaluate("document.documentElement.lang") == "en"
    assert [url for url in asked if "/texts/" in url] == []
    assert any("texts.js" in url for url in asked)


@pytest.mark.parametrize("language", texts.languages())
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_cut(browser, server, language, width):
    """Long words fit into their buttons, and no page is wider than its window."""
    with reader(browser, language, viewport={"width": width, "height": 800}) as page:
        page.base = server.base
        for path in ["/", "/watch/nobody", "/embed/nobody", "/docs", "/nowhere"]:
            page.goto(server.base + path)
            page.wait_for_load_state("networkidle")
            assert cut(page) == [], path
            assert axe.faults(page) == [], path
        show_recordings(page, RECORDINGS)
        page.get_by_test_id("recording").nth(6).wait_for()
        assert cut(page) == []
        assert axe.faults(page) == []
        for action in range(4):
            page.get_by_test_id("more-actions").first.click()
            page.get_by_role("menuitem").nth(action).click()
            page.get_by_test_id("dialog").wait_for()
            assert cut(page) == []
            for height in (360, 800):
                page.set_viewport_size({"width": width, "height": height})
                assert page.evaluate(ACTIONS) == {"inView": True, "coverNothing": True}, height
            page.keyboard.press("Escape")
        page.get_by_test_id("play").first.click()
        page.get_by_test_id("line").first.wait_for()
        assert cut(page) == []
        assert axe.faults(page) == []
        assert page.locator("#theatre-close .icon").bounding_box()["width"] > 10
        page.keyboard.press("Escape")
        # Without a button beside it, the menu is beside the text.
        menu, text = page.get_by_test_id("recording").nth(1).evaluate("""(card) =>
          [".card-more", ".card-text"].map((one) => card.querySelector(one).getBoundingClientRect().top)""")
        assert abs(menu - text) < 20


# Those of a dialog, whose end is scrolled to last.
ACTIONS = """() => {
  const dialog = document.querySelector(".dialog");
  const actions = dialog.querySelector(".dialog-actions");
  const inView = actions.lastElementChild.getBoundingClientRect().bottom <= innerHeight;
  dialog.scrollTop = dialog.scrollHeight;
  const above = actions.previousElementSibling.getBoundingClientRect().bottom;
  return { inView, coverNothing: above <= actions.lastElementChild.getBoundingClientRect().top };
}"""


def cut(page, *names):
    """The texts that do not fit; people's own `names` may end in dots."""
    return page.evaluate("""(names) => {
      const found = [];
      if (document.documentElement.scrollWidth > innerWidth) found.push("the page is too wide");
      for (const node of document.querySelectorAll(
        "button, .button, h1, h2, h3, label, .lamp, p")) {
        if (node.closest(".visually-hidden") || !node.checkVisibility()) continue;
        if (names.includes(node.textContent.trim())) continue;
        if (node.scrollWidth > node.clientWidth + 1 && node.clientWidth > 0) {
          found.push(`${node.tagName}: ${node.textContent.trim()}`);
        }
      }
      return found;
    }""", list(names))


def test_hostile_headers_get_a_page(server):
    for value in ["de" + ";q=0.1" * 200, "x" * 4000, ",".join(["de"] * 500), "../../etc/passwd",
                  ";;;;", "*;q=0, *"]:
        answer = server.http.get("/", headers={"Accept-Language": value})
        assert answer.status == 200 and answer.headers["vary"] == "Accept-Language"
        assert re.search(rb'<html lang="(en|de)">', answer.body)
