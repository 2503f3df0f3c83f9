"""Invitations: links for guests, viewers and those who watch; and rooms with names in any script."""

import contextlib

import pytest
from harness import axe, tokens
from harness.waiting import wait_for

CAMERA_RATE = 5  # frames/s
TIMEOUT = 60  # s
NAMES = ["한국어", "العربية", "🎉 Party 🎉", "Café"]


@pytest.fixture
def visit(browser):
    """`visit(address)`: a page of somebody new."""
    contexts = []

    def page(address):
        context = browser.new_context(
            permissions=["camera", "microphone", "clipboard-read", "clipboard-write"])
        contexts.append(context)
        page = context.new_page()
        page.errors = []
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.goto(address)
        return page

    yield page
    for context in contexts:
        for page in context.pages:
            assert page.errors == []
        context.close()


def join(page, name):
    page.fill("[data-testid=name]", name)
    page.click("[data-testid=join]")
    page.wait_for_selector("[data-testid=call]:not([hidden])")


def roles(server, room):
    peers = server.manage("GET", f"/active-rooms/{room}/peers").json["peers"].values()
    return {peer["name"]: peer["role"] for peer in peers}


def links(page):
    """By what they are for."""
    page.get_by_role("button", name="Invite").click()
    page.get_by_role("dialog", name="Invite people").wait_for()
    wait_for("the links are there", lambda: page.locator(".invite-links input").count() > 0
             or page.get_by_text("Only a host").count() > 0, TIMEOUT)
    found = {node.get_attribute("aria-label").removeprefix("Link for: "): node.input_value()
             for node in page.locator(".invite-link input").all()}
    return found


def test_who_opens_a_room_hosts_it_and_who_is_invited_does_not(visit, server, room):
    ann = visit(server.base)
    ann.fill("[data-testid=room-id]", room)
    ann.click("[data-testid=open-room]")
    ann.wait_for_url(f"**/rooms/{room}?role=host")
    ann.get_by_text("You are about to join as Host").wait_for()
    join(ann, "Ann")
    found = links(ann)
    assert list(found) == ["Guest", "Viewer", "Watch page"]
    assert found["Watch page"] == f"{server.base}/watch/{room}"
    ann.get_by_role("button", name="Copy: Link for: Guest").click()
    ann.get_by_text("Copied.").wait_for()
    assert ann.evaluate("navigator.clipboard.readText()") == found["Guest"]
    ann.get_by_role("button", name="Done").click()
    for name, kind in [("Ben", "Guest"), ("Cleo", "Viewer")]:
        page = visit(found[kind])
        page.get_by_text(f"You are about to join as {kind}").wait_for()
        join(page, name)
    # The plain address, and the name of a room with people in it.
    dora = visit(f"{server.base}/rooms/{room}")
    wait_for("the roles are known", lambda: dora.locator("#role option").all_inner_texts() == [
        "Guest", "Viewer"], TIMEOUT)
    join(dora, "Dora")
    emil = visit(server.base)
    emil.wait_for_selector(f"[data-room={room}]")
    emil.fill("[data-testid=room-id]", room)
    emil.click("[data-testid=open-room]")
    emil.wait_for_url(f"**/rooms/{room}")
    wait_for("all are there", lambda: roles(server, room) == {
        "Ann": "host", "Ben": "guest", "Cleo": "viewer", "Dora": "guest"}, TIMEOUT)


def test_who_is_quicker_than_the_pages_script_keeps_the_invitation(browser, server, room):
    """On a slow network: the form alone would go to the room's address without its code."""
    with contextlib.closing(browser.new_context()) as context:
        page = context.new_page()
        held = []
        page.route("**/assets/room/room.js", lambda route: held.append(route))
        address = f"{server.base}/rooms/{room}?code=abc-defg-hij"
        page.goto(address, wait_until="commit")
        page.fill("[data-testid=name]", "Ann")
        page.press("[data-testid=name]", "Enter")
        assert page.locator("[data-testid=join]").is_disabled()
        assert page.url == address
        held[0].continue_()
        page.wait_for_function(
            "() => !document.querySelector('[data-testid=join]').disabled")
        assert page.input_value("[data-testid=name]") == "Ann"


