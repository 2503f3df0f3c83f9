"""The room, its studio and the operator's page in the reader's language, in every state."""

import calendar

import pytest
from harness import axe, pictures, texts, tokens
from harness.assets import segments, start
from harness.room_world import World, question, run_poll
from harness.waiting import wait_for
from test_admin import PASSWORD, SECTIONS, set_password
from test_languages import OURS, OWN, STRAY, cut, our_server, reader  # noqa: F401 (a fixture)

CAMERA_RATE = 5  # frames/s
TIMEOUT = 90  # s
HAND = "_handraise"
DEVICES = """() => navigator.mediaDevices.enumerateDevices().then(
  (all) => all.map(({ label }) => label).filter(Boolean))"""
# People's names have no letters, since the language of a name is its own.
HOST, GUEST = "1", "2"


class Visitor:
    """Somebody on a page whose texts are looked at, state by state. `own`: foreign words."""

    def __init__(self, page, own):
        self.page = page
        self.own = sorted([*OWN, *own], key=len, reverse=True)

    def node(self, name):
        return self.page.get_by_test_id(name)

    def press(self, name, number=0):
        self.node(name).locator("visible=true").nth(number).click()

    def choose(self, number):
        """From the open menu."""
        self.page.get_by_role("menuitem").nth(number).click()

    def looks(self, what, own=()):
        assert self.page.evaluate(STRAY, [[*self.own, *own]]) == [], what

    def refuses(self, what, own=()):
        """A dialog, after a look."""
        self.node("dialog").wait_for()
        self.looks(what, own)
        self.press("refuse" if self.node("refuse").count() else "confirm")
        self.node("dialog").wait_for(state="detached")

    def is_told(self, words):
        self.page.locator(".toast").filter(has_text=words).first.wait_for()


@pytest.fixture
def world(our_server, browser, room):  # noqa: F811
    world = World(our_server, room, browser, is_firefox=False)
    yield world
    world.close()


@pytest.fixture
def visit(world):
    """`visit(path)`: a person of our language there."""
    def visit(path):
        page = world.page(  # no colour in between, of which axe would tell
            extra_http_headers={"Accept-Language": OURS}, reduced_motion="reduce").page
        page.set_default_timeout(TIMEOUT * 1000)
        page.goto(world.server.base + path)
        address = world.server.base.removeprefix("http://")
        pages = [f"{address}/{kind}/{world.room}" for kind in ("watch", "embed", "rooms")]
        return Visitor(page, [*pages, world.room, *page.evaluate(DEVICES)])

    return visit


@pytest.fixture
def host(visit, world):
    token = tokens.room_token(world.room, user="one", role="host")
    host = visit(f"/rooms/{world.room}?name={HOST}&auth_token={token}&skip_preview=true")
    host.page.locator("#call").wait_for()
    return host


def test_the_entrance(visit, world):
    visitor = visit(f"/rooms/{world.room}")
    visitor.page.locator("#preview-status").filter(has_text="⟦").wait_for()
    visitor.looks("entrance")
    assert axe.faults(visitor.page) == []
    visitor.press("preview-camera")
    visitor.looks("without a camera")
    refused = visit(f"/rooms/{world.room}?name={HOST}&auth_token=x&skip_preview=true")
    # The server's own reason names what is wrong with the token.
    refused.node("join-error").filter(has_text="⟦The link is not valid any more.").wait_for()


def test_people_and_messages(world, host):
    host.looks("alone")
    guest = world.connect(GUEST, tracks=["a1", "v1", "s1"])
    mine = wait_for("the host is listed", lambda: guest.call(
        "peer-name-search", {"query": HOST})["result"]["peers"], TIMEOUT)[0]["peer_id"]
    assert "result" in guest.call("group-join", {"name": HAND})
    host.page.locator(f"[data-testid=tile][data-name='{GUEST}']").first.wait_for()
    host.is_told("⟦2 raised a hand⟧")
    host.looks("stage")
    host.press("open-chat")
    for private in ({}, {"peer_id": mine}):
        guest.call("broadcast", {"info": {"message": "3", "type": "chat"}, **private})
    host.node("chat-message").nth(1).wait_for()
    host.press("reply", 1)
    host.looks("reply to a private message")
    host.node("message").fill("4")
    host.page.keyboard.press("Enter")
    host.node("chat-message").nth(2).wait_for()
    host.looks("own message")
    host.node("delete-message").last.click()
    host.refuses("deletion of a message")
    host.press("emoji-button")
    host.node("emoji-search").fill("heart")
    host.looks("emoji")
    host.node("emoji-search").fill("7")
    host.looks("no emoji")
    host.page.keyboard.press("Escape")
    host.press("tab-people")
    host.looks("people")
    # The guest, whose hand is raised, is the first.
    host.press("person-menu", 1)
    host.looks("own menu")
    host.choose(-1)
    host.refuses("own name")
    for number, what in ((-2, "role"), (-1, "removal")):
        host.press("person-menu")
        host.looks("menu of a person")
        host.choose(number)
        host.refuses(what)
    host.press("change-roles")
    host.refuses("roles")
    guest.leave()
    host.is_told("⟦2 left⟧")
    host.looks("after a departure")


