"""Rooms through the control API: creation, lists, disabling, locks, limits, and who may join."""

import uuid

import pytest
import websockets.exceptions

from harness import tokens
from harness.server import Server
from harness.signalling import Peer
from harness.waiting import wait_for

CLOSED = {"ROOMCAST_ROOMS_OPEN_ON_JOIN": "false"}
TIMEOUT = 10  # s


def make_room(server, **fields):
    answer = server.manage("POST", "/rooms", fields)
    assert answer.status == 200, answer
    return answer.json


def change(server, room, **fields):
    answer = server.manage("POST", f"/rooms/{room}", fields)
    assert answer.status == 200, answer
    return answer.json


def init(server, room, role="guest", peer="p1"):
    """The answer to a client that wants to join."""
    return server.http.get(f"/init?peer_id={peer}", token=tokens.room_token(room, role=role))


def assert_refused(server, room, status, code=None):
    """At `/init`, which tells clients why, and at the socket."""
    answer = init(server, room)
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


def test_who_joins_is_told_a_rooms_name_and_description(server):
    made = make_room(server, name=f"Hall-{uuid.uuid4().hex[:8]}", description="of the town")
    ann = Peer(server, made["id"], "Ann")
    assert "result" in ann.join()
    told = ann.wait_for("room-info")
    assert told["room_id"] == made["id"]
    assert (told["name"], told["description"]) == (made["name"], "of the town")
    ann.leave()


def test_rooms_are_listed_by_state_and_time_and_in_pages(server):
    rooms = [make_room(server)["id"] for _ in range(13)]
    off = rooms.pop(3)
    change(server, off, enabled=False)
    first = server.manage("GET", f"/rooms/{rooms[0]}").json["created_at"]
    query = f"/rooms?after={first}"
    page = server.manage("GET", query).json
    assert [one["id"] for one in page["data"]] == rooms[:1:-1]
    rest = server.manage("GET", f"{query}&start={page['last']}").json
    assert [one["id"] for one in rest["data"]] == rooms[1::-1] and rest["last"] == ""
    disabled = server.manage("GET", f"{query}&enabled=false").json["data"]
    assert [one["id"] for one in disabled] == [off]


def test_a_room_comes_to_be_when_somebody_joins_it(server, room):
    assert server.manage("GET", f"/rooms/{room}").status == 404
    ann = Peer(server, room, "Ann")
    assert "result" in ann.join()
    found = server.manage("GET", f"/rooms/{room}").json
    assert found["name"] == room and found["enabled"] is True
    ann.leave()


def test_the_room_has_its_name_and_size(server):
    room = make_room(server, name=f"Duet-{uuid.uuid4().hex[:8]}", size=2)
    ann, ben, eve = (Peer(server, room["id"], name) for name in ("Ann", "Ben", "Eve"))
    assert "result" in ann.join() and "result" in ben.join()
    info = ann.wait_for("room-info")
    assert info["name"] == room["name"] and info["max_size"] == 2
    refused = eve.join()["error"]
    assert refused["code"] == 403 and "2 peers" in refused["message"]
    for peer in (ann, ben, eve):
        peer.close()


def test_a_disabled_room_keeps_its_peers_and_takes_nobody_new(server, room):
    ann = Peer(server, room, "Ann", role="host")
    ann.join()
    visitor = Peer(server, room, "Vic")
    visitor.wait_for("on-policy-change")
    change(server, room, enabled=False)
    assert_refused(server, room, 403)
    assert visitor.join()["error"]["code"] == 403
    assert ann.is_alive()
    # On a new socket, as after a lost network.
    ann.close()
    assert init(server, room, role="host", peer=ann.peer_id).status == 200
    back = Peer(server, room, "Ann", peer_id=ann.peer_id, token=ann.token)
    back.wait_for("peer-list")
    change(server, room, enabled=True)
    ben = Peer(server, room, "Ben")
    assert "result" in ben.join()
    for peer in (back, ben, visitor):
        peer.close()


def test_a_lock_outlives_the_empty_room_and_the_server(binary, tmp_path, room):
    server = Server(tmp_path)
    try:
        ann = Peer(server, room, "Ann", role="host")
        ann.join()
        assert "result" in ann.call("end-room", {"lock": True, "reason": "good night"})
        ann.leave()
        wait_for("the room is let go", lambda: is_empty(server, room), 2 * TIMEOUT)
        assert_refused(server, room, 403)
        assert server.manage("GET", f"/rooms/{room}").json["enabled"] is False
    finally:
        server.stop()
    server = Server(tmp_path)
    try:
        assert_refused(server, room, 403)
        change(server, room, enabled=True)
        ann = Peer(server, room, "Ann", role="host")
        assert "result" in ann.join()
        ann.leave()
    finally:
        assert server.stop() == 0


def test_where_joining_makes_no_rooms_others_are_refused_with_their_number(binary, tmp_path, room):
    server = Server(tmp_path, settings=CLOSED)
    try:
        assert_refused(server, room, 400, code=40001)
        made = make_room(server)
        ann = Peer(server, made["id"], "Ann")
        assert "result" in ann.join()
        ann.leave()
        rooms = server.manage("GET", "/rooms").json["data"]
        assert [one["id"] for one in rooms] == [made["id"]]
    finally:
        assert server.stop() == 0


@pytest.mark.parametrize("body, word", [
    ({"name": "no blanks"}, "name"),
    ({"size": 2501}, "size"),
    ({"max_duration_seconds": 60}, "max_duration_seconds"),
    ({"template_id": "none"}, "template"),
    ({"template": "default"}, "Invalid body param"),
    ({"enabled": 1}, "malformed"),
])
def test_what_cannot_be_meant_is_refused(server, body, word):
    answer = server.manage("POST", "/rooms", body)
    assert answer.status == 400 and word in answer.json["message"]


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


def test_codes_outlive_the_server_and_end_with_their_room(binary, tmp_path):
    server = Server(tmp_path)
    room = make_room(server)["id"]
    code = server.manage("POST", f"/room-codes/room/{room}/role/host").json["code"]
    assert server.stop() == 0
    server = Server(tmp_path)
    try:
        assert trade(server, code, user_id="ann").status == 200
        change(server, room, enabled=False)
        refused = trade(server, code, user_id="ann")
        assert refused.status == 403 and refused.json["message"] == "room is disabled"
        assert trade(server, "abc-defg-hij").status == 404
    finally:
        assert server.stop() == 0
