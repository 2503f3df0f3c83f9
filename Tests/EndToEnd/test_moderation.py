"""Hosts and guests over bare sockets: roles, mutes, hands, and finding peers; and a real publisher
whose role changes."""

import pytest
from harness.publisher import Publisher
from harness.scene import CLIPS
from harness.signalling import DATA_CHANNEL_OFFER, peers_in
from harness.waiting import wait_for

PUBLISHING_TIMEOUT = 20  # s
PAUSE = 0.3  # s in which what was caused has come
HAND = "_handraise"


@pytest.fixture
def host(connect):
    host = connect("Ann", role="host")
    assert "result" in host.join()
    return host


@pytest.fixture
def guest(connect, host):
    guest = connect("Ben", role="guest")
    assert "result" in guest.join()
    host.wait_for("on-peer-join")
    return guest


def ask(peer, method, **params):
    answer = peer.call(method, params)
    assert "result" in answer, answer
    return answer["result"]


def refusal(peer, method, **params):
    """The code; the socket stays."""
    error = peer.call(method, params)["error"]
    assert error["message"]
    assert peer.is_alive()
    return error["code"]


def publish(peer, *tracks):
    """Says that it publishes tracks, of which no packet will ever come."""
    payloads = {
        track: {"track_id": track, "stream_id": "s", "source": "regular", "description": "",
                "mute": False, "type": "video" if track.startswith("v") else "audio"}
        for track in tracks
    }
    return peer.call("offer", {
        "desc": {"type": "offer", "sdp": DATA_CHANNEL_OFFER}, "tracks": payloads})


def heard(peer, since=0):
    """The notifications that came after the first so many, by name."""
    peer.drain(PAUSE)
    return [message["method"] for message in peer.notifications[since:]]


def tracks_of(peer, publisher):
    """The kinds of a peer's tracks, as announced to this peer."""
    peer.drain(PAUSE)
    tracks = {}
    for message in peer.notifications:
        params = message["params"]
        if params.get("peer", {}).get("peer_id") != publisher:
            continue
        if message["method"] == "on-track-add":
            tracks |= {name: track["type"] for name, track in params["tracks"].items()}
        elif message["method"] == "on-track-remove":
            tracks = {name: kind for name, kind in tracks.items() if name not in params["tracks"]}
    return sorted(tracks.values())


# Roles


def test_a_forced_role_is_told_as_policy_before_it_is_told_as_peer(host, guest):
    before = len(guest.notifications)
    ask(host, "role-change-request", requested_for=guest.peer_id, role="viewer", force=True)
    # The web client publishes and unpublishes only while the two differ.
    guest.wait_for("on-peer-update")
    told = [name for name in heard(guest, before) if name in ("on-policy-change", "on-peer-update")]
    assert told == ["on-policy-change", "on-peer-update"]
    policy = guest.wait_for("on-policy-change", lambda params: params["name"] == "viewer")
    assert "viewer" in policy["known_roles"]
    for peer in (host, guest):
        update = peer.wait_for("on-peer-update")
        assert update["role"] == "viewer"
        assert update["realtime"] is True
        assert update["groups"] == []


def test_an_offered_role_is_taken_by_its_token_and_only_once(host, guest):
    ask(host, "role-change-request", requested_for=guest.peer_id, role="host", force=False)
    offer = guest.wait_for("on-role-change-request")
    assert offer["requested_by"] == host.peer_id and offer["role"] == "host" and offer["token"]
    assert "on-peer-update" not in heard(host)
    assert refusal(host, "role-change", **offer) == 403
    ask(guest, "role-change", **offer)
    assert host.wait_for("on-peer-update")["role"] == "host"
    assert refusal(guest, "role-change", **offer) == 403
    # It has the rights of its new role.
    ask(guest, "role-change-request", requested_for=host.peer_id, role="viewer", force=True)
    assert refusal(host, "end-room", lock=False, reason="") == 403


