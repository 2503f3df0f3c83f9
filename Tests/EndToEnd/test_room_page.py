"""The room page, by keyboard alone and through the accessibility tree, in both browsers."""

import pytest
from harness import tokens
from harness.room_world import (
    ANNOUNCED,
    HAND,
    PUBLISHING_TIMEOUT,
    TIMEOUT,
    announced,
    heard,
    peer_of,
    publish,
    question,
    run_poll,
)
from harness.waiting import wait_for

CAMERA_RATE = 10  # frames/s
AREAS = """() => {
  const tiles = [...document.querySelectorAll("[data-testid=tile]")];
  return Object.fromEntries(tiles.map((tile) => {
    const { width, height } = tile.getBoundingClientRect();
    return [tile.querySelector(".name").textContent, width * height];
  }));
}"""
NAMES = """() => [...document.querySelectorAll("[data-testid=person] .person-text b")]
  .map((node) => node.textContent)"""
DESCRIPTION = """() => document.getElementById(
  document.activeElement.getAttribute("aria-describedby"))?.textContent"""
# How often the stage is drawn while this many peers join at once, and how many of them are listed
# then.
COME_AT_ONCE = """async (count) => {
  const stage = document.getElementById("stage");
  let drawn = 0;
  Object.defineProperty(stage, "clientWidth", {
    configurable: true, get() { return (drawn += 1) && this.getBoundingClientRect().width; } });
  for (let number = 0; number < count; number += 1) {
    const params = { peer_id: crypto.randomUUID(), role: "guest", info: { name: "Guest" } };
    const data = JSON.stringify({ method: "on-peer-join", params });
    window.channels.at(-1).dispatchEvent(new MessageEvent("message", { data }));
  }
  await null;
  delete stage.clientWidth;
  return [drawn, document.querySelectorAll("[data-testid=person]").length,
    document.getElementById("tab-people").textContent];
}"""
ADDRESSEE = """() => document.querySelector("[data-testid=message-to]").selectedOptions[0].text"""
REFUSE_ONCE = """() => {
  const real = window.fetch;
  window.fetch = async (url, ...more) => {
    if (!String(url).includes("/init")) return real(url, ...more);
    window.fetch = real;
    return new Response(JSON.stringify({ message: "Not yet." }), { status: 503 });
  };
}"""
LOCK_THE_ROOM = "Lock the room Nobody comes in again until it is opened anew."
ASK_BEN_FIRST = "Ask Ben first Without, the role changes at once."


# At the door


def test_one_sees_oneself_and_chooses_how_to_come_in(world):
    ben, page = world.connect("Ben"), world.page()
    page.look_in(world.server, world.room)
    page.evaluate("() => localStorage.clear()")  # removes the previous visitor's name
    page.look_in(world.server, world.room)
    page.wait_for("heading", world.room)
    page.wait_for_focus("textbox", "Your name")
    page.type("Cleo")
    wait_for("the camera's picture is there", lambda: page.evaluate(
        "() => document.getElementById('preview-video').videoWidth > 0"), TIMEOUT)
    chosen = {}
    for device in ("camera", "microphone"):
        devices = wait_for(f"there is a {device}", lambda device=device: [
            one for one in page.options(f"{device}-device") if one], TIMEOUT)
        page.select(f"{device}-device", devices[-1])
        chosen[device] = devices[-1]
    # The list shows the devices in use.
    wait_for("they are in use", lambda: {
        device: page.value(f"{device}-device") for device in chosen} == chosen, TIMEOUT)
    page.operate("button", "Camera")
    announced(page, "Camera off")
    assert page.options("role") == ["guest", "viewer"], "nobody hosts by accident"
    page.select("role", "guest")
    page.operate("button", "Join room")

    page.wait_for("button", "Turn the camera on", PUBLISHING_TIMEOUT)
    page.wait_for_focus("heading", world.room)
    joined = ben.wait_for("on-peer-join", lambda params: params["info"]["name"] == "Cleo")
    assert joined["role"] == "guest"
    added = heard(ben, "on-track-add", PUBLISHING_TIMEOUT)
    assert [track["type"] for track in added["tracks"].values()] == ["audio"]
    page.operate("button", "Devices")
    page.wait_for("combobox", "Microphone")
    assert page.value("call-microphone-device") == chosen["microphone"]


