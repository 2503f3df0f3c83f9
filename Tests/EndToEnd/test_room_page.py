"""The room page, by keys alone and by what the accessibility tree says, in both browsers."""

import pytest
from harness import tokens
from harness.room_page import InChromium, InFirefox
from harness.signalling import DATA_CHANNEL_OFFER, Peer
from harness.waiting import wait_for

CAMERA_RATE = 10  # frames/s
TIMEOUT = 10  # s
ON_AIR_TIMEOUT = 30  # s
HAND = "_handraise"
WIDTHS = (320, 360, 390, 560, 640, 820, 821, 1024, 1280, 1600)
OVERFLOW = """() => ({
  page: document.documentElement.scrollWidth,
  beyond: [...document.querySelectorAll("#call button, #call .lamp, .dialog, .dialog button")]
    .filter((node) => node.getClientRects().length > 0)
    .filter((node) => node.getBoundingClientRect().right > innerWidth + 0.5
      || node.getBoundingClientRect().left < -0.5
      || node.getBoundingClientRect().bottom > innerHeight + 0.5)
    .map((node) => node.id || node.className),
})"""
AREAS = """() => {
  const tiles = [...document.querySelectorAll("[data-testid=tile]")];
  return Object.fromEntries(tiles.map((tile) => {
    const { width, height } = tile.getBoundingClientRect();
    return [tile.dataset.name, width * height];
  }));
}"""
ADDRESSEE = """() => document.querySelector("[data-testid=message-to]").selectedOptions[0].text"""
# Every text on the page against what is behind it, as WCAG 2.2 reckons (1.4.3).
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
  for (const node of document.querySelectorAll("body *")) {
    const hasText = [...node.childNodes].some(
      (child) => child.nodeType === Node.TEXT_NODE && child.data.trim());
    if (!hasText || !node.checkVisibility({ visibilityProperty: true }) || node.disabled) continue;
    const behind = [];
    for (let one = node; one; one = one.parentElement) {
      behind.unshift(getComputedStyle(one).backgroundColor);
    }
    const back = luminance(painted(["white", ...behind]));
    const front = luminance(painted(["white", ...behind, getComputedStyle(node).color]));
    const ratio = (Math.max(front, back) + 0.05) / (Math.min(front, back) + 0.05);
    if (ratio < 4.5) below.push([node.className, node.textContent.trim(), ratio]);
  }
  return below;
}"""
MOTION = """() => [...document.querySelectorAll("body *")].filter((node) => {
  const style = getComputedStyle(node);
  return style.animationName !== "none" || style.transitionProperty !== "none";
}).map((node) => node.className)"""


@pytest.fixture(params=["chromium", "firefox"])
def world(request, room):
    """`open(name, role)`: a page of one of the browsers; `connect(name, role)`: a bare socket."""
    yield from World(request, room).run()


class World:
    def __init__(self, request, room):
        self.room = room
        self.is_firefox = request.param == "firefox"
        self.server = request.getfixturevalue(
            "namespace_server" if self.is_firefox else "server")
        self.browser = request.getfixturevalue("firefox" if self.is_firefox else "browser")
        self.pages = []
        self.peers = []

    def run(self):
        yield self
        for one in [*self.peers, *self.pages]:
            one.close()
        for page in self.pages:
            assert list(page.errors) == []

    def open(self, name="Ann", role="host", **options):
        kind = InFirefox if self.is_firefox else InChromium
        self.pages.append(kind(self.browser, self.server, self.room, name, role, **options))
        return self.pages[-1]

    def connect(self, name, role="guest", tracks=()):
        """Says that it publishes tracks, of which no packet will ever come."""
        peer = Peer(self.server, self.room, name, role=role)
        self.peers.append(peer)
        assert "result" in peer.join()
        payloads = {
            track: {"track_id": track, "stream_id": f"s-{name}", "source": "regular",
                    "description": "", "mute": False,
                    "type": "video" if track.startswith("v") else "audio"}
            for track in tracks
        }
        if tracks:
            assert "result" in peer.call("offer", {
                "desc": {"type": "offer", "sdp": DATA_CHANNEL_OFFER}, "tracks": payloads})
        return peer


def heard(peer, method, **params):
    """The notification in which all of this stands."""
    return peer.wait_for(
        method, lambda said: all(said.get(key) == value for key, value in params.items()), TIMEOUT)


# Others


def test_a_host_looks_after_a_guest_by_keys_alone(world):
    ann, ben = world.open(), world.connect("Ben", tracks=["a1", "v1"])
    ann.operate("button", "People")
    ann.wait_for("button", "What to do with Ben")

    ann.choose("What to do with Ben", "Mute the microphone")
    assert heard(ben, "on-track-update-request", track_id="a1")["mute"] is True
    assert ann.is_focused("button", "What to do with Ben"), "the focus is back where it was"
    ben.call("track-update", {"tracks": {"a1": {"mute": True}}})
    ann.wait_for("img", "Microphone off")
    ann.choose("What to do with Ben", "Ask to unmute")
    assert heard(ben, "on-track-update-request", track_id="a1", mute=False)

    # A menu is left as it was found.
    ann.press("Enter")
    ann.wait_for("menuitem", "Change role …")
    ann.press("Escape")
    ann.wait_for_none("menuitem", "Change role …")
    assert ann.is_focused("button", "What to do with Ben")

    # Asked first, as the dialog has it.
    ann.choose("What to do with Ben", "Change role …")
    ann.wait_for("dialog", "Change the role of Ben")
    ann.press("Enter")
    offer = heard(ben, "on-role-change-request", role="host")
    assert offer["token"]
    assert ann.is_focused("button", "What to do with Ben")

    ann.choose("What to do with Ben", "Change role …")
    ann.wait_for("radio", "Viewer")
    ann.press("ArrowDown")
    ann.operate("checkbox", "Ask Ben first Without, the role changes at once.", "Space")
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


def test_all_are_muted_at_once(world):
    ann = world.open()
    guests = [world.connect("Ben", tracks=["a1"]), world.connect("Cleo", tracks=["a2"])]
    ann.operate("button", "People")
    wait_for("both are listed", lambda: len(ann.texts("person")) == 3, TIMEOUT)
    ann.operate("button", "Mute all")
    for guest in guests:
        assert heard(guest, "on-change-track-mute-state-request", type="audio")["value"] is True


def test_a_guest_has_no_controls_of_a_host(world):
    ben = world.open("Ben", "guest")
    world.connect("Ann", "host", ["a1", "v1"])
    ben.operate("button", "People")
    ben.operate("button", "What to do with Ann")
    ben.wait_for("menuitem", "Write privately")
    for name in ("Mute the microphone", "Change role …", "Remove from the room …"):
        assert ben.count("menuitem", name) == 0
    ben.press("Escape")
    for name in ("Mute all", "Go live", "Record the room", "End the room"):
        assert ben.count("button", name) == 0


# What others ask of us


def test_an_offered_role_is_declined_and_taken(world):
    ben, ann = world.open("Ben", "viewer"), world.connect("Ann", "host")
    me = heard_join(ann, "Ben")
    assert ben.count("button", "Mute") == 0
    offer = {"requested_for": me, "role": "guest", "force": False}
    ann.call("role-change-request", offer)
    ben.wait_for("dialog", "Become Guest?")
    # The next key of somebody who is writing answers nothing.
    for key in ("Enter", "Space"):
        ben.press(key)
    ben.wait_for("dialog", "Become Guest?")
    ben.press("Escape")
    ben.wait_for_none("dialog", "Become Guest?")
    ann.drain(0.3)
    assert not [one for one in ann.notifications if one["method"] == "on-peer-update"]

    ann.call("role-change-request", offer)
    ben.operate("button", "Become Guest")
    heard(ann, "on-peer-update", role="guest")
    # It decides anew to be heard and seen.
    ben.wait_for("button", "Unmute")
    ben.wait_for("button", "Turn the camera on")
    ben.operate("button", "Unmute")
    added = ann.wait_for("on-track-add", timeout=20)
    assert [track["type"] for track in added["tracks"].values()] == ["audio"]

    # A role that may not publish takes everything back.
    ann.call("role-change-request", offer | {"role": "viewer", "force": True})
    ann.wait_for("on-track-remove", timeout=20)
    ben.wait_for_none("button", "Mute")
    ben.wait_for_text("toast-note", "You are Viewer now")


def heard_join(peer, name):
    """The id of somebody who is in the room."""
    def listed():
        answer = peer.call("peer-name-search", {"query": name})["result"]["peers"]
        return answer and answer[0]["peer_id"]

    return wait_for(f"{name} is listed", listed, TIMEOUT)


def test_a_mute_is_done_and_an_unmute_is_asked_for(world):
    ben, ann = world.open("Ben", "guest"), world.connect("Ann", "host")
    me = heard_join(ann, "Ben")

    def published(kind):
        for message in ann.notifications:
            params = message.get("params", {})
            for track in params.get("tracks", {}).values() if "tracks" in params else ():
                if message["method"] == "on-track-add" and track["type"] == kind:
                    return track
        ann.drain(0.2)
        return None

    sound = wait_for("Ben is heard", lambda: published("audio"), 20)
    track = {"requested_for": me, "track_id": sound["track_id"], "stream_id": sound["stream_id"]}
    ben.wait_for("button", "Mute")
    assert "result" in ann.call("track-update-request", track | {"mute": True})
    ben.wait_for("button", "Unmute")
    ben.wait_for_text("toast-note", "Ann muted your microphone")
    ann.wait_for("on-track-update", lambda params: all(
        one["mute"] for one in params["tracks"].values()))

    assert "result" in ann.call("track-update-request", track | {"mute": False})
    ben.wait_for("dialog", "Turn your microphone on?")
    ben.operate("button", "Stay muted")
    ben.wait_for("button", "Unmute")
    ann.call("change-track-mute-state-request", {"value": False, "type": "audio"})
    ben.operate("button", "Unmute")  # the dialog's: nothing else can be reached
    ben.wait_for("button", "Mute")
    ann.wait_for("on-track-update", lambda params: not any(
        one["mute"] for one in params["tracks"].values()))

    wait_for("Ben is seen", lambda: published("video"), 20)
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
    wait_for("hands come first, in their order", lambda: [
        text.split("\n")[0] for text in ann.texts("hand-mark")] == ["1", "2", "3"], TIMEOUT)
    names = [text for text in ann.texts("person")]
    assert ["Ann" in names[0], "Cleo" in names[1], "Ben" in names[2]] == [True] * 3

    ann.choose("What to do with Cleo", "Lower the hand")
    heard(cleo, "on-peer-update", peer_id=cleo.peer_id, groups=[])
    ann.operate("button", "Lower your hand")
    heard(cleo, "on-peer-update", peer_id=me, groups=[])
    wait_for("one is left", lambda: ann.texts("hand-mark") == ["1"], TIMEOUT)


def test_messages_go_to_all_a_role_or_a_person_and_say_so(world):
    ann, ben, dan = world.open(), world.connect("Ben"), world.connect("Dan", "viewer")
    ann.operate("button", "Chat")
    wait_for("the field is ready", lambda: ann.is_focused("textbox", "Message"), TIMEOUT)
    ann.type("to all")
    ann.press("Enter")
    for peer in (ben, dan):
        assert heard(peer, "on-broadcast")["info"]["message"] == "to all"

    choose_audience(ann, "role:guest")
    ann.operate("textbox", "Message")
    ann.type("to guests")
    ann.press("Enter")
    assert heard(ben, "on-broadcast", roles=["guest"])["info"]["message"] == "to guests"

    choose_audience(ann, f"peer:{dan.peer_id}")
    ann.type("to Dan")
    ann.press("Enter")
    assert heard(dan, "on-broadcast", private=True)["info"]["message"] == "to Dan"
    wait_for("the marks say it", lambda: ann.texts("message-mark") == [
        "to role guest", "to Dan only"], TIMEOUT)
    dan.drain(0.3)
    said = [one["params"]["info"]["message"] for one in dan.notifications
            if one["method"] == "on-broadcast"]
    assert said == ["to all", "to Dan"]

    # What was meant for one who has left goes to nobody else.
    dan.leave()
    wait_for("Dan has left", lambda: ann.evaluate(ADDRESSEE) == "Dan (left)", TIMEOUT)
    ann.type("still there?")
    ann.press("Enter")
    wait_for("the page says why", lambda: ann.texts("toast-error"), TIMEOUT)
    assert ann.evaluate("() => document.querySelector('[data-testid=message]').value") \
        == "still there?"

    ben.call("broadcast", {"info": {"message": "psst", "type": "chat"},
                           "peer_id": heard_join(ben, "Ann")})
    ann.wait_for_text("message-mark", "to you only")
    ann.press("Escape")
    assert ann.is_focused("button", "Chat"), "the panel gave the focus back"
    ben.call("broadcast", {"info": {"message": "and?", "type": "chat"}})
    ann.wait_for("button", "Chat, 1 unread")


def choose_audience(page, value):
    """A list's own keys are the browser's; what is chosen is the page's."""
    page.evaluate("""(value) => {
      const list = document.querySelector("[data-testid=message-to]");
      list.value = value;
      list.dispatchEvent(new Event("change", { bubbles: true }));
    }""", value)


