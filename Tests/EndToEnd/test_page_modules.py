"""The pages' pure modules, in the browsers that run them, without the server."""

import json
import re
import socket
import subprocess
import sys

import pytest
from harness.server import REPOSITORY, free_port
from harness.waiting import wait_for

WEB = REPOSITORY / "Sources/ControlAPI/Web"
BLANK = "/assets/"  # a list of files, on the modules' origin


@pytest.fixture(scope="module")
def files(namespace):
    """The pages' files as an origin in Firefox' namespace and, at another port, outside."""
    port = free_port(socket.SOCK_STREAM)
    command = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", "--directory", str(WEB)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    servers = [subprocess.Popen([*prefix, *command, str(port)], **quiet)
               for prefix in ([], namespace.prefix)]

    def answers(connect):
        try:
            connect("127.0.0.1", port).close()
        except OSError:
            return False
        return True

    for connect in (lambda *address: socket.create_connection(address, 5), namespace.connect):
        wait_for("the files are served", lambda connect=connect: answers(connect), 20)
    yield f"http://127.0.0.1:{port}{BLANK}"
    for server in servers:
        server.terminate()
        server.wait()


@pytest.fixture(params=["chromium", "firefox"], scope="module")
def page(request, files):
    if request.param == "firefox":
        firefox = request.getfixturevalue("firefox")
        firefox.navigate(files)
        yield firefox
        return
    context = request.getfixturevalue("browser").new_context()
    page = context.new_page()
    page.goto(files)
    yield page
    context.close()


def test_no_page_needs_inline_scripts_or_styles():
    for file in WEB.glob("*.html"):
        text = file.read_text()
        assert re.search(r"<script(?![^>]*\bsrc=)", text) is None, file.name
        assert " style=" not in text and "<style" not in text, file.name
        assert re.search(r"\son[a-z]+=", text) is None, file.name


def test_no_module_makes_markup_of_text():
    for file in WEB.glob("assets/**/*.js"):
        text = file.read_text()
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
            assert word not in text, f"{word} in {file.name}"


def test_every_module_loads(page):
    names = [f"/{file.relative_to(WEB)}" for file in WEB.glob("assets/**/*.js")]
    # These run a page as soon as they are loaded.
    names = [name for name in names if not re.search(r"/(home|recordings|room|watch)\.js$", name)]
    # These look for their page's elements.
    pages_parts = ("preview", "on-air", "call", "chat-panel", "people-panel", "poll-form",
                   "poll-panel", "polling", "recording-lamp")
    for name in names:
        if name.rsplit("/", 1)[1].removesuffix(".js") not in pages_parts:
            page.evaluate("(name) => import(name).then(() => true)", name)


def test_the_cues_of_a_sheet_of_pictures_are_read(page):
    text = ("WEBVTT\r\n\r\n00:00:00.000 --> 00:00:02.500 align:start\r\na b.jpg#xywh=0,0,160,90\r\n"
            "\r\n2\r\n59:02.500 --> 01:00:04.000\r\nhttps://o.test/c.jpg#xywh=160,90,160,90\r\n")
    cues = page.evaluate(
        "(text) => import('/assets/scrubber.js').then((scrubber) =>"
        " scrubber.parseCues(text, 'https://h.test/d/e.vtt'))", text)
    size = {"width": 160, "height": 90}
    assert cues == [
        {"begin": 0, "end": 2.5, "url": "https://h.test/d/a%20b.jpg", "x": 0, "y": 0} | size,
        {"begin": 3542.5, "end": 3604, "url": "https://o.test/c.jpg", "x": 160, "y": 90} | size]
    assert page.evaluate(
        "() => import('/assets/scrubber.js').then((scrubber) =>"
        " scrubber.parseCues('<html>', 'https://h.test/'))") == []


@pytest.mark.parametrize("size", [(1600, 900), (1280, 640), (390, 600), (900, 900)])
@pytest.mark.parametrize("screens", [0, 1, 2])
def test_tiles_stay_on_the_stage_and_apart(page, size, screens):
    width, height = size
    places = page.evaluate(
        """async ([screens, width, height]) => {
          const { layout } = await import("/assets/stage-layout.js");
          return Array.from({length: 26}, (_, cameras) => layout(screens, cameras, width, height));
        }""",
        [screens, width, height],
    )
    for cameras, tiles in enumerate(places):
        assert len(tiles) == screens + cameras
        for index, one in enumerate(tiles):
            assert one["width"] > 0 and one["height"] > 0
            assert -1 <= one["x"] and one["x"] + one["width"] <= width + 1
            assert -1 <= one["y"] and one["y"] + one["height"] <= height + 1
            for other in tiles[index + 1:]:
                assert (one["x"] + one["width"] <= other["x"] + 1
                        or other["x"] + other["width"] <= one["x"] + 1
                        or one["y"] + one["height"] <= other["y"] + 1
                        or other["y"] + other["height"] <= one["y"] + 1)


def test_the_description_names_stream_and_track_of_each_section(page):
    sdp = "\r\n".join([
        "v=0", "a=group:BUNDLE 0 1 2", "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
        "a=mid:0", "m=audio 9 UDP/TLS/RTP/SAVPF 111", "a=mid:1", "a=msid:stream-a track-a",
        "m=video 9 UDP/TLS/RTP/SAVPF 96", "a=msid:{stream-b} {track-b}", "a=mid:2", "",
    ])
    found = page.evaluate(
        """async (sdp) => {
          const { mediaIdentifiers } = await import("/assets/client/sdp.js");
          return [...mediaIdentifiers(sdp)];
        }""",
        sdp,
    )
    assert found == [
        ["1", {"streamID": "stream-a", "trackID": "track-a"}],
        ["2", {"streamID": "{stream-b}", "trackID": "{track-b}"}],
    ]


ROOM = """async (messages) => {
  const { RoomState } = await import("/assets/client/room-state.js");
  const { shownRecording } = await import("/assets/client/on-air-state.js");
  const room = new RoomState("me");
  const events = messages.map(([method, params]) => room.take(method, params).map(([one]) => one));
  return {
    events,
    streaming: room.streaming,
    recording: shownRecording(room.recording),
    count: room.count,
    hands: room.hands.map((peer) => peer.id),
    quality: Object.fromEntries([room.local, ...room.peers.values()].map(
      (peer) => [peer.id, peer.quality])),
    peers: [...room.peers.values()].map((peer) => ({
      id: peer.id, name: peer.name, tracks: [...peer.tracks.values()],
    })),
  };
}"""


def peer(identifier, name, role="guest", groups=(), joined=1, **tracks):
    return {
        "peer_id": identifier, "role": role, "groups": list(groups), "joined_at": joined,
        "info": {"name": name},
        "tracks": {key: {"track_id": key, "type": kind} for key, kind in tracks.items()},
    }


def test_the_room_keeps_others_and_never_itself(page):
    state = page.evaluate(ROOM, [
        ["peer-list", {"peers": {"me": peer("me", "Me"), "a": peer("a", "Ann", t1="video")},
                       "room": {"name": "r"}}],
        ["on-peer-join", peer("b", "Ben")],
        ["on-peer-join", peer("me", "Me")],
        ["on-track-add", {"tracks": {"t2": {"track_id": "t2", "type": "audio", "mute": True}},
                          "peer": peer("b", "Ben")}],
    ])
    assert state["events"] == [
        ["streaming", "recording", "peers"], ["presence", "peers"], ["peers"], ["peers"]]
    assert state["count"] == 3
    assert [one["name"] for one in state["peers"]] == ["Ann", "Ben"]
    assert state["peers"][1]["tracks"] == [
        {"id": "t2", "streamID": "", "kind": "audio", "source": "regular", "isMuted": True}
    ]