def test_polls(world, host):
    guest = world.connect(GUEST, role="host")
    run_poll(guest, question("5", "single-choice", "6", "7"), question("8", "short-answer"),
             title="9")
    host.is_told("⟦2 asks: 9⟧")
    host.looks("news of a poll")
    host.press("open-polls")
    host.node("poll").wait_for()
    host.looks("a poll")
    host.press("new-poll")
    host.page.locator("#poll-form [type=checkbox]").first.check()
    host.looks("the form for a quiz")
    host.node("poll-title").fill("3")
    host.node("poll-question").fill("3")
    for number in range(2):
        host.node("poll-option").nth(number).fill(str(number))
    host.page.locator(".poll-right [type=checkbox]").first.check()
    host.press("start-poll")
    host.node("poll").nth(1).wait_for()
    quiz = host.node("poll").filter(has=host.page.locator("h3", has_text="3"))
    quiz.locator("[type=radio]").first.check()
    quiz.locator("[type=submit]").click()
    quiz.get_by_test_id("poll-bar").first.wait_for()
    host.looks("an answer")
    quiz.get_by_test_id("stop-poll").click()
    quiz.get_by_test_id("poll-standing").wait_for()
    host.looks("standings")


def test_dialogs_and_the_way_out(host):
    # Keys are the same letters.
    for opener, own in (("invite", ()), ("shortcuts", ("Esc", *"MVSHRCPL")), ("devices", ())):
        host.press(opener)
        if opener == "invite":
            host.node("invite-guest").wait_for()
        host.refuses(opener, own)
    for name in ("microphone", "camera", "hand", "speaker-view"):
        host.press(name)
    host.looks("everything the other way round")
    host.press("react")
    host.looks("reactions")
    host.page.keyboard.press("Escape")
    host.press("leave")
    host.looks("the menu of leaving")
    host.press("end-room")
    host.refuses("the end of the room")
    host.press("leave")
    host.press("leave-now")
    host.node("farewell").wait_for()
    host.looks("farewell")


def test_the_studio_on_air(world, host):
    host.press("open-studio")
    host.looks("studio")
    for name in ("grid", "speaker", "screen", "pip", "single"):
        host.press(f"layout-{name}")
        host.looks(name)
    host.press("studio-air")
    host.node("dialog").wait_for()
    host.page.locator("dialog [type=checkbox]").check()
    host.looks("the question before a stream")
    host.press("confirm")
    host.looks("starting")
    host.page.locator("#lamp[data-phase=live]").wait_for()
    host.page.locator(".studio-head[data-mood=good], .studio-head[data-mood=lack]").wait_for()
    host.press("studio-record")
    host.node("studio-pause-room").wait_for()
    host.page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    host.node("marker-text").fill("3")
    host.press("marker")
    host.node("marker-state").filter(has_text="⟦").wait_for()
    for name, content in (("background", b"4"), ("watermark", pictures.solid("lime"))):
        host.node(f"{name}-file").set_input_files(
            {"name": "4", "mimeType": "image/png", "buffer": content})
    host.node("background-fault").filter(has_text="⟦").wait_for()
    host.node("watermark-remove").wait_for()
    host.node("watermark-news").filter(has_text="⟦").wait_for()
    host.looks("on air")
    assert axe.faults(host.page) == []
    host.press("studio-pause")
    host.page.locator("#recording-lamp[data-phase=paused], #recording-lamp").first.wait_for()
    host.press("studio-copy")
    host.looks("with a paused recording")
    host.press("studio-air")
    host.node("dialog").wait_for()
    host.looks("the question before the end")
    host.press("confirm")
    host.looks("ending")