# What is seen


def test_the_speaker_and_who_is_pinned_are_large(world):
    ann = world.open()
    ben, cleo = world.connect("Ben", tracks=["a1"]), world.connect("Cleo", tracks=["a2"])
    wait_for("there are three tiles", lambda: len(ann.evaluate(AREAS)) == 3, TIMEOUT)

    def large():
        areas = ann.evaluate(AREAS)
        first, second, *_ = sorted(areas, key=areas.get, reverse=True)
        return first if areas[first] > 2 * areas[second] else None

    assert large() is None
    ann.operate("button", "Speaker view")
    wait_for("somebody is large", large, TIMEOUT)
    for peer, name in [(cleo, "Cleo"), (ben, "Ben")]:
        for _ in range(2):
            ann.tell("active-speakers", **{"speaker-list": [
                {"peer_id": peer.peer_id, "level": 70, "track_id": "a"}]})
        wait_for(f"{name} is large", lambda name=name: large() == name, TIMEOUT)

    ann.operate("button", "Show Cleo large")
    wait_for("Cleo is large", lambda: large() == "Cleo", TIMEOUT)
    ann.operate("button", "Show Cleo large")
    wait_for("Ben is large again", lambda: large() == "Ben", TIMEOUT)
    ann.operate("button", "Speaker view")
    wait_for("nobody is", lambda: large() is None, TIMEOUT)


