"""The controls of the room page: keys, a phone's one row, sharing, devices, colours, voices."""

import pytest
from harness import axe
from harness.room_page import FAKE_SCREEN, TELL
from harness.room_world import TIMEOUT, announced
from harness.waiting import wait_for

CAMERA_RATE = 5  # frames/s
ROW = """() => {
  const shown = [...document.querySelectorAll("#controls button")]
    .filter((node) => node.getClientRects().length > 0);
  const boxes = shown.map((node) => node.getBoundingClientRect());
  return { names: shown.map((node) => node.id), rows: new Set(boxes.map(({ top }) => top)).size,
    isInside: boxes.every(({ left, right }) => left >= 0 && right <= innerWidth) };
}"""
CAPTIONS = """() => [...document.querySelectorAll(".control-text")]
  .filter((node) => node.getClientRects().length > 0).map((node) => node.textContent)"""
HUES = """(name) => {
  const hue = (node) => node && getComputedStyle(node).getPropertyValue("--hue");
  const named = (selector) => [...document.querySelectorAll(selector)]
    .find((node) => node.textContent.includes(name));
  return [hue(document.querySelector(`[data-testid=tile][data-name=${name}]`)),
    hue(named("[data-testid=person]")), hue(named(".message-name"))];
}"""
RING = """(name) => {
  const tile = document.querySelector(`[data-testid=tile][data-name=${name}]`);
  return tile?.classList.contains("is-speaking") ? Number(tile.style.getPropertyValue("--level")) : null;
}"""
PHONE = (390, 844)


def hold(page, kind, key=" ", code="Space"):
    page.evaluate("""([kind, key, code]) => (document.activeElement ?? document.body).dispatchEvent(
      new KeyboardEvent(kind, { key, code, bubbles: true, cancelable: true }))""", [kind, key, code])


def test_a_phone_has_one_row_and_a_menu(in_chromium):
    ann = in_chromium.open()
    ann.wait_for("button", "Devices")
    wide = ann.evaluate(ROW)
    assert "more-controls" not in wide["names"]
    assert "Mute" in ann.evaluate(CAPTIONS)
    for width in (390, 320):
        ann.resize(width, 844)
        wait_for("it is one row", lambda: ann.evaluate(ROW) == {
            "names": ["microphone", "camera", "hand", "open-chat", "more-controls", "leave"],
            "rows": 1, "isInside": True}, TIMEOUT)
        assert ann.evaluate(CAPTIONS) == []
    ann.resize(*PHONE)
    ann.operate("button", "More")
    for name in ("Share the screen", "React", "People", "Polls", "Devices", "Record the room",
                 "Go live"):
        ann.wait_for("menuitem", name)
    ann.press("Escape")
    ann.wait_for_focus("button", "More")
    ann.choose("More", "React")
    ann.wait_for_focus("button", "thumbs up")
    ann.press("Escape")
    ann.wait_for_focus("button", "More")
    ann.choose("More", "Go live")
    ann.wait_for("dialog", "Go live?")
    ann.press("Escape")
    ann.choose("More", "People")
    ann.wait_for("tab", "People (1)")


def test_keys_do_what_buttons_do_but_not_while_writing(world):
    ann, ben = world.open(), world.connect("Ben")
    ann.tab_to("button", "Keyboard shortcuts")
    ann.type("m")
    ann.wait_for("button", "Unmute")
    ann.type("h")
    ann.wait_for("button", "Lower your hand")
    ben.wait_for("on-peer-update", lambda params: params.get("groups"))
    ann.type("v")
    ann.wait_for("button", "Turn the camera on")
    ann.type("c")
    ann.wait_for_focus("textbox", "Message")
    ann.type("m h?")
    assert ann.value("message") == "m h?"
    ann.press("Escape")
    ann.wait_for_focus("button", "Chat")
    assert ann.count("button", "Unmute") == 1 and ann.count("button", "Lower your hand") == 1
    ann.type("?")
    ann.wait_for("dialog", "Keyboard shortcuts")
    ann.type("h")  # in front of a question they rest
    ann.operate("checkbox", "Shortcuts on They do nothing while you write.", "Space")
    ann.operate("button", "Done")
    ann.wait_for_focus("button", "Chat")
    ann.type("h")
    ann.type("?")  # the way back
    ann.wait_for("dialog", "Keyboard shortcuts")
    assert ann.count("button", "Lower your hand") == 1 or ann.evaluate(
        "() => document.getElementById('hand').title") == "Lower your hand"
    ann.operate("checkbox", "Shortcuts on They do nothing while you write.", "Space")
    ann.operate("button", "Done")
    ann.type("h")
    ann.wait_for("button", "Raise your hand")


def test_the_space_bar_talks_while_it_is_held(world):
    ann = world.open()
    ann.wait_for("button", "Mute")
    ann.operate("button", "Mute")
    ann.wait_for("button", "Unmute")
    hold(ann, "keydown")  # the button has the focus, and the key is its own
    assert ann.count("button", "Unmute") == 1
    ann.evaluate("() => document.getElementById('call-title').focus()")
    hold(ann, "keydown")
    ann.wait_for("button", "Mute")
    hold(ann, "keydown")
    hold(ann, "keyup")
    ann.wait_for("button", "Unmute")
    hold(ann, "keydown")
    ann.wait_for("button", "Mute")
    ann.evaluate("() => dispatchEvent(new Event('blur'))")  # the key is let go elsewhere
    ann.wait_for("button", "Unmute")


