"""Bad input: a precise error in the protocol's own form, and everything else goes on."""

import json
import random
import socket
import time
import uuid

import pytest
import websockets.exceptions
import websockets.sync.client

from harness import tokens
from harness.signalling import DATA_CHANNEL_OFFER, Peer

ROOM = "bad-input"
SEED = 20_26


def assert_is_error(answer, status):
    """100ms' error body."""
    assert answer.status == status, answer
    assert answer.json["code"] == status
    assert answer.json["message"]
    assert isinstance(answer.json["details"], list)


# Tokens


BAD_MANAGEMENT_TOKENS = {
    "missing": None,
    "not a token": "abc",
    "three parts of nothing": "a.b.c",
    "another secret": tokens.management_token(secret="x" * 40),
    "expired": tokens.management_token(exp=int(time.time()) - 10),
    "not yet valid": tokens.management_token(nbf=int(time.time()) + 3600),
    "unsigned": tokens.management_token(algorithm="none"),
    "another algorithm": tokens.management_token(algorithm="HS512"),
    "another access key": tokens.management_token(access_key="somebody"),
    "a room token": tokens.room_token(ROOM),
    "no expiry": tokens.management_token(exp=None),
}


@pytest.mark.parametrize("kind", BAD_MANAGEMENT_TOKENS)
def test_the_control_api_refuses_a_token_that_is(server, kind):
    token = BAD_MANAGEMENT_TOKENS[kind]
    path = f"/v2/live-streams/room/{ROOM}/start"
    assert_is_error(server.http.post(path, body={}, token=token), 401)


BAD_ROOM_TOKENS = {
    "missing": ("", 40100),
    "not a token": ("abc", 40109),
    "another secret": (tokens.room_token(ROOM, secret="x" * 40), 40109),
    "another access key": (tokens.room_token(ROOM, access_key="somebody"), 40101),
    "expired": (tokens.room_token(ROOM, exp=int(time.time()) - 10), 40100),
    "unsigned": (tokens.room_token(ROOM, algorithm="none"), 40109),
    "a management token": (tokens.management_token(), 40100),
    "without a room": (tokens.room_token(None), 40102),
    "of a room that cannot be": (tokens.room_token("../etc"), 40102),
    "of a long id": (tokens.room_token(ROOM, jti="x" * 300), 40103),
    "another application's": (tokens.room_token(ROOM, app_id="other"), 40104),
    "another customer's": (tokens.room_token(ROOM, customer_id="other"), 40105),
    "nobody's": (tokens.room_token(ROOM, user=None, jti=None), 40107),
    "without a role": (tokens.room_token(ROOM, role=None), 40108),
    "of a role that is not": (tokens.room_token(ROOM, role="emperor"), 40108),
}


@pytest.mark.parametrize("kind", BAD_ROOM_TOKENS)
def test_the_room_refuses_a_token_that_is(server, kind):
    token, number = BAD_ROOM_TOKENS[kind]
    answer = server.http.get("/init?peer_id=p1", token=token)
    assert answer.status == 401 and answer.json["code"] == number and answer.json["message"]
    with pytest.raises(websockets.exceptions.InvalidStatus) as refusal:
        Peer(server, ROOM, "Eve", token=token or "x")
    assert refusal.value.response.status_code == 401


def test_a_page_gets_no_token_of_a_hidden_role(server):
    body = {"role": "__internal_recorder", "user_id": "eve"}
    assert_is_error(server.http.post(f"/api/rooms/{ROOM}/token", body=body), 400)


# The control API


@pytest.mark.parametrize("body", [
    b"{", b"[]", b"\xff\xfe", b'{"variants":3}', b'{"ladder":[{"width":"wide"}]}',
])
def test_a_malformed_body_is_named(server, room, body):
    answer = server.manage("POST", f"/live-streams/room/{room}/start", body)
    assert_is_error(answer, 400)


@pytest.mark.parametrize("ladder", [
    [],
    [{"width": 641, "height": 360, "videoBitrate": 500}],
    [{"width": 64, "height": 36, "videoBitrate": 500}],
    [{"width": 3840, "height": 2160, "videoBitrate": 500}],
    [{"width": 640, "height": 360, "videoBitrate": 0}],
    [{"width": 640, "height": 360, "videoBitrate": 500},
     {"width": 1280, "height": 720, "videoBitrate": 2000}],
    [{"width": 640, "height": 360, "videoBitrate": 500 - rung} for rung in range(6)],
])
def test_an_impossible_ladder_is_refused(server, room, ladder):
    answer = server.manage("POST", f"/live-streams/room/{room}/start", {"ladder": ladder})
    assert_is_error(answer, 400)