def test_the_network_of_everybody_is_told(world):
    ann, ben = world.open(), world.connect("Ben", tracks=["a1"])
    ann.operate("button", "People")
    wait_for("Ben is listed", lambda: len(ann.texts("person")) == 2, TIMEOUT)
    assert ann.count("img", "Network: very good") == 0
    ann.tell("on-connection-quality-update",
             peers=[{"peer_id": ben.peer_id, "downlink_score": 5}])
    ann.wait_for("img", "Network: very good")
    ann.tell("on-connection-quality-update",
             peers=[{"peer_id": ben.peer_id, "downlink_score": 1}])
    # In the list, and at the tile now too.
    wait_for("it is told twice", lambda: ann.count("img", "Network: very poor") == 2, TIMEOUT)
    ann.wait_for("article", "Ben, network very poor")


def test_comings_and_goings_are_announced_and_counted(world):
    ann = world.open()
    assert ann.texts("peer-count") == ["1 person"]
    ben = world.connect("Ben")
    ann.wait_for_text("peer-count", "2 people")
    status = """() => [...document.querySelectorAll("[role=status]")]
      .map((node) => node.textContent).join()"""
    wait_for("it is said", lambda: "Ben joined" in ann.evaluate(status), TIMEOUT)
    ben.leave()
    ann.wait_for_text("peer-count", "1 person")
    wait_for("it is said", lambda: "Ben left" in ann.evaluate(status), TIMEOUT)


