"""Occupied rooms in the control API: listing peers, sending messages, removing peers; over bare
sockets."""

import pytest
from harness import tokens
from harness.signalling import DATA_CHANNEL_OFFER, Peer
from harness.waiting import wait_for

TIMEOUT = 10  # s


@pytest.fixture
def ann(connect):
    ann = connect("Ann", role="host")
    assert "result" in ann.join(data='{"seat": 3}')
    return ann


@pytest.fixture
def ben(connect, ann):
    ben = connect("Ben", role="guest")
    assert "result" in ben.join()
    ann.wait_for("on-peer-join")
    return ben


@pytest.fixture
def recorder(connect, ann):
    recorder = connect("Bot", role="__internal_recorder")
    assert "result" in recorder.join()
    return recorder


@pytest.fixture
def active(server, room):
    """`active("/peers")`: an answer of the control API for the room."""

    def ask(path="", body=None, status=200):
        method = "GET" if body is None else "POST"
        answer = server.manage(method, f"/active-rooms/{room}{path}", body)
        assert answer.status == status, answer
        return answer.json

    return ask


def messages(peer):
    return [one["params"] for one in peer.notifications if one["method"] == "on-broadcast"]


def test_a_room_is_active_while_somebody_but_a_recorder_is_in_it(
        server, room, active, ann, ben, recorder):
    shown = active()
    assert shown["id"] == shown["name"] == room and shown["customer_id"]
    assert shown["session"]["peers"] == [ann.peer_id, ben.peer_id]
    # Her notification as a visitor names no session: there was none.
    session = ann.wait_for("session-info", lambda info: info["session_id"])["session_id"]
    assert shown["session"]["id"] == session
    listed = server.manage("GET", f"/rooms/{room}").json
    assert listed["created_at"] <= shown["session"]["created_at"]
    for peer in (ann, ben):
        peer.leave()
    wait_for("nobody is there", lambda: server.manage(
        "GET", f"/active-rooms/{room}").status == 404, TIMEOUT)
    assert recorder.is_alive()
    assert "active room not found" in active(status=404)["message"]
    assert active("/end-room", {}, status=404)


def test_peers_are_shown_with_what_they_publish(active, ann, ben, recorder):
    track = {"track_id": "m1", "stream_id": "s1", "source": "regular", "description": "",
             "mute": False, "type": "audio"}
    answer = ann.call("offer", {
        "desc": {"type": "offer", "sdp": DATA_CHANNEL_OFFER}, "tracks": {"m1": track}})
    assert "result" in answer, answer
    assert set(active("/peers")["peers"]) == {ann.peer_id, ben.peer_id}
    assert set(active("/peers?role=guest")["peers"]) == {ben.peer_id}
    [found] = active("/peers?user_id=ann")["peers"].values()
    assert found["metadata"] == '{"seat": 3}' and found["role"] == "host" and "tracks" not in found
    shown = active(f"/peers/{ann.peer_id}")
    assert found.items() <= shown.items()
    published = shown["tracks"]["m1"]
    assert published["started_at"] >= shown["joined_at"]
    assert (published["type"], published["stream_id"], published["mute"]) == ("audio", "s1", False)
    assert "result" in ann.call("track-update", {"tracks": {"m1": {"mute": True}}})
    assert active(f"/peers/{ann.peer_id}")["tracks"]["m1"]["mute"] is True
    assert active(f"/peers/{recorder.peer_id}", status=404)


def test_a_peer_is_given_a_name_metadata_and_a_role(active, ann, ben):
    path = f"/peers/{ben.peer_id}"
    changed = active(path, {"name": "Benjamin", "metadata": "m", "role": "viewer"})
    assert (changed["name"], changed["metadata"], changed["role"]) == ("Benjamin", "m", "viewer")
    assert active(path) == changed
    ben.wait_for("on-policy-change", lambda params: params["name"] == "viewer")
    for peer in (ann, ben):
        update = peer.wait_for(
            "on-peer-update", lambda params: params["info"]["name"] == "Benjamin")
        assert update["role"] == "viewer" and update["info"]["data"] == "m"
    refused = active(path, {"name": "Eve", "role": "nobody"}, status=400)
    assert "nobody" in refused["message"]
    assert active(path) == changed


def test_messages_reach_all_a_role_or_one_and_come_from_nobody(active, ann, ben):
    for fields in ({}, {"role": "guest"}, {"peer_id": ann.peer_id, "role": "guest"}):
        assert active("/send-message", {"message": f"to {fields}", "type": "notice"} | fields) == {
            "message": "message sent"}
    # This message comes after all of them.
    active("/send-message", {"message": "over"})
    for peer, count in ((ann, 3), (ben, 3)):
        peer.wait_for("on-broadcast", lambda params: params["info"]["message"] == "over")
        assert len(messages(peer)) == count
        assert all("peer" not in one and one["message_id"] for one in messages(peer))
    assert [one["private"] for one in messages(ann)] == [False, True, False]
    assert [one["roles"] for one in messages(ben)] == [[], ["guest"], []]
    assert messages(ben)[0]["info"]["type"] == "notice"
    assert active("/send-message", {"message": "x" * 8192}, status=400)
    assert active("/send-message", {}, status=400)


def test_peers_are_put_out_by_id_and_by_role(connect, active, ann, ben):
    cem = connect("Cem", role="guest")
    assert "result" in cem.join()
    assert active("/remove-peers", {"peer_id": ben.peer_id, "reason": "rude"}) == {
        "message": "peer remove request submitted"}
    request = ben.wait_for("on-peer-leave-request")
    assert request["reason"] == "rude" and request["room_end"] is False
    active("/remove-peers", {"role": "guest"})
    cem.wait_for("on-peer-leave-request")
    assert active()["session"]["peers"] == [ann.peer_id]
    assert active("/remove-peers", {"reason": "why"}, status=400)
    assert active("/remove-peers", {"peer_id": ben.peer_id}, status=410)
    assert active(f"/peers/{ben.peer_id}", status=410)
    assert active("/remove-peers", {"peer_id": "nobody"}, status=404)
    assert ann.is_alive()


def test_a_session_is_ended_and_the_room_locked_if_wanted(server, room, connect, active, ann):
    first = active()["session"]["id"]
    assert active("/end-room", {"reason": "class is over"}) == {"message": "session is ending"}
    request = ann.wait_for("on-peer-leave-request")
    assert request["reason"] == "class is over" and request["room_end"] is True
    assert active(status=404)
    ann = connect("Ann", role="host")
    assert "result" in ann.join()
    assert active()["session"]["id"] != first
    active("/end-room", {"lock": True})
    # The change is in effect once the request is answered.
    assert server.manage("GET", f"/rooms/{room}").json["enabled"] is False
    answer = server.http.get("/init?peer_id=p1", token=tokens.room_token(room, role="host"))
    assert answer.status == 403, answer
    assert server.manage("POST", f"/rooms/{room}", {"enabled": True}).status == 200
    again = Peer(server, room, "Ann", role="host")
    assert "result" in again.join()
    again.leave()
