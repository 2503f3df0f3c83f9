"""Rooms and their codes through the control API, up to who joins, and what outlives the server."""

import uuid

import pytest
import websockets.exceptions

from harness import tokens
from harness.server import Server
from harness.signalling import Peer
from harness.waiting import wait_for

CLOSED = {"ROOMCAST_ROOMS_OPEN_ON_JOIN": "false"}
TIMEOUT = 60  # s


def make_room(server, **fields):
    answer = server.manage("POST", "/rooms", fields)
    assert answer.status == 200, answer
    return answer.json


def change(server, room, **fields):
    answer = server.manage("POST", f"/rooms/{room}", fields)
    assert answer.status == 200, answer
    return answer.json


def assert_refused(server, room, status, code=None):
    """At `/init`, which tells clients why, and at the socket."""
    answer = server.http.get("/init?peer_id=p1", token=tokens.room_token(room, role="guest"))
    assert answer.status == status and answer.json["code"] == (code or status), answer
    assert answer.headers["access-control-allow-origin"] == "*"
    with pytest.raises(websockets.exceptions.InvalidStatus) as refusal:
        Peer(server, room, "Eve")
    assert refusal.value.response.status_code == status


def is_empty(server, room):
    return room not in {one["id"] for one in server.http.get("/api/rooms").json}


def test_a_room_is_made_found_and_changed(server):
    name = f"Hall-{uuid.uuid4().hex[:8]}"
    made = make_room(server, name=name, description="of the town")
    assert len(made["id"]) == 24 and made["enabled"] is True
    assert server.manage("GET", f"/rooms/{made['id']}").json == made
    assert make_room(server, name=name.upper())["id"] == made["id"]
    found = server.manage("GET", f"/rooms?name={name.lower()}").json
    assert [one["id"] for one in found["data"]] == [made["id"]] and found["last"] == ""
    changed = change(server, made["id"], description="of the village")
    assert changed["description"] == "of the village"
    assert changed["created_at"] == made["created_at"] < changed["updated_at"]


def test_a_repeated_order_is_obeyed_once_and_mistakes_are_named(server):
    headers = {"Idempotency-Key": uuid.uuid4().hex, "X-Request-ID": "order-7"}

    def order(body, **others):
        # A token of its own for each, as servers make them.
        return server.http.post("/v2/rooms", body=body, token=tokens.management_token(),
                                headers=headers | others)

    first, second = order({"description": "a"}), order({"description": "a"})
    assert first.status == second.status == 200 and first.json == second.json
    assert second.headers["idempotent-replayed"] == "true"
    assert second.headers["x-request-id"] == "order-7"
    refused = order({"description": "b"})
    assert refused.status == 422 and refused.json["request_id"] == "order-7"
    wrong = server.manage("DELETE", f"/rooms/{first.json['id']}")
    assert wrong.status == 405 and wrong.headers["allow"] == "GET, HEAD, POST"
    misspelt = server.manage("GET", "/rooms?nam=a")
    assert misspelt.status == 400
    assert misspelt.json["details"] == ["nam is not known; did you mean name?"]
    described = server.http.get("/openapi.yaml")
    assert described.status == 200 and described.headers["content-type"] == "application/yaml"


def test_who_joins_is_told_a_rooms_name_description_and_size(server):
    made = make_room(server, name=f"Duet-{uuid.uuid4().hex[:8]}", description="of the town", size=2)
    ann, ben, eve = (Peer(server, made["id"], name) for name in ("Ann", "Ben", "Eve"))
    assert "result" in ann.join() and "result" in ben.join()
    told = ann.wait_for("room-info")
    assert (told["room_id"], told["name"]) == (made["id"], made["name"])
    assert (told["description"], told["max_size"]) == ("of the town", 2)
    refused = eve.join()["error"]
    assert refused["code"] == 403 and "2 peers" in refused["message"]
    for peer in (ann, ben, eve):
        peer.close()


def trade(server, code, **fields):
    """A room token for a room code, as clients get it: without a token."""
    return server.http.post("/v2/token", body={"code": code} | fields)


def test_a_code_lets_somebody_in_with_its_role_as_long_as_it_is_enabled(server):
    room = make_room(server)["id"]
    made = server.manage("POST", f"/room-codes/room/{room}").json["data"]
    codes = {one["role"]: one["code"] for one in made}
    assert set(codes) == {"host", "guest", "viewer"}
    assert server.manage("POST", f"/room-codes/room/{room}").json["data"] == made
    answer = trade(server, codes["viewer"], user_id="vic")
    assert answer.status == 200 and answer.headers["access-control-allow-origin"] == "*"
    viewer = Peer(server, room, "Vic", token=answer.json["token"])
    assert "result" in viewer.join()
    policy = viewer.wait_for("on-policy-change")
    assert policy["name"] == "viewer"
    off = server.manage("POST", "/room-codes/code", {"code": codes["viewer"], "enabled": False})
    assert off.json["enabled"] is False and viewer.is_alive()
    refused = trade(server, codes["viewer"])
    assert refused.status == 403 and refused.json["message"] == "room code is disabled"
    listed = server.manage("GET", f"/room-codes/room/{room}?enabled=true").json["data"]
    assert {one["role"] for one in listed} == {"host", "guest"}
    viewer.leave()


def test_locks_and_codes_outlive_the_server(binary, tmp_path, room):
    """The second one makes no rooms for who joins."""
    server = Server(tmp_path)
    try:
        made = make_room(server)["id"]
        code = server.manage("POST", f"/room-codes/room/{made}/role/host").json["code"]
        ann = Peer(server, room, "Ann", role="host")
        assert "result" in ann.join()
        assert "result" in ann.call("end-room", {"lock": True, "reason": "good night"})
        ann.leave()
        wait_for("the room is let go", lambda: is_empty(server, room), TIMEOUT)
        assert_refused(server, room, 403)
        found = server.manage("GET", f"/rooms/{room}").json
        assert found["name"] == room and found["enabled"] is False
    finally:
        assert server.stop() == 0
    server = Server(tmp_path, settings=CLOSED)
    try:
        assert_refused(server, room, 403)
        change(server, room, enabled=True)
        ann = Peer(server, room, "Ann", role="host")
        assert "result" in ann.join()
        ann.leave()
        assert_refused(server, f"{room}-other", 400, code=40001)
        assert server.manage("GET", f"/rooms/{room}-other").status == 404
        assert trade(server, code, user_id="ann").status == 200
        change(server, made, enabled=False)
        refused = trade(server, code, user_id="ann")
        assert refused.status == 403 and refused.json["message"] == "room is disabled"
    finally:
        assert server.stop() == 0
