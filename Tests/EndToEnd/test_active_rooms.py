"""An occupied room in the control API: its peers, messages to them, their removal, its end; over
bare sockets."""

import pytest
from harness import tokens


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


def test_an_occupied_room_is_seen_and_acted_on(server, room, connect, active, ann, ben, recorder):
    """Each request once; their forms and refusals are those of Swift's ActiveRoomRouteTests."""
    shown = active()
    assert shown["id"] == shown["name"] == room and shown["customer_id"]
    assert shown["session"]["peers"] == [ann.peer_id, ben.peer_id]
    # Her notification as a visitor names no session: there was none.
    session = ann.wait_for("session-info", lambda info: info["session_id"])["session_id"]
    assert shown["session"]["id"] == session
    assert set(active("/peers?role=guest")["peers"]) == {ben.peer_id}
    found = active(f"/peers/{ann.peer_id}")
    assert found["metadata"] == '{"seat": 3}' and found["tracks"] == {}
    assert active(f"/peers/{recorder.peer_id}", status=404)

    path = f"/peers/{ben.peer_id}"
    changed = active(path, {"name": "Benjamin", "metadata": "m", "role": "viewer"})
    assert (changed["name"], changed["metadata"], changed["role"]) == ("Benjamin", "m", "viewer")
    ben.wait_for("on-policy-change", lambda params: params["name"] == "viewer")
    update = ann.wait_for("on-peer-update", lambda params: params["info"]["name"] == "Benjamin")
    assert update["role"] == "viewer" and update["info"]["data"] == "m"

    assert active("/send-message", {"message": "hello", "type": "notice"}) == {
        "message": "message sent"}
    for peer in (ann, ben):
        told = peer.wait_for("on-broadcast")
        assert (told["info"]["message"], told["info"]["type"]) == ("hello", "notice")
        assert "peer" not in told and told["message_id"]

    cem = connect("Cem", role="guest")
    assert "result" in cem.join()
    active("/remove-peers", {"peer_id": ben.peer_id, "reason": "rude"})
    assert ben.wait_for("on-peer-leave-request")["reason"] == "rude"
    active("/remove-peers", {"role": "guest"})
    cem.wait_for("on-peer-leave-request")
    assert active()["session"]["peers"] == [ann.peer_id]
    assert active(path, status=410)

    active("/end-room", {"lock": True, "reason": "class is over"})
    request = ann.wait_for("on-peer-leave-request")
    assert request["reason"] == "class is over" and request["room_end"] is True
    assert active(status=404)
    # The change is in effect once the request is answered.
    assert server.manage("GET", f"/rooms/{room}").json["enabled"] is False
    answer = server.http.get("/init?peer_id=p1", token=tokens.room_token(room, role="host"))
    assert answer.status == 403, answer
