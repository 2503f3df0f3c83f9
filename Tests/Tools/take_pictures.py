"""Takes docs/pictures/ from the real binary: the demo's people in a room that goes on air.

    make build install-test-dependencies && .venv/bin/python Tests/Tools/take_pictures.py
"""

import contextlib
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "Tests/EndToEnd"))
sys.path.insert(0, str(REPOSITORY / "Tests/AVSync"))

from harness import chromium, newcomer, tokens  # noqa: E402
from harness.publisher import Publisher  # noqa: E402
from harness.server import BINARY, Server  # noqa: E402
from harness.signalling import Peer  # noqa: E402
from harness.waiting import wait_for  # noqa: E402

ROOM = "stand-up"
PICTURES = REPOSITORY / "docs/pictures"
PEOPLE = REPOSITORY / "fixtures/people"
PATIENCE = 60  # s for each step
CALM = 180  # s until the machine has the time for it
CHART_POINTS = 12  # one in ten seconds

def published(server, name):
    """A participant who shows a clip."""
    return Publisher(server, ROOM, PEOPLE / f"{name.lower()}.webm", name=name)


def say(peer, text):
    peer.call("broadcast", {"info": {"message": text, "type": "chat"}})


class Film:
    """A moving picture of a page."""

    WIDTH = 880  # pixels
    INTERVAL = 0.12  # s

    def __init__(self, page, folder):
        self.page = page
        self.folder = Path(folder)
        self.shots = []  # (file, s since the beginning)
        self.began = time.monotonic()

    def run(self, seconds):
        end = time.monotonic() + seconds
        while (now := time.monotonic()) < end:
            file = self.folder / f"{len(self.shots):04}.png"
            self.page.screenshot(path=file)
            self.shots.append((file, now - self.began))
            time.sleep(max(0, now + self.INTERVAL - time.monotonic()))

    def save(self, path):
        lines = []
        for (file, at), (_, after) in zip(self.shots, self.shots[1:]):
            lines += [f"file '{file}'", f"duration {after - at:.3f}"]
        (self.folder / "shots.txt").write_text("\n".join(lines) + "\n")
        subprocess.run(
            ["ffmpeg", "-v", "error", "-y", "-f", "concat", "-safe", "0",
             "-i", str(self.folder / "shots.txt"), "-vf", f"scale={self.WIDTH}:-2:flags=lanczos",
             "-fps_mode", "vfr", "-c:v", "libwebp_anim", "-quality", "55", "-loop", "0", str(path)],
            check=True)


def take_room(browser, server, folder):
    page = browser.new_context(
        permissions=["camera", "microphone"], viewport={"width": 1280, "height": 760}
    ).new_page()
    token = tokens.room_token(ROOM, user="dora")
    page.goto(f"{server.base}/rooms/{ROOM}?name=Dora Lind&auth_token={token}")
    page.click("[data-testid=preview-camera]")
    page.click("[data-testid=preview-microphone]")
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
    wait_for("no toast", lambda: page.query_selector(".toast") is None, PATIENCE)
    film = Film(page, folder)
    film.run(2)
    page.click("[data-testid=go-live]")
    film.run(1)
    page.check("[data-testid=dialog] input")  # record the stream, too
    film.run(1)
    page.click("[data-testid=confirm]")
    lamp = "[data-testid=streaming-state]"
    film.run(6)
    wait_for("on air", lambda: page.get_attribute(lamp, "data-state") == "started", PATIENCE)
    wait_for("recorded", lambda: page.is_visible("[data-testid=recording-state]"), PATIENCE)
    wait_for("no toast", lambda: page.query_selector(".toast") is None, PATIENCE)
    film.run(3)
    film.save(PICTURES / "live.webp")
    return page


def save(page, name):
    """A picture of a page, a fifth of a PNG's size."""
    with tempfile.NamedTemporaryFile(suffix=".png") as file:
        page.screenshot(path=file.name)
        subprocess.run(["ffmpeg", "-v", "error", "-y", "-i", file.name, "-c:v", "libwebp",
                        "-quality", "82", str(PICTURES / f"{name}.webp")], check=True)


