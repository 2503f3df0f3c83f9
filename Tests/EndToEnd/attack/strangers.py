"""The attackers: each family is a process of its own, with a seed and an end.

    python -m attack.strangers FAMILY HOST PORT MEDIA_PORT SEED SECONDS

Prints one JSON line: the number of attempts, and every answer that a server must not give.
"""

import contextlib
import json
import os
import random
import re
import socket
import sys
import time

import websockets.exceptions

from harness import signalling, tokens
from harness.http import Client

from . import corpus
from .mutation import Mutator
from .pinger import Address

ROOM = "attacked"
# s between two attempts: the attackers share this machine with the server.
PAUSE = 0.004
# The status of an explicit refusal for lack of room.
LIMITED = 503


class Stranger:
    def __init__(self, host, port, media_port, seed, seconds):
        self.host, self.port, self.media_port = host, port, media_port
        self.random = random.Random(seed)
        self.mutator = Mutator(self.random)
        self.deadline = time.monotonic() + seconds
        self.attempts = 0
        self.faults = []

    def goes_on(self):
        time.sleep(PAUSE)
        self.attempts += 1
        return time.monotonic() < self.deadline

    def fault(self, what, sent):
        self.faults.append(f"{what} to {sent[:300]!r}")


class HTTPStranger(Stranger):
    """Bytes on a TCP connection, answered or closed; never with an error of the server's own."""

    def run(self):
        worst = list(corpus.WORST_REQUESTS)
        self.random.shuffle(worst)
        while self.goes_on():
            if worst and self.attempts % 20 == 0:
                self.send(worst.pop())
            else:
                self.send(self.mutator.bytes(self.random.choice(corpus.REQUESTS), corpus.REQUESTS))

    def send(self, data):
        answer = b""
        with contextlib.suppress(OSError), \
                socket.create_connection((self.host, self.port), 5) as connection:
            connection.settimeout(0.2)
            with contextlib.suppress(OSError):
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
            while part := connection.recv(65536):
                answer += part[:4096]
        for status in re.findall(rb"^HTTP/1\.1 (5\d\d)", answer, re.MULTILINE):
            if int(status) != LIMITED and status != b"505":  # another version of HTTP
                self.fault(status.decode(), data)


class RESTStranger(Stranger):
    """Bodies of the control API, with a token that is good."""

    def run(self):
        client = Client(self.host, self.port)
        while self.goes_on():
            method, path, body = self.random.choice(corpus.CALLS)
            if body is not None:
                body = self.mutator.json(body)
                if self.random.random() < 0.3:
                    body = self.mutator.bytes(json.dumps(body).encode())
                elif self.random.random() < 0.02:
                    body = b"[" * 200_000
            if self.random.random() < 0.2:
                path += self.mutator.bytes(b"?limit=10&start=abc").hex()
            with contextlib.suppress(OSError):
                answer = client.request(method, path, body=body, token=tokens.management_token())
                if answer.status >= 500 and answer.status != LIMITED:
                    self.fault(f"{answer.status} {answer.body[:200]}", repr((method, path, body)))


class SocketStranger(Stranger):
    """Frames in a room, from a legitimate peer."""

    RECEIVED = 40  # frames between two looks at what was answered

    def run(self):
        frames = corpus.frames()
        worst = list(corpus.worst_frames())
        peer = None
        while self.goes_on():
            try:
                peer = peer or self.enter()
                if self.attempts % 15 == 0:
                    peer.send(self.random.choice(worst))
                elif self.random.random() < 0.3:
                    text = json.dumps(self.random.choice(frames)).encode()
                    data = self.mutator.bytes(text)
                    peer.send(data if self.random.random() < 0.2 else data.decode(
                        "utf-8", "replace"))
                else:
                    peer.send(json.dumps(self.mutator.json(self.random.choice(frames))))
                if self.attempts % self.RECEIVED == 0:
                    peer.drain(0.05)
                    self.judge(peer)
                    if self.random.random() < 0.2:
                        peer.close()
                        peer = None
            except (websockets.exceptions.WebSocketException, OSError, ValueError):
                peer = None
                time.sleep(0.1)

    def enter(self):
        peer = signalling.Peer(Address(self.host, self.port), ROOM,
                               f"m{self.random.randrange(1 << 30)}", role="guest")
        if self.random.random() < 0.8:
            peer.join()
        return peer

    def judge(self, peer):
        for message in peer.notifications:
            params = message.get("params") or {}
            code = params.get("code") if isinstance(params, dict) else None
            if isinstance(code, int) and 500 <= code < 600:
                self.fault(f"{message}", "frames")
        peer.notifications.clear()


