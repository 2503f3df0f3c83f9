"""The page that shows the API to people."""

import json
import os
import subprocess

import pytest

from harness import axe, tokens
from harness.cases import case
from harness.waiting import wait_for

CALLS = """() => [...document.querySelectorAll("[data-testid=call]")].map((call) => ({
  id: call.id, isShown: !call.hidden && !call.closest("section").hidden, isOpen: call.open,
  method: call.querySelector(".call-method").textContent,
  path: call.querySelector(".call-path").textContent }))"""
OPEN_ALL = """async () => {
  for (const call of document.querySelectorAll("[data-testid=call]")) call.open = true;
  await new Promise((resolve) => setTimeout(resolve));
  return Object.fromEntries([...document.querySelectorAll("[data-testid=call]")].map((call) =>
    [call.id, call.querySelector("pre").textContent]));
}"""
# Which elements are wider than the window.
TOO_WIDE = """() => [...document.querySelectorAll("main *")].filter((node) =>
  !node.closest("pre") && node.getBoundingClientRect().right > innerWidth + 1)
  .map((node) => node.outerHTML.slice(0, 80))"""
# These take no token.
TOKENLESS = {"exchangeRoomCode", "getHealth", "getReadiness", "getPageConfiguration",
             "getSharedRecording", "getUploadedPicture", "makeRoomToken", "openAdminSession"}
METHODS = ("get", "post", "put", "patch", "delete")
PHONE = {"width": 390, "height": 844}


@pytest.fixture
def docs(browser, server):
    """`docs()`: the page in a window of its own."""
    contexts, faults = [], []

    def docs(path="/docs", **options):
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda message: message.type == "error" and faults.append(message.text))
        page.goto(server.base + path)
        page.wait_for_selector("[data-testid=call]")
        return page

    yield docs
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture(scope="module")
def described(server):
    paths = server.http.get("/openapi.json").json["paths"]
    return {item[method]["operationId"]: (method.upper(), path)
            for path, item in paths.items() for method in METHODS if method in item}


def shown(page):
    return {call["id"] for call in page.evaluate(CALLS) if call["isShown"]}


def test_it_shows_every_call_with_a_command_that_works(docs, described, server, tmp_path):
    page = docs()
    calls = page.evaluate(CALLS)
    assert {call["id"]: (call["method"], call["path"]) for call in calls} == described
    assert not any(call["isOpen"] for call in calls)
    commands = page.evaluate(OPEN_ALL)
    (tmp_path / ".curlrc").write_text("silent\nfail\n")
    for call in ("getHealth", "createRoom", "listRooms", "listAssets", "getPageConfiguration",
                 "createTemplate", "createGroupCall", "makeRoomToken"):
        with case(call):
            done = subprocess.run(
                ["bash", "-c", commands[call]], capture_output=True, text=True, check=True,
                env=os.environ | {"token": tokens.management_token(), "CURL_HOME": str(tmp_path)})
            assert isinstance(json.loads(done.stdout), dict)
    for call, command in commands.items():
        with case(call):
            subprocess.run(["bash", "-n", "-c", command], check=True)
            assert ("$token" in command) == (call not in TOKENLESS)


def test_an_address_opens_a_call(docs):
    page = docs("/docs#startLiveStream")
    opened = [call["id"] for call in page.evaluate(CALLS) if call["isOpen"]]
    assert opened == ["startLiveStream"]
    card = page.locator("#startLiveStream")
    assert card.bounding_box()["y"] < 100
    text = card.inner_text()
    for part in ("segment_seconds", "0.5 to 10", "ts · cmaf · both", "Idempotency-Key", "Errors"):
        assert part in text
    # Another one, while the page shows others only.
    page.fill("[data-testid=wanted]", "webhook")
    assert "endRoom" not in shown(page)
    page.evaluate("() => { location.hash = '#endRoom'; }")
    page.wait_for_selector("#endRoom[open]")
    assert page.locator("[data-testid=wanted]").input_value() == ""
    assert page.evaluate("() => document.activeElement.parentElement.id") == "endRoom"


def test_a_search_finds_calls_by_paths_words_and_fields(docs):
    page = docs()
    page.keyboard.press("Tab")
    for wanted, found in (("room-codes code", {"updateRoomCode"}),
                          ("segment_seconds", {"startLiveStream"}),
                          ("getHealth", {"getHealth"}), ("xyzzy", set())):
        page.fill("[data-testid=wanted]", wanted)
        calls = shown(page)
        assert found <= calls and len(calls) < 10, calls
        word = "1 call" if len(calls) == 1 else f"{len(calls)} calls"
        assert page.inner_text("[data-testid=found]") == word
        assert page.is_visible("#empty") == (not calls)
    page.fill("[data-testid=wanted]", "")
    assert len(shown(page)) > 80 and page.inner_text("[data-testid=found]") == ""


def test_the_keyboard_is_enough(docs):
    page = docs()
    page.fill("[data-testid=wanted]", "getHealth")
    page.focus("#getHealth summary")
    page.keyboard.press("Enter")
    # What is inside is made when it opens.
    page.wait_for_selector("#getHealth[open] [data-testid=copy]")
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.dataset.testid") == "link"
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.tagName") == "PRE"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_function("""() => /Copied|Press/.test(
      document.querySelector("#getHealth [data-testid=copy]").textContent)""")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, {"width": 1280, "height": 800}], ids=["phone", "desk"])
def test_axe_finds_no_fault_with_it_and_it_fits(docs, scheme, size):
    page = docs(color_scheme=scheme, viewport=size)
    page.evaluate(OPEN_ALL)
    assert page.evaluate(TOO_WIDE) == []
    # All of them would take axe minutes.
    page.evaluate("""(few) => {
      for (const call of document.querySelectorAll("[data-testid=call]")) {
        call.open = few.includes(call.id);
        call.hidden = !call.open;
      }
    }""", ["startLiveStream", "removeOutput", "createTemplate", "listEvents", "getMetrics"])
    assert axe.faults(page) == []


def test_firefox_shows_it_too(firefox_outside, server, described):
    firefox_outside.navigate(f"{server.base}/docs#startLiveStream")
    is_open = """() => document.querySelector("#startLiveStream[open] pre") !== null"""
    wait_for("it is open", lambda: firefox_outside.evaluate(is_open), 60)
    calls = firefox_outside.evaluate(CALLS)
    assert {call["id"] for call in calls} == set(described)


def test_the_first_page_leads_there(docs, server):
    page = docs()
    page.goto(server.base)
    page.click("footer >> text=API")
    page.wait_for_selector("[data-testid=call]")