def test_a_late_track_removal_does_not_bring_a_peer_back(page):
    state = page.evaluate(ROOM, [
        ["on-peer-join", peer("b", "Ben")],
        ["on-peer-leave", peer("b", "Ben")],
        ["on-track-remove", {"tracks": {"t": {"track_id": "t"}}, "peer": peer("b", "Ben")}],
    ])
    assert state["peers"] == []


@pytest.mark.parametrize(("variants", "expected"), [
    ([], "none"),
    ([{"state": "initialised"}], "initialised"),
    ([{"state": "stopped"}, {"state": "started", "url": "u"}], "started"),
    ([{"state": "failed", "error": {"message": "why"}}], "failed"),
])
def test_the_most_advanced_variant_is_the_rooms_state(page, variants, expected):
    state = page.evaluate(ROOM, [["on-hls-update", {"enabled": True, "variants": variants}]])
    assert state["streaming"]["state"] == expected
    assert (state["streaming"]["url"] == "u") == (expected == "started")


HAND = ["_handraise"]


def test_hands_are_in_the_order_in_which_they_went_up(page):
    # Who was there before us joined in the order of their ids.
    before = {"b": peer("b", "Ben", groups=HAND, joined=2),
              "a": peer("a", "Ann", groups=HAND, joined=1)}
    steps = [
        ["peer-list", {"peers": before}],
        ["on-peer-update", peer("me", "Me", groups=["x", *HAND])],
        ["on-peer-join", peer("c", "Cleo", groups=HAND)],
        ["on-peer-update", peer("b", "Ben", groups=HAND)],  # says nothing new
    ]
    state = page.evaluate(ROOM, steps)
    assert state["hands"] == ["a", "b", "me", "c"]
    assert state["events"][1:] == [["hand", "peers"], ["presence", "hand", "peers"], ["peers"]]

    # A hand that goes down and up again is the last one.
    again = [*steps, ["on-peer-update", peer("a", "Ann")],
             ["on-peer-update", peer("a", "Ann", groups=HAND)], ["on-peer-leave", peer("b", "Ben")]]
    state = page.evaluate(ROOM, again)
    assert state["hands"] == ["me", "c", "a"]
    assert state["events"][-3:] == [["hand", "peers"], ["hand", "peers"], ["presence", "peers"]]


def test_a_role_is_told_where_it_changes(page):
    state = page.evaluate(ROOM, [
        ["peer-list", {"peers": {"a": peer("a", "Ann"), "me": peer("me", "Me")}}],
        ["on-peer-update", peer("a", "Ann", role="viewer")],
        ["on-peer-update", peer("a", "Anna", role="viewer")],
        ["on-peer-update", peer("me", "Me", role="viewer")],
    ])
    assert state["events"][1:] == [["peer-role", "peers"], ["peers"], ["peer-role", "peers"]]


@pytest.mark.parametrize(("is_large", "expected"), [(False, 2), (True, 1200)])
def test_a_large_room_counts_more_people_than_it_lists(page, is_large, expected):
    state = page.evaluate(ROOM, [
        ["room-info", {"room_id": "r", "large_room_optimization": is_large}],
        ["peer-list", {"peers": {"a": peer("a", "Ann"), "b": peer("b", "Ben")}}],
        ["session-info", {"session_id": "s", "peer_count": 1200}],
        # How it takes somebody out of the list.
        ["on-peer-update", peer("b", "Ben") | {"realtime": False}],
    ])
    assert [one["name"] for one in state["peers"]] == ["Ann"]
    assert state["count"] == expected


def test_the_quality_of_who_is_not_named_stays(page):
    state = page.evaluate(ROOM, [
        ["peer-list", {"peers": {"a": peer("a", "Ann"), "b": peer("b", "Ben")}}],
        ["on-connection-quality-update",
         {"peers": [{"peer_id": "a", "downlink_score": 5},
                    {"peer_id": "me", "downlink_score": 2}]}],
        ["on-connection-quality-update",
         {"peers": [{"peer_id": "a", "downlink_score": 0}, {"peer_id": "gone", "downlink_score": 1},
                    {"peer_id": "b", "downlink_score": "?"}]}],
    ])
    assert state["quality"] == {"me": 2, "a": 0, "b": None}


@pytest.mark.parametrize(("updates", "phase"), [
    ([], "none"),
    ([("Browser", "initialised")], "starting"),
    ([("HLS", "started"), ("Browser", "failed")], "recording"),
    ([("HLS", "failed"), ("Browser", "resumed")], "recording"),
    ([("Browser", "started"), ("Browser", "paused")], "paused"),
    ([("HLS", "started"), ("HLS", "stopped")], "none"),
    ([("Browser", "failed")], "failed"),
])
def test_what_is_recorded_is_one_of_the_rooms_and_of_the_streams(page, updates, phase):
    state = page.evaluate(ROOM, [
        ["on-record-update", {"type": kind, "state": state, "started_at": 1000}]
        for kind, state in updates])
    assert state["recording"]["phase"] == phase
    assert all(events == ["recording"] for events in state["events"])


MESSAGES = """async ([audience, params]) => {
  const { markOf, messagesFrom, outgoing } = await import("/assets/client/messages.js");
  const [[type, message] = []] = messagesFrom("on-broadcast", params);
  return { sent: outgoing("hi", audience), mark: markOf(audience), type, message };
}"""


@pytest.mark.parametrize(("audience", "sent", "mark"), [
    ({"kind": "everybody"}, {}, ""),
    ({"kind": "role", "role": "host"}, {"roles": ["host"]}, "to role host"),
    ({"kind": "peer", "peerID": "b", "name": "Ben"}, {"peer_id": "b"}, "to Ben only"),
])
def test_a_message_goes_to_whom_it_is_for(page, audience, sent, mark):
    found = page.evaluate(MESSAGES, [audience, {}])
    assert found["sent"] == {"info": {"message": "hi", "type": "chat"}} | sent
    assert found["mark"] == mark


@pytest.mark.parametrize(("params", "mark"), [
    ({"roles": [], "private": False}, ""),
    ({"roles": ["host", "guest"]}, "to role host, role guest"),
    ({"roles": [], "private": True}, "to you only"),
])
def test_a_message_says_whom_it_was_for(page, params, mark):
    sent = {"peer": peer("a", "Ann"), "timestamp": 0, "info": {"message": "hi", "type": "chat"}}
    message = page.evaluate(MESSAGES, [{"kind": "everybody"}, sent | params])["message"]
    assert (message["name"], message["text"], message["mark"]) == ("Ann", "hi", mark)


def test_a_message_without_text_is_none_and_one_without_a_peer_the_servers(page):
    for body in ({"a": 1}, "", None, 5):
        found = page.evaluate(MESSAGES, [{"kind": "everybody"}, {"info": {"message": body}}])
        assert found.get("message") is None, body
    message = page.evaluate(MESSAGES, [{"kind": "everybody"}, {"info": {"message": "hi"}}])
    assert message["message"]["name"] == "Server"


REQUESTS = """async ([method, params]) => {
  const { requestsFrom } = await import("/assets/client/moderation.js");
  return requestsFrom(method, params);
}"""


def test_requests_of_others_become_events(page):
    by = {"requested_by": "a"}
    assert page.evaluate(REQUESTS, [
        "on-role-change-request", by | {"role": "host", "token": "t"}]) == [
            ["role-offer", {"requestedBy": "a", "role": "host", "token": "t"}]]
    assert page.evaluate(REQUESTS, [
        "on-track-update-request", by | {"track_id": "t", "stream_id": "s", "mute": True}]) == [
            ["mute-request", {"requestedBy": "a", "trackID": "t", "isMuted": True}]]
    assert page.evaluate(REQUESTS, [
        "on-change-track-mute-state-request", by | {"value": False, "type": "video"}]) == [
            ["mute-request", {"requestedBy": "a", "kind": "video", "source": None,
                              "isMuted": False}]]
    assert page.evaluate(REQUESTS, ["on-peer-join", by]) == []


