"""An OpenVidu server with independent media: aiortc, with the answers of its JSON-RPC around it. It
makes the offers, as those with mediasoup do, or answers them, as those with Kurento do.

It knows the facts of OpenVidu 2.32's source and nothing about its client.
"""

import contextlib
import itertools
import json
import re
from urllib.parse import parse_qs, urlsplit

from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription
from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed

from .own_loop import OnItsOwnLoop

UNAUTHORIZED, NOT_STREAMING, UNKNOWN = 401, 105, 40007


class Refusal(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.error = {"code": code, "message": message}


class Publisher:
    """A participant with a stream. Each receiver has tracks of its own."""

    def __init__(self, number, name, make_tracks):
        self.id = f"con_{name}"
        self.stream = f"str_CAM_{number:04}_{self.id}"
        self.metadata = json.dumps({"clientData": name}) + '%/%{"serverData":"x"}'
        self.make_tracks = make_tracks

    def told(self):
        kinds = {track.kind for track in self.make_tracks()}
        stream = {
            "id": self.stream, "createdAt": 2, "hasAudio": "audio" in kinds,
            "hasVideo": "video" in kinds, "audioActive": True, "videoActive": True,
            "typeOfVideo": "CAMERA", "frameRate": 10,
            "videoDimensions": '{"width":320,"height":180}', "filter": {},
        }
        return {"id": self.id, "createdAt": 1, "metadata": self.metadata, "streams": [stream]}


class Host(OnItsOwnLoop):
    """One session, one recorder. `calls` has what was called, with its parameters; `sockets` the
    paths of the sockets."""

    def __init__(self, secret, kind="mediasoup"):
        self.secret = secret
        self.kind = kind
        self.publishers = []
        self.calls = []
        self.sockets = []
        self.knows_sessions = True
        self._numbers = itertools.count()
        self._connections = {}  # by stream
        self._socket = None
        self._begin(self._listen())

    async def _listen(self):
        self._server = await serve(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    # Called by the tests.

    def add(self, name, make_tracks):
        """Has a participant come and publish."""
        publisher = Publisher(next(self._numbers), name, make_tracks)
        told = publisher.told()
        self._run(self._change(self.publishers.append, publisher))
        self.tell("participantJoined", {
            key: value for key, value in told.items() if key != "streams"})
        self.tell("participantPublished", {"id": publisher.id, "streams": told["streams"]})
        return publisher

    def remove(self, publisher):
        self._run(self._change(self.publishers.remove, publisher))
        self.tell("participantLeft", {"connectionId": publisher.id, "reason": "disconnect"})

    def tell(self, method, params):
        self.say(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}))

    def say(self, text):
        """Sends a frame, if there is somebody."""
        self._run(self._say(text))

    def cut(self):
        self._run(self._cut())

    def break_media(self, stream):
        """Closes the connection of a stream, as a media server does that has lost it."""
        self._run(self._connections[stream].close())

    def called(self, method):
        return [params for name, params in list(self.calls) if name == method]

    def client_ports(self):
        """The ports in the client's descriptions, one for each."""
        answers = [one.get("sdpAnswer") or one["sdpOffer"] for one in self.called("receiveVideoFrom")]
        return [set(re.findall(r"a=candidate:\S+ 1 udp \d+ \S+ (\d+)", answer))
                for answer in answers]

    # Runs on its event loop.

    async def _change(self, change, publisher):
        """There, since a list that loses somebody while it is read passes over the next one."""
        change(publisher)

    async def _say(self, text):
        if self._socket:
            await self._socket.send(text)

    async def _cut(self):
        if self._socket:
            self._socket.transport.abort()

    async def _serve(self, socket):
        self._socket = socket
        self.sockets.append(socket.request.path)
        with contextlib.suppress(ConnectionClosed):
            async for text in socket:
                frame = json.loads(text)
                method, params = frame["method"], frame.get("params", {})
                self.calls.append((method, params))
                answer = {"jsonrpc": "2.0", "id": frame["id"]}
                try:
                    answer["result"] = await self._answer(method, params) | {"sessionId": "rpc1"}
                except Refusal as refusal:
                    answer["error"] = refusal.error
                await socket.send(json.dumps(answer))
        if self._socket is socket:
            self._socket = None

    async def _answer(self, method, params):
        match method:
            case "ping":
                return {"value": "pong"}
            case "joinRoom":
                return self._join(params)
            case "connect":
                if not self.knows_sessions or params["sessionId"] != "rpc1":
                    raise Refusal(UNKNOWN, "reconnection error")
                return {"value": "reconnection successful"}
            case "prepareReceiveVideoFrom":
                return {"sdpOffer": await self._open(params["sender"])}
            case "receiveVideoFrom" | "reconnectStream":
                return await self._receive(
                    params.get("sender") or params["stream"],
                    params.get("sdpOffer") or params.get("sdpAnswer") or params["sdpString"])
            case "onIceCandidate" | "leaveRoom" | "unsubscribeFromVideo":
                return {}
        raise AssertionError(f"{method} is unknown")

    def _join(self, params):
        query = parse_qs(urlsplit(params["token"]).query)
        if params["secret"] != self.secret or query["secret"] != [self.secret]:
            # As OpenVidu says it, with the secret in the token.
            raise Refusal(
                UNAUTHORIZED, f"Unable to join session {params['session']}. Token "
                f"{params['token']} is not valid")
        assert params["recorder"] is True and params["metadata"] == ""
        return {
            "id": "RECORDER", "createdAt": 1, "metadata": "", "role": "SUBSCRIBER",
            "session": params["session"], "version": "2.32.1", "mediaServer": self.kind,
            "value": [one.told() for one in self.publishers],
        }

    def _make(self, stream):
        publisher = next((one for one in self.publishers if one.stream == stream), None)
        if not publisher:
            raise Refusal(NOT_STREAMING, f"{stream} is not streaming")
        connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        for track in publisher.make_tracks():
            connection.addTrack(track)
        return connection

    async def _open(self, stream):
        connection = self._make(stream)
        await self._keep(stream, connection)
        await connection.setLocalDescription(await connection.createOffer())
        return connection.localDescription.sdp

    async def _receive(self, stream, sdp):
        if self.kind == "mediasoup":
            await self._connections[stream].setRemoteDescription(
                RTCSessionDescription(type="answer", sdp=sdp))
            return {}
        connection = self._make(stream)
        await connection.setRemoteDescription(RTCSessionDescription(type="offer", sdp=sdp))
        await connection.setLocalDescription(await connection.createAnswer())
        await self._keep(stream, connection)
        return {"sdpAnswer": connection.localDescription.sdp}

    async def _keep(self, stream, connection):
        old = self._connections.get(stream)
        self._connections[stream] = connection
        if old:
            await old.close()

    async def _close(self):
        self._server.close()
        for connection in self._connections.values():
            await connection.close()
