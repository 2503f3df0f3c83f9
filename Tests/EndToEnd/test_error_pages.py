"""What a person reads whose address leads nowhere, and what programs are told of the pages."""

import re

import pytest
from harness import axe, tokens
from harness.http import path_of
from harness.waiting import wait_for

TIMEOUT = 60  # s
WRONG = [
    ("/nowhere", 404, "There is nothing here"),
    ("/rooms/a%20b", 404, "There is no such room"),
    ("/watch/%E2%80%AE", 404, "There is no such room"),
    ("/shared/x", 403, "This link does not work"),
    ("/recordings/x/y.mp4", 403, "This link does not work"),
    ("/hls/nowhere/s/master.m3u8", 404, "There is nothing here"),
    ("/v2/rooms", 401, "This page needs a token"),
    ("/v2/token", 405, "This address is not for browsers"),
]


@pytest.fixture(params=["light", "dark"])
def page(request, browser):
    context = browser.new_context(color_scheme=request.param)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize(("path", "status", "title"), WRONG)
def test_it_is_said_in_words_what_is_wrong(page, server, path, status, title):
    answer = page.goto(f"{server.base}{path}")
    assert answer.status == status
    page.get_by_role("heading", name=title).wait_for()
    assert page.get_by_role("link", name="Go to the home page").is_visible()
    assert axe.faults(page) == []
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    # A program is told the same in its own form.
    program = server.http.get(path)
    assert program.status == status and program.json["code"] == status


def test_a_room_that_is_closed_says_so(page, server, room, connect):
    connect("Ann", role="host").join()
    assert server.manage("POST", f"/rooms/{room}", {"enabled": False}).status == 200
    assert page.goto(f"{server.base}/rooms/{room}").status == 403
    page.get_by_role("heading", name="This room is closed").wait_for()
    # Whoever comes with a token is told at the door.
    token = tokens.room_token(room, user="ben", role="guest")
    page.goto(f"{server.base}/rooms/{room}?auth_token={token}&name=Ben")
    page.click("[data-testid=join]")
    page.get_by_test_id("join-error").get_by_text(
        "Room is disabled. Try again later, or ask whoever hosts the room.").wait_for()
    assert server.manage("POST", f"/rooms/{room}", {"enabled": True}).status == 200
    assert page.goto(f"{server.base}/rooms/{room}").status == 200


def test_a_full_room_says_so(page, server, connect):
    made = server.manage("POST", "/rooms", {"name": "full-house", "size": 1}).json
    connect("Ann", room=made["id"]).join()
    token = tokens.room_token(made["id"], user="ben", role="guest")
    page.goto(f"{server.base}/rooms/{made['id']}?auth_token={token}&name=Ben")
    page.click("[data-testid=join]")
    wait_for("it is said", lambda: page.get_by_test_id("join-error").inner_text().startswith(
        "The room is full"), TIMEOUT)


def test_a_room_that_was_never_made_is_missing_where_rooms_have_to_be(page, strict_server):
    assert page.goto(f"{strict_server.base}/rooms/never-made").status == 404
    page.get_by_role("heading", name="There is no such room").wait_for()


@pytest.fixture(scope="module")
def strict_server(binary, tmp_path_factory):
    from harness.server import Server

    server = Server(tmp_path_factory.mktemp("strict"),
                    settings={"ROOMCAST_ROOMS_OPEN_ON_JOIN": "false"})
    yield server
    assert server.stop() == 0, server.tail()


@pytest.mark.parametrize("path", ["/rooms/hall", "/watch/hall", "/embed/hall"])
def test_whoever_shows_a_link_finds_its_title_and_a_picture(server, path):
    text = server.http.get(path).body.decode()
    assert '<meta property="og:title" content="hall">' in text
    assert '<meta name="twitter:card" content="summary_large_image">' in text
    assert "<title>hall · Roomcast</title>" in text
    assert f'<meta property="og:image" content="{server.base}/assets/common/card.png">' in text
    picture = server.http.get("/assets/common/card.png")
    assert picture.status == 200 and picture.headers["content-type"] == "image/png"


def test_while_a_stream_is_on_air_the_picture_is_what_it_shows(server, room):
    stream = server.start_stream(room)
    server.wait_for_status(stream["id"], "running", TIMEOUT)
    text = server.http.get(f"/watch/{room}").body.decode()
    address, = re.findall(r'property="og:image" content="([^"]+)"', text)
    assert address == f"{server.base}/watch/{room}/picture.jpg?stream={stream['id']}"
    # A bot that has just begun may need more time for one than a request waits.
    wait_for("there is a picture",
             lambda: server.http.get(path_of(address)).status == 200, TIMEOUT, interval=1)
    picture = server.http.get(path_of(address))
    assert picture.status == 200 and picture.headers["content-type"] == "image/jpeg"
    assert picture.body.startswith(b"\xff\xd8") and picture.body.endswith(b"\xff\xd9")
    assert picture.headers["cache-control"] == "public, max-age=60"
    # The same one for all who ask soon.
    assert server.http.get(path_of(address)).body == picture.body
    server.stop_stream(room)
    server.wait_for_status(stream["id"], "completed", TIMEOUT)
    gone = server.http.get(path_of(address))
    assert gone.status == 302 and gone.headers["location"] == "/assets/common/card.png"