def test_a_whole_role_is_changed_at_once_and_nobody_else(host, guest, connect):
    third, viewer = connect("Cleo", role="guest"), connect("Dan", role="viewer")
    for peer in (third, viewer):
        peer.join()
    ask(host, "role-change-request", roles=["guest"], role="host", force=True)
    for peer in (guest, third):
        peer.wait_for("on-policy-change", lambda params: params["name"] == "host")
    assert heard(viewer).count("on-policy-change") == 1
    found = ask(host, "find-peer", role="host", limit=10)
    assert {peer["info"]["name"] for peer in found["peers"]} == {"Ann", "Ben", "Cleo"}


def test_roles_are_refused_precisely(host, guest):
    change = {"requested_for": guest.peer_id, "role": "viewer", "force": True}
    assert refusal(guest, "role-change-request", **change) == 403
    assert refusal(host, "role-change-request", **change | {"role": "pope"}) == 400
    assert refusal(host, "role-change-request", **change | {"role": "__internal_recorder"}) == 400
    assert refusal(host, "role-change-request", **change | {"requested_for": "nobody"}) == 404
    assert refusal(host, "role-change-request", role="viewer") == 400
    assert refusal(guest, "role-change", role="host", token="guessed") == 403
    assert "on-peer-update" not in heard(guest)


def test_what_a_new_role_may_not_publish_is_gone_and_offers_that_list_it_are_answered(host, guest):
    assert "result" in publish(guest, "a1", "v1")
    wait_for("the host hears of both tracks",
             lambda: tracks_of(host, guest.peer_id) == ["audio", "video"], PUBLISHING_TIMEOUT)
    ask(host, "role-change-request", requested_for=guest.peer_id, role="viewer", force=True)
    wait_for("both are gone", lambda: tracks_of(host, guest.peer_id) == [], PUBLISHING_TIMEOUT)
    # The web client removes them from its offers one by one.
    assert publish(guest, "a1")["result"]["type"] == "answer"
    assert publish(guest)["result"]["type"] == "answer"
    assert publish(guest, "a2")["result"]["type"] == "answer"
    assert guest.wait_for("on-warning")["code"] == 403
    assert tracks_of(host, guest.peer_id) == []


def test_a_new_role_outlives_the_socket(host, guest, connect):
    guest.close()
    ask(host, "role-change-request", requested_for=guest.peer_id, role="viewer", force=True)
    back = connect("Ben", peer_id=guest.peer_id, token=guest.token)
    assert back.wait_for("on-policy-change")["name"] == "viewer"


def test_a_publisher_sends_what_its_role_of_the_moment_may(server, room, host):
    with Publisher(server, room, CLIPS / "ben.webm", name="Ben") as publisher:
        ben = host.wait_for("on-track-add", timeout=PUBLISHING_TIMEOUT)["peer"]["peer_id"]
        for role, tracks in [("viewer", []), ("host", ["audio", "video"]), ("viewer", [])]:
            ask(host, "role-change-request", requested_for=ben, role=role, force=True)
            wait_for(f"Ben publishes as {role}",
                     lambda tracks=tracks: tracks_of(host, ben) == tracks, PUBLISHING_TIMEOUT)
        assert publisher.is_there()


# Mutes


def test_one_track_or_all_of_a_kind_are_asked_for(host, guest):
    publish(guest, "a1", "v1")
    one = {"requested_for": guest.peer_id, "track_id": "a1", "stream_id": "s", "mute": True}
    ask(host, "track-update-request", **one)
    assert guest.wait_for("on-track-update-request") == {
        "requested_by": host.peer_id, "track_id": "a1", "stream_id": "s", "mute": True}
    ask(host, "change-track-mute-state-request", value=False, type="video", roles=["guest"])
    assert guest.wait_for("on-change-track-mute-state-request") == {
        "requested_by": host.peer_id, "value": False, "type": "video", "roles": ["guest"]}

    assert refusal(guest, "track-update-request", **one) == 403
    assert refusal(guest, "change-track-mute-state-request", value=True) == 403
    assert refusal(host, "track-update-request", **one | {"track_id": "x"}) == 404
    assert refusal(host, "track-update-request", **one | {"requested_for": "nobody"}) == 404
    assert refusal(host, "change-track-mute-state-request", value=True, roles=["pope"]) == 400