@pytest.mark.parametrize("url", [
    "https://example.org/", "file:///etc/passwd", "http://127.0.0.1:1/rooms/x", "x", "http://",
])
def test_a_foreign_meeting_url_is_refused(server, room, url):
    answer = server.manage("POST", f"/live-streams/room/{room}/start", {"meeting_url": url})
    assert_is_error(answer, 400)


@pytest.mark.parametrize("name", ["a b", "..", "%2e%2e%2fetc", "x" * 65, "a%00b"])
def test_a_room_id_that_cannot_be_is_refused(server, name):
    path = f"/v2/live-streams/room/{name.replace(' ', '%20')}/start"
    answer = server.http.post(path, body={}, token=tokens.management_token())
    assert answer.status in (400, 404)
    assert answer.json["code"] == answer.status


def test_what_is_not_there_is_not_found(server):
    assert_is_error(server.manage("GET", f"/live-streams/{uuid.uuid4()}"), 404)
    assert_is_error(server.manage("POST", f"/live-streams/{uuid.uuid4()}/stop"), 404)
    assert_is_error(server.http.get("/v2/nothing", token=tokens.management_token()), 404)
    assert_is_error(server.http.get("/hls/nothing/nowhere/master.m3u8"), 404)


@pytest.mark.parametrize("query", [
    "limit=0", "limit=9", "limit=101", "limit=x", "status=dancing", "start=../..",
])
def test_a_bad_query_is_named(server, query):
    assert_is_error(server.manage("GET", f"/live-streams?{query}"), 400)


def test_too_large_a_body_is_refused(server, room):
    body = b'{"metadata":"' + b"x" * 200_000 + b'"}'
    answer = server.manage("POST", f"/live-streams/room/{room}/start", body)
    assert_is_error(answer, 413)
    metadata = {"metadata": "x" * 10_000}
    assert_is_error(server.manage("POST", f"/live-streams/room/{room}/start", metadata), 400)


@pytest.mark.parametrize("path", [
    "/hls/../server.log", "/hls/%2e%2e/server.log", "/hls/..%2fserver.log", "/hls//etc/passwd",
    "/hls/./././../server.log", "/hls/%252e%252e/server.log", "/hls/..\\server.log",
    "/hls/%00", "/assets/../../etc/passwd", "/assets/%2e%2e/index.html",
])
def test_no_path_leads_out(server, path):
    server.output.mkdir(exist_ok=True)
    answer = server.http.get(path)
    assert answer.status in (400, 403, 404), answer


def test_no_hidden_file_of_a_stream_is_served(server, room):
    stream = server.start_stream(room)
    server.stop_stream(room)
    server.wait_for_status(stream["id"], "completed", 15)
    folder = stream["playback"]["url"].split("/hls/")[1].rsplit("/", 1)[0]
    assert_is_error(server.http.get(f"/hls/{folder}/.bot.json"), 404)


# The socket


def assert_refused(answer, code=None):
    error = answer.get("error")
    assert error, answer
    assert isinstance(error["code"], int) and error["message"]
    if code:
        assert error["code"] == code, error


@pytest.fixture
def peer(connect):
    """A socket of a host that has joined."""
    peer = connect("Ann", room=ROOM, role="host")
    assert "result" in peer.join()
    return peer


def test_an_unknown_method_is_answered_and_the_socket_stays(peer):
    assert_refused(peer.call("launch-rocket"), 404)
    assert peer.is_alive()


@pytest.mark.parametrize("method", ["offer", "broadcast", "hls-start"])
def test_a_missing_or_wrong_parameter_is_named(peer, method):
    wrong = {"offer": {"desc": 5}, "broadcast": {"info": "hello"}, "hls-start": {"variants": "all"}}
    if method != "hls-start":  # which needs none
        assert_refused(peer.call(method, {}), 400)
    assert_refused(peer.call(method, wrong[method]), 400)
    assert peer.is_alive()


@pytest.mark.parametrize("text", [
    "", "{", "null", "[]", "3", '"x"', "{}", '{"id":"1"}', '{"method":5,"id":"1"}',
    '{"method":"join"', '{"method":"ping","params":[],"id":"1"}', "[" * 2000, '{"a":' * 500,
])
def test_malformed_json_does_not_cost_the_socket(peer, text):
    peer.send(text)
    assert peer.is_alive()


