"""The page's handling of the server's messages, without the server."""

import pytest
from harness.room_world import HAND

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


@pytest.mark.parametrize(("metadata", "image"), [
    ('{"picture": "https://a.test/p.png", "avatar": "b"}', "https://a.test/p.png"),
    ('{"avatar_url": "a"}', "a"), ('{"avatarUrl": "a"}', "a"),
    ('{"picture": 7, "avatar": "b"}', "b"),
    ('{"picture": null}', None), ('{"picture"', None), ("[]", None), ("picture", None), ("", None),
    ('{"picture": "a", "more": "' + "a" * 65536 + '"}', None),
])
def test_a_peers_metadata_may_name_its_image(page, metadata, image):
    assert page.evaluate("""async (data) => {
      const { imageNamedIn } = await import("/assets/client/peer-image.js");
      return imageNamedIn(data);
    }""", metadata) == image


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
        ["streaming", "recording", "pushes", "peers"], ["presence", "peers"], ["peers"], ["peers"]]
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


def test_hands_are_in_the_order_in_which_they_went_up(page):
    # Earlier peers joined in the order of their ids.
    before = {"b": peer("b", "Ben", groups=[HAND], joined=2),
              "a": peer("a", "Ann", groups=[HAND], joined=1)}
    steps = [
        ["peer-list", {"peers": before}],
        ["on-peer-update", peer("me", "Me", groups=["x", HAND])],
        ["on-peer-join", peer("c", "Cleo", groups=[HAND])],
        ["on-peer-update", peer("b", "Ben", groups=[HAND])],  # says nothing new
    ]
    state = page.evaluate(ROOM, steps)
    assert state["hands"] == ["a", "b", "me", "c"]
    assert state["events"][1:] == [["hand", "peers"], ["presence", "hand", "peers"], ["peers"]]

    # A hand that is lowered and raised again becomes the last one.
    again = [*steps, ["on-peer-update", peer("a", "Ann")],
             ["on-peer-update", peer("a", "Ann", groups=[HAND])], ["on-peer-leave", peer("b", "Ben")]]
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
        # The way the server removes a peer from the list.
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
    ([("Browser", "failed"), ("HLS", "started"), ("HLS", "stopped")], "none"),
    ([("HLS", "failed"), ("Browser", "started"), ("Browser", "stopped")], "none"),
    ([("Browser", "started"), ("Browser", "stopped"), ("HLS", "failed")], "failed"),
])
def test_what_is_recorded_is_one_of_the_rooms_and_of_the_streams(page, updates, phase):
    state = page.evaluate(ROOM, [
        ["on-record-update", {"type": kind, "state": state, "initialised_at": 1000 + number}]
        for number, (kind, state) in enumerate(updates)])
    assert state["recording"]["phase"] == phase
    assert all(events == ["recording"] for events in state["events"])


MESSAGES = """async ([audience, params]) => {
  const { markOf, messagesFrom, outgoing } = await import("/assets/client/messages.js");
  const [[type, message] = []] = messagesFrom("on-broadcast", params);
  return { sent: outgoing("hi", audience), mark: markOf(audience), type, message };
}"""


@pytest.mark.parametrize(("audience", "sent", "mark"), [
    ({"kind": "everybody"}, {}, ""),
    ({"kind": "role", "role": "host"}, {"roles": ["host"]}, "to role Host"),
    ({"kind": "peer", "peerID": "b", "name": "Ben"}, {"peer_id": "b"}, "to Ben only"),
])
def test_a_message_goes_to_whom_it_is_for(page, audience, sent, mark):
    found = page.evaluate(MESSAGES, [audience, {}])
    assert found["sent"] == {"info": {"message": "hi", "type": "chat"}} | sent
    assert found["mark"] == mark


@pytest.mark.parametrize(("params", "mark"), [
    ({"roles": [], "private": False}, ""),
    ({"roles": ["host", "guest"]}, "to roles Host, Guest"),
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
  const { Moderating } = await import("/assets/room/moderation/moderating.js");
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
  const { Moderating } = await import("/assets/room/moderation/moderating.js");
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


ACTIONS = """async ([person, role]) => {
  const { actionsFor } = await import("/assets/room/moderation/person-actions.js");
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
    ({"isLocal": True}, {}, ["rename"]),
])
def test_one_may_do_with_others_what_ones_role_may(page, changes, permissions, expected):
    role = {"permissions": permissions, "known": ["host", "guest"]}
    assert page.evaluate(ACTIONS, [PERSON | changes, role]) == expected


@pytest.mark.parametrize(("params", "text"), [
    ({}, "You were removed."),
    ({"requested_by": "a", "reason": ""}, "You were removed by Ann."),
    ({"requested_by": "gone", "reason": "noise"}, "You were removed: noise"),
    ({"requested_by": "a", "reason": "noise"}, "You were removed by Ann: noise"),
    ({"room_end": True, "requested_by": "me"}, "You ended the room."),
    ({"room_end": True, "requested_by": "me", "reason": "done"}, "You ended the room: done"),
    ({"room_end": True, "requested_by": "a"}, "The room was ended by Ann."),
    ({"room_end": True, "reason": "done"}, "The room was ended: done"),
])
def test_who_is_put_out_is_told_by_whom_and_why(page, params, text):
    assert page.evaluate("""async (params) => {
      const { dismissalText } = await import("/assets/client/moderation.js");
      return dismissalText(params, { ownID: "me", nameOf: (id) => ({ a: "Ann" })[id] ?? "" });
    }""", params) == text


def test_the_room_shows_where_it_is_pushed_to(page):
    words = """async (messages) => {
      const { RoomState } = await import("/assets/client/room-state.js");
      const { pushWords } = await import("/assets/playback/stream-words.js");
      const room = new RoomState("me");
      return messages.map(([method, params]) => {
        room.take(method, params);
        return pushWords(room.pushes);
      });
    }"""
    pushes = [{"url": "rtmp://live.example.org/app", "state": "live"},
              {"url": "srt://10.0.0.5:9000", "state": "retrying", "reason": "Connection refused"}]
    state = {"enabled": True, "state": "started", "pushes": pushes}
    shown = ("live.example.org/app: live; 10.0.0.5:9000: tries again (Connection refused)")
    assert page.evaluate(words, [
        ["peer-list", {"room": {"name": "r", "streaming": {"rtmp": state}}}],
        ["on-rtmp-update", {"enabled": False, "state": "stopped", "pushes": pushes}],
        ["on-rtmp-update", state],
    ]) == [shown, "", shown]