def take_studio(page):
    """Of the host who is on air: it has opened by itself."""
    wait_for("the studio's preview", lambda: page.evaluate(
        "() => document.querySelector('[data-testid=preview-image]')?.naturalWidth > 0"), PATIENCE)
    wait_for("its viewers", lambda: "1" in page.inner_text("[data-testid=studio-viewers]"), PATIENCE)
    page.evaluate("() => document.activeElement.blur()")
    page.mouse.move(5, 5)
    wait_for("a machine that keeps up",
             lambda: "all is well" in page.inner_text("[data-testid=studio-health]"), CALM)
    save(page, "studio")


def office(browser, server, scheme="light"):
    page = browser.new_context(
        viewport={"width": 1280, "height": 800}, color_scheme=scheme).new_page()
    page.goto(f"{server.base}/admin")
    page.fill("[data-testid=password]", newcomer.PASSWORD)
    page.press("[data-testid=password]", "Enter")
    page.wait_for_selector("[data-testid=office]")
    return page


def take_admin(browser, server):
    """While the room is on air: once its figures and the charts are there."""
    page = office(browser, server)
    wait_for("the charts", lambda: all(
        line.count("L") >= CHART_POINTS for line in page.eval_on_selector_all(
            ".chart-line", "(lines) => lines.map((line) => line.getAttribute('d') ?? '')")),
        30 * CHART_POINTS)
    save(page, "admin")
    page.click("text=Streams")
    page.wait_for_selector("[data-testid=stop]")
    wait_for("the stream's figures", lambda: " cores" in page.inner_text("[data-testid=stream]"),
             PATIENCE)
    save(page, "streams")
    page.click("text=Access")
    page.fill("[data-testid=new-room]", "all-hands")
    page.click("[data-testid=make-room]")
    page.wait_for_selector("[data-testid=open-viewer]")
    wait_for("no toast", lambda: page.query_selector(".toast") is None, PATIENCE)
    save(page, "links")


def take_recordings(browser, server):
    """Once the stream is over, and its files are made."""
    stream, = server.stop_stream(ROOM)
    server.wait_for_status(stream["id"], "completed", PATIENCE)
    page = browser.new_context(
        viewport={"width": 1280, "height": 800}, color_scheme="dark").new_page()
    page.add_init_script("sessionStorage.setItem('roomcast-management-token', "
                         f"'{tokens.management_token()}')")
    page.goto(f"{server.base}/recordings")
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(1000)  # for pictures that are faded in
    save(page, "recordings")


def take_watch(browser, server):
    page = browser.new_context(
        viewport={"width": 1280, "height": 800}, color_scheme="dark"
    ).new_page()
    page.goto(f"{server.base}/watch/{ROOM}")
    page.wait_for_function(
        "() => document.querySelector('video').currentTime > 2", timeout=PATIENCE * 1000
    )
    page.mouse.move(5, 5)
    wait_for("the best layer, and a machine that keeps up", lambda: "720p" in page.inner_text("main")
             and page.query_selector("[data-testid=live-badge][data-lack]") is None, CALM)
    page.screenshot(path=PICTURES / "watch.png")


def main():
    PICTURES.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory())
        playwright = stack.enter_context(sync_playwright())
        browser = stack.enter_context(chromium.launched(playwright))
        # As crisp as users' own: the tests' layers are small.
        server = Server(directory, settings={
            "ROOMCAST_STREAM_LADDER": "1280x720@3000+128,640x360@900+96"})
        stack.callback(server.stop)
        for name in ("Ann", "Ben", "Cleo"):
            stack.enter_context(published(server, name))
        frames = stack.enter_context(tempfile.TemporaryDirectory())
        subprocess.run([BINARY, "admin-password"], cwd=server.directory, env=server.environment,
                       input=f"{newcomer.PASSWORD}\n", text=True, check=True, capture_output=True)
        host = take_room(browser, server, frames)
        take_watch(browser, server)
        take_studio(host)
        take_admin(browser, server)
        take_recordings(browser, server)


if __name__ == "__main__":
    main()