EARLY_MUTE = """async () => {
  const { Moderating } = await import("/assets/moderating.js");
  const known = [];
  const media = { isMicrophoneOn: true, setMicrophone(isOn) { this.isMicrophoneOn = isOn; } };
  const moderating = new Moderating({
    client: { room: { peers: new Map() } },
    media,
    publishing: {
      settled: Promise.resolve().then(() => known.push("t")),
      kindOf: (id) => (known.includes(id) ? "audio" : null),
      has: () => known.length > 0,
    },
  });
  await moderating.muteAsked({ requestedBy: "a", trackID: "t", isMuted: true });
  return media.isMicrophoneOn;
}"""


def test_a_mute_waits_for_the_track_that_it_is_about(page):
    assert page.evaluate(EARLY_MUTE) is False


UNMUTE = """async (meanwhile) => {
  const { Moderating } = await import("/assets/moderating.js");
  const held = new Set(["audio"]);
  const media = { isMicrophoneOn: false, setMicrophone(isOn) { this.isMicrophoneOn = isOn; } };
  const moderating = new Moderating({
    client: { room: { peers: new Map() } },
    media,
    publishing: { settled: Promise.resolve(), kindOf: () => null, has: (kind) => held.has(kind) },
  });
  const settled = () => new Promise((resolve) => setTimeout(resolve, 50));
  moderating.roleIs?.("guest");
  await moderating.muteAsked({ requestedBy: "a", kind: "audio", isMuted: false });
  if (meanwhile === "unpublished") held.clear();
  if (meanwhile === "another role") moderating.roleIs?.("viewer");
  if (meanwhile === "the same role") moderating.roleIs?.("guest");
  await settled();
  document.querySelector("dialog [data-testid=confirm]")?.click();
  await settled();
  return [media.isMicrophoneOn, document.querySelectorAll("dialog").length];
}"""


@pytest.mark.parametrize(("meanwhile", "is_on"), [
    ("nothing", True), ("the same role", True), ("another role", False), ("unpublished", False),
])
def test_who_agrees_to_be_heard_is_heard_as_far_as_the_role_still_allows_it(
        page, meanwhile, is_on):
    assert page.evaluate(UNMUTE, meanwhile) == [is_on, 0]


def test_roles_are_in_the_order_of_their_priority(page):
    roles = {"viewer": {"priority": 3}, "b": {"priority": 1}, "guest": {}, "a": {"priority": 1}}
    assert page.evaluate("""async (roles) => {
      const { rolesInOrder } = await import("/assets/client/moderation.js");
      return rolesInOrder(roles);
    }""", roles) == ["a", "b", "viewer", "guest"]


def test_codes_tell_what_is_worth_another_try(page):
    codes = page.evaluate("""async (codes) => {
      const { SignalError } = await import("/assets/client/signal.js");
      return codes.map((code) => new SignalError(code, ""))
        .map(({ isFinal, isTransient }) => [isFinal, isTransient]);
    }""", [400, 401, 403, 410, 40001, 40101, 41001, 1003, 429, 503, 404, 2003])
    assert codes == [[True, False]] * 7 + [[False, True]] * 3 + [[False, False]] * 2


ACTIONS = """async ([person, role]) => {
  const { actionsFor } = await import("/assets/person-actions.js");
  return actionsFor(person, role).map(({ name }) => name);
}"""
HOST = {"mute": True, "unmute": True, "changeRole": True, "removeOthers": True, "broadcast": True}
PERSON = {"id": "b", "name": "Ben", "role": "guest", "isLocal": False, "isOnStage": True,
          "isPinned": False, "hand": 0, "audio": {"isMuted": False}, "video": {"isMuted": True},
          "screen": None}


@pytest.mark.parametrize(("changes", "permissions", "expected"), [
    ({}, HOST, ["pin", "write", "mute", "lighten", "role", "remove"]),
    ({}, {}, ["pin", "write"]),
    ({"hand": 2, "screen": {}, "isOnStage": False}, HOST | {"broadcast": False},
     ["mute", "lighten", "unshare", "lower", "role", "remove"]),
    ({"audio": {"isMuted": True}, "video": {"isMuted": False}}, HOST,
     ["pin", "write", "unmute", "darken", "role", "remove"]),
    ({"audio": None, "video": None}, {"unmute": True}, ["pin", "write"]),
    ({"isLocal": True}, HOST, []),
])
def test_one_may_do_with_others_what_ones_role_may(page, changes, permissions, expected):
    role = {"permissions": permissions, "known": ["host", "guest"]}
    assert page.evaluate(ACTIONS, [PERSON | changes, role]) == expected


CAST = """async ([tiles, wish, width, height]) => {
  const { cast } = await import("/assets/stage-layout.js");
  const spoke = new Map(Object.entries(wish.spoke));
  const { large, small, left } = cast(tiles, { ...wish, spoke }, width, height);
  return [large, small, left].map((some) => some.map(({ key }) => key));
}"""
NO_WISH = {"isSpeakerView": False, "pinned": None, "speaker": None, "spoke": {}}


def tiles(*names, screens=()):
    return [{"key": name, "peerID": name, "isLocal": name == "local",
             "source": "screen" if name in screens else "regular"} for name in names]


@pytest.mark.parametrize(("wish", "screens", "expected"), [
    ({}, (), ([], ["a", "b", "c", "local"])),
    ({"speaker": "b"}, (), ([], ["a", "b", "c", "local"])),
    ({"isSpeakerView": True}, (), (["a"], ["b", "c", "local"])),
    ({"isSpeakerView": True, "speaker": "b"}, (), (["b"], ["a", "c", "local"])),
    ({"isSpeakerView": True, "speaker": "gone"}, (), (["a"], ["b", "c", "local"])),
    ({"isSpeakerView": True, "speaker": "b"}, ("c",), (["c"], ["a", "b", "local"])),
    ({"pinned": "b"}, ("c",), (["b"], ["a", "c", "local"])),
])
def test_the_large_tile_is_the_pinned_one_or_a_screen_or_the_speaker(page, wish, screens, expected):
    found = page.evaluate(
        CAST, [tiles("a", "b", "c", "local", screens=screens), NO_WISH | wish, 1280, 640])
    assert found == [*expected, []]


def test_who_does_not_fit_is_who_spoke_longest_ago_and_never_oneself(page):
    names = [f"p{number}" for number in range(40)]
    wish = NO_WISH | {"spoke": {"p39": 7, "p20": 9}}
    large, small, left = page.evaluate(CAST, [tiles(*names, "local"), wish, 1600, 900])
    assert large == [] and len(small) == 24 and len(left) == 17
    assert {"p39", "p20", "local"} <= set(small)
    assert small == sorted(small, key=[*names, "local"].index), "they keep their order"
    # A small stage holds fewer; one place is for the tile that counts the others.
    for width, height in [(390, 600), (300, 200), (100, 80)]:
        _, small, left = page.evaluate(CAST, [tiles(*names, "local"), wish, width, height])
        assert len(small) + len(left) == 41 and len(small) < 24


@pytest.mark.parametrize(("size", "spoke", "small"), [
    ((300, 420), {}, ["a"]), ((300, 420), {"b": 3}, ["b"]), ((200, 110), {"b": 3}, []),
    ((360, 420), {"b": 3}, ["b", "local"]),
])
def test_the_only_face_beside_a_screen_is_not_ones_own(page, size, spoke, small):
    found = page.evaluate(
        CAST, [tiles("a", "screen", "b", "c", "d", "e", "local", screens=["screen"]),
               NO_WISH | {"spoke": spoke}, *size])
    assert found[:2] == [["screen"], small]


