"""A videobridge of Jitsi's with independent media: aiortc. Each endpoint has a connection of its
own, on which every source of the others is encoded anew."""

import asyncio
import random
import secrets

from aiortc import MediaStreamTrack

from .jitsi_channel import Channel
from .jitsi_leg import SCTP_PORT, Leg
from .jitsi_sources import bridges

LOW = 180  # the height that each endpoint gets before it has asked for another


class Layers(MediaStreamTrack):
    """A picture in the largest of three sizes, each half the other, that is not higher than wanted:
    what a bridge makes of a camera's layers, all in one stream."""

    kind = "video"

    def __init__(self, track, height):
        super().__init__()
        self._track = track
        self._height = height

    async def recv(self):
        frame = await self._track.recv()
        wanted = self._height()
        shift = next((one for one in (0, 1) if frame.height >> one <= wanted), 2)
        # 180 lines and fewer are one size, as for cameras.
        while shift and frame.height >> shift < LOW:
            shift -= 1
        if not shift:
            return frame
        scaled = frame.reformat(frame.width >> shift, frame.height >> shift)
        scaled.pts, scaled.time_base = frame.pts, frame.time_base
        return scaled

    def stop(self):
        self._track.stop()
        super().stop()


class Endpoint:
    """A client's place on the bridge, for one Jingle session. `feedback` counts the RTCP that it
    sent, `forwarded` are the names of the pictures that it gets now."""

    def __init__(self, bridge, name):
        self.bridge = bridge
        self.name = name
        self.session = secrets.token_hex(8)
        self.leg = Leg(is_controlling=True)
        self.channel = Channel(self._hear)
        self.constraints = {}
        self.forwarded = []
        self.answer = None  # the contents that it accepted
        self.label = self.protocol = None  # of its data channel
        self.restarts = self.restarted = 0  # of ICE: the last one's number, begun and done
        self._sendings = {}  # senders, by sources
        self._updates = asyncio.Lock()
        self._task = None
        self.leg.sctp.on("datachannel", self._opened)

    @property
    def feedback(self):
        return self.leg.dtls.feedback

    @property
    def is_connected(self):
        return self.leg.state == "connected"

    def height(self, name):
        """The height at which it wants that picture; 0: not at all."""
        own = self.constraints.get("constraints", {}).get(name)
        default = self.constraints.get("defaultConstraints", {"maxHeight": LOW})
        return (own or default)["maxHeight"]

    async def describe(self):
        sockets = ([self.bridge.sockets.address(self.bridge.name, self.name, self.channel)]
                   if self.bridge.has_socket else [])
        return await self.leg.described("actpass", sockets)

    def start(self, answer, failures):
        """Connects to whoever accepted so; does not wait for it."""
        self.answer = answer
        self._task = asyncio.ensure_future(self._start(failures))

    async def _start(self, failures):
        try:
            await self._connect()
        except Exception as error:  # noqa: BLE001  shown by whoever waits for it
            failures.append(repr(error))

    async def _connect(self):
        # All have the same transport; the first one says so (ContentPacketExtension.getTransport).
        transport = next(one.transport for one in self.answer.values() if one.transport)
        data = self.answer.get("data")
        sctp = data and (data.transport and data.transport.sctp or SCTP_PORT)
        await self.leg.start(transport, sctp)
        if not self.is_connected:
            raise ConnectionError(f"ICE {self.leg.ice.state}, DTLS {self.leg.state}")
        await self.update()

    async def probe(self):
        ssrc = next(one.ssrc for one in self.bridge.own if one.kind == "video")
        payload = next(one for one in self.answer["video"].payloads if one.name == "VP8")
        return await self.leg.probe(ssrc, payload.id)

    async def hear(self, transport):
        """Of candidates that come later, or the client's side of a restart of ICE."""
        if transport.generation is None:
            return await self.leg.hear(transport.candidates)
        assert transport.generation == self.restarts, "a restart that nobody asked for"
        await self.leg.finish_restart(transport)
        self.restarted = transport.generation

    async def restart_ice(self):
        self.restarts += 1
        return await self.leg.describe_restart(self.restarts)

    async def update(self):
        """Sends what it should have now, and nothing else."""
        if not self.is_connected:
            return
        async with self._updates:
            offered = {source: member for member in self.bridge.members.values()
                       for source in member.sources if source.owner != self.name}
            for source in [one for one in self._sendings if one not in offered]:
                await self.leg.end(self._sendings.pop(source))
            for source, member in offered.items():
                if source not in self._sendings:
                    await self._begin(source, member)
            await self._forward(offered)

    async def _begin(self, source, member):
        content = self.answer[source.kind]
        codec = member.codec if source.kind == "video" else "opus"
        payload = next((one for one in content.payloads if one.name.lower() == codec.lower()), None)
        assert payload, f"{self.name} did not accept {codec}"
        track = member.make_track(source)
        if source.kind == "video":
            track = Layers(track, lambda: self.height(source.name))
        self._sendings[source] = await self.leg.send(
            source, track, payload, content.payloads, content.extensions)

    async def _forward(self, offered):
        wanted = self._wanted(offered)
        for source, sender in self._sendings.items():
            is_heard = source.kind == "audio" and source.name not in offered[source].muted
            is_sent = is_heard or source.name in wanted
            if is_sent and not sender._enabled:  # noqa: SLF001
                sender._send_keyframe()  # noqa: SLF001
            sender._enabled = is_sent  # noqa: SLF001
        if wanted != self.forwarded:
            self.forwarded = wanted
            await self.channel.tell({
                "colibriClass": "ForwardedSources", "forwardedSources": wanted})

    def _wanted(self, offered):
        """The pictures in the order of their importance, as far as there is room."""
        first = [*self.constraints.get("onStageSources", []),
                 *self.constraints.get("selectedSources", [])]
        speakers = self.bridge.speakers
        names = [
            source.name for source, member in offered.items()
            if source.kind == "video" and source.name not in member.muted
            and self.height(source.name) > 0]
        owners = {source.name: source.owner for source in offered}
        names.sort(key=lambda name: (
            first.index(name) if name in first else len(first),
            speakers.index(owners[name]) if owners[name] in speakers else len(speakers)))
        count = self.constraints.get("lastN", -1)
        return names if count < 0 else names[:count]

    def _opened(self, channel):
        async def send(text):
            channel.send(text)

        self.channel.opened("sctp", send)
        self.label, self.protocol = channel.label, channel.protocol
        channel.on("message", lambda text: asyncio.ensure_future(self.channel.take(text)))
        channel.on("close", self.channel.closed)

    async def _hear(self, message):
        match message["colibriClass"]:
            case "ReceiverVideoConstraints":
                # What a message leaves out stays as it was.
                self.constraints |= {
                    key: value for key, value in message.items() if key != "colibriClass"}
                await self.update()
            case "LastNChangedEvent":
                self.constraints["lastN"] = message["lastN"]
                await self.update()
            case "EndpointMessage":
                await self.bridge.pass_on(self.name, message)
            case "EndpointStats":
                await self.bridge.pass_on(self.name, message)

    async def close(self):
        if self._task:
            self._task.cancel()
        await self.leg.close()