def test_who_comes_with_a_token_is_asked_for_no_role(world):
    page = world.page()
    page.look_in(world.server, world.room)
    page.wait_for("combobox", "Role")
    page.go(f"{world.server.base}/rooms/{world.room}?auth_token={tokens.room_token(world.room)}")
    page.wait_for("combobox", "Camera")
    assert page.count("combobox", "Role") == 0


def test_who_was_not_let_in_can_try_again_by_the_next_key(world):
    page = world.page()
    page.look_in(world.server, world.room)
    page.tab_to("textbox", "Your name")
    page.type("Cleo")
    page.evaluate(REFUSE_ONCE)
    page.operate("button", "Join room")
    page.wait_for_text("join-error", "Not yet. Try again in a moment.")
    page.wait_for_focus("button", "Join room")
    page.press("Enter")
    page.wait_for("group", "Call controls", PUBLISHING_TIMEOUT)


# Others


def test_a_host_looks_after_a_guest(world):
    ann, ben = world.open(), world.connect("Ben", tracks=["a1", "v1"])
    ann.operate("button", "People")
    ann.wait_for("button", "What to do with Ben")

    ann.choose("What to do with Ben", "Mute the microphone")
    assert heard(ben, "on-track-update-request", track_id="a1")["mute"] is True
    ann.wait_for_focus("button", "What to do with Ben")
    ben.call("track-update", {"tracks": {"a1": {"mute": True}}})
    ann.wait_for("img", "Microphone off")
    ann.choose("What to do with Ben", "Ask to unmute")
    heard(ben, "on-track-update-request", track_id="a1", mute=False)

    # Escape closes a menu and returns the focus to its button.
    ann.press("Enter")
    ann.wait_for("menuitem", "Change role …")
    ann.press("Escape")
    ann.wait_for_none("menuitem", "Change role …")
    ann.wait_for_focus("button", "What to do with Ben")

    # The dialog's default asks the peer first.
    ann.choose("What to do with Ben", "Change role …")
    ann.wait_for("dialog", "Change the role of Ben")
    ann.press("Enter")
    assert heard(ben, "on-role-change-request", role="host")["token"]
    ann.wait_for_focus("button", "What to do with Ben")

    ann.choose("What to do with Ben", "Change role …")
    ann.wait_for_focus("radio", "Host")
    ann.press("ArrowDown")
    ann.wait_for_focus("radio", "Viewer")
    ann.operate("checkbox", ASK_BEN_FIRST, "Space")
    ann.operate("button", "Change role")
    heard(ben, "on-policy-change", name="viewer")
    ann.wait_for_text("person", "Viewer")

    ann.choose("What to do with Ben", "Remove from the room …")
    ann.wait_for("dialog", "Remove Ben from the room?")
    ann.press("Escape")
    ann.wait_for_none("dialog", "Remove Ben from the room?")
    assert ben.is_alive()
    ann.choose("What to do with Ben", "Remove from the room …")
    ann.operate("button", "Remove")
    assert heard(ben, "on-peer-leave-request")["room_end"] is False
    wait_for("Ben is gone", lambda: len(ann.texts("person")) == 1, TIMEOUT)


def test_the_focus_goes_on_to_the_next_person_when_one_is_gone(world):
    ann = world.open()
    ben, cleo = world.connect("Ben"), world.connect("Cleo")
    ann.operate("button", "People")
    ann.wait_for("button", "What to do with Cleo")
    ann.choose("What to do with Ben", "Remove from the room …")
    ann.operate("button", "Remove")
    heard(ben, "on-peer-leave-request")
    ann.wait_for_focus("button", "What to do with Cleo")
    # A peer leaves while its menu is open, and it is the last in the list.
    ann.press("Enter")
    ann.wait_for("menuitem", "Change role …")
    cleo.leave()
    ann.wait_for_focus("button", "What to do with Ann (you)")


