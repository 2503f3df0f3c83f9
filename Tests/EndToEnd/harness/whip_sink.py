"""A WHIP server whose media nobody of us wrote: aiortc, with the exchange of RFC 9725 around it."""

import asyncio
import contextlib

from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import MediaStreamError

from .local_server import Handler, LocalServer
from .own_loop import TIMEOUT, OnItsOwnLoop
from .stranger import Received
from .waiting import wait_for
from .whip import SDP


class Sink(OnItsOwnLoop):
    """Receives one session, begun at `/live`, to which `/moved` redirects. The first of a session's
    offers is put off. `asked` has the method, path and token of each request."""

    def __init__(self):
        self.asked = []
        self.received = {}  # by kind
        self.connection = None
        self._consumers = []
        self._begin(asyncio.sleep(0))
        self._server = LocalServer(self._handler())
        self.base = self._server.base

    def _handler(sink):  # noqa: N805  the handler has its own self
        class Endpoint(Handler):
            def note(self):
                token = (self.headers["Authorization"] or "").removeprefix("Bearer ")
                sink.asked.append((self.command, self.path, token))
                return self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()

            def do_POST(self):
                offer = self.note()
                if self.path == "/moved":
                    return self.answer(307, Location="/live")
                if [path for _, path, _ in sink.asked].count("/live") == 1:
                    return self.answer(503, Retry_After="1")
                answer = sink._run(sink._open(offer)).encode()
                self.answer(201, answer, Location="/sessions/1", **SDP)

            def do_DELETE(self):
                self.note()
                sink._run(sink._end())
                self.answer(200)

        return Endpoint

    async def _open(self, offer):
        self.connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        self.connection.on("track", self._track_came)
        await self.connection.setRemoteDescription(
            RTCSessionDescription(type="offer", sdp=offer))
        await self.connection.setLocalDescription(await self.connection.createAnswer())
        return self.connection.localDescription.sdp

    def _track_came(self, track):
        self.received[track.kind] = Received(track.kind)
        self._consumers.append(self._loop.create_task(self._consume(track)))

    async def _consume(self, track):
        with contextlib.suppress(MediaStreamError):
            while True:
                self.received[track.kind].take(await track.recv())

    def wait_for_frames(self, kind, count):
        wait_for(f"{count} frames of {kind}",
                 lambda: kind in self.received and self.received[kind].count >= count, TIMEOUT)
        return self.received[kind]

    async def _end(self):
        for consumer in self._consumers:
            consumer.cancel()
        if self.connection:
            await self.connection.close()

    async def _close(self):
        self._server.close()
        await self._end()