def test_a_picture_is_asked_for_in_the_size_in_which_it_is_shown(page):
    layers = page.evaluate("""async (heights) => {
      const { layerFor } = await import("/assets/stage-layout.js");
      return heights.map(layerFor);
    }""", [90, 200, 201, 400, 401, 1080])
    assert layers == ["low", "low", "medium", "medium", "high", "high"]


SPOTLIGHT = """async (reports) => {
  const { Spotlight } = await import("/assets/spotlight.js");
  const spotlight = new Spotlight();
  return reports.map((levels) => {
    spotlight.take(new Map(Object.entries(levels)));
    return spotlight.peerID;
  });
}"""


def test_the_spotlight_has_some_patience(page):
    assert page.evaluate(SPOTLIGHT, [
        {"a": 40}, {"b": 60}, {"a": 50}, {"b": 60, "a": 20}, {"b": 60, "a": 59}, {}, {"c": 30}, {},
        {"c": 30}, {"c": 30},
    ]) == ["a", "a", "a", "a", "b", "b", "b", "b", "b", "c"]


def with_devices(steps):
    """The steps, with a `media` whose questions to the browser are answered by hand."""
    return """async () => {
  const { LocalMedia } = await import("/assets/local-media.js");
  const asked = []; // what the browser was asked for, each to be granted or refused
  const given = []; // tracks
  const make = {
    video() {
      const canvas = document.createElement("canvas");
      canvas.getContext("2d");
      return canvas.captureStream().getVideoTracks()[0];
    },
    audio() {
      window.context ??= new AudioContext();
      return window.context.createMediaStreamDestination().stream.getAudioTracks()[0];
    },
  };
  const settled = () => new Promise((resolve) => setTimeout(resolve));
  navigator.mediaDevices.getUserMedia = (wanted) => new Promise((resolve, reject) => asked.push({
    wanted,
    grant() {
      const tracks = ["video", "audio"].filter((kind) => wanted[kind]).map((kind) => make[kind]());
      given.push(...tracks);
      // No page can make a track end by itself, and Firefox' tracks dispatch nothing of a page's.
      for (const track of tracks) {
        track.addEventListener = (type, handler) => (track.unplug = handler);
      }
      resolve(new MediaStream(tracks));
      return settled();
    },
    refuse(name) {
      reject(new DOMException("No.", name));
      return settled();
    },
  }));
  const live = () => given.filter((track) => track.readyState === "live")
    .map(({ kind, enabled }) => (enabled ? kind : `silent ${kind}`)).sort();
  const media = new LocalMedia();
  const opened = async () => {
    media.start();
    await settled();
    await asked.at(-1).grant();
  };
  try { %s } finally { delete navigator.mediaDevices.getUserMedia; }
}""" % steps


def test_a_microphone_muted_before_it_is_there_is_silent(page):
    found = page.evaluate(with_devices("""
      await opened();
      media.release({ camera: false, microphone: true });
      media.setMicrophone(true);
      media.setMicrophone(false);
      await settled();
      await asked.at(-1).grant();
      return [media.isMicrophoneOn, live()];
    """))
    assert found == [False, ["silent audio", "video"]]


@pytest.mark.parametrize(("step", "expected"), [
    ("media.setCamera(false)", ["audio"]),
    ("media.release({ camera: true, microphone: false })", ["audio"]),
    ("media.release({ camera: false, microphone: true })", ["video"]),
    ("media.stop()", []),
])
def test_a_device_given_up_before_it_is_there_is_given_back(page, step, expected):
    assert page.evaluate(with_devices(f"""
      media.start();
      await settled();
      {step};
      await asked[0].grant();
      return live();
    """)) == expected


@pytest.mark.parametrize("kind", ["Camera", "Microphone"])
def test_of_two_devices_chosen_at_once_the_second_is_in_use(page, kind):
    found = page.evaluate(with_devices(f"""
      await opened();
      media.choose{kind}("one");
      media.choose{kind}("two");
      await settled();
      for (let next = 1; next < asked.length; next += 1) await asked[next].grant();
      const {{ video, audio }} = asked.at(-1).wanted;
      return [live(), media.stream.getTracks().length, (video || audio).deviceId];
    """))
    assert found == [["audio", "video"], 2, {"exact": "two"}]


def test_another_microphone_is_muted_from_the_beginning(page):
    found = page.evaluate(with_devices("""
      await opened();
      media.setMicrophone(false);
      await settled();
      const told = [];
      media.addEventListener("change", () => told.push(media.isMicrophoneOn));
      media.chooseMicrophone("other");
      await settled();
      await asked.at(-1).grant();
      return [[...new Set(told)], live(), asked.length];
    """))
    assert found == [[False], ["silent audio", "video"], 2]


def test_what_was_turned_off_is_not_asked_for_again(page):
    found = page.evaluate(with_devices("""
      media.start();
      await settled();
      media.setCamera(false);
      await asked[0].refuse("NotFoundError");
      await asked[1].grant();
      await settled();
      return [asked.length, media.isCameraOn, live()];
    """))
    assert found == [2, False, ["audio"]]


def test_a_wish_is_shown_before_the_device_has_answered(page):
    found = page.evaluate(with_devices("""
      media.start();
      const told = [];
      media.addEventListener("change", () => told.push([media.isCameraOn, media.isMicrophoneOn]));
      media.setCamera(false);
      media.setMicrophone(false);
      media.setCamera(true);
      return told;
    """))
    assert found == [[False, True], [False, False], [True, False]]


def test_what_is_wrong_with_a_device_is_told_once_and_stands_until_that_device_works(page):
    found = page.evaluate(with_devices("""
      const told = [], shown = [];
      media.addEventListener("problem", ({ detail }) => told.push(detail));
      media.start();
      await settled();
      await asked[0].refuse("NotAllowedError");
      await asked[1].grant();
      await asked[2].refuse("NotReadableError");
      shown.push(media.problem);
      await media.setCamera(false);
      media.setCamera(true);
      await settled();
      await asked[3].refuse("NotReadableError");
      shown.push(media.problem);
      media.setMicrophone(true);
      await settled();
      await asked[4].grant();
      shown.push(media.problem);
      return [told, shown];
    """))
    sound, picture = (f"Your {word} is in use by another program."
                      for word in ("microphone", "camera"))
    assert found == [[sound, picture], [sound, f"{picture} {sound}", picture]]


def test_a_device_that_was_taken_out_is_told_and_another_is_taken(page):
    found = page.evaluate(with_devices("""
      await opened();
      media.chooseMicrophone("headset");
      await settled();
      await asked[1].grant();
      media.microphone.unplug();
      const shown = [media.isMicrophoneOn, media.problem, live()];
      media.setMicrophone(true);
      await settled();
      await asked[2].refuse("OverconstrainedError");
      await asked[3].grant();
      const ids = asked.map(({ wanted }) => wanted.audio.deviceId?.exact ?? "");
      return [shown, ids, media.problem, live()];
    """))
    assert found == [[False, "Your microphone was disconnected.", ["video"]],
                     ["", "headset", "headset", ""], "", ["audio", "video"]]


def test_that_no_device_at_all_is_there_is_told(page):
    found = page.evaluate(with_devices("""
      await opened();
      media.chooseCamera("one");
      await settled();
      await asked[1].refuse("NotFoundError");
      await asked[2].refuse("NotFoundError");
      return [asked.length, media.isCameraOn, media.problem];
    """))
    assert found == [3, False, "No camera was found."]


