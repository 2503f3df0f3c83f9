"""Peers of a room with valid keys, whose packets are authentic but malformed. Only these reach the
parsers of RTP, RTCP and SCTP behind the ciphers."""

import asyncio
import concurrent.futures
import contextlib
import json
import struct
import time
import types

import pylibsrtp
from aiortc.mediastreams import MediaStreamError
from aiortc.rtp import is_rtcp
from google_crc32c import value as crc32c
from websockets.exceptions import WebSocketException

from harness import stranger
from harness.http import Client

from . import corpus

# The errors of a peer that the server disconnects, or whose own library gives up.
ENDS = (WebSocketException, OSError, ValueError, RuntimeError, AssertionError, MediaStreamError,
        concurrent.futures.TimeoutError, stranger.Failure)
SHARE = 0.3  # of what an honest peer sends is damaged
STAY = 4  # s, until another one comes
CHECKSUM = slice(8, 12)  # of an SCTP packet


def sealed(packet):
    """An SCTP packet with the checksum that its bytes need (RFC 9260 appendix A)."""
    body = packet[:8] + bytes(4) + packet[12:]
    return packet[:8] + struct.pack("<I", crc32c(body)) + packet[12:]


class Saboteur:
    """Stands between a peer's connection and its ciphers."""

    def __init__(self, transport, mutator):
        self._mutator, self._random = mutator, mutator.random
        self._send_rtp, self._send_data = transport._send_rtp, transport._send_data  # noqa: SLF001
        self._tag = bytes(4)  # that the association's packets carry
        self._source = None  # that the last media packet carried
        transport._send_rtp = self._media  # noqa: SLF001
        transport._send_data = self._data  # noqa: SLF001

    async def _media(self, packet):
        if not is_rtcp(packet):
            self._source = packet[8:12]
        if self._random.random() < SHARE:
            # The sender's ciphers accept nothing without a header.
            with contextlib.suppress(pylibsrtp.Error, ValueError, IndexError):
                return await self._send_rtp(self._mutator.bytes(packet, [packet])[:1400])
        await self._send_rtp(packet)

    async def _data(self, packet):
        self._tag = packet[4:8]
        if self._random.random() < SHARE:
            damaged = packet[:12] + self._mutator.bytes(packet[12:], [packet[12:]])[:1100]
            return await self._send_data(sealed(damaged))
        await self._send_data(packet)

    async def attack(self):
        """Additional data that an honest peer never sends."""
        made = [make(self._random) for make in (corpus.rtp, corpus.rtcp, corpus.rtcp)]
        with contextlib.suppress(pylibsrtp.Error, ValueError, IndexError):
            await self._send_rtp(self._mutator.bytes(self._random.choice(made), made)[:1400])
        if self._source:
            await self._send_rtp(corpus.sender_reports(self._source))
        packet = bytearray(corpus.sctp(self._random))
        packet[4:8] = self._tag
        packet = bytes(packet)
        if self._random.random() < 0.7:
            packet = packet[:12] + self._mutator.bytes(packet[12:], [packet[12:]])[:1100]
        await self._send_data(sealed(packet))


class Peer(stranger.Stranger):
    """Publishes a camera and a microphone, and has a saboteur in each connection."""

    def __init__(self, host, port, room, name, mutator):
        server = types.SimpleNamespace(http=Client(host, port))
        super().__init__(server, room, name)
        self._mutator = mutator
        self._saboteurs = []

    def enter(self):
        self.join()
        self.publish(stranger.Colour((90, 20, 20)), stranger.Tone(400), codec="VP8")
        self._run(self._arm())

    async def _arm(self):
        for connection in (self._sending, self._receiving):
            if connection.sctp:
                self._saboteurs.append(Saboteur(connection.sctp.transport, self._mutator))

    def attack(self):
        self._run(self._attack())

    async def _attack(self):
        for one in self._saboteurs:
            await one.attack()
        if self._channel and self._channel.readyState == "open":
            message = self._mutator.json({"method": "prefer-video-track-state", "id": "1",
                                          "params": {"track_id": "x", "max_spatial_layer": "low"}})
            self._channel.send(json.dumps(message)[:1000])
        await asyncio.sleep(0)

    def leave_at_once(self):
        with contextlib.suppress(*ENDS):
            self.close()


def rounds(host, port, room, mutator, goes_on):
    """One peer after the other until it is time; how many of them were in the room."""
    count = entered = 0
    while goes_on():
        peer = None
        try:
            count += 1
            peer = Peer(host, port, room, f"saboteur {count}", mutator)
            peer.enter()
            entered += 1
            until = time.monotonic() + STAY
            while time.monotonic() < until and goes_on():
                peer.attack()
        except ENDS:
            time.sleep(0.1)
        finally:
            if peer:
                peer.leave_at_once()
    return entered
