"""Templates by the control API: rooms whose roles, permissions, ladders and layouts differ."""

import json
import uuid

import pytest
from harness import hls, tokens
from harness.http import path_of
from harness.server import Server
from harness.signalling import Peer
from harness.waiting import wait_for

TIMEOUT = 60  # s

LECTURE = {
    "roles": {
        "teacher": {
            "publishParams": {"allowed": ["audio", "video", "screen"]},
            "subscribeParams": {"subscribeToRoles": ["*"]},
            "permissions": {"endRoom": True, "hlsStreaming": True},
        },
        "student": {"subscribeParams": {"subscribeToRoles": ["teacher"]}, "maxPeerCount": 1},
    },
    "destinations": {"hlsDestinations": {"default": {
        "layers": [{"width": 640, "height": 360, "videoBitrate": 300}],
        "layout": {"name": "speaker"},
    }}},
}
CLUB = {
    "roles": {"member": {
        "publishParams": {"allowed": ["audio"]},
        "subscribeParams": {"subscribeToRoles": ["member"]},
        "permissions": {"hlsStreaming": False},
    }},
    "destinations": {"hlsDestinations": {"default": {
        "layers": [{"width": 480, "height": 270, "videoBitrate": 200},
                   {"width": 320, "height": 180, "videoBitrate": 100}],
    }}},
}


def template(server, **fields):
    answer = server.manage("POST", "/templates", {"name": f"t-{uuid.uuid4().hex}"} | fields)
    assert answer.status == 200, answer
    return answer.json


def room_of(server, template):
    answer = server.manage("POST", "/rooms", {"template_id": template["id"]})
    assert answer.status == 200 and answer.json["template_id"] == template["id"], answer
    return answer.json["id"]


@pytest.fixture
def lecture(server):
    return room_of(server, template(server, **LECTURE))


@pytest.fixture
def club(server):
    return room_of(server, template(server, **CLUB))


def enter(connect, room, role, name=None):
    peer = connect(name or role, room=room, role=role)
    answer = peer.join()
    assert "result" in answer, answer
    return peer


def init(server, room, role):
    return server.http.get("/init?peer_id=p1", token=tokens.room_token(room, role=role))


def test_each_room_has_the_roles_and_permissions_of_its_template(server, connect, lecture, club):
    for room, role in ((lecture, "member"), (club, "teacher"), (club, "host")):
        refused = init(server, room, role)
        assert refused.status == 401 and refused.json["code"] == 40108, refused
    teacher = enter(connect, lecture, "teacher")
    student = enter(connect, lecture, "student")
    member = enter(connect, club, "member")
    policy = teacher.wait_for("on-policy-change")
    assert set(policy["known_roles"]) == {"teacher", "student"}
    shown = server.manage("GET", f"/rooms/{lecture}").json
    assert policy["template_id"] == shown["template_id"]
    made = server.manage("GET", f"/templates/{shown['template_id']}").json
    assert shown["template"] == made["name"]
    assert member.wait_for("on-policy-change")["known_roles"].keys() == {"member"}
    full = connect("late", room=lecture, role="student").join()["error"]
    assert full["code"] == 403 and "student" in full["message"]
    for peer in (student, member):
        assert peer.call("end-room", {"reason": "bored"})["error"]["code"] == 403
    assert member.call("hls-start", {})["error"]["code"] == 403
    assert "result" in teacher.call("end-room", {"reason": "over"})
    student.wait_for("on-peer-leave-request")
    assert member.is_alive()


def test_codes_and_pages_offer_the_roles_of_the_rooms_template(server, lecture, club):
    for room, roles in ((lecture, {"teacher", "student"}), (club, {"member"})):
        made = server.manage("POST", f"/room-codes/room/{room}").json["data"]
        assert {one["role"] for one in made} == roles
    assert server.http.get("/api/config").json["roles"][0] == "host"
    assert server.http.get(f"/api/config?room={lecture}").json["roles"] == ["student", "teacher"]
    answer = server.http.post(f"/api/rooms/{lecture}/token", body={"role": "teacher"})
    assert answer.status == 200, answer
    assert server.http.post(f"/api/rooms/{lecture}/token", body={"role": "host"}).status == 400


def test_each_room_streams_by_its_templates_ladder_and_layout(server, lecture, club, tmp_path):
    streams = {room: server.start_stream(room) for room in (lecture, club)}
    try:
        assert streams[lecture]["layout"]["name"] == "speaker"
        assert streams[club]["layout"]["name"] == "grid"
        for room, sizes in ((lecture, [(640, 360)]), (club, [(480, 270), (320, 180)])):
            stream = server.wait_for_status(streams[room]["id"], "running", TIMEOUT)
            master = server.http.get(path_of(stream["playback"]["url"])).body.decode()
            assert [variant.size for variant in hls.parse_master(master)] == sizes
    finally:
        for room in streams:
            server.stop_stream(room)


def test_a_change_holds_from_the_next_time_that_the_room_opens(server, connect, club):
    path = f"/templates/{server.manage('GET', f'/rooms/{club}').json['template_id']}"
    member = enter(connect, club, "member")
    guest = {"subscribeParams": {"subscribeToRoles": ["member"]}}
    assert server.manage("POST", f"{path}/roles/guest", guest).status == 200
    assert init(server, club, "guest").status == 401
    member.leave()
    wait_for("the room is let go", lambda: club not in {
        one["id"] for one in server.http.get("/api/rooms").json}, TIMEOUT)
    guest = enter(connect, club, "guest")
    assert set(guest.wait_for("on-policy-change")["known_roles"]) == {"member", "guest"}
    assert server.manage("DELETE", f"{path}/roles/guest").status == 204
    assert "guest" not in server.manage("GET", path).json["roles"]


def test_templates_outlive_the_server_and_the_policy_file_is_one_of_them(binary, tmp_path):
    file = tmp_path / "policy.json"
    file.write_text(json.dumps({"template_id": "house", "roles": {"anyone": {}}}))
    settings = {"ROOMCAST_POLICY_FILE": str(file)}
    server = Server(tmp_path / "server", settings=settings)
    try:
        made = template(server, **LECTURE)
        room = room_of(server, made)
    finally:
        assert server.stop() == 0
    server = Server(tmp_path / "server", settings=settings)
    try:
        listed = server.manage("GET", "/templates").json
        assert [one["id"] for one in listed["data"]] == [made["id"], "house"]
        assert listed["data"][0] == made and listed["last"] == ""
        house = server.manage("GET", "/templates/house").json
        assert house["name"] == "default" and "anyone" in house["roles"]
        refused = server.manage("POST", "/templates/house/roles/more", {})
        assert refused.status == 409, refused
        assert init(server, room, "teacher").status == 200
        assert init(server, "elsewhere", "anyone").status == 200
        assert init(server, "elsewhere", "teacher").status == 401
        back = server.manage("POST", f"/rooms/{room}", {"template_id": "house"}).json
        assert back["template_id"] == "house"
        assert init(server, room, "anyone").status == 200
    finally:
        assert server.stop() == 0


def test_a_peer_keeps_its_place_while_its_template_changes(server, connect, club):
    path = f"/templates/{server.manage('GET', f'/rooms/{club}').json['template_id']}"
    member = enter(connect, club, "member")
    assert server.manage("POST", path, {"roles": {"other": {}}}).status == 200
    assert init(server, club, "member").status == 200
    member.close()
    back = Peer(server, club, "member", role="member", peer_id=member.peer_id, token=member.token)
    assert back.wait_for("peer-list")
    back.leave()
