"""The studio in the room page: who may stream sees what viewers see, changes it, and ends it."""

import base64
import contextlib
import functools
import tempfile

import numpy as np
import pytest
from harness import axe, hls, media, pictures, scene
from harness.room_page import KEEP_CHANNELS, TELL
from harness.waiting import wait_for

WATERMARK = (0.9, 0.06, 0.96, 0.15)  # a part of one at the top right
CAMERA_RATE = 5  # frames/s
TIMEOUT = 90  # s
# The picture in the preview as a PNG in base 64; null while there is none.
PICTURE = """() => {
  const image = document.querySelector("[data-testid=preview-image]");
  if (image.hidden || !image.naturalWidth) return null;
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
  canvas.getContext("2d").drawImage(image, 0, 0);
  return canvas.toDataURL("image/png").split(",")[1];
}"""


@functools.cache
def clip_colour(name):
    return media.colour_of(media.frames(scene.CLIPS / f"{name}.webm")[:30])


def is_of(picture, name, tolerance=45):
    """Whether a clip's person is large in a picture."""
    return np.abs(media.colour_of(picture[None]) - clip_colour(name)).max() < tolerance


class Desk:
    """A host's page with the studio open."""

    def __init__(self, person):
        self.person, self.page = person, person.page

    def node(self, name):
        return self.page.locator(f"[data-testid={name}]")

    def says(self, name, text):
        wait_for(f"{name} says '{text}'", lambda: text in self.node(name).inner_text(), TIMEOUT)

    def picture(self):
        found = self.page.evaluate(PICTURE)
        if not found:
            return None
        with tempfile.NamedTemporaryFile(suffix=".png") as file:
            file.write(base64.b64decode(found))
            file.flush()
            return media.frames(file.name)[0]

    def shows(self, name):
        def shown():
            picture = self.picture()
            return picture is not None and is_of(picture, name)

        wait_for(f"the preview shows {name}", shown, TIMEOUT)

    def press(self, name):
        self.node(name).click()

    def open_look(self):
        self.press("open-studio")
        self.page.get_by_text("Background and watermark").click()

    def give(self, name, file, content):
        """Chooses a file, as (its name, its type)."""
        self.node(name).set_input_files({"name": file[0], "mimeType": file[1], "buffer": content})

    def sees_watermark(self):
        """Whether a magenta one is in the preview: not quite opaque, over a camera that is green
        beyond what RGB has."""
        picture = self.picture()
        if picture is None:
            return None
        red, green, blue = media.colour_of(picture[None], WATERMARK)
        return bool(min(red, blue) > 100 and green < 60)

    def shows_chosen(self):
        return self.page.evaluate("""() => {
          const picture = document.querySelector("[data-testid=watermark-picture]");
          return !picture.hidden && picture.naturalWidth > 0;
        }""")

    def answer(self):
        self.page.click("[data-testid=confirm]")

    def copy(self, name):
        """Presses a link's button, which says for two seconds that it has copied."""
        self.person.note_texts(f"[aria-label='{name}']")
        self.page.get_by_role("button", name=name).click()
        self.person.wait_for_noted("Copied", TIMEOUT)


def streamed(server, room):
    """The newest picture of the stream, as viewers decode it."""
    answer = server.http.get(f"/api/rooms/{room}/stream").json
    with hls.newest_segment(server.http, answer["url"]) as segment:
        return media.frames(segment)[-1]


def test_a_host_directs_a_stream(server, enter, room, tmp_path):
    with contextlib.ExitStack() as stack:
        host = enter("Hanna")
        wait_for("the host is counted", lambda: server.peer_count(room) == 1, TIMEOUT)
        scene.enter_in_order(
            server, room, [scene.Guest("ben"), scene.Guest("cleo")], tmp_path, stack)
        desk = Desk(host)
        desk.press("open-studio")
        desk.says("preview-state", "Not on air")
        desk.says("studio-health", "Not on air")
        desk.press("layout-single")  # for the stream that is to come
        desk.page.select_option("[data-testid=studio-stage]", label="ben")
        desk.press("studio-air")
        desk.answer()
        desk.says("studio-health", "Live")
        desk.shows("ben")
        first = desk.page.evaluate(PICTURE)
        wait_for("the preview moves on", lambda: desk.page.evaluate(PICTURE) != first, TIMEOUT)
        wait_for("viewers see ben", lambda: is_of(streamed(server, room), "ben"), TIMEOUT,
                 interval=1)
        wait_for("the viewer is counted",
                 lambda: "1 person is watching" in desk.node("studio-viewers").inner_text(),
                 TIMEOUT)

        desk.press("open-people")  # the keyboard's way to what a tile's drag does
        desk.page.click("[data-testid=person]:has-text('cleo') [data-testid=person-menu]")
        desk.page.get_by_role("menuitem", name="Put on the stage").click()
        wait_for("viewers see cleo", lambda: is_of(streamed(server, room), "cleo"), TIMEOUT,
                 interval=1)
        desk.press("open-studio")
        desk.shows("cleo")
        desk.press("layout-grid")
        wait_for("viewers see both", lambda: all(
            media.share_of(streamed(server, room), clip_colour(name)) > 0.05
            for name in ("ben", "cleo")), TIMEOUT, interval=1)
        desk.page.locator("[data-testid=tile][data-name=ben]").drag_to(
            desk.page.locator(".programme"))
        desk.shows("ben")
        assert desk.node("layout-speaker").get_attribute("aria-pressed") == "true"

        desk.page.fill("[data-testid=marker-text]", "Questions & answers")
        desk.press("marker")
        desk.says("marker-state", "“Questions & answers” is marked at")
        desk.press("studio-air")
        host.note_texts("[data-testid=studio-air]")
        desk.answer()
        host.wait_for_noted("Ending …", TIMEOUT)
        desk.says("studio-health", "Not on air")
        desk.says("preview-state", "Not on air")