def test_a_publisher_does_what_it_is_asked(server, room, host):
    with Publisher(server, room, CLIPS / "ben.webm", name="Ben"):
        joined = host.wait_for("on-track-add", lambda added: len(added["tracks"]) == 2,
                               timeout=PUBLISHING_TIMEOUT)
        ben = joined["peer"]["peer_id"]
        tracks = {track["type"]: track for track in joined["tracks"].values()}

        def is_told(kind, is_muted):
            track = tracks[kind]["track_id"]
            host.wait_for(
                "on-track-update", timeout=PUBLISHING_TIMEOUT,
                accept=lambda update: update["tracks"].get(track, {}).get("mute") is is_muted)
            host.notifications.clear()

        for is_muted in [True, False]:
            ask(host, "change-track-mute-state-request", value=is_muted, type="audio")
            is_told("audio", is_muted)
            camera = tracks["video"]
            ask(host, "track-update-request", requested_for=ben, track_id=camera["track_id"],
                stream_id=camera["stream_id"], mute=is_muted)
            is_told("video", is_muted)


def test_who_publishes_no_such_track_is_not_asked(host, guest):
    publish(guest, "v1")
    ask(host, "change-track-mute-state-request", value=True, type="audio")
    assert "on-change-track-mute-state-request" not in heard(guest) + heard(host)


# Hands, groups, names


def test_a_raised_hand_is_seen_by_all_and_by_who_comes_late_and_the_host_lowers_it(
        host, guest, connect):
    assert ask(guest, "group-join", name=HAND) == {"groups": [HAND]}
    for peer in (host, guest):
        assert peer.wait_for("on-peer-update")["groups"] == [HAND]
    assert ask(host, "find-peer", group=HAND, limit=10)["total"] == 1
    late = connect("Late", role="guest")
    late.join()
    assert peers_in(late.wait_for("peer-list"))[guest.peer_id]["groups"] == [HAND]

    hand = {"name": HAND, "peer_id": guest.peer_id}
    assert refusal(late, "group-remove", **hand) == 403
    ask(host, "group-remove", **hand)
    guest.wait_for("on-peer-update", lambda params: params["groups"] == [])
    assert ask(host, "find-peer", group=HAND, limit=10)["total"] == 0


def test_groups_have_their_limits(host):
    for number in range(16):
        ask(host, "group-join", name=f"group {number}")
    assert refusal(host, "group-join", name="one more") == 400
    assert refusal(host, "group-join", name="") == 400
    assert refusal(host, "group-leave", name="x" * 129) == 400
    assert refusal(host, "group-add", name="g", peer_id="nobody") == 404


def test_people_are_searched_by_name_page_by_page(host, connect):
    for name in ("Berta", "ROBERT", "Cleo"):
        connect(name, role="guest").join()
    first = ask(host, "peer-name-search", query="bert", limit=1, offset=0)
    assert [peer["name"] for peer in first["peers"]] == ["Berta"]
    assert not first["eof"]
    second = ask(host, "peer-name-search", query="bert", limit=1, offset=1)
    assert [(peer["name"], peer["role"], peer["type"]) for peer in second["peers"]] == [
        ("ROBERT", "guest", "regular")]
    assert second["eof"]
    nobody = ask(host, "peer-name-search", query="__internal_recorder", limit=10, offset=0)
    assert nobody == {"count": 0, "limit": 10, "offset": 0, "eof": True, "peers": []}
    assert refusal(host, "peer-name-search", query="x" * 257) == 400
