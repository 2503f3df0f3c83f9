"""Takes docs/pictures/ from the real binary: the demo's people in a room that is on air.

    make build install-test-dependencies && .venv/bin/python Tests/Tools/take_pictures.py
"""

import contextlib
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "Tests/EndToEnd"))
sys.path.insert(0, str(REPOSITORY / "Tests/AVSync"))

from harness import chromium, tokens  # noqa: E402
from harness.publisher import Publisher  # noqa: E402
from harness.scene import CLIPS  # noqa: E402
from harness.server import Server  # noqa: E402
from harness.signalling import Peer  # noqa: E402
from harness.waiting import wait_for  # noqa: E402

ROOM = "stand-up"
PICTURES = REPOSITORY / "docs/pictures"
PATIENCE = 60  # s for each step

EACH_VIDEO = "() => document.querySelectorAll('video').forEach((video) => video.{}())"

# True if no picture is white at the moment: the clips flash at the start of every second.
NO_FLASH = """() => [...document.querySelectorAll("video")].every((video) => {
  if (video.hidden || video.videoWidth === 0) return true;
  const canvas = document.createElement("canvas");
  canvas.width = 9; canvas.height = 9;
  const context = canvas.getContext("2d");
  context.drawImage(video, 0, 0, 9, 9);
  const { data } = context.getImageData(0, 0, 9, 9);
  let white = 0;
  for (let at = 0; at < data.length; at += 4) {
    if (Math.min(data[at], data[at + 1], data[at + 2]) > 230) white += 1;
  }
  return white < 12; // of 81; a tile of four has some 20
})"""


def published(server, name):
    """A participant who shows a clip."""
    return Publisher(server, ROOM, CLIPS / f"{name.lower()}.webm", name=name)


def say(peer, text):
    peer.call("broadcast", {"info": {"message": text, "type": "chat"}})


def take(page, file):
    """A screenshot taken between the flashes."""

    def stands_without_flash():
        page.evaluate(EACH_VIDEO.format("pause"))
        if page.evaluate(NO_FLASH):
            return True
        page.evaluate(EACH_VIDEO.format("play"))
        return False

    wait_for("a moment without a flash", stands_without_flash, PATIENCE, interval=0.3)
    page.screenshot(path=PICTURES / file)
    page.evaluate(EACH_VIDEO.format("play"))


def take_room(browser, server):
    page = browser.new_context(
        permissions=["camera", "microphone"], viewport={"width": 1280, "height": 760}
    ).new_page()
    token = tokens.room_token(ROOM, user="dora")
    page.goto(f"{server.base}/rooms/{ROOM}?name=Dora Lind&auth_token={token}")
    page.click("[data-testid=preview-camera]")
    page.click("[data-testid=join]")
    page.wait_for_selector("[data-testid=call]")
    wait_for("four tiles", lambda: len(page.evaluate(chromium.TILES)) == 4, PATIENCE)
    for name in ("Ann", "Ben", "Cleo"):
        wait_for(f"{name}'s picture", lambda name=name: page.evaluate(
            f"({chromium.TILES})().find((tile) => tile.name === '{name}').time > 1"), PATIENCE)

    page.click("[data-testid=open-chat]")
    viewer = Peer(server, ROOM, "Eli", role="viewer")
    viewer.join()
    say(viewer, "I can see and hear all of you.")
    page.fill("[data-testid=message]", "Going live now. The watch page is open to everyone.")
    page.press("[data-testid=message]", "Enter")
    viewer.leave()
    page.click("[data-testid=go-live]")
    page.check("[data-testid=dialog] input")  # record the stream, too
    page.click("[data-testid=confirm]")
    lamp = "[data-testid=streaming-state]"
    wait_for("on air", lambda: page.get_attribute(lamp, "data-state") == "started", PATIENCE)
    wait_for("recorded", lambda: page.is_visible("[data-testid=recording-state]"), PATIENCE)
    wait_for("no toast", lambda: page.query_selector(".toast") is None, PATIENCE)
    page.evaluate("() => document.activeElement.blur()")
    take(page, "room.png")


def take_watch(browser, server):
    page = browser.new_context(
        viewport={"width": 1280, "height": 800}, color_scheme="dark"
    ).new_page()
    page.goto(f"{server.base}/watch/{ROOM}")
    page.wait_for_function(
        "() => document.querySelector('video').currentTime > 2", timeout=PATIENCE * 1000
    )
    page.mouse.move(5, 5)
    take(page, "watch.png")


def main():
    PICTURES.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory())
        playwright = stack.enter_context(sync_playwright())
        browser = stack.enter_context(chromium.launched(playwright))
        server = Server(directory)
        stack.callback(server.stop)
        for name in ("Ann", "Ben", "Cleo"):
            stack.enter_context(published(server, name))
        take_room(browser, server)
        take_watch(browser, server)


if __name__ == "__main__":
    main()