@pytest.mark.parametrize("sdp", [
    "", "hello", "v=0", "v=0\r\n" * 5000, DATA_CHANNEL_OFFER.replace("a=mid:0\r\n", ""),
    DATA_CHANNEL_OFFER.replace("sha-256 A5", "sha-256 ZZ"),
    DATA_CHANNEL_OFFER.replace("a=ice-ufrag:tEsT\r\n", ""),
    DATA_CHANNEL_OFFER.replace("m=application", "m=" + "x" * 5000),
])
def test_a_malformed_offer_is_refused_and_a_good_one_still_taken(connect, sdp):
    peer = connect("Ann", room=ROOM)
    assert_refused(peer.join(offer={"type": "offer", "sdp": sdp}))
    assert "result" in peer.join()


def test_an_offer_before_the_join_is_refused(connect):
    peer = connect("Ann", room=ROOM)
    offer = {"desc": {"type": "offer", "sdp": DATA_CHANNEL_OFFER}, "tracks": {}}
    assert_refused(peer.call("offer", offer), 410)
    # A client that believes to be in the room has to join again, on a new socket.
    assert peer.wait_for("on-error")["code"] == 410
    assert "result" in connect("Ann", room=ROOM).join()


def test_names_and_messages_have_their_limits(connect):
    peer = connect("Ann", room=ROOM)
    assert_refused(peer.join(name="x" * 10_000))
    assert_refused(peer.join(data="x" * 200_000))
    assert "result" in peer.join()
    assert_refused(peer.call("broadcast", {"info": {"message": "x" * 200_000, "type": "chat"}}))
    assert_refused(peer.call("peer-update", {"name": "x" * 10_000}))
    assert peer.is_alive()


def test_a_viewer_may_neither_stream_nor_publish(connect):
    viewer = connect("Vic", room=ROOM, role="viewer")
    viewer.join()
    assert_refused(viewer.call("hls-start", {}))
    assert viewer.is_alive()


def test_strange_candidates_are_no_reason_to_stop(peer):
    for candidate in ["", "candidate:", "candidate:1 1 udp 1 host.local 9 typ host",
                      "candidate:1 1 udp 1 999.1.1.1 99999 typ host", "x" * 10_000]:
        for target in (0, 1, 7):
            description = {"candidate": candidate, "sdpMid": "0", "sdpMLineIndex": 0}
            peer.notify("trickle", {"target": target, "candidate": description})
    assert peer.is_alive()


def test_a_giant_frame_costs_at_most_its_own_socket(connect):
    bystander = connect("Ben", room=ROOM)
    bystander.join()
    giant = connect("Eve", room=ROOM)
    try:
        giant.send(json.dumps({"method": "x" * 4_000_000}))
        giant.is_alive()
    except (websockets.exceptions.ConnectionClosed, TimeoutError):
        pass
    assert bystander.is_alive()


def test_binary_frames_and_many_sockets_do_no_harm(connect):
    bystander = connect("Ben", room=ROOM)
    bystander.join()
    odd = connect("Eve", room=ROOM)
    try:
        odd.socket.send(b"\x00\x01\x02")
        odd.is_alive()
    except websockets.exceptions.ConnectionClosed:
        pass
    assert bystander.is_alive()


def test_a_socket_without_an_upgrade_is_told_so(server):
    token = tokens.room_token(ROOM)
    answer = server.http.get(f"/ws?peer=p1&token={token}")
    assert answer.status == 426 and answer.json["code"] == 426


# The media port


def test_datagrams_from_nowhere_are_dropped(server, connect):
    generator = random.Random(SEED)
    peer = connect("Ann", room=ROOM)
    peer.join()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        for size in [0, 1, 12, 20, 28, 100, 548, 1200, 1472, 9000]:
            for first in (0, 1, 20, 22, 63, 128, 200, 255):  # RFC 7983: STUN, DTLS, RTP, others
                data = bytes([first]) + generator.randbytes(size)
                sender.sendto(data, ("127.0.0.1", server.media_port))
        # A well-formed STUN binding request from an unknown sender.
        header = bytes.fromhex("000100002112a442") + generator.randbytes(12)
        sender.sendto(header, ("127.0.0.1", server.media_port))
    assert peer.is_alive()
    assert server.http.get("/health").status == 200


def test_after_all_that_the_server_still_does_its_work(server, room):
    ladder = [{"width": 320, "height": 180, "videoBitrate": 200, "audioBitrate": 64}]
    stream = server.start_stream(room, {"ladder": ladder})
    server.wait_for_status(stream["id"], "running", 15)
    server.stop_stream(room)
    server.wait_for_status(stream["id"], "completed", 15)