def test_people_of_a_full_room_are_searched(world):
    ann = world.open()
    ann.operate("button", "People")
    for name in ("Ben", "Berta", "Cleo", "Dan", "Emil", "Fritz", "Gus"):
        world.connect(name)
    ann.operate("searchbox", "Search people")
    ann.type("be")
    wait_for("two are left", lambda: names_of(ann) == ["Ben", "Berta"], TIMEOUT)
    ann.type("x")
    wait_for("nobody is", lambda: names_of(ann) == [], TIMEOUT)
    ann.wait_for_text("people-note", "Nobody of that name.")


def test_who_is_not_listed_in_a_large_room_is_found_and_written_to(world):
    ann, dan = world.open(), world.connect("Dan", "viewer")
    world.connect("Ben", tracks=["a1"])
    ann.operate("button", "People")
    wait_for("all are listed", lambda: len(names_of(ann)) == 3, TIMEOUT)
    # What the server of a large room says.
    ann.tell("room-info", room_id=world.room, large_room_optimization=True)
    ann.tell("session-info", session_id="s", peer_count=1200)
    ann.tell("on-peer-update", peer_id=dan.peer_id, realtime=False)
    ann.wait_for_text("peer-count", "1200 people")
    ann.wait_for_text("people-note", "1198 more")
    assert names_of(ann) == ["Ann (you)", "Ben"]
    ann.operate("searchbox", "Search people")
    ann.type("da")
    wait_for("Dan is found", lambda: names_of(ann) == ["Dan"], TIMEOUT)
    ann.choose("What to do with Dan", "Write privately")
    wait_for("the field is ready", lambda: ann.is_focused("textbox", "Message"), TIMEOUT)
    ann.type("hello")
    ann.press("Enter")
    assert heard(dan, "on-broadcast", private=True)["info"]["message"] == "hello"
    ann.wait_for_text("message-mark", "to Dan only")


