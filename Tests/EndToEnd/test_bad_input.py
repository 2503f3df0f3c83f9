"""Bad input: a precise error in the protocol's own form, and everything else goes on."""

import json
import random
import re
import socket
import time

import pytest
import websockets.exceptions
import websockets.sync.client

from harness import tokens
from harness.cases import case
from harness.signalling import DATA_CHANNEL_OFFER, Peer

ROOM = "bad-input"
SEED = 20_26
PATIENCE = 30  # s


def assert_is_error(answer, status):
    """100ms' error body."""
    assert answer.status == status, answer
    assert answer.json["code"] == status
    assert answer.json["message"]
    assert isinstance(answer.json["details"], list)


# Tokens. Each fault of a claim has its Swift tests (TokensTests); here the server's own clock and key
# decide, in front of all that a token opens.


# And 100ms' number for it.
BAD_TOKENS = {
    "not a token": (lambda make: "abc", 40109),
    "of another secret": (lambda make: make(secret="x" * 40), 40109),
    "expired": (lambda make: make(exp=int(time.time()) - 10), 40100),
    "not yet valid": (lambda make: make(nbf=int(time.time()) + 3600), 40100),
    "unsigned": (lambda make: make(algorithm="none"), 40109),
}


def test_the_control_api_refuses_bad_tokens(server):
    path = f"/v2/live-streams/room/{ROOM}/start"
    bad = {kind: make(tokens.management_token) for kind, (make, _) in BAD_TOKENS.items()}
    bad |= {"missing": None, "a room token": tokens.room_token(ROOM)}
    for kind, token in bad.items():
        with case(kind):
            assert_is_error(server.http.post(path, body={}, token=token), 401)


def test_the_room_refuses_bad_tokens(server):
    def make(**changes):
        return tokens.room_token(ROOM, **changes)

    bad = {kind: (one(make), number) for kind, (one, number) in BAD_TOKENS.items()}
    bad |= {"a management token": (tokens.management_token(), 40100)}
    for kind, (token, number) in bad.items():
        with case(kind):
            answer = server.http.get("/init?peer_id=p1", token=token)
            assert answer.status == 401 and answer.json["code"] == number, answer
            with pytest.raises(websockets.exceptions.InvalidStatus) as refusal:
                Peer(server, ROOM, "Eve", token=token)
            assert refusal.value.response.status_code == 401


# The control API


BAD_STARTS = [
    b"{", b"\xff\xfe", {"variants": 3}, {"ladder": [{"width": "wide"}]},
    {"ladder": [{"width": 640, "height": 360, "videoBitrate": 0}]},
    {"meeting_url": "file:///etc/passwd"}, {"meeting_url": "http://127.0.0.1:1/rooms/x"},
    {"meeting_url": "http://"},
]


def test_a_start_that_cannot_be_meant_is_refused(server, room):
    for body in BAD_STARTS:
        with case(body):
            answer = server.manage("POST", f"/live-streams/room/{room}/start", body)
            assert_is_error(answer, 400)


# Sent as they are.
PATHS_OUT = [
    "/hls/../server.log", "/hls/%2e%2e/server.log", "/hls/..%2fserver.log", "/hls//etc/passwd",
    "/hls/./././../server.log", "/hls/%252e%252e/server.log", "/hls/..\\server.log",
    "/hls/%00", "/assets/../../etc/passwd", "/assets/%2e%2e/index.html",
]


def test_no_path_leads_out(server):
    server.output.mkdir(exist_ok=True)
    for path in PATHS_OUT:
        with case(path):
            answer = server.http.get(path)
            assert answer.status in (400, 403, 404), answer
    for name in ("%2e%2e%2fetc", "a%00b"):
        with case(name):
            answer = server.manage("POST", f"/live-streams/room/{name}/start", {})
            assert answer.status in (400, 404) and answer.json["code"] == answer.status, answer


def takers(server):
    """Method, path and type of each route that may take a body."""
    for path, item in server.http.get("/openapi.json").json["paths"].items():
        path = re.sub(r"\{[^}]*\}", "nobody-here", path)
        for method in item.keys() & {"post", "patch", "put", "delete"}:
            yield method.upper(), path, "application/json"
    for path in ("/whip/nobody-here", "/whep/nobody-here"):
        yield "POST", path, "application/sdp"


