"""A client with independent media: aiortc, with the documents' JSON-RPC around it.

It follows docs/PROTOCOL.md and knows nothing else about the server. The tests call it from their
own thread; it lives on a separate event loop.
"""

import asyncio
import fractions
import json
import uuid
from urllib.parse import urlencode

import aioice.ice
import av
import numpy as np
from aiortc import (
    MediaStreamTrack,
    RTCBundlePolicy,
    RTCConfiguration,
    RTCPeerConnection,
    RTCRtpSender,
    RTCSessionDescription,
)
from aiortc.mediastreams import MediaStreamError
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from . import tokens
from .own_loop import TIMEOUT, OnItsOwnLoop
from .waiting import wait_for

SAMPLE_RATE = 48_000  # Hz
PACKET = 960  # samples: 20 ms
PING_INTERVAL = 3  # s
WIDTH, HEIGHT = 320, 180
CHANNEL = "ion-sfu"

# Each check of aioice's has half a second, which a machine short of CPU may take again and again; by
# default it gives the call up after six. Whether servers give up who is silent is another matter.
aioice.ice.CONSENT_FAILURES = 60


class Colour(MediaStreamTrack):
    """A camera before a wall of one colour (an RGB triple) on which a bar moves."""

    kind = "video"

    def __init__(self, colour, rate=10):
        super().__init__()
        self.picture = np.empty((HEIGHT, WIDTH, 3), np.uint8)
        self.picture[:] = colour
        self.rate = rate
        self._count = 0
        self._begin = None

    async def recv(self):
        loop = asyncio.get_running_loop()
        self._begin = self._begin or loop.time()
        await asyncio.sleep(self._begin + self._count / self.rate - loop.time())
        picture = self.picture.copy()
        left = self._count * 8 % (WIDTH - 16)
        picture[:16, left:left + 16] = 255
        frame = av.VideoFrame.from_ndarray(picture, format="rgb24").reformat(format="yuv420p")
        frame.pts = self._count * 90_000 // self.rate
        frame.time_base = fractions.Fraction(1, 90_000)
        self._count += 1
        return frame


def is_near(picture, colour, tolerance=50):
    """Whether the picture below the bar at its top has that colour."""
    return np.abs(np.median(picture[40:].reshape(-1, 3), axis=0) - colour).max() < tolerance


class Tone(MediaStreamTrack):
    """A microphone before a tuning fork."""

    kind = "audio"

    def __init__(self, frequency):
        super().__init__()
        self.frequency = frequency
        self._count = 0
        self._begin = None

    async def recv(self):
        loop = asyncio.get_running_loop()
        self._begin = self._begin or loop.time()
        await asyncio.sleep(self._begin + self._count / SAMPLE_RATE - loop.time())
        times = (np.arange(PACKET) + self._count) / SAMPLE_RATE
        wave = (np.sin(2 * np.pi * self.frequency * times) * 4000).astype(np.int16)
        frame = av.AudioFrame.from_ndarray(wave[None], format="s16", layout="mono")
        frame.sample_rate = SAMPLE_RATE
        frame.pts = self._count
        frame.time_base = fractions.Fraction(1, SAMPLE_RATE)
        self._count += PACKET
        return frame


class Received:
    """The received media of one track, decoded."""

    def __init__(self, kind):
        self.kind = kind
        self.count = 0
        self.last = None  # the newest picture, or samples between -1 and 1
        self.longest_gap = 0.0  # s by the sender's clock, from one to the next
        self._at = None

    def take(self, frame):
        if self.kind == "video":
            self.last = frame.to_ndarray(format="rgb24")
        else:
            samples = frame.to_ndarray().reshape(-1, len(frame.layout.channels))[:, 0]
            self.last = samples.astype(np.float32) / 32_768
        self.count += 1
        last, self._at = self._at, frame.time
        if last is not None and self._at is not None:
            self.longest_gap = max(self.longest_gap, self._at - last)


class Failure(Exception):
    """An error that the server answered with."""

    def __init__(self, error):
        super().__init__(f"{error['code']}: {error['message']}")
        self.code = error["code"]