def test_a_device_that_was_plugged_in_is_listed(page):
    assert page.evaluate(with_devices("""
      let count = 0;
      media.addEventListener("change", () => (count += 1));
      navigator.mediaDevices.dispatchEvent(new Event("devicechange"));
      return count;
    """)) == 1


def in_a_room(answers, steps):
    """The steps, with a `client` in a room that publishes a picture and a sound, and is then cut off.

    `answers` are those of the server to each further call but pings, by the number of the socket and
    the method: true takes it, a number is an error's code. `made` are the page's connections, that by
    which it sends first, `hasten` makes the page's clock go faster, and `become` has a connection say
    that it is in another state.
    """
    return """async () => {
  const { RoomcastClient } = await import("/assets/roomcast-client.js");
  const answers = %s;
  const sockets = [], calls = [];
  class Socket extends EventTarget {
    static OPEN = 1;
    readyState = 1;
    number = sockets.push(this) - 1;
    connection = null;
    constructor() {
      super();
      setTimeout(() => {
        this.dispatchEvent(new Event("open"));
        this.say({ method: "on-policy-change", params: { name: "host", known_roles: {} } });
      });
    }
    say(message) {
      this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
    }
    async send(text) {
      const { id, method, params } = JSON.parse(text);
      if (!id) return;
      const isTaken = method === "ping" || (answers[this.number]?.[method]?.shift() ?? true);
      if (method !== "ping") calls.push([this.number, method, params]);
      if (isTaken !== true) return this.say({ id, error: { code: isTaken, message: "No." } });
      const result = method === "join" ? await answer(params.offer)
        : method === "offer" ? await answer(params.desc) : { timestamp: 1 };
      this.say({ id, result });
    }
    close() {
      this.readyState = 3;
      this.dispatchEvent(new CloseEvent("close", { code: 1006 }));
    }
  }
  const real = { WebSocket, RTCPeerConnection, fetch, setTimeout, setInterval };
  const made = [];
  let far = null;
  let session = "";
  async function answer(offer) {
    const began = offer.sdp.match(/a=fingerprint:.*/)[0];
    if (began !== session) {
      far = new real.RTCPeerConnection();
      session = began;
    }
    await far.setRemoteDescription(offer);
    await far.setLocalDescription(await far.createAnswer());
    return far.localDescription.toJSON();
  }
  const raised = [["_handraise"], []].map((groups) => ({
    method: "on-peer-update", params: { peer_id: "", groups } }));
  const tell = (message) => {
    message.params.peer_id = client.peerID;
    sockets.at(-1).say(message);
  };
  window.RTCPeerConnection = class extends RTCPeerConnection {
    constructor(...options) {
      super(...options);
      made.push(this);
    }
  };
  const hasten = (factor) => {
    for (const name of ["setTimeout", "setInterval"]) {
      window[name] = (run, wait = 0) => real[name].call(window, run, wait / factor);
    }
  };
  const pause = (wait) => new Promise((resolve) => real.setTimeout.call(window, resolve, wait));
  const within = (wait, promise) => Promise.race([
    promise, pause(wait).then(() => { throw new Error(`not within ${wait} ms`); })]);
  const become = (connection, state) => {
    Object.defineProperty(connection, "connectionState", { value: state, configurable: true });
    connection.dispatchEvent(new Event("connectionstatechange"));
  };
  window.WebSocket = Socket;
  window.fetch = async () => new Response(JSON.stringify({ endpoint: "wss://h.test/ws" }));
  const client = new RoomcastClient({ origin: location.origin, token: "t" });
  const joined = () => new Promise((resolve, reject) =>
    client.addEventListener("state", ({ detail: { state, reason } }) => {
      if (state === "joined") resolve();
      if (state === "left") reject(new Error(reason));
    }));
  const published = () => Object.values(calls.findLast(([, method]) => method === "offer")[2].tracks)
    .map(({ type }) => type).sort();
  const canvas = document.createElement("canvas");
  canvas.getContext("2d");
  window.context ??= new AudioContext();
  const streams = [canvas.captureStream(), window.context.createMediaStreamDestination().stream];
  try {
    await client.connect();
    await client.join({ name: "Ann" });
    for (const stream of streams) await client.publish(stream.getTracks()[0], stream);
    %s
  } finally {
    client.leave();
    Object.assign(window, real);
  }
}""" % (json.dumps(answers), steps)


@pytest.mark.parametrize("answers", [
    {1: {"offer": [404], "join": [503]}, 2: {"offer": [404]}},  # forgotten, and busy for a while
    {1: {"offer": [404], "join": [503]}},  # the join was taken, and its answer lost
    {1: {"offer": [404, 503]}},
    {1: {"offer": [404, 503]}, 2: {"offer": [404]}},
])
def test_what_was_published_is_so_again_however_often_the_way_back_fails(page, answers):
    assert page.evaluate(in_a_room(answers, """
      const back = joined();
      sockets[0].close();
      await back;
      return published();
    """)) == ["audio", "video"]


def test_what_is_published_and_taken_back_makes_no_later_offer_longer(page):
    assert page.evaluate(in_a_room({}, """
      const track = streams[0].getTracks()[0];
      for (let round = 0; round < 5; round += 1) {
        await client.unpublish(await client.publish(track.clone(), streams[0]));
      }
      const [, , { desc }] = calls.findLast(([, method]) => method === "offer");
      return desc.sdp.match(/^m=/gm).length;
    """)) == 4, "the channel, two tracks, and what was taken back"


@pytest.mark.parametrize("is_raised", [True, False])
def test_a_raised_hand_is_raised_again_where_the_server_has_forgotten_it(page, is_raised):
    assert page.evaluate(in_a_room({1: {"offer": [404]}}, f"""
      tell(raised[0]);
      if (!{json.dumps(is_raised)}) tell(raised[1]);
      const back = joined();
      sockets[0].close();
      await back;
      return calls.filter(([number, method]) => number === 1 && method === "group-join")
        .map(([, , params]) => params.name);
    """)) == ([HAND[0]] if is_raised else [])


def test_media_that_gets_through_no_more_is_told_and_a_new_socket_gets_it_back(page):
    # The server restarts the connection on which it sends three times, and then again for a new
    # socket.
    assert page.evaluate(in_a_room({}, """
      const told = [], states = [];
      client.addEventListener("path", ({ detail }) => told.push(detail.isBroken));
      client.addEventListener("state", ({ detail }) => states.push(detail.state));
      hasten(50);
      for (const state of ["disconnected", "connected"]) become(made[1], state);
      await pause(1000);
      const brief = [...told, sockets.length];
      for (const state of ["disconnected", "failed", "connecting", "failed"]) {
        become(made[1], state);
      }
      await pause(450);
      const soon = [...told, sockets.length];
      await within(5000, joined());
      become(made[1], "connected");
      await pause(1000);
      return [brief, soon, told, [...states], sockets.length];
    """)) == [[1], [True, 1], [True, False], ["reconnecting", "joined"], 2]


@pytest.mark.parametrize("code", [429, 404])
def test_a_restart_that_is_not_taken_is_tried_again(page, code):
    restarts, faults, before = page.evaluate(in_a_room({}, f"""
      const faults = [];
      client.addEventListener("fault", ({{ detail }}) => faults.push(detail.code));
      const restarts = () => calls.filter(([, method]) => method === "offer").length;
      const before = restarts();
      answers[0] = {{ offer: [{code}, {code}] }};
      hasten(100);
      become(made[0], "failed");
      await pause(1500);
      return [restarts(), faults, before];
    """))
    assert restarts - before == 3, "the third one was taken"
    assert faults == [], "what gets through says so"