def test_the_focus_stays_at_a_question_that_is_over(world):
    ben, ann = world.open("Ben", "guest"), world.connect("Ann", "host")
    poll = run_poll(ann, question("Where?", "single-choice", "here", "there"))
    ben.operate("button", "Polls, 1 new")
    ben.tab_to("radio", "here")
    ann.call("poll-stop", {"poll_id": poll})
    ben.wait_for_focus("heading", "Where?")


def test_all_are_muted_at_once(world):
    ann = world.open()
    guests = [world.connect("Ben", tracks=["a1"]), world.connect("Cleo", tracks=["a2"])]
    ann.operate("button", "People")
    wait_for("both are listed", lambda: len(ann.texts("person")) == 3, TIMEOUT)
    ann.operate("button", "Mute all")
    for guest in guests:
        assert heard(guest, "on-change-track-mute-state-request", type="audio")["value"] is True


def test_everybody_of_a_role_gets_another_one(world):
    ann = world.open()
    guests, dan = [world.connect("Ben"), world.connect("Cleo")], world.connect("Dan", "viewer")
    ann.operate("button", "People")
    ann.operate("button", "Change roles")
    ann.wait_for_focus("combobox", "Everybody who is")
    # The proposed change affects the roles of others, not one's own.
    assert ann.options("roles-from") == ["guest", "viewer", "host"]
    assert (ann.value("roles-from"), ann.value("roles-to")) == ("guest", "viewer")
    ann.select("roles-from", "viewer")
    assert ann.options("roles-to") == ["host", "guest"]
    ann.select("roles-from", "guest")
    ann.operate("button", "Change roles")  # the dialog's
    for guest in guests:
        heard(guest, "on-policy-change", name="viewer")
    wait_for("all are listed so", lambda: [
        "Viewer" in text for text in ann.texts("person")] == [False, True, True, True], TIMEOUT)
    ann.wait_for_focus("button", "Change roles")
    assert dan.is_alive()
    told = [one.get("method") for one in dan.notifications]
    assert told.count("on-policy-change") == 1, "its role is what it was"


def test_a_guest_has_no_controls_of_a_host(world):
    ben = world.open("Ben", "guest")
    world.connect("Ann", "host", ["a1", "v1"])
    ben.operate("button", "People")
    ben.operate("button", "What to do with Ann")
    ben.wait_for("menuitem", "Write privately")
    for name in ("Mute the microphone", "Change role …", "Remove from the room …"):
        assert ben.count("menuitem", name) == 0
    ben.press("Escape")
    for name in ("Mute all", "Change roles", "Go live", "Record the room"):
        assert ben.count("button", name) == 0
    ben.operate("button", "Leave the room")  # there is no choice
    ben.wait_for("heading", "You have left the room")


# What others ask of us


def test_an_offered_role_is_declined_and_taken(world):
    ben, ann = world.open("Ben", "viewer"), world.connect("Ann", "host")
    me = peer_of(ann, "Ben")
    assert ben.count("button", "Mute") == 0
    offer = {"requested_for": me, "role": "guest", "force": False}
    ann.call("role-change-request", offer)
    ben.wait_for("dialog", "Become Guest?")
    # The next key of somebody who is typing answers nothing.
    for key in ("Enter", "Space"):
        ben.press(key)
    assert ben.count("dialog", "Become Guest?") == 1
    ben.press("Escape")
    ben.wait_for_none("dialog", "Become Guest?")
    ben.operate("button", "Raise your hand")
    assert heard(ann, "on-peer-update", peer_id=me)["role"] == "viewer", "it comes after what was"

    ann.call("role-change-request", offer)
    ben.operate("button", "Become Guest")
    heard(ann, "on-peer-update", role="guest")
    # The peer decides again whether to be heard and seen.
    ben.wait_for("button", "Unmute")
    ben.wait_for("button", "Turn the camera on")
    ben.operate("button", "Unmute")
    added = heard(ann, "on-track-add", PUBLISHING_TIMEOUT)
    assert [track["type"] for track in added["tracks"].values()] == ["audio"]

    # A role that may not publish ends all publishing.
    ann.call("role-change-request", offer | {"role": "viewer", "force": True})
    ben.wait_for_text("toast-note", "You are Viewer now")
    heard(ann, "on-track-remove", PUBLISHING_TIMEOUT)
    ben.wait_for_none("button", "Mute")