def test_whoever_waits_to_send_a_body_is_answered(server):
    """RFC 9110 sect. 10.1.1: some clients wait for ever."""
    room, management = tokens.room_token("nobody-here"), tokens.management_token()
    asked = 0
    for method, path, kind in takers(server):
        token = management if path.startswith("/v2/") else room
        with case(f"{method} {path}"), server.http.connect(server.host, server.port) as connection:
            connection.settimeout(PATIENCE)
            connection.sendall(
                f"{method} {path} HTTP/1.1\r\nHost: {server.host}:{server.port}\r\n"
                f"Authorization: Bearer {token}\r\nContent-Type: {kind}\r\n"
                "Content-Length: 2\r\nExpect: 100-continue\r\n\r\n".encode())
            answer = connection.recv(4096)
            if answer.startswith(b"HTTP/1.1 100 "):
                asked += 1
                connection.sendall(b"[]")
                answer = answer.partition(b"\r\n\r\n")[2] or connection.recv(4096)
            status = int(answer.split()[1])
            assert 200 <= status < 500, answer
    assert asked > 20


# The socket


@pytest.fixture
def peer(connect):
    """A socket of a host that has joined."""
    peer = connect("Ann", room=ROOM, role="host")
    assert "result" in peer.join()
    return peer


MALFORMED = [
    "", "{", "null", "[]", "3", '"x"', "{}", '{"id":"1"}', '{"method":5,"id":"1"}',
    '{"method":"join"', '{"method":"ping","params":[],"id":"1"}', "[" * 2000, '{"a":' * 500,
]


def test_malformed_json_does_not_cost_the_socket(peer):
    for text in MALFORMED:
        with case(text):
            peer.send(text)
            assert peer.is_alive()
    assert peer.call("launch-rocket")["error"]["code"] == 404


# With the real media plane: the tests of the protocol have another in its place.
MALFORMED_OFFERS = {
    "empty": "",
    "a word": "hello",
    "one line": "v=0",
    "one line many times": "v=0\r\n" * 5000,
    "without a mid": DATA_CHANNEL_OFFER.replace("a=mid:0\r\n", ""),
    "a fingerprint that is none": DATA_CHANNEL_OFFER.replace("sha-256 A5", "sha-256 ZZ"),
    "without a ufrag": DATA_CHANNEL_OFFER.replace("a=ice-ufrag:tEsT\r\n", ""),
    "a medium of a long name": DATA_CHANNEL_OFFER.replace("m=application", "m=" + "x" * 5000),
}


def test_a_malformed_offer_is_refused_and_a_good_one_still_taken(connect):
    peer = connect("Ann", room=ROOM)
    for kind, sdp in MALFORMED_OFFERS.items():
        with case(kind):
            assert sdp != DATA_CHANNEL_OFFER
            answer = peer.join(offer={"type": "offer", "sdp": sdp})
            error = answer.get("error")
            assert error and isinstance(error["code"], int) and error["message"], answer
    assert "result" in peer.join()


def test_strange_candidates_are_no_reason_to_stop(peer):
    for candidate in ["", "candidate:", "candidate:1 1 udp 1 host.local 9 typ host",
                      "candidate:1 1 udp 1 999.1.1.1 99999 typ host", "x" * 10_000]:
        for target in (0, 1, 7):
            description = {"candidate": candidate, "sdpMid": "0", "sdpMLineIndex": 0}
            peer.notify("trickle", {"target": target, "candidate": description})
    assert peer.is_alive()


def test_a_frame_that_may_not_be_costs_at_most_its_own_socket(connect):
    bystander = connect("Ben", room=ROOM)
    bystander.join()
    frames = {"giant": json.dumps({"method": "x" * 4_000_000}), "binary": b"\x00\x01\x02"}
    for kind, frame in frames.items():
        with case(kind):
            eve = connect("Eve", room=ROOM)
            try:
                eve.socket.send(frame)
                eve.is_alive()
            except (websockets.exceptions.ConnectionClosed, TimeoutError):
                pass
            assert bystander.is_alive()


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
    server.wait_for_status(stream["id"], "running", 60)
    server.stop_stream(room)
    server.wait_for_status(stream["id"], "completed", 60)