def test_a_shared_screen_is_told_and_stopped(world):
    ann = world.open()
    ann.evaluate(FAKE_SCREEN)
    ann.operate("button", "Share the screen")
    ann.wait_for_text("sharing", "You are sharing your screen")
    announced(ann, "You are sharing your screen")
    ann.operate("button", "Stop sharing")
    ann.wait_for("button", "Share the screen")
    wait_for("the bar is gone", lambda: ann.texts("sharing") == [], TIMEOUT)


def test_a_person_has_one_colour_everywhere_and_a_ring_as_loud_as_the_voice(world):
    ann, ben = world.open(), world.connect("Ben", tracks=["a1"])
    ben.call("broadcast", {"info": {"message": "hi", "type": "chat"}})
    ann.operate("button", "People")
    ann.wait_for("button", "Show Ben large")
    wait_for("the colour is everywhere", lambda: None not in ann.evaluate(HUES, "Ben"), TIMEOUT)
    hues = ann.evaluate(HUES, "Ben")
    assert len(set(hues)) == 1 and hues[0]

    ann.tell("ping")  # the channel is there

    def speak(level):
        # At once, since each second the server says who else speaks.
        said = {"method": "active-speakers", "params": {
            "speaker-list": [{"peer_id": ben.peer_id, "level": level}]}}
        return ann.evaluate(
            f"([said, name]) => {{ ({TELL})([said]); return ({RING})(name); }}", [said, "Ben"])

    assert speak(20) == 0.2 and speak(80) == 0.8 and speak(5) is None


def test_devices_have_switches_and_a_test_of_the_loudspeaker(in_chromium):
    ann = in_chromium.open()
    ann.operate("button", "Devices")
    noise = "Noise suppression Less of fans, keys and streets."
    ann.operate("checkbox", noise, "Space")
    wait_for("it is off", lambda: ann.evaluate(
        "() => localStorage.getItem('roomcast.noiseSuppression-off')") == "1", TIMEOUT)
    ann.operate("button", "Test the loudspeaker")
    ann.wait_for_text("speaker-note", "Did you hear two tones?")
    ann.operate("button", "Done")
    ann.wait_for("button", "Mute")
    ann.operate("button", "Devices")
    ann.wait_for("checkbox", noise)
    assert not ann.evaluate(
        "() => document.querySelector('[data-testid=noiseSuppression] input').checked")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [(1280, 800), PHONE])
def test_axe_finds_no_fault(in_chromium, scheme, size):
    ann = in_chromium.open(color_scheme=scheme, reduced_motion="reduce")
    ann.page.set_default_timeout(TIMEOUT * 1000)
    ben, eve = in_chromium.connect("Ben", tracks=["a1"]), in_chromium.connect("Eve", "viewer")
    ann.wait_for("button", "Show Ben large")
    ann.resize(*size)
    found = {}

    def check(state):
        if faults := axe.faults(ann):
            found[state] = faults

    def press(test_id):
        shown = ann.page.locator(f"[data-testid={test_id}]")
        if shown.is_visible():
            return shown.click()
        ann.page.click("[data-testid=more-controls]")
        ann.page.click(f"[data-testid=more-{shown.get_attribute('id')}]")

    check("room")
    ann.evaluate(FAKE_SCREEN)
    press("screen")
    ann.wait_for_text("sharing", "You are sharing your screen")
    check("sharing")
    ann.page.click("[data-testid=stop-sharing]")
    press("react")
    ann.page.wait_for_selector("[data-testid=reaction]")
    for peer, emoji in ((ben, "tada"), (eve, "+1")):
        peer.call("broadcast", {"info": {
            "message": f'{{"emojiId":"{emoji}"}}', "type": "EMOJI_REACTION"}})
    ann.page.wait_for_selector("[data-testid=floating]", state="attached")
    check("reactions")
    ann.press("Escape")
    first = ben.call("broadcast", {"info": {
        "message": "see https://a.test", "type": "chat"}})["result"]["message_id"]
    ben.call("broadcast", {"info": {"message": "yes", "type": "chat", "reply_to": first}})
    press("open-chat")
    ann.page.wait_for_selector("[data-testid=quote]")
    ann.page.locator("[data-testid=chat-message]").last.hover()
    ann.page.locator("[data-testid=reply]").last.click()
    check("reply")
    ann.page.click("[data-testid=emoji-button]")
    ann.page.wait_for_selector("[data-testid=emoji-one]")
    check("emoji")
    ann.press("Escape")
    ann.page.locator("[data-testid=chat-message]").last.hover()
    ann.page.locator("[data-testid=delete-message]").last.click()
    ann.page.wait_for_selector("[data-testid=dialog]")
    check("delete")
    ann.press("Escape")
    press("open-chat")
    ann.page.click("[data-testid=leave]")
    ann.page.wait_for_selector("[data-testid=leave-now]")
    check("leave")
    ann.press("Escape")
    ann.evaluate("() => document.getElementById('shortcuts').click()")
    ann.page.wait_for_selector("[data-testid=shortcut-list]")
    check("shortcuts")
    ann.press("Escape")
    press("devices")
    ann.page.wait_for_selector("[data-testid=speaker-test]")
    check("devices")
    ann.press("Escape")
    assert found == {}