def test_a_request_of_nobody_known_names_nobody(world):
    ben = world.open("Ben", "guest")
    ben.wait_for("button", "Mute")
    ben.tell("on-change-track-mute-state-request", value=True, type="audio")
    ben.wait_for_text("toast-note", "Your microphone was muted")
    ben.tell("on-change-track-mute-state-request", requested_by="gone", value=False, type="audio")
    ben.wait_for_text("dialog", "You are asked to unmute.")
    ben.operate("button", "Stay muted")
    ben.tell("on-role-change-request", role="viewer", token="t")
    ben.wait_for_text("dialog", "You are asked to be Viewer.")


def test_a_mute_is_done_and_an_unmute_is_asked_for(world):
    ann = world.connect("Ann", "host")
    ben = world.open("Ben", "guest")
    me = peer_of(ann, "Ben")

    def published(kind):
        tracks = ann.wait_for("on-track-add", lambda params: any(
            track["type"] == kind for track in params["tracks"].values()), PUBLISHING_TIMEOUT)
        return next(track for track in tracks["tracks"].values() if track["type"] == kind)

    def said(is_muted):
        ann.wait_for("on-track-update", lambda params: all(
            one["mute"] is is_muted for one in params["tracks"].values()))

    sound = published("audio")
    track = {"requested_for": me, "track_id": sound["track_id"], "stream_id": sound["stream_id"]}
    ben.wait_for("button", "Mute")
    assert "result" in ann.call("track-update-request", track | {"mute": True})
    ben.wait_for_text("toast-note", "Ann muted your microphone")
    ben.wait_for("button", "Unmute")
    said(is_muted=True)

    assert "result" in ann.call("track-update-request", track | {"mute": False})
    ben.wait_for("dialog", "Turn your microphone on?")
    ben.operate("button", "Stay muted")
    ben.wait_for_none("dialog", "Turn your microphone on?")
    assert ben.count("button", "Unmute") == 1
    ann.call("change-track-mute-state-request", {"value": False, "type": "audio"})
    ben.wait_for("dialog", "Turn your microphone on?")
    ben.operate("button", "Unmute")  # the dialog's: nothing else can be reached
    ben.wait_for("button", "Mute")
    said(is_muted=False)

    published("video")
    ann.call("change-track-mute-state-request", {"value": True, "type": "video"})
    ben.wait_for("button", "Turn the camera on")


# Hands, chat


def test_hands_are_raised_listed_in_order_and_lowered(world):
    ann = world.open()
    ben, cleo = world.connect("Ben"), world.connect("Cleo")
    ann.operate("button", "Raise your hand")
    ann.wait_for("button", "Lower your hand")
    me = heard(cleo, "on-peer-update", groups=[HAND])["peer_id"]
    cleo.call("group-join", {"name": HAND})
    ben.call("group-join", {"name": HAND})
    ann.wait_for_text("toast-note", "Ben raised a hand")
    ann.operate("button", "People")
    wait_for("hands come first, in their order",
             lambda: ann.texts("hand-mark") == ["1", "2", "3"], TIMEOUT)
    assert ann.evaluate(NAMES) == ["Ann (you)", "Cleo", "Ben"]

    ann.choose("What to do with Cleo", "Lower the hand")
    heard(cleo, "on-peer-update", peer_id=cleo.peer_id, groups=[])
    ann.operate("button", "Lower your hand")
    heard(cleo, "on-peer-update", peer_id=me, groups=[])
    wait_for("one is left", lambda: ann.texts("hand-mark") == ["1"], TIMEOUT)


