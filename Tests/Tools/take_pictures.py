"""Takes docs/pictures/ from the real binary: the demo's people in a room that is on air.

    make build install-test-dependencies && .venv/bin/python Tests/Tools/take_pictures.py
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "Tests/EndToEnd"))

from harness import chromium, tokens  # noqa: E402
from harness.server import Server  # noqa: E402
from harness.waiting import wait_for  # noqa: E402

ROOM = "stand-up"
PICTURES = REPOSITORY / "docs/pictures"
LINES = [("Ann", "Everybody ready?"), ("Ben", "Ready."),
         ("Dora Lind", "Going live now. The watch page is open to everyone.")]


def camera_file(name, directory):
    """Some seconds of a clip, without its flashes, as Chromium's fake camera reads them."""
    file = Path(directory) / f"{name}.mjpeg"
    clip = REPOSITORY / "fixtures/media" / f"{name}.webm"
    select = "select='gte(mod(n,30),3)',fps=15,scale=1280:720"
    subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", str(clip), "-t", "8", "-vf", select,
                    "-q:v", "3", str(file)], check=True)
    return file


def enter(playwright, server, name, file=None):
    arguments = list(chromium.ARGUMENTS)
    if file:
        arguments.append(f"--use-file-for-fake-video-capture={file}")
    browser = playwright.chromium.launch(
        executable_path=chromium.EXECUTABLE, args=arguments
    )
    context = browser.new_context(
        permissions=["camera", "microphone"], viewport={"width": 1280, "height": 760}
    )
    page = context.new_page()
    token = tokens.room_token(ROOM, user=name.split()[0].lower())
    page.goto(f"{server.base}/rooms/{ROOM}?name={name}&auth_token={token}")
    if not file:
        page.click("[data-testid=preview-camera]")
    page.click("[data-testid=join]")
    page.wait_for_selector("[data-testid=call]")
    return page


def main():
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as directory, sync_playwright() as playwright:
        server = Server(directory)
        try:
            people = {"Dora Lind": enter(playwright, server, "Dora Lind")}
            for name in ("ann", "ben", "cleo"):
                file = camera_file(name, directory)
                people[name.capitalize()] = enter(playwright, server, name.capitalize(), file)
            host = people["Dora Lind"]
            host.click("[data-testid=go-live]")
            lamp = "[data-testid=streaming-state]"
            wait_for("on air", lambda: host.get_attribute(lamp, "data-state") == "started", 20)
            for name, text in LINES:
                people[name].click("[data-testid=open-chat]")
                people[name].fill("[data-testid=message]", text)
                people[name].press("[data-testid=message]", "Enter")
            # Until the last toast has gone.
            wait_for("no toast", lambda: host.query_selector(".toast") is None, 20)
            host.evaluate("() => document.activeElement.blur()")
            host.screenshot(path=PICTURES / "room.png")

            viewer = host.context.browser.new_context(
                viewport={"width": 1280, "height": 800}, color_scheme="dark"
            ).new_page()
            viewer.goto(f"{server.base}/watch/{ROOM}")
            viewer.wait_for_function(
                "() => document.querySelector('video').currentTime > 2", timeout=30_000
            )
            viewer.mouse.move(5, 5)
            viewer.screenshot(path=PICTURES / "watch.png")
        finally:
            server.stop()


if __name__ == "__main__":
    main()
