"""A client of OpenVidu 2 with independent media: aiortc, and around it the calls that
openvidu-browser makes, in its order and with its parameters.

It follows docs/OPENVIDU.md and knows nothing else about the server. Each stream has a connection of
its own.
"""

import asyncio
import contextlib
import json
from urllib.parse import parse_qs, urlsplit

from aiortc import RTCConfiguration, RTCPeerConnection, RTCRtpSender, RTCSessionDescription
from aiortc.mediastreams import MediaStreamError
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from . import tokens
from .own_loop import TIMEOUT, OnItsOwnLoop
from .stranger import Failure, Received
from .waiting import wait_for

PING_INTERVAL = 5  # s
CLOSED_BY_CLIENT = 4102


def token_address(server, room, user, role, port=None):
    """As an application server hands it out."""
    token = tokens.room_token(room, user=user, role=role)
    return f"ws://{server.host}:{port or server.port}?sessionId={room}&token={token}"


class Remote:
    """What is received of another participant."""

    def __init__(self, connection):
        self.connection = connection
        self.received = {}  # by kind


class Participant(OnItsOwnLoop):
    """A connection, from `join` until `leave` or the end of its block."""

    def __init__(self, server, room, name, role="guest", port=None, address=None):
        self.name = name
        self.address = address or token_address(server, room, name.lower(), role, port)
        self.notifications = []
        self.remotes = {}  # by the ids of the streams
        self.stream = None
        self.reconnected = 0
        self._id = 0
        self._answers = {}
        self._consumers = []
        self._tasks = []
        self._publisher = None
        self._begin(self._connect(reconnects=False))

    # Called by the tests.

    def join(self, **changes):
        """The result of `joinRoom`."""
        return self._run(self._join(changes))

    def publish(self, *tracks, codec="VP8", **changes):
        """Publishes a stream; returns its id."""
        return self._run(self._publish(tracks, codec, changes))

    def subscribe(self, stream, offers=True):
        """Receives a stream. The server offers if the client does not."""
        return self._run(self._subscribe(stream, offers))

    def call(self, method, **params):
        return self._run(self._call(method, params))

    def signal(self, data, to=(), type="signal:chat"):
        text = json.dumps({"to": list(to), "data": data, "type": type})
        return self.call("sendMessage", message=text)

    def mute(self, kind, is_active=False):
        return self.call(
            "streamPropertyChanged", streamId=self.stream, property=f"{kind}Active",
            newValue=is_active, reason=f"publish{kind.capitalize()}")

    def told(self, method, accept=lambda params: True):
        """Waits for a notification, also among those that came already."""

        def found():
            return next((one for one in list(self.notifications)
                         if one["method"] == method and accept(one["params"])), None)

        return wait_for(f"{self.name} is told {method}", found, TIMEOUT)["params"]

    def stream_of(self, name):
        """The stream of a participant, from what was said of it when we or it joined."""

        def found():
            known = {one["id"]: one for one in self.others}
            for one in list(self.notifications):
                if one["method"] == "participantJoined":
                    known[one["params"]["id"]] = dict(one["params"])
                if one["method"] == "participantPublished":
                    known[one["params"]["id"]]["streams"] = one["params"]["streams"]
            return next((one["streams"][0]["id"] for one in known.values()
                         if one.get("streams")
                         and json.loads(one["metadata"].split("%/%")[0])["clientData"] == name),
                        None)

        return wait_for(f"{self.name} hears of a stream of {name}", found, TIMEOUT)

    def frames(self, stream, kind):
        received = self.remotes[stream].received
        return received[kind].count if kind in received else 0

    def wait_for_frames(self, stream, kind, count, timeout=TIMEOUT):
        wait_for(f"{self.name} decodes {count} frames of {kind}",
                 lambda: self.frames(stream, kind) >= count, timeout)
        return self.remotes[stream].received[kind]

    def leave(self):
        """As openvidu-browser does."""
        self.call("leaveRoom")
        self._run(self._socket.close(CLOSED_BY_CLIENT))
        self.close()

    # Runs on its event loop.

    async def _connect(self, reconnects):
        self._socket = await connect(self._url(reconnects), max_size=None)
        for task in self._tasks:  # of the socket before
            if task is not asyncio.current_task():
                task.cancel()
        self._tasks = [asyncio.create_task(one) for one in (self._listen(), self._ping())]

    def _url(self, reconnects):
        parts = urlsplit(self.address)
        session = parse_qs(parts.query)["sessionId"][0]
        suffix = "&reconnect=true" if reconnects else ""
        return f"{parts.scheme}://{parts.netloc}/openvidu?sessionId={session}{suffix}"

    async def _listen(self):
        with contextlib.suppress(ConnectionClosed):
            async for text in self._socket:
                frame = json.loads(text)
                assert frame["jsonrpc"] == "2.0", text
                if "method" in frame:
                    self.notifications.append(frame)
                elif frame["id"] in self._answers:
                    self._answers.pop(frame["id"]).set_result(frame)
        if self._socket.close_code != CLOSED_BY_CLIENT and hasattr(self, "session"):
            self._tasks.append(asyncio.create_task(self._reconnect()))

    async def _ping(self):
        params = {"params": {"interval": PING_INTERVAL * 1000}}
        with contextlib.suppress(ConnectionClosed):
            while True:
                assert (await self._send("ping", params))["value"] == "pong"
                params = {}
                await asyncio.sleep(PING_INTERVAL)

    async def _reconnect(self):
        ended = any(one["method"] == "participantEvicted" for one in self.notifications)
        while not ended:
            try:
                await self._connect(reconnects=True)
                await self._call("connect", {"sessionId": self.session, "reconnect": True})
                self.reconnected += 1
                return
            except (OSError, WebSocketException):  # also a handshake that is cut off
                await asyncio.sleep(0.2)

    def _number(self, count):
        return count

    def _published(self, kinds):
        """The parameters of `publishVideo` besides the offer."""
        return {
            "doLoopback": False, "hasAudio": "audio" in kinds, "hasVideo": "video" in kinds,
            "audioActive": "audio" in kinds, "videoActive": "video" in kinds,
            "typeOfVideo": "CAMERA", "frameRate": 10,
            "videoDimensions": json.dumps({"width": 320, "height": 180}),
        }

    def _metadata(self):
        return {"clientData": self.name}

    def _wish(self, stream, sdp):
        """The parameters of `receiveVideoFrom` with an offer."""
        return {"sender": stream, "sdpOffer": sdp}

    async def _send(self, method, params):
        number = self._number(self._id)
        self._id += 1
        answer = self._answers[number] = self._loop.create_future()
        await self._socket.send(json.dumps(
            {"jsonrpc": "2.0", "method": method, "id": number} | params))
        frame = await answer
        if "error" in frame:
            raise Failure(frame["error"])
        return frame["result"]

    async def _call(self, method, params):
        return await self._send(method, {"params": params})

    async def _join(self, changes):
        result = await self._call("joinRoom", {
            "token": self.address, "session": parse_qs(urlsplit(self.address).query)["sessionId"][0],
            "platform": "Chrome 120.0.0.0 on Linux 64-bit", "sdkVersion": "2.32.1",
            "metadata": json.dumps(self._metadata()), "secret": "", "recorder": False,
            "stt": False,
        } | changes)
        self.id, self.session, self.others = result["id"], result["sessionId"], result["value"]
        return result

    @staticmethod
    def _make_connection():
        return RTCPeerConnection(RTCConfiguration(iceServers=[]))

    async def _publish(self, tracks, codec, changes):
        self._publisher = self._make_connection()
        for track in tracks:
            transceiver = self._publisher.addTransceiver(track, direction="sendonly")
            if track.kind == "video":
                transceiver.setCodecPreferences([
                    one for one in RTCRtpSender.getCapabilities("video").codecs
                    if one.name in (codec, "rtx")])
        await self._publisher.setLocalDescription(await self._publisher.createOffer())
        offer = {"sdpOffer": self._publisher.localDescription.sdp}
        result = await self._call(
            "publishVideo", offer | self._published({track.kind for track in tracks}) | changes)
        self.stream = result["id"]
        await self._publisher.setRemoteDescription(
            RTCSessionDescription(type="answer", sdp=result["sdpAnswer"]))
        await self._trickle(self._publisher, self.id)
        return self.stream

    async def _subscribe(self, stream, offers):
        connection = self._make_connection()
        remote = self.remotes[stream] = Remote(connection)
        connection.on("track", lambda track: self._track_came(remote, track))
        if offers:
            for kind in ("audio", "video"):
                connection.addTransceiver(kind, direction="recvonly")
            await connection.setLocalDescription(await connection.createOffer())
            result = await self._call(
                "receiveVideoFrom", self._wish(stream, connection.localDescription.sdp))
            await connection.setRemoteDescription(
                RTCSessionDescription(type="answer", sdp=result["sdpAnswer"]))
        else:
            result = await self._call(
                "prepareReceiveVideoFrom", {"sender": stream, "reconnect": False})
            await connection.setRemoteDescription(
                RTCSessionDescription(type="offer", sdp=result["sdpOffer"]))
            await connection.setLocalDescription(await connection.createAnswer())
            await self._call("receiveVideoFrom", {
                "sender": stream, "sdpAnswer": connection.localDescription.sdp})
        await self._trickle(connection, stream[stream.rindex("con_"):])

    async def _trickle(self, connection, endpoint):
        """A browser finds its candidates after it has made its description."""
        for index, section in enumerate(connection.localDescription.sdp.split("m=")[1:]):
            for line in section.splitlines():
                if line.startswith("a=candidate:"):
                    await self._call("onIceCandidate", {
                        "endpointName": endpoint, "candidate": line.removeprefix("a="),
                        "sdpMid": str(index), "sdpMLineIndex": index})

    def _track_came(self, remote, track):
        remote.received[track.kind] = Received(track.kind)
        self._consumers.append(asyncio.ensure_future(self._consume(remote, track)))

    @staticmethod
    async def _consume(remote, track):
        with contextlib.suppress(MediaStreamError):
            while True:
                remote.received[track.kind].take(await track.recv())

    async def _close(self):
        tasks = self._tasks + self._consumers
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        connections = [one.connection for one in self.remotes.values()]
        for connection in [self._publisher, *connections]:
            if connection:
                await connection.close()
        if hasattr(self, "_socket"):
            await self._socket.close(CLOSED_BY_CLIENT)


