"""A WHEP server whose media nobody of us wrote: aiortc, with the exchange of draft-ietf-wish-whep-03 around it."""

import asyncio

from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription

from .local_server import Handler, LocalServer
from .own_loop import OnItsOwnLoop
from .whip import SDP


class Source(OnItsOwnLoop):
    """Plays the tracks of `make_tracks` for each session at `/live`. A source that is not
    `is_on_air` says so; one that `counters` refuses every offer and makes its own. `/moved`
    redirects to `/live`, and `/away` to a host that is not listed. `asked` has the method, path and
    token of each request."""

    def __init__(self, make_tracks):
        self.make_tracks = make_tracks
        self.is_on_air = True
        self.counters = False
        self.asked = []
        self.connections = []
        self._begin(asyncio.sleep(0))
        self._server = LocalServer(self._handler())
        self.base = self._server.base
        self.host = self._server.name

    def _handler(source):  # noqa: N805  the handler has its own self
        class Endpoint(Handler):
            def note(self):
                token = (self.headers["Authorization"] or "").removeprefix("Bearer ")
                source.asked.append((self.command, self.path, token))
                return self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()

            def do_POST(self):
                offer = self.note()
                if self.path == "/moved":
                    return self.answer(307, Location="/live")
                if self.path == "/away":
                    return self.answer(307, Location="http://localhost:9/live")
                if not source.is_on_air:
                    return self.answer(409, **{"Retry-After": "1"})
                body = source._run(source._open(None if source.counters else offer)).encode()
                status = 406 if source.counters else 201
                return self.answer(status, body, Location="/sessions/1", **SDP)

            def do_PATCH(self):
                source._run(source._answered(self.note()))
                self.answer(204)

            def do_DELETE(self):
                self.note()
                source._run(source._end())
                self.answer(200)

        return Endpoint

    async def _open(self, offer):
        connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        self.connections.append(connection)
        if offer:
            await connection.setRemoteDescription(RTCSessionDescription(type="offer", sdp=offer))
        for track in self.make_tracks():
            connection.addTrack(track)
        description = await (connection.createAnswer() if offer else connection.createOffer())
        await connection.setLocalDescription(description)
        return connection.localDescription.sdp

    async def _answered(self, answer):
        await self.connections[-1].setRemoteDescription(
            RTCSessionDescription(type="answer", sdp=answer))

    async def _end(self):
        while self.connections:
            await self.connections.pop().close()

    def go(self):
        """Ends the playback, as when the streamer stops."""
        self._run(self._end())

    async def _close(self):
        self._server.close()
        await self._end()
