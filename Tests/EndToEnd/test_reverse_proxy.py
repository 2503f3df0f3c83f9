"""Reverse proxies' handling of connections: they keep them open, and use any open one for a request
or for a socket."""

import contextlib
import http.client
from urllib.parse import urlencode

import pytest
import websockets.exceptions

from harness import tokens
from harness.signalling import Peer


@contextlib.contextmanager
def used_connection(server, requests):
    """A connection on which something was asked already, and answered."""
    client = http.client.HTTPConnection(server.host, server.port, timeout=60)
    client.connect()
    connection = client.sock
    try:
        for path in requests:
            client.request("GET", path)
            answer = client.getresponse()
            assert answer.read()
            assert client.sock is connection, "the server has closed it"
        yield connection
    finally:
        client.close()


def test_a_socket_on_a_connection_that_was_used(server, room):
    with used_connection(server, ["/health", "/", "/nowhere"]) as connection:
        peer = Peer(server, room, "Ann", role="host", connection=connection)
        assert "result" in peer.join()
        other = Peer(server, room, "Ben")
        assert "result" in other.join()
        peer.wait_for("on-peer-join", lambda peer: peer["info"]["name"] == "Ben")
        assert peer.is_alive() and other.is_alive()
        other.close()
        peer.close()


def test_a_refusal_on_a_connection_that_was_used(server, room):
    with used_connection(server, ["/health"]) as connection:
        with pytest.raises(websockets.exceptions.InvalidStatus) as refusal:
            Peer(server, room, "Eve", token="abc", connection=connection)
    assert refusal.value.response.status_code == 401
    assert refusal.value.response.headers["Connection"] == "close"


def test_what_was_asked_before_is_answered_before(server, room):
    """All that a client sends at once is taken in its order."""
    client = RawClient(server)
    script = b"GET /assets/room/room.js HTTP/1.1\r\nHost: h\r\n\r\n"
    query = urlencode({"peer": "p1", "token": tokens.room_token(room)})
    client.send(20 * script + f"GET /ws?{query} HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\n"
                "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                "Sec-WebSocket-Version: 13\r\n\r\n".encode())
    bodies = {client.answer(200) for _ in range(20)}
    assert len(bodies) == 1 and len(bodies.pop()) > 1000
    assert client.answer(101) == b""
    # The room's first message: a text frame.
    assert client.file.read(1) == b"\x81"
    client.close()


class RawClient:
    """Sends bytes as they are and reads answers, of which each states its length."""

    def __init__(self, server):
        self._socket = server.http.connect(server.host, server.port)
        self.file = self._socket.makefile("rb")

    def send(self, data):
        self._socket.sendall(data)

    def answer(self, status):
        assert self.file.readline().startswith(f"HTTP/1.1 {status} ".encode())
        length = 0
        while (line := self.file.readline()) != b"\r\n":
            name, _, value = line.decode().partition(":")
            length = int(value) if name.lower() == "content-length" else length
        return self.file.read(length)

    def close(self):
        self.file.close()
        self._socket.close()
