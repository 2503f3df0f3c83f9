"""One end of the media between a client and a bridge: aiortc's ICE, DTLS, SRTP and SCTP without its
session descriptions, of which Jingle has none."""

import asyncio
import contextlib
from collections import Counter

import aioice
import aioice.ice
from aiortc import (
    RTCCertificate,
    RTCDtlsFingerprint,
    RTCDtlsParameters,
    RTCDtlsTransport,
    RTCIceCandidate,
    RTCIceGatherer,
    RTCIceParameters,
    RTCIceTransport,
    RTCRtpReceiver,
    RTCRtpSender,
    RTCSctpTransport,
    rtp,
)
from aiortc.rtcdatachannel import RTCDataChannel, RTCDataChannelParameters
from aiortc.rtcrtpparameters import (
    RTCRtcpFeedback,
    RTCRtcpParameters,
    RTCRtpCodecParameters,
    RTCRtpDecodingParameters,
    RTCRtpHeaderExtensionParameters,
    RTCRtpParameters,
    RTCRtpReceiveParameters,
    RTCRtpRtxParameters,
    RTCRtpSendParameters,
)
from aiortc.rtcrtpreceiver import RemoteStreamTrack
from aiortc.rtcsctptransport import RTCSctpCapabilities

from .jitsi_jingle import Candidate, Transport

# As in stranger.py: a machine short of CPU is no peer that has gone.
aioice.ice.CONSENT_FAILURES = 60

SCTP_PORT = 5000
CHANNEL, CHANNEL_PROTOCOL = "JVB data channel", "http://jitsi.org/protocols/colibri"
KINDS = {
    (201, None): "receiver report", (205, 1): "nack", (205, 15): "transport-cc",
    (206, 1): "pli", (206, 4): "fir", (206, 15): "remb",
}


