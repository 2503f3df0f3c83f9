"""How the room page looks and behaves at every size, in light and dark, for eyes, keys and ears."""

import time

import pytest
from harness.room_world import HAND, PUBLISHING_TIMEOUT, TIMEOUT
from harness.waiting import wait_for

CAMERA_RATE = 10  # frames/s
END = "End the room for all …"
WIDTHS = (320, 360, 420, 560, 820, 821, 1280)
OVERFLOW = """() => ({
  page: document.documentElement.scrollWidth,
  beyond: [...document.querySelectorAll(
    "#call button, #call h1, #call .lamp, #call a, .dialog, .dialog button")]
    .filter((node) => node.getClientRects().length > 0)
    .filter((node) => node.getBoundingClientRect().right > innerWidth + 0.5
      || node.getBoundingClientRect().left < -0.5
      || (node.getBoundingClientRect().bottom > innerHeight + 0.5
        && !node.closest(".polls-scroll, .emoji-list, .studio")))
    .map((node) => node.id || node.className),
})"""
# Controls that are covered by something else, once scrolled into view.
COVERED = """() => [...document.querySelectorAll("#call footer button")]
  .filter((node) => node.getClientRects().length > 0)
  .filter((node) => {
    node.scrollIntoView({ block: "nearest" });
    const { x, y, width, height } = node.getBoundingClientRect();
    return !node.contains(document.elementFromPoint(x + width / 2, y + height / 2));
  }).map((node) => node.id)"""
STAGE = """() => document.getElementById("stage").getBoundingClientRect().height"""
TILES = """() => document.querySelectorAll("[data-testid=tile]").length"""
# Tab stops after the link to all rooms, for a host with the list of people open: there are no
# others.
CONTROLS = [
    ("button", "Invite"), ("button", "Keyboard shortcuts"), ("button", "Speaker view"),
    ("button", "Show Ben large"), ("button", "Show yourself large"),
    ("tab", "People (2)"), ("button", "Close side panel"), ("button", "Mute all"),
    ("button", "Change roles"), ("button", "What to do with Ann (you)"),
    ("button", "What to do with Ben"), ("button", "Mute"),
    ("button", "Turn the camera off"), ("button", "Share the screen"),
    ("button", "Raise your hand"), ("button", "React"), ("button", "Chat"), ("button", "People"),
    ("button", "Polls"), ("button", "Studio"), ("button", "Devices"),
    ("button", "Record the room"), ("button", "Go live"),
    ("button", "Leave the room"),
]
# The contrast of every text with its background, computed as in WCAG 2.2 (1.4.3), and of every mark
# and the edge of every field and button (1.4.11). The background of a text on a picture may be
# white.
CONTRASTS = """() => {
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const painted = (colours) => {
    context.clearRect(0, 0, 1, 1);
    for (const colour of colours) {
      context.fillStyle = colour;
      context.fillRect(0, 0, 1, 1);
    }
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((one) => one / 255)
      .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const below = [];
  const judge = (node, what, colour, backs, least) => {
    const back = luminance(painted(["white", ...backs]));
    const front = luminance(painted(["white", ...backs, colour]));
    const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    if (ratio < least) below.push([String(node.className.baseVal ?? node.className), what, ratio]);
  };
  const picture = ".tile.has-picture, .mirror-picture:has(video:not([hidden]))";
  for (const node of document.querySelectorAll("body *")) {
    if (!node.checkVisibility({ visibilityProperty: true }) || node.disabled) continue;
    const behind = [];
    for (let one = node; one && !one.matches(picture); one = one.parentElement) {
      behind.unshift(getComputedStyle(one).backgroundColor);
    }
    const { color, borderTopColor } = getComputedStyle(node);
    const hasText = [...node.childNodes].some(
      (child) => child.nodeType === Node.TEXT_NODE && child.data.trim());
    if (hasText) judge(node, node.textContent.trim(), color, behind, 4.5);
    if (node.matches(".icon")) judge(node, "icon", color, behind, 3);
    // Those without an edge are known by their icons.
    const hasEdge = node.matches(".field, .button, .control, select")
      && borderTopColor !== "rgba(0, 0, 0, 0)";
    if (hasEdge) judge(node, "edge", borderTopColor, behind.slice(0, -1), 3);
  }
  return below;
}"""
SAY_THAT_NOTHING_GETS_THROUGH = """() => { document.getElementById("call-state").textContent =
  "No sound or picture gets through. Trying again …"; }"""
# The contrast of the focus ring with the control that it lies on.
RING = """() => {
  const luminance = (colour) => {
    const [r, g, b] = colour.match(/[0-9.]+/g).map(Number).map((one) => one / 255)
      .map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const { outlineColor, backgroundColor } = getComputedStyle(document.activeElement);
  const [low, high] = [luminance(outlineColor), luminance(backgroundColor)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}"""