def test_messages_go_to_all_a_role_or_a_person_and_say_so(world):
    ann, ben, dan = world.open(), world.connect("Ben"), world.connect("Dan", "viewer")
    ann.operate("button", "Chat")
    ann.wait_for_focus("textbox", "Message")
    ann.type("to all")
    ann.press("Enter")
    for peer in (ben, dan):
        assert heard(peer, "on-broadcast")["info"]["message"] == "to all"

    ann.select("message-to", "role:guest")
    ann.type("to guests")
    ann.press("Enter")
    assert heard(ben, "on-broadcast", roles=["guest"])["info"]["message"] == "to guests"

    ann.select("message-to", f"peer:{dan.peer_id}")
    ann.type("to Dan")
    ann.press("Enter")
    assert heard(dan, "on-broadcast", private=True)["info"]["message"] == "to Dan"
    wait_for("the marks say it", lambda: ann.texts("message-mark") == [
        "to role Guest", "to Dan only"], TIMEOUT)
    said = [one["params"]["info"]["message"] for one in dan.notifications
            if one.get("method") == "on-broadcast"]
    assert said == ["to all", "to Dan"]

    # A message for a peer that has left goes to nobody else.
    dan.leave()
    wait_for("Dan has left", lambda: ann.evaluate(ADDRESSEE) == "Dan (left)", TIMEOUT)
    ann.type("still there?")
    ann.press("Enter")
    wait_for("the page says why", lambda: ann.texts("toast-error"), TIMEOUT)
    assert ann.value("message") == "still there?"

    ben.call("broadcast", {"info": {"message": "psst", "type": "chat"},
                           "peer_id": peer_of(ben, "Ann")})
    ann.wait_for_text("message-mark", "to you only")
    ann.press("Escape")
    ann.wait_for_focus("button", "Chat")
    ben.call("broadcast", {"info": {"message": "and?", "type": "chat"}})
    ann.wait_for("button", "Chat, 1 unread")


def test_messages_and_polls_are_announced_wherever_one_looks(world):
    ann, ben = world.open(), world.connect("Ben", "host")
    ben.call("broadcast", {"info": {"message": "hello", "type": "chat"}})
    announced(ann, "Ben: hello")
    ben.call("broadcast", {"info": {"message": "hello again", "type": "chat"}})
    announced(ann, "Ben: hello again")
    ann.operate("button", "Polls")
    run_poll(ben, question("Where?", "single-choice", "here", "there"))
    ann.wait_for("radio", "here")
    announced(ann, "Ben asks: Lunch?")
    ann.operate("tab", "Polls (1)", "ArrowLeft")
    ann.press("ArrowLeft")
    ann.wait_for("tab", "Chat")
    ben.call("broadcast", {"info": {"message": "once", "type": "chat"}})
    ann.wait_for_text("chat-message", "once")
    assert "once" not in ann.evaluate(ANNOUNCED), "the list of messages says it"


# What is seen


def large(page):
    """Whose tile is more than twice as large as any other."""
    areas = page.evaluate(AREAS)
    first, *others = sorted(areas, key=areas.get, reverse=True)
    return first if all(areas[first] > 2 * areas[other] for other in others) else None


def test_the_speaker_and_who_is_pinned_are_large(world):
    ann = world.open()
    ben, cleo = world.connect("Ben", tracks=["a1"]), world.connect("Cleo", tracks=["a2"])
    wait_for("there are three tiles", lambda: len(ann.evaluate(AREAS)) == 3, TIMEOUT)
    assert large(ann) is None
    ann.operate("button", "Speaker view")
    wait_for("somebody is large", lambda: large(ann), TIMEOUT)
    for peer, name in [(cleo, "Cleo"), (ben, "Ben")]:
        ann.tell("active-speakers", times=2, **{"speaker-list": [
            {"peer_id": peer.peer_id, "level": 70, "track_id": "a"}]})
        wait_for(f"{name} is large", lambda name=name: large(ann) == name, TIMEOUT)

    ann.operate("button", "Show Cleo large")
    wait_for("Cleo is large", lambda: large(ann) == "Cleo", TIMEOUT)
    ann.wait_for_focus("button", "Show Cleo large")
    ann.operate("button", "Show Cleo large")
    wait_for("Ben is large again", lambda: large(ann) == "Ben", TIMEOUT)
    ann.operate("button", "Speaker view")
    wait_for("nobody is", lambda: large(ann) is None, TIMEOUT)