def names_of(page):
    return page.evaluate("""() => [...document.querySelectorAll("[data-testid=person] b")]
      .map((node) => node.textContent).filter((text) => !/^[0-9]+$/.test(text))""")


def test_a_recording_is_seen_by_everybody(world):
    ann = world.open(role="guest")
    assert ann.texts("recording-state") == []
    answer = world.server.manage("POST", f"/recordings/room/{world.room}/start", {})
    assert answer.status == 200, answer
    wait_for("the lamp is on", lambda: any(
        text.startswith("Recording 0:") for text in ann.texts("recording-state")), ON_AIR_TIMEOUT)
    world.server.manage("POST", f"/recordings/room/{world.room}/stop")
    wait_for("it is out", lambda: ann.texts("recording-state") == [], ON_AIR_TIMEOUT)


# The room


@pytest.mark.parametrize("is_locked", [False, True])
def test_a_room_is_ended_for_everybody_and_locked_if_wished(world, is_locked):
    ann, ben = world.open(), world.connect("Ben")
    ann.operate("button", "End the room")
    ann.wait_for("dialog", "End the room for everybody?")
    ann.press("Escape")
    ann.wait_for_none("dialog", "End the room for everybody?")
    assert ann.is_focused("button", "End the room") and ben.is_alive()
    ann.operate("button", "End the room")
    if is_locked:
        ann.operate(
            "checkbox", "Lock the room Nobody comes in again until it is opened anew.", "Space")
    ann.operate("button", "End the room")  # the dialog's
    assert heard(ben, "on-peer-leave-request")["room_end"] is True
    ann.wait_for("heading", "You have left the room")
    assert ann.is_focused("button", "Join again")
    answer = world.server.http.get("/init?peer_id=p", token=tokens.room_token(world.room))
    assert (answer.status == 403) == is_locked


def test_who_is_removed_is_out_at_once(world):
    ann, ben = world.open("Ann", "guest"), world.connect("Ben", "host")
    ben.call("peer-leave-request", {"requested_for": heard_join(ben, "Ann"), "reason": ""})
    ann.wait_for("heading", "You have left the room")


# Manners


def test_the_page_is_whole_at_every_width(world):
    ann = world.open()
    for name in ("Ben", "Somebody with quite a long name"):
        world.connect(name, tracks=[f"a-{name}", f"v-{name}"])
    wait_for("there are three tiles", lambda: len(ann.evaluate(AREAS)) == 3, TIMEOUT)
    for step in ("closed", "People", "Chat", "End the room"):
        if step != "closed":
            ann.operate("button", step)
        for width in WIDTHS:
            ann.resize(width, 700)
            wait_for("the window has its width", lambda width=width: ann.evaluate(
                "() => innerWidth") == width, TIMEOUT)
            found = ann.evaluate(OVERFLOW)
            assert found["page"] <= width, (step, width)
            assert found["beyond"] == [], (step, width)
        ann.resize(1280, 720)
    ann.press("Escape")