# As a browser does until a key is pressed.
KEEP_SILENT = """() => {
  const real = HTMLMediaElement.prototype.play;
  HTMLAudioElement.prototype.play = async () => { throw new DOMException("", "NotAllowedError"); };
  addEventListener("keydown", ({ key }) => {
    if (key === "Enter") HTMLAudioElement.prototype.play = real;
  }, true);
}"""
HEAR_IS_SAID = """() => [...document.querySelectorAll("[role=status]")]
  .some((node) => node.textContent === "Hear the room")"""
PICTURE_BEHIND = "() => document.getElementById('preview-video').videoWidth > 0"
UNPLUG_MICROPHONE = """() => document.getElementById("preview-video").srcObject.getAudioTracks()[0]
  .dispatchEvent(new Event("ended"))"""
MOTION = """() => [...document.querySelectorAll("body *")].filter((node) =>
  [null, "::before", "::after"].some((part) => {
    const style = getComputedStyle(node, part);
    return style.animationName !== "none" || style.transitionProperty !== "none";
  })).map((node) => node.className)"""


def run_poll(host, text):
    """Asks the same as title, question and options."""
    poll = host.call("poll-info-set", {"title": text})["result"]["poll_id"]
    question = {"question": {"text": text, "type": "single-choice"},
                "options": [{"text": "here"}, {"text": text}]}
    host.call("poll-questions-set", {"poll_id": poll, "questions": [question]})
    assert "result" in host.call("poll-start", {"poll_id": poll})


def resize(page, width, height):
    """The window, which a busy browser resizes later."""
    page.resize(width, height)
    wait_for("the window has its size", lambda: page.evaluate(
        "() => [innerWidth, innerHeight]") == [width, height], TIMEOUT)


def test_the_page_is_whole_at_every_width(world):
    ann = world.open()
    for number, name in enumerate(("Ben", "Somebody with quite a long name")):
        world.connect(name, tracks=[f"a{number}", f"v{number}"])
    wait_for("there are three tiles", lambda: ann.evaluate(TILES) == 3, TIMEOUT)
    began = {"started_at": round(time.time() * 1000) - 3_700_000}
    ann.tell("on-record-update", type="Browser", state="paused", **began)  # its longest words
    ann.tell("on-hls-update", enabled=True, variants=[{"state": "started", "url": "u"} | began])
    ann.wait_for("button", "End stream")
    ann.evaluate(SAY_THAT_NOTHING_GETS_THROUGH)
    run_poll(world.connect("Dan", "host"), "Somebody_asks_with_words_that_have_no_end_and_no_place_to_break_them " * 2)
    for step in ("closed", "People", "Chat", "Emoji", "Polls, 1 new", "New poll", "React", "end"):
        if step == "end":
            ann.choose("Leave the room", END)
        elif step != "closed":
            ann.operate("button", step)
        for width in WIDTHS:
            resize(ann, width, 700)
            wait_for(f"all of it is inside {width}: {step}", lambda width=width: (
                found := ann.evaluate(OVERFLOW))["page"] <= width and not found["beyond"], TIMEOUT)
        ann.resize(1280, 720)


@pytest.mark.parametrize(("size", "least"), [
    ((360, 700), 60), ((820, 700), 150), ((1280, 720), 400),
    ((320, 256), 200), ((740, 360), 200), ((1280, 400), 200),  # magnified, or on its side
])
def test_an_open_panel_leaves_the_controls_and_the_stage_in_sight(world, size, least):
    ann = world.open()
    world.connect("Ben", tracks=["a1"])
    ann.wait_for("button", "Show Ben large")
    resize(ann, *size)
    for panel in ("closed", "Chat", "People"):
        if panel != "closed" and ann.count("button", panel) > 0:
            ann.operate("button", panel)
        elif panel != "closed":
            ann.choose("More", panel)
        wait_for(f"all is in reach: {panel}", lambda: ann.evaluate(COVERED) == [], TIMEOUT)
        assert ann.evaluate(STAGE) >= least
    assert ann.evaluate(OVERFLOW)["page"] <= size[0]
    ann.resize(1280, 720)