@pytest.mark.parametrize("half", ["answer", "body"])
def test_a_server_that_does_not_answer_at_all_costs_one_try_to_come_back(page, half):
    assert page.evaluate(in_a_room({}, f"""
      const tries = [];
      const answering = window.fetch;
      window.fetch = (url, {{ signal }}) => {{
        tries.push(signal instanceof AbortSignal);
        if (tries.length > 1) return answering();
        const never = () => new Promise((resolve, reject) => {{
          signal?.addEventListener("abort", () => reject(signal.reason));
        }});
        return "{half}" === "answer" ? never() : Promise.resolve({{ ok: true, text: () => never() }});
      }};
      const timeout = AbortSignal.timeout;
      AbortSignal.timeout = (wait) => timeout.call(AbortSignal, wait / 100);
      try {{
        const back = joined();
        sockets[0].close();
        await within(5000, back);
      }} finally {{
        AbortSignal.timeout = timeout;
      }}
      return tries;
    """)) == [True, True]


def test_a_toast_can_be_read_and_dismissed_while_a_question_is_open(page):
    found = page.evaluate("""async () => {
      const { ask, dismissAll } = await import("/assets/dialog.js");
      const { toast } = await import("/assets/toasts.js");
      const inFront = (node) => {
        const { x, y, width, height } = node.getBoundingClientRect();
        return node.contains(document.elementFromPoint(x + width / 2, y + height / 2));
      };
      const shown = () => [...document.querySelectorAll(".toast")].map((node) => node.innerText.trim());
      toast("before");
      const answers = [ask({ title: "One?", confirm: "Yes" }), ask({ title: "Two?", confirm: "Yes" })];
      const region = [...document.querySelectorAll("dialog")].at(-1).querySelector("[role=status]");
      toast("meanwhile");
      const close = region.querySelector("button");
      const facts = [region.innerText.trim(), inFront(close), shown()];
      dismissAll();
      await Promise.all(answers);
      facts.push(shown(), document.querySelectorAll(".toasts").length);
      for (const node of document.querySelectorAll(".toast button")) node.click();
      return [...facts, shown()];
    }""")
    both = ["before", "meanwhile"]
    assert found == ["meanwhile", True, both, both, 1, []]


def with_toasts(steps):
    """The steps, with messages that are shown for 60 ms, if they are not kept."""
    return """async () => {
  const { toast } = await import("/assets/toasts.js");
  const real = window.setTimeout;
  const pause = (wait) => new Promise((resolve) => real.call(window, resolve, wait));
  window.setTimeout = (run, wait) => real.call(window, run, wait / 100);
  const texts = () => [...document.querySelectorAll(".toast")].map((node) => node.textContent);
  const button = (text) => [...document.querySelectorAll(".toast")]
    .find((node) => node.textContent === text)?.querySelector("button");
  const field = document.createElement("input");
  document.body.append(field);
  try { %s } finally {
    window.setTimeout = real;
    field.remove();
    for (const node of document.querySelectorAll(".toast")) node.remove();
  }
}""" % steps


def test_an_error_stays_until_it_is_dismissed_and_a_note_goes_by_itself(page):
    assert page.evaluate(with_toasts("""
      toast("note");
      toast("wrong", "error");
      await pause(500);
      const left = texts();
      toast("worse", "error");
      toast("wrong", "error"); // again: it stands there once
      return [left, texts()];
    """)) == [["wrong"], ["worse", "wrong"]]


def test_notes_give_way_first_and_never_to_the_cost_of_an_error(page):
    assert page.evaluate(with_toasts("""
      for (const text of ["e1", "e2"]) toast(text, "error");
      for (const text of ["n1", "n2", "n3"]) toast(text);
      const some = texts();
      for (const text of ["e3", "e4", "e5"]) toast(text, "error");
      const many = texts();
      for (const text of ["n4", "n5"]) toast(text);
      return [some, many, texts()];
    """)) == [["e1", "e2", "n2", "n3"], ["e2", "e3", "e4", "e5"], ["e2", "e3", "e4", "e5", "n5"]]


def test_a_note_stays_while_the_focus_is_on_it_which_then_goes_back(page):
    assert page.evaluate(with_toasts("""
      field.focus();
      toast("one");
      toast("two");
      button("one").focus();
      await pause(500);
      const kept = texts();
      button("one").click();
      const next = document.activeElement === button("two");
      button("two").click();
      return [kept, next, document.activeElement === field];
    """)) == [["one", "two"], True, True]


def test_the_focus_stays_on_what_is_moved(page):
    found = page.evaluate("""async () => {
      const { element, reconcile } = await import("/assets/dom.js");
      const list = element("div");
      document.body.append(list);
      const show = (...names) => reconcile(list, names, {
        key: (name) => name,
        create: (name) => element("p", {}, element("button", {}, name)),
        update: () => {},
      });
      const focused = [];
      const look = () => focused.push(document.activeElement.textContent);
      show("a", "b", "c");
      list.querySelectorAll("button")[2].focus();
      for (const order of [["c", "a", "b"], ["a", "b", "c"], ["b", "c", "d", "a"]]) {
        show(...order);
        look();
      }
      const other = element("button", {}, "other");
      document.body.append(other);
      other.focus();
      show("c", "b");
      look();
      list.remove();
      other.remove();
      return focused;
    }""")
    assert found == ["c", "c", "c", "other"]


def test_what_comes_at_once_is_announced_together(page):
    assert page.evaluate("""async () => {
      const { Announcer } = await import("/assets/announcer.js");
      const real = window.setTimeout;
      const later = [];
      window.setTimeout = (run) => later.push(run);
      try {
        const region = document.createElement("div");
        const announcer = new Announcer(region);
        const told = [];
        const look = () => told.push([...region.children].map((line) => line.textContent));
        announcer.say("Ben: one", "messages");
        look();
        const first = region.firstChild;
        for (const text of ["Ben: two", "Cleo: three"]) announcer.say(text, "messages");
        announcer.say("Ann asks: Lunch?");
        look();
        later.shift()();
        look();
        later.shift()(); // it was quiet for a while
        announcer.say("Ben: " + "x".repeat(999), "messages");
        announcer.say("Ben: four", "messages");
        told.push(region.textContent.length, later.length);
        later.shift()();
        look();
        return [told, region.contains(first)];
      } finally {
        window.setTimeout = real;
      }
    }""") == [[["Ben: one"], ["Ben: one"],
               ["2 messages, the last one: Cleo: three", "Ann asks: Lunch?"], 200, 1,
               ["Ben: four"]], False]


@pytest.mark.parametrize(("params", "text"), [
    ({}, "You were removed."),
    ({"requested_by": "a", "reason": ""}, "You were removed by Ann."),
    ({"requested_by": "gone", "reason": "noise"}, "You were removed: noise"),
    ({"requested_by": "a", "reason": "noise"}, "You were removed by Ann: noise"),
    ({"room_end": True, "requested_by": "me"}, "The room was ended by you."),
    ({"room_end": True, "reason": "done"}, "The room was ended: done"),
])
def test_who_is_put_out_is_told_by_whom_and_why(page, params, text):
    assert page.evaluate("""async (params) => {
      const { dismissalText } = await import("/assets/client/moderation.js");
      return dismissalText(params, (id) => ({ a: "Ann", me: "you" })[id] ?? "");
    }""", params) == text