@pytest.fixture
def office(visit, world, binary):
    """The operator's page, with a stream on air and a person in its room."""
    assert set_password(binary, world.server, PASSWORD).returncode == 0
    world.connect(GUEST, tracks=["a1", "v1", "s1"])
    segments(world.server, start(world.server, world.room), 2)
    office = visit("/admin")
    office.node("login").wait_for()
    office.own.append(office.page.locator("#version").inner_text())
    office.looks("login")
    office.page.keyboard.type("1")
    office.page.keyboard.press("Enter")
    office.page.locator("#login-error").filter(has_text="⟦").wait_for()
    office.looks("a wrong password")
    office.node("password").fill(PASSWORD)
    office.page.keyboard.press("Enter")
    office.node("office").wait_for()
    return office


def test_the_operators_page(world, office):
    # Names of roles and of settings, values and ids are no sentences; no browser has our months.
    found = office.page.evaluate("""async () => {
      const headers = { "X-Roomcast-Admin": "1" };
      const ask = (path) => fetch(`/admin/api/${path}`, { headers }).then((one) => one.json());
      const [settings, streams, recordings, rooms, known] = await Promise.all(
        ["settings", "streams", "recordings", "rooms", "v2/rooms?limit=100"].map(ask));
      return [...settings.data.flatMap(({ name, value, origin }) => [name, value, origin]),
        ...[...streams.data, ...recordings.data].flatMap(({ id, room_id: room }) => [id, room]),
        ...[...rooms.data, ...known.data].flatMap(({ id, name }) => [id, name]),
      ].filter(Boolean);
    }""")
    found += [*calendar.month_abbr[1:], "guest", "viewer"]
    office.own = sorted({*office.own, *found}, key=len, reverse=True)
    for section in SECTIONS:
        office.page.evaluate("(name) => { location.hash = name; }", f"#{section}")
        office.page.wait_for_load_state("networkidle")
        office.page.wait_for_function("document.querySelector('#title').textContent !== ''")
        office.looks(section)
        assert axe.faults(office.page) == [], section
        if section == "streams":
            for name in ("layout", "stop"):
                office.press(name)
                office.refuses(name)
        if section == "rooms":
            for number in range(3):
                office.page.locator("[data-testid=room] button").nth(number).click()
                office.refuses(f"rooms {number}")
        if section == "access":
            office.node("new-room").fill("7")
            office.press("make-room")
            office.node("code").first.wait_for()
            office.own += office.page.locator("[data-testid=code] code").all_inner_texts()
            office.looks("the links of a room")
            office.node("code").first.get_by_role("button").last.click()
            office.looks("a link that is disabled")
    office.press("logout")
    office.node("login").wait_for()
    office.looks("after logging out")


@pytest.mark.parametrize("language", texts.languages())
@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_cut_in_the_room(browser, server, connect, room, language, width):
    """Long words fit into their buttons, and on a wide screen the controls are in one row."""
    token = tokens.room_token(room, user="one", role="host")
    options = {"viewport": {"width": width, "height": 800}, "reduced_motion": "reduce",
               "permissions": ["camera", "microphone"]}
    with reader(browser, language, **options) as page:
        page.set_default_timeout(TIMEOUT * 1000)
        page.goto(f"{server.base}/rooms/{room}")
        assert cut(page, room) == []
        page.goto(f"{server.base}/rooms/{room}?name=Ann&auth_token={token}&skip_preview=true")
        page.locator("#call").wait_for()
        assert cut(page, room) == []
        for panel in ("chat", "people", "polls", "studio"):
            page.locator(f"#open-{panel}").evaluate("(button) => button.click()")
            assert cut(page, room) == [], panel
            assert axe.faults(page) == [], panel
        guest = connect("Bernadette Kowalski")
        guest.join()
        guest.call("broadcast", {"info": {"message": "3", "type": "chat"}, "roles": ["host"]})
        page.locator("#open-chat").evaluate("(button) => button.click()")
        page.get_by_test_id("message-mark").wait_for()
        # Name and mark are in one line each, above the other if need be.
        assert page.locator(".message-name, .message-mark").evaluate_all(
            "(all) => all.map((one) => one.getClientRects().length * one.clientHeight < 30)"
        ) == [True, True]
        # The longest words: on air, and recorded.
        words = texts.languages()[language]
        page.evaluate("""([record, live]) => {
          document.querySelector("#record-text").textContent = record;
          document.querySelector("#go-live-text").textContent = live;
        }""", [words["End recording"], words["End stream"]])
        assert cut(page, room) == []
        rows = page.evaluate("""() => new Set([...document.querySelectorAll("#controls button")]
          .filter((one) => one.checkVisibility())
          .map((one) => Math.round(one.getBoundingClientRect().bottom))).size""")
        assert rows <= 2 if width < 500 else rows == 1