def test_screens_are_shared_and_large(world):
    ben, ann = world.connect("Ben", tracks=["a1"]), world.open()
    ann.operate("button", "Share the screen")
    wait_for("the screen is large", lambda: large(ann) == "Your screen", TIMEOUT)
    shared = ben.wait_for("on-track-add", lambda params: any(
        track["source"] == "screen" for track in params["tracks"].values()), PUBLISHING_TIMEOUT)
    ann.operate("button", "Stop sharing the screen")
    ann.wait_for_none("article", "Your screen")
    ben.wait_for("on-track-remove", lambda params: (
        params["tracks"].keys() == shared["tracks"].keys()))

    publish(ben, "a1", "s1")
    wait_for("Ben's screen is large", lambda: large(ann) == "Ben’s screen", TIMEOUT)
    ann.operate("button", "People")
    ann.wait_for("img", "Shares the screen")
    ann.choose("What to do with Ben", "Stop the screen share")
    assert heard(ben, "on-track-update-request", track_id="s1")["mute"] is True


@pytest.mark.parametrize("at_once", [False, True], ids=["told of it", "not told yet"])
def test_what_is_wished_while_the_page_is_cut_off_is_done_when_it_is_back(world, at_once):
    ben, ann = world.connect("Ben"), world.open()
    ann.wait_for("button", "Share the screen")
    ann.cut_off("screen", at_once)
    ben.wait_for("on-track-add", lambda params: any(
        track["source"] == "screen" for track in params["tracks"].values()), PUBLISHING_TIMEOUT)
    assert ann.texts("toast-error") == []


def test_the_network_of_everybody_is_told(world):
    ann, ben = world.open(), world.connect("Ben", tracks=["a1"])
    ann.operate("button", "People")
    # A bare socket receives no media, and the server reports it.
    ann.wait_for("img", "Network: no connection")

    def shows(score, *shown):
        # Each time, because the server sends the true quality every few seconds.
        ann.tell("on-connection-quality-update",
                 peers=[{"peer_id": ben.peer_id, "downlink_score": score}])
        return all(ann.count(role, name) == count for role, name, count in shown)

    wait_for("it is good", lambda: shows(
        4, ("img", "Network: good", 1), ("article", "Ben", 1)), TIMEOUT)
    # In the list, and now on the tile too.
    wait_for("it is told twice", lambda: shows(
        1, ("img", "Network: very poor", 2), ("article", "Ben, network very poor", 1)), TIMEOUT)


def test_one_may_be_called_something_else(world):
    ann, ben = world.open(), world.connect("Ben")
    ann.operate("button", "People")
    ann.choose("What to do with Ann (you)", "Change your name …")
    ann.wait_for_focus("textbox", "Your name")
    ann.type("Lee")
    ann.press("Enter")
    assert heard(ben, "on-peer-update")["info"]["name"] == "Lee"
    ann.wait_for("article", "Lee (you)")
    ann.wait_for_focus("button", "What to do with Lee (you)")


def test_comings_and_goings_are_announced_and_counted(world):
    ann = world.open()
    assert ann.texts("peer-count") == ["1 person"]
    ben = world.connect("Ben")
    ann.wait_for_text("peer-count", "2 people")
    announced(ann, "Ben joined")
    ben.leave()
    ann.wait_for_text("peer-count", "1 person")
    announced(ann, "Ben left")


def test_what_comes_at_once_is_drawn_once(world):
    ann = world.open()
    ann.tell("ping")  # the channel is there
    drawn, before, tab = ann.evaluate(COME_AT_ONCE, 100)
    assert drawn <= 2
    assert before <= 1 and tab == "People (101)", "the list that nobody sees can wait"
    ann.operate("button", "People")
    assert len(ann.texts("person")) == 101
    ann.press("Escape")
    ann.evaluate(COME_AT_ONCE, 1)
    wait_for("it does not wait for long", lambda: ann.evaluate(
        "() => document.querySelectorAll('[data-testid=person]').length") == 102, TIMEOUT)