class Stranger(OnItsOwnLoop):
    """A peer in a room, from `join` until `leave` or the end of its block."""

    def __init__(self, server, room, name, role="host"):
        self.server = server
        self.name = name
        self.peer_id = str(uuid.uuid4())
        self.token = tokens.room_token(room, user=name.lower(), role=role)
        self.notifications = []
        self.texts = []  # what came on the subscribe connection's data channel
        self.received = {}  # by the ids of the tracks
        self.published = {}  # what it says of its tracks, by their ids
        self._names = {}  # of tracks, by their sections
        self._answers = {}
        self._consumers = []
        self._channel = None
        self._failure = None
        self._begin(self._connect())

    # Called by the tests.

    def join(self, **changes):
        return self._run(self._join(changes))

    def publish(self, *tracks, codec=None, source="regular"):
        """Publishes these additional tracks; returns their ids."""
        return self._run(self._publish(tracks, codec, source))

    def call(self, method, params=None):
        return self._run(self._call(method, params or {}))

    def notify(self, method, params):
        self._run(self._notify(method, params))

    def request(self, method, params):
        """The answer to a request on the data channel."""
        return self._run(self._request(method, params))

    def set_muted(self, track, is_muted):
        self.published[track]["mute"] = is_muted
        self.notify("track-update", {"tracks": {track: self.published[track]}})

    def told(self, method, accept=lambda params: True):
        """Waits for a notification, also among those that came already."""

        def found():
            self._check()
            return next((one for one in list(self.notifications)
                         if one["method"] == method and accept(one["params"])), None)

        return wait_for(f"{self.name} is told {method}", found, TIMEOUT)["params"]

    def heard(self, method, accept=lambda params: True):
        """The same of the data channel."""

        def found():
            self._check()
            return next((one for one in list(self.texts)
                         if one.get("method") == method and accept(one["params"])), None)

        return wait_for(f"{self.name} hears {method}", found, TIMEOUT)["params"]

    def frames(self, track):
        self._check()
        return self.received[track].count if track in self.received else 0

    def wait_for_frames(self, track, count, timeout=TIMEOUT):
        wait_for(f"{self.name} decodes {count} frames of {track}",
                 lambda: self.frames(track) >= count, timeout)
        return self.received[track]

    def is_there(self):
        return self._failure is None and self._sending.connectionState == "connected"

    def reconnect(self):
        """Loses its socket and comes back on another one, as the documents have it."""
        self._run(self._reconnect())

    def leave(self):
        """As the documents have it; the code with which the socket was closed."""
        self._run(self._leave())
        self.close()
        return self._socket.close_code

    # Runs on its event loop.

    def _check(self):
        if self._failure:
            raise self._failure

    async def _connect(self):
        # By default aiortc bundles one section of each kind that comes with the same description.
        configuration = RTCConfiguration(iceServers=[], bundlePolicy=RTCBundlePolicy.MAX_BUNDLE)
        self._sending = RTCPeerConnection(configuration)
        self._receiving = RTCPeerConnection(configuration)
        self._receiving.on("datachannel", self._channel_opened)
        self._receiving.on("track", self._track_came)
        await self._open_socket()

    async def _open_socket(self):
        init = self.server.http.get(
            f"/init?peer_id={self.peer_id}", token=self.token)
        assert init.status == 200, init.body
        query = urlencode({
            "peer": self.peer_id, "token": self.token, "user_agent_v2": "os:linux,sdk:stranger",
            "protocol_version": "2.5", "protocol_spec": "20250115",
        })
        address = init.json["endpoint"]
        joint = "&" if "?" in address else "?"
        self._socket = await connect(f"{address}{joint}{query}", max_size=None)
        self._policy = asyncio.Event()
        self._tasks = [asyncio.create_task(one) for one in (self._listen(), self._ping())]

    async def _listen(self):
        offers = asyncio.Lock()
        try:
            async for text in self._socket:
                frame = json.loads(text)
                if frame.get("method") is None:
                    self._answers.pop(frame["id"]).set_result(frame)
                    continue
                if frame["method"] == "on-policy-change":
                    self._policy.set()
                if frame["method"] == "offer":
                    self._tasks.append(asyncio.create_task(self._answer(frame["params"], offers)))
                self.notifications.append(frame)
        except ConnectionClosed:
            pass

    async def _ping(self):
        while True:
            await self._call("ping", {"timestamp": 1})
            await asyncio.sleep(PING_INTERVAL)

    async def _answer(self, offer, lock):
        try:
            async with lock:
                self._names = self._names_in(offer["sdp"])
                await self._receiving.setRemoteDescription(RTCSessionDescription(**offer))
                await self._receiving.setLocalDescription(await self._receiving.createAnswer())
                await self._notify(
                    "answer", {"desc": self._description(self._receiving.localDescription)})
                await self._connected(self._receiving)
        except Exception as error:  # noqa: BLE001  shown by whoever waits for it
            self._failure = error

    @staticmethod
    async def _connected(connection):
        """aiortc ignores tracks that are added while it connects."""
        while connection.connectionState != "connected":
            assert connection.connectionState in ("new", "connecting"), connection.connectionState
            await asyncio.sleep(0.02)

    @staticmethod
    def _description(description):
        return {"type": description.type, "sdp": description.sdp}

    async def _join(self, changes):
        await self._policy.wait()
        self._sending.createDataChannel(CHANNEL, protocol="SCTP")
        await self._sending.setLocalDescription(await self._sending.createOffer())
        result = await self._call("join", {
            "name": self.name, "data": "", "disableVidAutoSub": False,
            "server_sub_degrade": False, "simulcast": False, "onDemandTracks": False,
            "offer": self._description(self._sending.localDescription),
        } | changes)
        await self._sending.setRemoteDescription(
            RTCSessionDescription(type=result["type"], sdp=result["sdp"]))
        await self._connected(self._sending)
        return result

    async def _reconnect(self):
        self._socket.transport.abort()
        await self._socket.wait_closed()
        for task in self._tasks:
            task.cancel()
        self.notifications = []
        await self._open_socket()
        await self._policy.wait()
        await self._offer()

    async def _publish(self, tracks, codec, source):
        named = []
        for track in tracks:
            sender = self._sending.addTrack(track)
            if codec and track.kind == "video":
                transceiver = next(
                    one for one in self._sending.getTransceivers() if one.sender is sender)
                transceiver.setCodecPreferences([
                    one for one in RTCRtpSender.getCapabilities("video").codecs
                    if one.name in (codec, "rtx")])
            named.append((track, sender))
        await self._sending.setLocalDescription(await self._sending.createOffer())
        for track, sender in named:
            self.published[sender._track_id] = {  # noqa: SLF001  as its description has it
                "track_id": sender._track_id, "stream_id": sender._stream_id,  # noqa: SLF001
                "type": track.kind, "source": source, "description": "", "mute": False,
            }
        await self._exchange()
        return [sender._track_id for _, sender in named]  # noqa: SLF001

    async def _offer(self):
        await self._sending.setLocalDescription(await self._sending.createOffer())
        await self._exchange()

    async def _exchange(self):
        result = await self._call("offer", {
            "desc": self._description(self._sending.localDescription), "tracks": self.published})
        await self._sending.setRemoteDescription(
            RTCSessionDescription(type=result["type"], sdp=result["sdp"]))

    def _track_came(self, track):
        self._consumers.append(asyncio.ensure_future(self._consume(track)))

    async def _consume(self, track):
        try:
            while True:
                frame = await track.recv()
                mid = next(one.mid for one in self._receiving.getTransceivers()
                           if one.receiver.track is track)
                name = self._names.get(mid)
                if name:
                    self.received.setdefault(name, Received(track.kind)).take(frame)
        except MediaStreamError:
            pass

    @staticmethod
    def _names_in(sdp):
        """The track that each section carries. The description states it, as for 100ms' SDKs:
        sections are reused for other tracks, which aiortc does not report, just as browsers do not
        report their ids."""
        names, mid = {}, None
        for line in sdp.splitlines():
            if line.startswith("m="):
                mid = None
            elif line.startswith("a=mid:"):
                mid = line.removeprefix("a=mid:")
            elif line.startswith("a=msid:"):
                names[mid] = line.split()[1]
        return names

    def _channel_opened(self, channel):
        if channel.label == CHANNEL:
            self._channel = channel
            channel.on("message", self._text_came)

    def _text_came(self, text):
        frame = json.loads(text)
        if "id" in frame:
            self._answers.pop(frame["id"]).set_result(frame)
        else:
            self.texts.append(frame)

    async def _send(self, send, method, params):
        identifier = str(uuid.uuid4())
        answer = self._answers[identifier] = self._loop.create_future()
        result = send(json.dumps(
            {"method": method, "params": params, "id": identifier, "jsonrpc": "2.0"}))
        if result is not None:
            await result
        frame = await answer
        if "error" in frame:
            raise Failure(frame["error"])
        return frame["result"]

    async def _call(self, method, params):
        return await self._send(self._socket.send, method, params)

    async def _request(self, method, params):
        while self._channel is None or self._channel.readyState != "open":
            await asyncio.sleep(0.05)
        return await self._send(self._channel.send, method, params)

    async def _notify(self, method, params):
        await self._socket.send(json.dumps({"method": method, "params": params}))

    async def _leave(self):
        await self._notify("leave", {"client_reason": "user request"})
        await self._socket.close(1000)

    async def _close(self):
        tasks = getattr(self, "_tasks", []) + self._consumers
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for connection in (self._sending, self._receiving):
            await connection.close()
        if hasattr(self, "_socket"):
            await self._socket.close(1000)