class Bridge:
    """Of one conference. `members` are synthetic ones, by their endpoints' names; `endpoints` those
    who are connected to it, by the same; `speakers` the last ones, the loudest first."""

    def __init__(self, name, sockets, has_sctp=True, has_socket=False):
        self.name = name
        self.sockets = sockets
        self.has_sctp = has_sctp
        self.has_socket = has_socket
        self.members = {}
        self.endpoints = {}
        self.past = []  # endpoints of sessions that ended
        self.speakers = []
        self.own = bridges(*random.sample(range(1, 2**32), 2))

    def open(self, name):
        endpoint = self.endpoints[name] = Endpoint(self, name)
        return endpoint

    async def remove(self, name):
        endpoint = self.endpoints.pop(name, None)
        if endpoint:
            self.past.append(endpoint)
            await endpoint.close()

    def sources(self):
        return [source for member in self.members.values() for source in member.sources]

    async def update(self):
        for endpoint in list(self.endpoints.values()):
            await endpoint.update()

    async def tell(self, message, but=None):
        for name, endpoint in list(self.endpoints.items()):
            if name != but:
                await endpoint.channel.tell(message)

    async def speak(self, name, is_silence=False):
        """Has that endpoint be the loudest."""
        self.speakers = [name, *(one for one in self.speakers if one != name)]
        await self.tell({
            "colibriClass": "DominantSpeakerEndpointChangeEvent", "dominantSpeakerEndpoint": name,
            "previousSpeakers": self.speakers[1:], "silence": is_silence})
        await self.update()

    async def pass_on(self, sender, message):
        """A message of one endpoint, to all others or to the one that it names."""
        said = message | {"from": sender}
        to = message.get("to", "")
        for name, member in self.members.items():
            if name != sender and to in ("", name):
                member.heard.append(said)
        for name, endpoint in list(self.endpoints.items()):
            if name != sender and to in ("", name):
                await endpoint.channel.tell(said)

    async def close(self):
        for name in list(self.endpoints):
            await self.remove(name)