def with_a_list(steps):
    """The steps, with a list of rows, each with two controls, that shows what it is told to."""
    return """async () => {
  const { element, reconcile } = await import("/assets/dom.js");
  const list = element("ul", { id: "list" });
  document.body.append(list);
  const show = (...names) => reconcile(list, names, {
    key: (name) => name,
    create: (name) => element("li", {}, element("i", { tabindex: "-1" }), element("button", {},
      `see ${name}`), element("button", { "aria-haspopup": "menu" }, `menu ${name}`)),
    update: (row, name) => (row.lastChild.hidden = name.startsWith("_")),
  });
  const control = (text) => [...list.querySelectorAll("button")]
    .find((button) => button.textContent === text);
  const focused = () => document.activeElement !== document.body
    && (document.activeElement.id || document.activeElement.textContent);
  try { %s } finally { list.remove(); }
}""" % steps


def test_the_focus_of_what_goes_goes_to_the_same_control_of_what_is_in_its_place(page):
    assert page.evaluate(with_a_list("""
      const told = [];
      show("a", "b", "c", "_d");
      control("menu b").focus();
      for (const names of [["a", "c", "_d"], ["a", "_d"], ["_d", "a"], ["_d"], [], ["a"]]) {
        show(...names);
        told.push(focused());
      }
      return told;
    """)) == ["menu c", "see _d", "see _d", "see _d", "list", "list"]


def test_a_menu_and_a_question_give_the_focus_to_what_is_in_the_place_of_their_button(page):
    assert page.evaluate(with_a_list("""
      const { ask, dismissAll } = await import("/assets/dialog.js");
      const { closeOrphanedMenu, toggleMenu } = await import("/assets/menu.js");
      show("a", "b", "c");
      toggleMenu(control("menu b"), "b", [{ text: "do", drawing: "chat", run: () => {} }]);
      const told = [focused()];
      show("a", "c");
      closeOrphanedMenu();
      told.push(focused());
      const answer = ask({ title: "Sure?", confirm: "Yes" });
      show("a");
      dismissAll();
      await answer;
      told.push(focused());
      return told;
    """)) == ["do", "menu c", "menu a"]


CHOOSE_LOUDSPEAKER = """async (answer) => {
  const { RoomSound } = await import("/assets/room-sound.js");
  const { LocalMedia } = await import("/assets/local-media.js");
  const { chooseDevices } = await import("/assets/device-dialog.js");
  const { dismissAll } = await import("/assets/dialog.js");
  navigator.mediaDevices.selectAudioOutput = async () => {
    if (typeof answer === "string") throw new DOMException("No.", answer);
    return answer;
  };
  const faults = [], chosen = [];
  const sound = new RoomSound(() => {});
  sound.chooseOutput = async (id) => chosen.push(id);
  const onFault = (text) => faults.push(text);
  const done = chooseDevices({ media: new LocalMedia(), sound, onFault });
  try {
    const find = () => document.querySelector("[data-testid=call-speaker-chooser]");
    for (let tries = 0; tries < 100 && !find(); tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const lists = document.querySelectorAll("[data-testid=call-speaker-device]").length;
    const before = find().innerText;
    find().click();
    await new Promise((resolve) => setTimeout(resolve, 10));
    return [lists, before, find().innerText, chosen, faults];
  } finally {
    dismissAll();
    delete navigator.mediaDevices.selectAudioOutput;
    await done;
  }
}"""


@pytest.mark.parametrize(("answer", "text", "chosen", "faults"), [
    ({"deviceId": "usb", "label": "USB"}, "USB …", ["usb"], []),
    ("NotAllowedError", "Choose a loudspeaker …", [], []),  # how the browser's own list is left
    ("NotFoundError", "Choose a loudspeaker …", [], ["No."]),
])
def test_a_browser_that_has_a_list_of_loudspeakers_is_asked_for_it(
        page, answer, text, chosen, faults):
    assert page.evaluate(CHOOSE_LOUDSPEAKER, answer) == [
        0, "Choose a loudspeaker …", text, chosen, faults]


PUBLISHING = """async ([roles, screen]) => {
  const { Publishing } = await import("/assets/publishing.js");
  const [picture, sound] = ["video", "audio"].map((kind) => ({ kind }));
  const calls = [], faults = [];
  const client = {
    state: "joined",
    role: null,
    async publish(track, stream, { maximumBitrate, layers, source = "regular" }) {
      calls.push(["publish", `${source} ${track.kind}`, maximumBitrate ?? 0, layers?.length ?? 0]);
      return { media: track, isMuted: false };
    },
    async unpublish(publication) {
      calls.push(["unpublish", publication.media.kind]);
    },
  };
  const media = {
    camera: picture, microphone: sound, isCameraOn: true, isMicrophoneOn: true, stream: {} };
  const attempt = (action) => action().catch((error) => faults.push(error.message));
  const publishing = new Publishing({ client, media, attempt, onChange: () => {} });
  const wanted = [];
  navigator.mediaDevices.getDisplayMedia = async (constraints) => {
    wanted.push(constraints.video);
    if (typeof screen === "string") throw new DOMException(screen, "NotAllowedError");
    const canvas = document.createElement("canvas");
    canvas.getContext("2d");
    return canvas.captureStream();
  };
  try {
    for (const publishParams of roles) {
      client.role = { publishParams };
      await publishing.sync();
    }
    if (screen) await publishing.startScreen();
    await publishing.settled;
  } finally {
    delete navigator.mediaDevices.getDisplayMedia;
  }
  return { calls, faults, wanted };
}"""
CAMERA = {"allowed": ["audio", "video", "screen"], "video": {"bitRate": 900}}
LAYERS = {"simulcast": {"video": {"layers": [{"rid": "f"}, {"rid": "h"}]}}}


@pytest.mark.parametrize(("role", "expected"), [
    (CAMERA, []),
    (CAMERA | {"screen": {"bitRate": 2000}}, []),
    (CAMERA | {"video": {"bitRate": 300}},
     [["unpublish", "video"], ["publish", "regular video", 300_000, 0]]),
    (CAMERA | LAYERS, [["unpublish", "video"], ["publish", "regular video", 900_000, 2]]),
    (CAMERA | {"allowed": ["audio"]}, [["unpublish", "video"]]),
])
def test_a_camera_is_sent_as_the_new_role_has_it(page, role, expected):
    calls = page.evaluate(PUBLISHING, [[CAMERA, role], False])["calls"]
    assert calls == [["publish", "regular audio", 0, 0],
                     ["publish", "regular video", 900_000, 0], *expected]


def test_a_screen_is_sent_as_the_role_has_it_and_no_larger_than_is_recorded(page):
    role = {"allowed": ["screen"], "screen": {"bitRate": 1500}}
    found = page.evaluate(PUBLISHING, [[role], True])
    assert found["calls"] == [["publish", "screen video", 1_500_000, 0]]
    [wanted] = found["wanted"]
    assert (wanted["width"], wanted["height"]) == ({"max": 3840}, {"max": 2160})


@pytest.mark.parametrize(("reason", "faults"), [
    ("Permission denied", []),  # by the user
    ("Permission denied by user", []),
    ("Permission denied by system",
     ["The system does not let this browser show the screen. Allow it in the system's settings."]),
])
def test_a_screen_that_the_system_refuses_is_told(page, reason, faults):
    assert page.evaluate(PUBLISHING, [[CAMERA], reason])["faults"] == faults