def test_links_are_copied(enter, server, room):
    desk = Desk(enter("Hanna"))
    desk.page.context.grant_permissions(["clipboard-read", "clipboard-write", "camera",
                                         "microphone"])
    desk.press("open-studio")
    read = "() => navigator.clipboard.readText()"
    for name, copied in (
            ("Copy watch page", f"{server.base}/watch/{room}"),
            ("Copy embed code", f'<iframe src="{server.base}/embed/{room}" title='),
            ("Copy invitation", f"{server.base}/rooms/{room}")):
        desk.copy(name)
        assert desk.page.evaluate(read).startswith(copied)
        button = desk.page.get_by_role("button", name=name)
        wait_for("it can be used again", lambda button=button: button.inner_text() == "Copy",
                 TIMEOUT)


def test_a_link_is_copied_without_a_clipboard(enter, server, room):
    desk = Desk(enter("Hanna"))
    desk.page.evaluate("""() => {
      Object.defineProperty(navigator, "clipboard", { value: undefined });
      document.addEventListener("copy", () => { window.copied = String(getSelection()); });
      document.execCommand = () => {
        const field = document.activeElement;
        window.copied = field.value;
        return true;
      };
    }""")
    desk.press("open-studio")
    desk.copy("Copy watch page")
    assert desk.page.evaluate("window.copied") == f"{server.base}/watch/{room}"
    assert desk.page.evaluate("document.activeElement.ariaLabel") == "Copy watch page"


def test_a_recorded_stream_is_told_from_a_recorded_room(enter):
    desk = Desk(enter("Hanna"))
    desk.press("open-studio")
    desk.says("studio-record-state", "Nothing is being recorded.")
    assert not desk.node("studio-pause").is_visible()
    desk.press("studio-air")
    desk.page.get_by_role("checkbox", name="Record with the stream").check()
    desk.answer()
    desk.says("studio-record-state", "The stream is being recorded. That ends with the stream.")
    assert desk.node("studio-record").inner_text() == "Record the room as well"
    desk.press("studio-pause")
    desk.says("studio-record-state", "The recording of the stream is paused.")
    desk.says("studio-pause", "Resume recording")
    desk.press("studio-pause")
    desk.says("studio-record-state", "The stream is being recorded.")
    desk.press("studio-record")
    desk.says("studio-record-state", "The room is being recorded, whether or not it is on air.")
    desk.press("studio-air")
    desk.answer()
    desk.says("studio-health", "Not on air")
    desk.says("studio-record-state", "The room is being recorded")
    desk.press("studio-pause-room")
    desk.says("studio-record-state", "The recording of the room is paused.")
    desk.says("studio-pause-room", "Resume recording")
    desk.press("studio-pause-room")
    desk.says("studio-record-state", "The room is being recorded")
    desk.press("studio-record")
    desk.says("studio-record-state", "Nothing is being recorded.")