class FrameStranger(Stranger):
    """The bytes below: frames of WebSocket (RFC 6455 sect. 5.2) with wrong bits and lengths."""

    FLOOD = 3  # s
    # A text, a binary frame, a pong, a fragment that nothing begins: each masked, and empty.
    SMALLEST = [bytes([0x80 | opcode, 0x80]) + bytes(4) for opcode in (1, 2, 10, 0)]

    def run(self):
        while self.goes_on():
            token = tokens.room_token(ROOM, user=f"f{self.attempts}", role="guest")
            request = (f"GET /ws?peer={self.random.randrange(1 << 60)}&token={token} HTTP/1.1\r\n"
                       "Host: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                       "Sec-WebSocket-Version: 13\r\n"
                       "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").encode()
            with contextlib.suppress(OSError), \
                    socket.create_connection((self.host, self.port), 5) as connection:
                connection.settimeout(0.1)
                connection.sendall(request)
                connection.recv(4096)
                if self.attempts % 100 == 50:
                    self.flood(connection)
                for _ in range(10):
                    connection.sendall(self.frame())
                connection.recv(65536)

    def flood(self, connection):
        """The smallest frames without end, also after the server has closed the socket."""
        until = min(self.deadline, time.monotonic() + self.FLOOD)
        while time.monotonic() < until:
            connection.sendall(self.random.choice(self.SMALLEST) * 10_000)

    def frame(self):
        body = json.dumps(self.random.choice(corpus.frames())).encode()[:1000]
        length = bytes([0x80 | 126]) + len(body).to_bytes(2, "big")
        whole = bytes([0x81]) + length + bytes(4) + body
        return self.mutator.bytes(whole, [whole])


class DatagramStranger(Stranger):
    """Datagrams from an unknown sender: STUN, DTLS, RTP, RTCP and noise."""

    MADE = [corpus.stun, corpus.client_hello, corpus.rtp, corpus.rtcp, corpus.sctp]

    def run(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            while self.goes_on():
                for _ in range(10):
                    made = [make(self.random) for make in self.MADE]
                    data = self.random.choice(made)
                    if self.random.random() < 0.8:
                        data = self.mutator.bytes(data, made)
                    with contextlib.suppress(OSError):
                        one.sendto(data[:1500], (self.host, self.media_port))
                if self.attempts % 100 == 0:
                    self.stream(self.random.choice(made))

    def stream(self, data):
        """The same over TCP, with its length before it (RFC 4571), and the wrong one."""
        framed = len(data).to_bytes(2, "big") + data
        with contextlib.suppress(OSError), \
                socket.create_connection((self.host, self.media_port), 5) as connection:
            connection.sendall(self.mutator.bytes(framed * 3))


class PeerStranger(Stranger):
    """Data damaged before encryption: RTP, RTCP, SCTP and data channels of real peers."""

    def run(self):
        # aiortc takes a second to load, which the other families need not wait for.
        from . import peers
        if not peers.rounds(self.host, self.port, ROOM, self.mutator, self.goes_on):
            self.faults.append("nobody with keys got in")


FAMILIES = {"http": HTTPStranger, "rest": RESTStranger, "socket": SocketStranger,
            "frames": FrameStranger, "datagrams": DatagramStranger, "peers": PeerStranger}


def main(family, host, port, media_port, seed, seconds):
    os.nice(10)  # they are on machines of their own, as far as that can be had here
    stranger = FAMILIES[family](host, int(port), int(media_port), f"{seed}-{family}",
                                float(seconds))
    stranger.run()
    print(json.dumps({"family": family, "attempts": stranger.attempts,
                      "faults": stranger.faults[:20]}))


if __name__ == "__main__":
    main(*sys.argv[1:])