class _Dtls(RTCDtlsTransport):
    """Counts the feedback that comes, also of kinds that aiortc does not know. `reports` has what
    was said of each of the transport's packets, by their numbers: whether it arrived."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.feedback = Counter()
        self.reports = {}

    async def _handle_rtcp_data(self, data):
        position = 0
        while position + 4 <= len(data):
            kind = data[position + 1]
            shape = data[position] & 31 if kind in (205, 206) else None
            end = position + 4 + 4 * int.from_bytes(data[position + 2:position + 4])
            name = KINDS.get((kind, shape), f"{kind}/{shape}")
            self.feedback[name] += 1
            if name == "transport-cc":
                for number, has_arrived in _arrivals(data[position + 12:end]):
                    self.reports[number] = self.reports.get(number, False) or has_arrived
            position = end
        await super()._handle_rtcp_data(data)


def _arrivals(body):
    """Which packets arrived, by draft-holmer-rmcat-transport-wide-cc-extensions-01 sect. 3.1."""
    base, count = int.from_bytes(body[:2]), int.from_bytes(body[2:4])
    symbols, position = [], 8
    while len(symbols) < count:
        chunk = int.from_bytes(body[position:position + 2])
        position += 2
        if not chunk & 0x8000:
            symbols += [chunk >> 13 & 3] * (chunk & 0x1FFF)
        elif chunk & 0x4000:
            symbols += [chunk >> shift & 3 for shift in range(12, -1, -2)]
        else:
            symbols += [chunk >> shift & 1 for shift in range(13, -1, -1)]
    return [((base + index) & 0xFFFF, symbol in (1, 2))
            for index, symbol in enumerate(symbols[:count])]


class _WaitingSctp(RTCSctpTransport):
    """It does not begin the association, as the videobridge does not."""

    async def _init(self):
        pass


class _Numbered(rtp.HeaderExtensionsMap):
    """Numbers all packets of a transport, which aiortc does not."""

    def __init__(self, leg):
        super().__init__()
        self._leg = leg

    def set(self, values):
        values.transport_sequence_number = self._leg.numbered & 0xFFFF
        self._leg.numbered += 1
        return super().set(values)


class _Nowhere:
    """A network that takes all and brings nothing."""

    def sendto(self, *_):
        pass


class Leg:
    """The bridge's end is `controlling`."""

    def __init__(self, is_controlling):
        self._gatherer = RTCIceGatherer(iceServers=[])
        self._connection = self._gatherer._connection  # noqa: SLF001
        self._connection.ice_controlling = is_controlling
        self.ice = RTCIceTransport(self._gatherer)
        # What comes on any path; None ends it.
        self._inbox = asyncio.Queue()
        self._readers = []
        self._paths = [self._connection]  # agents, the newest last
        self._cut = []  # (protocol, its transport)
        self.ice._recv, self.ice._send = self._receive, self._transmit  # noqa: SLF001
        self.dtls = _Dtls(self.ice, [RTCCertificate.generateCertificate()])
        make = _WaitingSctp if is_controlling else RTCSctpTransport
        self.sctp = make(self.dtls, SCTP_PORT)
        self.senders = []
        self.receivers = []
        self.numbered = 0  # packets
        self._extensions = None  # of the packets that fill the line

    @property
    def state(self):
        return self.dtls.state

    async def described(self, setup, sockets=()):
        """Its transport as Jingle has it."""
        await self._gatherer.gather()
        own = self._gatherer.getLocalParameters()
        # One fingerprint, as the bridge has it.
        fingerprint = next(one for one in self.dtls.getLocalParameters().fingerprints
                           if one.algorithm == "sha-256")
        return Transport(
            own.usernameFragment, own.password, [(fingerprint.algorithm, fingerprint.value)],
            setup,
            [Candidate(one.ip, one.port, one.priority, one.foundation, one.type, one.protocol,
                       one.component)
             for one in self._gatherer.getLocalCandidates()],
            list(sockets), SCTP_PORT)

    async def _receive(self):
        data = await self._inbox.get()
        if data is None:
            raise ConnectionError("the path is gone")
        return data

    async def _transmit(self, data):
        await self._connection.send(data)

    async def _read(self, connection):
        with contextlib.suppress(ConnectionError):
            while True:
                await self._inbox.put(await connection.recv())
        if connection is self._connection:
            await self._inbox.put(None)

    def _follow(self, connection):
        self._readers.append(asyncio.ensure_future(self._read(connection)))

    async def describe_restart(self, generation):
        """Another agent with credentials of its own, as the videobridge makes it, while media go
        on by the one before; its transport."""
        made = aioice.Connection(ice_controlling=self._connection.ice_controlling)
        self._paths.append(made)
        await made.gather_candidates()
        return Transport(
            made.local_username, made.local_password, [], None,
            [Candidate(one.host, one.port, one.priority, one.foundation, one.type, one.transport,
                       one.component) for one in made.local_candidates],
            generation=generation)

    async def finish_restart(self, other):
        """The other end's side of it: media go on by the new agent once it is connected."""
        made = self._paths[-1]
        made.remote_username, made.remote_password = other.ufrag, other.password
        while not (made.remote_candidates or made._early_checks):  # noqa: SLF001
            await asyncio.sleep(0.02)
        await made.connect()
        self._follow(made)
        self._connection = made

    def cut(self):
        """Nothing leaves and nothing comes from now on."""
        for path in self._paths:
            for one in path._protocols:  # noqa: SLF001
                self._cut.append((one, one.transport))
                one.transport = _Nowhere()
                one.datagram_received = lambda *_: None

    def mend(self):
        for one, transport in self._cut:
            one.transport = transport
            del one.datagram_received
        self._cut = []

    async def hear(self, candidates):
        for one in candidates:
            if one.protocol == "udp":
                await self.ice.addRemoteCandidate(RTCIceCandidate(
                    one.component, one.foundation, one.ip, one.port, one.priority, one.protocol,
                    one.kind))

    async def start(self, other, sctp=None):
        """Connects to the other end; the port is that of its SCTP, if it has one."""
        await self.hear(other.candidates)
        # Who tells no candidates shows one by its first check.
        while not (self._connection.remote_candidates or self._connection._early_checks):  # noqa: SLF001
            await asyncio.sleep(0.02)
        await self.ice.start(RTCIceParameters(other.ufrag, other.password))
        if self.ice.state != "completed":
            return
        self._follow(self._connection)
        self.dtls._set_role("server" if other.setup == "active" else "client")  # noqa: SLF001
        await self.dtls.start(RTCDtlsParameters(
            [RTCDtlsFingerprint(algorithm=name, value=value)
             for name, value in other.fingerprints]))
        if sctp is not None and self.dtls.state == "connected":
            await self.sctp.start(RTCSctpCapabilities(maxMessageSize=65_536), sctp)

    async def send(self, source, track, payload, payloads, extensions):
        """Begins to send a source; its sender."""
        sender = RTCRtpSender(track, self.dtls)
        sender._ssrc, sender._rtx_ssrc = source.ssrc, source.repair  # noqa: SLF001
        sender._RTCRtpSender__rtp_header_extensions_map = _Numbered(self)
        if source.kind == "video":
            self._extensions = _Numbered(self)
            self._extensions.configure(RTCRtpParameters(headerExtensions=_extensions(extensions)))
        parameters = RTCRtpSendParameters(
            codecs=_codecs(payload, payloads), headerExtensions=_extensions(extensions),
            rtcp=RTCRtcpParameters(cname=source.owner, ssrc=source.ssrc, mux=True))
        self.senders.append(sender)
        await sender.send(parameters)
        return sender

    async def probe(self, ssrc, payload_type, count=20):
        """Fills the line to measure it, as the videobridge does: sends the newest packets of each
        picture once more, and such with nothing but padding on a stream that is its own. Their
        numbers."""
        before = self.numbered
        for sender in self.senders:
            history = sender._RTCRtpSender__rtp_history  # noqa: SLF001
            if sender.kind == "video":
                for number in [one.sequence_number for one in history.values()][-5:]:
                    await sender._retransmit(number)  # noqa: SLF001
        for number in range(count):
            packet = rtp.RtpPacket(payload_type=payload_type, sequence_number=number, timestamp=1)
            packet.ssrc, packet.padding_size = ssrc, 255
            await self.dtls._send_rtp(packet.serialize(self._extensions))  # noqa: SLF001
        return [one & 0xFFFF for one in range(before, self.numbered)]

    async def end(self, sender):
        self.senders.remove(sender)
        await sender.stop()

    async def receive(self, source, payloads, extensions):
        """Begins to receive a source; its decoded track."""
        receiver = RTCRtpReceiver(source.kind, self.dtls)
        receiver._track = RemoteStreamTrack(source.kind)  # noqa: SLF001
        receiver._set_rtcp_ssrc(1)  # noqa: SLF001
        encoding = RTCRtpDecodingParameters(source.ssrc, payloads[0].id)
        if source.repair:
            encoding.rtx = RTCRtpRtxParameters(source.repair)
        codecs = [one for payload in payloads if payload.name.lower() in ("vp8", "h264", "opus")
                  for one in _codecs(payload, payloads)]
        await receiver.receive(RTCRtpReceiveParameters(
            codecs=codecs, headerExtensions=_extensions(extensions), encodings=[encoding]))
        if source.repair:
            self.dtls._rtp_router.ssrc_table[source.repair] = receiver  # noqa: SLF001
        self.receivers.append(receiver)
        return receiver.track

    def open_channel(self):
        """The bridge's channel, from the client's side."""
        return RTCDataChannel(self.sctp, RTCDataChannelParameters(
            label=CHANNEL, protocol=CHANNEL_PROTOCOL))

    async def close(self):
        for one in self.senders + self.receivers:
            await one.stop()
        self.senders, self.receivers = [], []
        with contextlib.suppress(ConnectionError):
            await self.sctp.stop()
        self.mend()
        await self.dtls.stop()
        await self.ice.stop()
        for one in self._paths[1:]:
            await one.close()
        for one in self._readers:
            one.cancel()


def _codecs(payload, payloads):
    """That payload and its retransmission, as aiortc has them."""
    repairs = [one for one in payloads
               if one.name == "rtx" and one.parameters.get("apt") == str(payload.id)]
    kind = "audio" if payload.name == "opus" else "video"
    return [RTCRtpCodecParameters(
        mimeType=f"{kind}/{one.name}", clockRate=one.clock, channels=one.channels,
        payloadType=one.id, rtcpFeedback=[
            RTCRtcpFeedback(*one_feedback.partition(" ")[::2]) for one_feedback in one.feedback],
        parameters={"apt": payload.id} if one is not payload else {"packetization-mode": "1"})
        for one in [payload, *repairs]]


def _extensions(extensions):
    # Without the section's name, which the videobridge does not write for whoever has not asked.
    return [RTCRtpHeaderExtensionParameters(number, uri) for uri, number in extensions.items()
            if not uri.endswith(":mid")]