def test_people_of_a_full_room_are_searched(world):
    ann = world.open()
    ann.operate("button", "People")
    for name in ("Ben", "Berta", "Cleo", "Dan", "Emil", "Fritz", "Gus"):
        world.connect(name)
    ann.tab_to("searchbox", "Search people")
    ann.type("be")
    wait_for("two are left", lambda: ann.evaluate(NAMES) == ["Ben", "Berta"], TIMEOUT)
    ann.type("x")
    wait_for("nobody is", lambda: ann.evaluate(NAMES) == [], TIMEOUT)
    ann.wait_for_text("people-none", "Nobody of that name.")
    announced(ann, "Nobody of that name.")


def test_who_is_not_listed_in_a_large_room_is_found_and_written_to(world):
    ann, dan = world.open(), world.connect("Dan", "viewer")
    ben = world.connect("Ben", tracks=["a1"])
    ann.operate("button", "People")
    wait_for("all are listed", lambda: len(ann.evaluate(NAMES)) == 3, TIMEOUT)
    # All that the server of this room says of its size has come once a later message has.
    # Who was there before, like the page: its two tracks and Ben's.
    heard(dan, "session-info", PUBLISHING_TIMEOUT, peer_count=3, track_count=3)
    ben.call("broadcast", {"info": {"message": "hello", "type": "chat"}})
    ann.wait_for("button", "Chat, 1 unread")
    # What the server of a large room says.
    ann.tell("room-info", room_id=world.room, large_room_optimization=True)
    ann.tell("session-info", session_id="s", peer_count=1200)
    ann.tell("on-peer-update", peer_id=dan.peer_id, realtime=False)
    ann.wait_for_text("peer-count", "1200 people")
    ann.wait_for_text("people-note", "1198 more")
    assert "1198" not in ann.evaluate(ANNOUNCED), "it changes all the time"
    assert ann.evaluate(NAMES) == ["Ann (you)", "Ben"]
    ann.tab_to("searchbox", "Search people")
    ann.type("da")
    wait_for("Dan is found", lambda: ann.evaluate(NAMES) == ["Dan"], TIMEOUT)
    ann.choose("What to do with Dan", "Write privately")
    ann.wait_for_focus("textbox", "Message")
    ann.type("hello")
    ann.press("Enter")
    assert heard(dan, "on-broadcast", private=True)["info"]["message"] == "hello"
    ann.wait_for_text("message-mark", "to Dan only")


# The end


@pytest.mark.parametrize("is_locked", [False, True])
def test_a_room_is_ended_for_everybody_and_locked_if_wished(world, is_locked):
    ann, ben = world.open(), world.connect("Ben")
    ann.choose("Leave the room", "End the room for all …")
    ann.wait_for("dialog", "End the room for everybody?")
    ann.press("Escape")
    ann.wait_for_none("dialog", "End the room for everybody?")
    ann.wait_for_focus("button", "Leave the room")
    assert ben.is_alive()
    ann.choose("Leave the room", "End the room for all …")
    ann.wait_for("dialog", "End the room for everybody?")
    if is_locked:
        ann.operate("checkbox", LOCK_THE_ROOM, "Space")
    ann.operate("button", "End the room")  # the dialog's
    assert heard(ben, "on-peer-leave-request")["room_end"] is True
    ann.wait_for("heading", "You have left the room")
    ann.wait_for_focus("button", "Join again")
    answer = world.server.http.get("/init?peer_id=p", token=tokens.room_token(world.room))
    assert (answer.status == 403) == is_locked


def test_who_is_removed_is_out_at_once_and_knows_why(world):
    ann, ben = world.open("Ann", "guest"), world.connect("Ben", "host")
    ann.operate("button", "People")
    ann.operate("button", "What to do with Ben")
    ann.wait_for("menuitem", "Write privately")
    ben.call("peer-leave-request", {"requested_for": peer_of(ben, "Ann"), "reason": "noise"})
    ann.wait_for("heading", "You have left the room")
    ann.wait_for_focus("button", "Join again")
    assert ann.evaluate(DESCRIPTION) == "You were removed by Ben: noise"
    assert ann.count("menuitem", "Write privately") == 0