def test_every_control_has_a_name_and_is_reached_by_tab(world):
    ann = world.open()
    world.connect("Ben", tracks=["a1"])
    ann.operate("button", "People")
    ann.wait_for("button", "What to do with Ben")
    unnamed = ann.evaluate("""() => [...document.querySelectorAll("button, input, select, a")]
      .filter((node) => node.checkVisibility())
      .filter((node) => !(node.getAttribute("aria-label") || node.labels?.length
        || node.textContent.trim())).map((node) => node.outerHTML)""")
    assert unnamed == []
    for role, name in [
        ("link", "Roomcast, all rooms"), ("button", "Speaker view"),
        ("button", "Show Ben large"), ("tab", "People (2)"), ("button", "Close side panel"),
        ("button", "Mute all"), ("button", "What to do with Ben"), ("button", "Mute"),
        ("button", "Turn the camera off"), ("button", "Raise your hand"), ("button", "Chat"),
        ("button", "Devices"), ("button", "Go live"), ("button", "End the room"),
        ("button", "Leave the room"),
    ]:
        ann.tab_to(role, name)
    ann.tab_to("tab", "People (2)")
    ann.press("ArrowLeft")
    assert ann.is_focused("tab", "Chat")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out(server, browser, room, scheme):
    page = InChromium(browser, server, room, "Ann", color_scheme=scheme)
    peers = [Peer(server, room, name) for name in ("Ben", "Cleo")]
    for peer in peers:
        peer.join()
    peers[0].call("group-join", {"name": HAND})
    try:
        page.operate("button", "People")
        page.wait_for_text("hand-mark", "1")
        page.tell("on-connection-quality-update",
                  peers=[{"peer_id": peers[1].peer_id, "downlink_score": 1}])
        page.tell("on-record-update", type="Browser", state="started", started_at=1)
        page.tell("on-hls-update", enabled=True, variants=[{"state": "started", "url": "u"}])
        page.wait_for("button", "End recording")
        assert page.evaluate(CONTRASTS) == []
        page.operate("button", "What to do with Ben")
        page.wait_for("menuitem", "Change role …")
        assert page.evaluate(CONTRASTS) == []
        page.press("Escape")
        page.operate("button", "Chat")
        page.type("to all")
        page.press("Enter")
        choose_audience(page, f"peer:{peers[0].peer_id}")
        page.type("to Ben")
        page.press("Enter")
        page.wait_for_text("message-mark", "to Ben only")
        assert page.evaluate(CONTRASTS) == []
        page.operate("button", "End the room")
        page.wait_for("dialog", "End the room for everybody?")
        assert page.evaluate(CONTRASTS) == []
    finally:
        for one in [*peers, page]:
            one.close()
    assert page.errors == []


def test_nothing_moves_for_who_does_not_want_it(server, browser, room):
    page = InChromium(browser, server, room, "Ann", reduced_motion="reduce")
    try:
        assert page.evaluate(MOTION) == []
    finally:
        page.close()


def test_another_microphone_is_chosen_inside_the_room(server, browser, room):
    page = InChromium(browser, server, room, "Ann")
    sent = """() => document.querySelector("[data-testid=call-microphone-device]")?.value"""
    try:
        page.operate("button", "Devices")
        page.wait_for("combobox", "Microphone")
        devices = page.evaluate("""() => [...document.querySelectorAll(
          "[data-testid=call-microphone-device] option")].map((option) => option.value)""")
        before = page.evaluate(sent)
        other = next(one for one in devices if one != before)
        page.page.select_option("[data-testid=call-microphone-device]", other)
        # The list shows what is in use.
        wait_for("it is in use", lambda: page.evaluate(sent) == other, TIMEOUT)
        page.operate("button", "Done")
        page.wait_for_none("dialog", "Devices")
        assert page.is_focused("button", "Devices")
        page.operate("button", "Devices")
        page.wait_for("combobox", "Microphone")
        assert page.evaluate(sent) == other
    finally:
        page.close()
    assert page.errors == []