def test_every_control_has_a_name_and_its_place_on_the_way_by_tab(world):
    ann = world.open()
    world.connect("Ben", tracks=["a1"])
    ann.operate("button", "People")
    ann.wait_for("button", "What to do with Ben")
    ann.tab_to("link", "Roomcast, all rooms")
    for role, name in CONTROLS:
        ann.press("Tab")
        ann.wait_for_focus(role, name)
    ann.tab_to("tab", "People (2)")
    ann.press("ArrowLeft")
    ann.wait_for_focus("tab", "Chat")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out(in_chromium, scheme):
    ann = in_chromium.open(color_scheme=scheme, reduced_motion="reduce")  # no colour in between
    ben, cleo = in_chromium.connect("Ben"), in_chromium.connect("Cleo", tracks=["a1"])
    ben.call("group-join", {"name": HAND})

    def check():
        assert ann.evaluate(CONTRASTS) == []

    ann.operate("button", "People")
    ann.wait_for_text("hand-mark", "1")
    ann.wait_for("img", "Network: no connection")
    ann.tell("on-connection-quality-update",
             peers=[{"peer_id": cleo.peer_id, "downlink_score": 1}])
    ann.tell("on-record-update", type="Browser", state="started", started_at=1)
    ann.tell("on-hls-update", enabled=True, variants=[{"state": "started", "url": "u"}])
    ann.wait_for("button", "End recording")
    check()
    ann.tell("on-record-update", type="Browser", state="failed")
    ann.tell("on-hls-update", enabled=True, variants=[{"state": "initialised"}])
    ann.wait_for_text("recording-state", "failed")
    check()
    ann.operate("button", "Mute")  # there is a mark on the own picture now
    ann.wait_for("article", "Ann (you), microphone off")
    check()
    ann.operate("button", "What to do with Ben")
    ann.wait_for("menuitem", "Change role …")
    check()
    ann.press("Escape")
    ann.operate("button", "Change roles")
    ann.wait_for("dialog", "Change roles")
    check()
    ann.press("Escape")
    run_poll(in_chromium.connect("Dan", "host"), "Lunch?")
    ann.operate("button", "Polls, 1 new")
    ann.operate("button", "New poll")
    ann.wait_for("radio", "here")
    check()
    ann.operate("radio", "here", "Space")
    ann.operate("button", "Answer")
    ann.wait_for_text("poll-bar", "100 %")
    check()
    ann.operate("button", "Chat")
    ann.type("to all")
    ann.press("Enter")
    ann.select("message-to", f"peer:{ben.peer_id}")
    ann.type("to Ben")
    ann.press("Enter")
    ann.wait_for_text("message-mark", "to Ben only")
    check()
    ann.choose("Leave the room", END)
    ann.wait_for("dialog", "End the room for everybody?")
    check()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_at_the_door_stands_out(in_chromium, scheme):
    page = in_chromium.page(color_scheme=scheme, reduced_motion="reduce")  # no colour in between
    page.look_in(in_chromium.server, in_chromium.room)
    page.wait_for("button", "Join room")
    assert page.evaluate(CONTRASTS) == []
    wait_for("there is a picture", lambda: page.evaluate(PICTURE_BEHIND), TIMEOUT)
    page.evaluate(UNPLUG_MICROPHONE)
    page.wait_for_text("preview-note", "Your microphone was disconnected.")
    assert page.evaluate(CONTRASTS) == []


@pytest.mark.parametrize(("wish", "moves"), [("no-preference", True), ("reduce", False)])
def test_nothing_moves_for_who_does_not_want_it(in_chromium, wish, moves):
    ann = in_chromium.open(reduced_motion=wish)
    ann.tell("on-hls-update", enabled=True, variants=[{"state": "initialised"}])
    ann.wait_for_text("streaming-state", "Starting")
    assert bool(ann.evaluate(MOTION)) is moves


def test_another_microphone_is_chosen_inside_the_room(in_chromium):
    ann, field = in_chromium.open(), "call-microphone-device"
    ann.operate("button", "Devices")
    ann.wait_for("combobox", "Microphone")
    other = next(one for one in ann.options(field) if one != ann.value(field))
    ann.select(field, other)
    # The list shows the device in use.
    wait_for("it is in use", lambda: ann.value(field) == other, TIMEOUT)
    ann.operate("button", "Done")
    ann.wait_for_none("dialog", "Devices")
    ann.wait_for_focus("button", "Devices")
    ann.press("Enter")
    ann.wait_for("combobox", "Microphone")
    assert ann.value(field) == other


def test_a_room_that_the_browser_keeps_silent_is_heard_by_a_key(in_chromium):
    ann = in_chromium.open()
    ann.evaluate(KEEP_SILENT)
    in_chromium.open("Ben")
    ann.wait_for("button", "Hear the room", PUBLISHING_TIMEOUT)
    assert ann.evaluate(HEAR_IS_SAID)
    ann.operate("button", "Hear the room")
    ann.wait_for_none("button", "Hear the room")
    ann.wait_for_focus("heading", in_chromium.room)


def test_the_focus_is_seen_on_a_pressed_pin(in_chromium):
    ann = in_chromium.open()
    in_chromium.connect("Ben", tracks=["a1"])
    ann.operate("button", "Show Ben large")
    wait_for("Ben is large", lambda: ann.evaluate(
        "() => document.activeElement.getAttribute('aria-pressed')") == "true", TIMEOUT)
    assert ann.evaluate(RING) >= 3