class OldParticipant(Participant):
    """As apps before the summer of 2018: numbers and flags are texts, streams have its own names for
    them, and it says little of its own."""

    def _number(self, count):
        return str(count)

    def _published(self, kinds):
        return {"doLoopback": "false", "audioActive": "true", "videoActive": "true"}

    def _metadata(self):
        return {"participantName": self.name}

    def _wish(self, stream, sdp):
        return {"sender": stream[stream.rindex("con_"):] + "_CAMERA", "sdpOffer": sdp}


class IPhone(Participant):
    """The app for iOS of 2018, sergiopaniego/WebRTCiOS as of its last commit (5399d81): all its
    parameters are texts, it publishes right behind `joinRoom`, and it knows results by what is in
    them."""

    def __init__(self, *args, **options):
        self.pongs = []
        self.misread = []  # what it would take for another call's result, and crash
        super().__init__(*args, **options)

    def enter(self, session, token, *tracks):
        """Joins and publishes, without a wait between the two."""
        self._run(self._enter(session, token, tracks))

    def _url(self, reconnects):
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}/openvidu"

    async def _ping(self):
        with contextlib.suppress(ConnectionClosed):
            while True:
                self.pongs.append(await self._call("ping", {"interval": "5000"}))
                await asyncio.sleep(PING_INTERVAL)

    async def _call(self, method, params):
        texts = {name: one if isinstance(one, str) else json.dumps(one)
                 for name, one in params.items()}
        result = await super()._call(method, texts)
        is_welcome = "sdpAnswer" not in result and {"sessionId", "value"} <= result.keys()
        if is_welcome != (method == "joinRoom"):
            self.misread.append((method, result))
        return result

    async def _enter(self, session, token, tracks):
        self._publisher = self._make_connection()
        for track in tracks:
            self._publisher.addTrack(track)  # sends and receives
        await self._publisher.setLocalDescription(await self._publisher.createOffer())
        welcome, published = await asyncio.gather(
            self._call("joinRoom", {
                "recorder": "false", "metadata": json.dumps({"clientData": self.name}),
                "secret": "MY_SECRET", "session": session, "token": token}),
            self._call("publishVideo", {
                "audioActive": "true", "videoActive": "true", "doLoopback": "false",
                "frameRate": "30", "typeOfVideo": "CAMERA",
                "sdpOffer": self._bare(self._publisher.localDescription.sdp)}))
        self.id, self.session, self.others = welcome["id"], welcome["sessionId"], welcome["value"]
        self.stream = published["id"]
        await self._trickle(self._publisher, self.id)
        await self._publisher.setRemoteDescription(
            RTCSessionDescription(type="answer", sdp=published["sdpAnswer"]))

    def _wish(self, stream, sdp):
        connection = stream[stream.rindex("con_"):]
        if any(one["id"] == connection for one in self.others):
            return {"sender": f"{connection}_CAMERA", "sdpOffer": self._bare(sdp)}
        # Of one that came later it sends what RTCSessionDescription prints of itself.
        return {"sender": f"{connection}_webcam",
                "sdpOffer": f"RTCSessionDescription:\noffer\n{self._bare(sdp)}"}

    @staticmethod
    def _bare(sdp):
        """Its candidates come after it."""
        return "".join(line for line in sdp.splitlines(keepends=True)
                       if not line.startswith(("a=candidate:", "a=end-of-candidates")))