CHOOSE_SCREEN = """async (meanwhile) => {
  const { Publishing } = await import("/assets/publishing.js");
  const client = {
    state: "joined",
    role: { publishParams: { allowed: ["screen"] } },
    publish: async (media) => ({ media, isMuted: false }),
    unpublish: async () => {},
  };
  const publishing = new Publishing({
    client, media: { stream: {} }, attempt: (action) => action(), onChange: () => {} });
  const answers = [], ends = [];
  const open = () => new Promise((resolve) => answers.push(() => {
    const canvas = document.createElement("canvas");
    canvas.getContext("2d");
    const stream = canvas.captureStream();
    // No page can make a track end by itself, and Firefox' tracks dispatch nothing of a page's.
    stream.getTracks()[0].addEventListener = (type, handler) => ends.push(handler);
    resolve(stream);
    return stream;
  }));
  navigator.mediaDevices.getDisplayMedia = open;
  try {
    const done = [publishing.startScreen()];
    if (meanwhile === "pressed again") done.push(publishing.startScreen());
    if (meanwhile === "removed") client.state = "left";
    if (meanwhile === "away") client.state = "reconnecting";
    if (meanwhile === "another role") client.role.publishParams.allowed = [];
    const streams = answers.map((answer) => answer());
    await Promise.all(done);
    if (meanwhile === "shared anew") {
      publishing.stopScreen();
      const again = publishing.startScreen();
      streams.push(answers.at(-1)());
      await again;
      ends[0]();
    }
    await publishing.settled;
    return [streams.map((stream) => stream.active), publishing.screen !== null];
  } finally {
    delete navigator.mediaDevices.getDisplayMedia;
  }
}"""


@pytest.mark.parametrize(("meanwhile", "active", "is_shared"), [
    ("nothing", [True], True),
    ("away", [True], True),
    ("removed", [False], False),
    ("another role", [False], False),
    ("pressed again", [True], True),
    ("shared anew", [False, True], True),
])
def test_a_chosen_screen_is_shared_where_that_is_still_wanted(page, meanwhile, active, is_shared):
    assert page.evaluate(CHOOSE_SCREEN, meanwhile) == [active, is_shared]


def test_what_is_cut_off_while_it_is_published_is_no_fault(page):
    found = page.evaluate("""async () => {
      const { Publishing } = await import("/assets/publishing.js");
      const client = {
        role: { publishParams: { allowed: ["audio"] } },
        async publish() {
          client.state = client.becomes;
          throw new Error("No.");
        },
      };
      const media = { microphone: {}, isMicrophoneOn: true, stream: {} };
      const faults = [];
      const attempt = (action) => action().catch((error) => faults.push(error.message));
      const publishing = new Publishing({ client, media, attempt, onChange: () => {} });
      const told = [];
      for (const becomes of ["reconnecting", "joined"]) {
        Object.assign(client, { state: "joined", becomes });
        await publishing.sync();
        told.push(faults.length);
      }
      return told;
    }""")
    assert found == [0, 1]


POLLS = """async (steps) => {
  const { PollBook } = await import("/assets/client/poll-book.js");
  const book = new PollBook();
  const told = steps.map(([verb, ...values]) =>
    (book[verb](...values) ?? []).map(([type]) => type));
  return { told, running: book.runningCount, polls: book.polls };
}"""
ASKED = [
    {"question": {"index": 1, "text": "Where?", "type": "single-choice"},
     "options": [{"index": 1, "text": "here"}, {"index": 2, "text": "there"}],
     "answer": {"hidden": False, "option": 2}},
    {"question": {"index": 2, "text": "Why?", "type": "short-answer"}},
]


def poll(poll_id, state="started", started_at=1, **info):
    return {"poll_id": poll_id, "title": poll_id, "type": "poll", "state": state,
            "started_by": "ann", "started_at": started_at} | info


def counted(poll_id, votes, words=0, users=0):
    return {"poll_id": poll_id, "user_count": users, "questions": [
        {"question": 1, "type": "single-choice", "options": votes, "total": sum(votes)},
        {"question": 2, "type": "short-answer", "total": words}] if votes else []}


def test_polls_that_run_come_first_and_news_are_told_once(page):
    found = page.evaluate(POLLS, [
        ["take", "on-poll-start", {"polls": [poll("old", started_at=1)]}],
        ["take", "on-poll-start", {"polls": [poll("old", started_at=1)]}],
        ["take", "on-poll-start", {"polls": [poll("new", started_at=3)]}],
        ["take", "on-poll-start", {"polls": [poll("newer", started_at=4, anonymous=True)]}],
        ["take", "on-poll-stop", {"polls": [poll("newer", "stopped", started_at=4)]}],
        ["take", "on-poll-stats", {"polls": [counted("unknown", [1, 2])]}],
        ["take", "on-broadcast", {}],
    ])
    assert found["told"] == [
        ["poll-started"], [], ["poll-started"], ["poll-started"], ["poll-stopped"], [], []]
    assert [one["id"] for one in found["polls"]] == ["new", "old", "newer"]
    assert found["running"] == 2


def test_answers_are_counted_and_ones_own_is_known(page):
    own = [{"response": {"question": 2, "type": "short-answer", "text": "so"}}]
    details = {"questions": ASKED, "responses": own, "result": counted("p", [1, 0], 1, 1)}
    found = page.evaluate(POLLS, [
        ["put", poll("p")],
        ["take", "on-poll-stats", {"polls": [counted("p", [1, 0], 0, 1)]}],
        ["fill", "p", details],
        ["answered", "p", [{"question": 1, "options": [2]}]],
        ["take", "on-poll-stats", {"polls": [counted("p", [1, 3], 1, 4)]}],
        ["fill", "unknown", details],
    ])
    where, why = found["polls"][0]["questions"]
    assert [(one["text"], one["votes"], one["isRight"]) for one in where["options"]] == [
        ("here", 1, False), ("there", 3, True)]
    assert where["total"] == 4 and where["own"] == {"options": [2], "text": ""}
    assert why["total"] == 1 and why["own"] == {"options": [], "text": "so"}
    assert found["polls"][0]["voters"] == 4


def test_who_may_not_see_answers_sees_how_many_there_are(page):
    found = page.evaluate(POLLS, [
        ["put", poll("p")],
        ["fill", "p", {"questions": ASKED, "responses": [], "result": counted("p", [], users=3)}],
    ])
    shown = found["polls"][0]
    assert shown["voters"] == 3
    assert [one["votes"] for one in shown["questions"][0]["options"]] == [None, None]


def test_polls_that_the_server_does_not_list_are_forgotten(page):
    found = page.evaluate(POLLS, [
        ["put", poll("a")], ["put", poll("b")], ["keep", [poll("b")]]])
    assert [one["id"] for one in found["polls"]] == ["b"]


def test_a_quiz_that_is_over_is_ranked(page):
    standings = {"questions": [
        {"position": 1, "score": 3, "peer": {"hash": "a", "peerid": "ann", "username": "Ann"}},
        {"position": 2, "score": -1, "peer": {"hash": "b"}}]}
    found = page.evaluate(
        """async ([polls, standings]) => {
          const { PollBook } = await import("/assets/client/poll-book.js");
          const book = new PollBook();
          for (const poll of polls) book.put(poll);
          const ranked = polls.map((poll) => book.isRanked(poll.poll_id));
          book.rank("over", standings);
          book.rank("unknown", standings);
          return { ranked, standings: book.polls.map((poll) => poll.standings) };
        }""", [[poll("over", "stopped", type="quiz"), poll("runs", type="quiz"),
              poll("plain", "stopped"), poll("secret", "stopped", type="quiz", anonymous=True)],
             standings])
    assert found["ranked"] == [True, False, False, False]
    assert sorted(found["standings"], key=len)[-1] == [
        {"position": 1, "score": 3, "peer": "ann", "name": "Ann"},
        {"position": 2, "score": -1, "peer": None, "name": ""}]


def test_a_share_is_of_a_hundred(page):
    shares = page.evaluate(
        """async (pairs) => {
          const { share } = await import("/assets/client/poll-book.js");
          return pairs.map(([votes, total]) => share(votes, total));
        }""", [[0, 0], [1, 3], [2, 3], [5, 5]])
    assert shares == [0, 33, 67, 100]