def test_a_watermark_is_chosen_as_a_file(enter):
    desk = Desk(enter("Hanna"))
    desk.open_look()
    desk.press("studio-air")
    desk.answer()
    desk.says("studio-health", "Live")
    desk.give("watermark-file", ("notes.txt", "text/plain"), b"no picture")
    desk.says("watermark-fault", "“notes.txt” is no picture")
    assert not desk.shows_chosen()
    wait_for("there is a picture", lambda: desk.sees_watermark() is False, TIMEOUT)

    desk.give("watermark-file", ("logo.png", "image/png"), pictures.solid("magenta"))
    desk.says("watermark-news", "“logo.png” is ready")
    assert desk.node("watermark-fault").inner_text() == ""
    wait_for("the form shows it", desk.shows_chosen, 20)
    desk.press("apply-look")
    wait_for("viewers see it", desk.sees_watermark, TIMEOUT)

    desk.page.reload()
    desk.page.wait_for_selector("[data-testid=call]")
    desk.open_look()
    wait_for("the form shows it again", desk.shows_chosen, TIMEOUT)
    desk.press("watermark-remove")
    desk.press("apply-look")
    wait_for("viewers do not see it", lambda: desk.sees_watermark() is False, TIMEOUT)


def test_a_watermark_is_chosen_for_the_next_stream(enter):
    desk = Desk(enter("Hanna"))
    desk.open_look()
    desk.give("watermark-file", ("logo.png", "image/png"), pictures.solid("magenta"))
    desk.says("watermark-news", "“logo.png” is ready")
    desk.press("apply-look")
    desk.press("studio-air")
    desk.answer()
    wait_for("viewers see it", desk.sees_watermark, TIMEOUT)


def test_a_file_on_its_way_is_not_applied(enter):
    desk = Desk(enter("Hanna"))
    held = []
    desk.page.route("**/pictures?peer_id=*", lambda route: held.append(route))
    desk.open_look()
    desk.give("background-file", ("hall.png", "image/png"), pictures.solid("lime"))
    desk.says("background-news", "“hall.png” is on its way")
    assert desk.node("apply-look").get_attribute("aria-disabled") == "true"
    wait_for("it is sent", lambda: desk.page.evaluate("1") and held, 20)
    held[0].fulfill(status=429, json={"code": 429, "message": "too many pictures at a time"})
    desk.says("background-fault", "too many pictures at a time")
    assert desk.node("apply-look").get_attribute("aria-disabled") == "false"


def test_only_who_may_stream_has_a_studio(enter):
    guest = enter("Gus", role="guest").page
    assert not guest.is_visible("[data-testid=open-studio]")
    assert not guest.locator("#tab-studio").is_visible()


def test_it_opens_once_when_its_host_goes_live(enter):
    host, other = enter("Hanna"), enter("Otto")
    host.page.click("[data-testid=go-live]")
    host.page.click("[data-testid=confirm]")
    wait_for("it opens", lambda: host.page.is_visible("[data-testid=studio]"), TIMEOUT)
    assert not other.page.is_visible("[data-testid=studio]")
    host.page.click("#side-close")
    for _ in range(2):
        wait_for("the stream can be ended or begun", lambda: host.page.get_attribute(
            "[data-testid=go-live]", "aria-disabled") == "false", TIMEOUT)
        host.page.click("[data-testid=go-live]")
        host.page.click("[data-testid=confirm]")
        wait_for("the phase changes", lambda: host.page.is_hidden("[data-testid=dialog]"), TIMEOUT)
    assert not host.page.is_visible("[data-testid=studio]")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("state", ["off", "live", "busy"])
def test_axe_finds_no_fault_with_it(enter, scheme, state):
    page = enter("Hanna", script=f"({KEEP_CHANNELS})()").page
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    lack = {"frame_rate": 5, "layers_thinned": 1, "videos_left_out": 0, "changes": 1}
    answer = {"state": "running", "url": "/hls/r/s/master.m3u8", "id": "s", "started_at": None,
              "bot_restarts": 1, "degradation": lack if state == "busy" else None,
              "studio": {"layout": {"name": "pip", "focus": None}, "frame_rate": 30,
                         "audio": {"only": False, "roles": ["host"]},
                         "viewers": {"now": 3, "peak": 7}}}
    page.route("**/stream?peer_id=*", lambda route: route.fulfill(json=answer))
    page.route("**/stream/preview?*", lambda route: route.fulfill(status=204))
    page.click("[data-testid=open-studio]")
    if state != "off":
        wait_for("the channel is there", lambda: page.evaluate(
            "() => window.channels.length"), TIMEOUT)
        page.evaluate(TELL, [{"jsonrpc": "2.0", "method": "on-hls-update", "params": {
            "enabled": True, "variants": [{"state": "started", "started_at": 1,
                                           "url": "/hls/r/s/master.m3u8"}]}}])
        words = "this machine is busy" if state == "busy" else "Live · all is well"
        wait_for(f"it says {words}", lambda: words in page.inner_text(
            "[data-testid=studio-health]"), TIMEOUT)
        assert "3 people are watching · 7 at most so far" in page.inner_text(
            "[data-testid=studio-viewers]")
    for summary in page.locator("[data-testid=studio] summary").all():
        if summary.is_visible():
            summary.click()
    assert axe.faults(page) == []