@pytest.mark.parametrize("name", NAMES)
def test_a_room_has_a_name_in_any_script(visit, server, name):
    page = visit(server.base)
    page.fill("[data-testid=room-id]", name)
    page.click("[data-testid=open-room]")
    page.wait_for_selector("[data-testid=join]")
    room = page.url.split("/rooms/")[1].split("?")[0]
    shown = {"🎉 Party 🎉": "🎉-party-🎉", "Café": "cafe"}.get(name, name)
    wait_for("it is shown", lambda: page.get_by_test_id("room-title").inner_text() == shown,
             TIMEOUT)
    assert page.title() == f"{shown} · Roomcast"
    join(page, "Ann")
    wait_for("it is shown", lambda: page.locator("#call-title").inner_text() == shown, TIMEOUT)
    other = visit(f"{server.base}/watch/{name.replace(' ', '-')}")
    wait_for("it is led to the room", lambda: other.url == f"{server.base}/watch/{room}", TIMEOUT)
    wait_for("it is shown", lambda: other.get_by_test_id("room-title").inner_text() == shown,
             TIMEOUT)
    other.goto(server.base)
    other.locator(f"[data-room={room}]").get_by_role("heading", name=shown).wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_fault_with_the_invitations(visit, server, room, scheme):
    page = visit(f"{server.base}/rooms/{room}?role=host")
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    join(page, "Ann")
    links(page)
    assert axe.faults(page) == []
    for width in (320, 390, 1280):
        page.set_viewport_size({"width": width, "height": 780})
        assert page.evaluate("""() => [...document.querySelectorAll(".dialog, .dialog *")]
          .filter((node) => node.getBoundingClientRect().right > innerWidth + 0.5)
          .map((node) => node.className)""") == []


def test_a_host_with_a_token_invites_by_codes(visit, closed_server, room):
    server = closed_server

    def enter(name, role):
        token = tokens.room_token(room, user=name.lower(), role=role)
        page = visit(f"{server.base}/rooms/{room}?name={name}&auth_token={token}&skip_preview=true")
        page.wait_for_selector("[data-testid=call]:not([hidden])")
        return page

    found = links(enter("Ann", "host"))
    assert list(found) == ["Guest", "Viewer", "Watch page"]
    assert "?code=" in found["Guest"] and "auth_token" not in "".join(found.values())
    ben = visit(found["Guest"])
    join(ben, "Ben")
    wait_for("Ben is a guest", lambda: roles(server, room).get("Ben") == "guest", TIMEOUT)
    # Whoever is no host can hand on the watch page only.
    assert list(links(ben)) == ["Watch page"]
    ben.get_by_text("Only a host of this room can invite people into it.").wait_for()
    wrong = visit(f"{server.base}/rooms/{room}?code=abc-defg-hij")
    wrong.fill("[data-testid=name]", "Eve")
    wrong.click("[data-testid=join]")
    wrong.get_by_text("Room code not found. Check the link").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_where_only_the_invited_enter_the_home_page_says_so(visit, closed_server, room, scheme):
    """A form would lead to a closed door."""
    token = tokens.room_token(room, user="ann", role="host")
    ann = visit(f"{closed_server.base}/rooms/{room}?name=Ann&auth_token={token}&skip_preview=true")
    ann.wait_for_selector("[data-testid=call]:not([hidden])")
    page = visit(closed_server.base)
    page.emulate_media(color_scheme=scheme)
    page.get_by_role("heading", name="You need a link to enter a room").wait_for()
    assert not page.is_visible("[data-testid=open-room]")
    assert page.get_attribute("[data-testid=operator]", "href") == "/admin#access"
    # Others see that the room is there, and have no door to it.
    card = page.locator(f"[data-room={room}]")
    card.wait_for()
    assert not card.get_by_test_id("join-link").is_visible()
    assert axe.faults(page) == []
    page.set_viewport_size({"width": 320, "height": 780})
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 320
    # Nor does the room's own page offer what it would refuse.
    page.goto(f"{closed_server.base}/rooms/{room}")
    page.get_by_text("Only those who are invited may enter here.").wait_for()
    assert not page.is_visible("[data-testid=join]") and not page.is_visible("[data-testid=role]")
    assert axe.faults(page) == []


@pytest.fixture(scope="module")
def closed_server(binary, tmp_path_factory):
    """Whose pages give tokens to nobody."""
    from harness.server import Server

    server = Server(tmp_path_factory.mktemp("closed"),
                    settings={"ROOMCAST_PAGES_OPEN_TOKENS": "false"})
    yield server
    assert server.stop() == 0, server.tail()
