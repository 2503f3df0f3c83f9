"""Jingle's contents as jicofo offers them and clients accept them, between XML and values."""

from dataclasses import dataclass, field

from .jitsi_xml import (
    COLIBRI,
    DTLS,
    EXTENSIONS,
    FEEDBACK,
    ICE,
    JINGLE,
    RTP,
    SCTP,
    find,
    find_all,
    node,
)

TCC_EXTENSION = "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
LEVEL_EXTENSION = "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
MID_EXTENSION = "urn:ietf:params:rtp-hdrext:sdes:mid"
TIME_EXTENSION = "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"
DEPENDENCY_EXTENSION = (
    "https://aomediacodec.github.io/av1-rtp-spec/#dependency-descriptor-rtp-header-extension")


@dataclass
class Payload:
    id: int
    name: str
    clock: int
    channels: int | None = None
    parameters: dict = field(default_factory=dict)
    feedback: list = field(default_factory=list)  # such as "nack pli"

    def xml(self):
        feedback = [one.partition(" ") for one in self.feedback]
        return node(
            RTP, "payload-type",
            {"id": self.id, "name": self.name, "clockrate": self.clock, "channels": self.channels},
            *(node(RTP, "parameter", {"name": name, "value": value})
              for name, value in self.parameters.items()),
            *(node(FEEDBACK, "rtcp-fb", {"type": kind, "subtype": more or None})
              for kind, _, more in feedback))

    @classmethod
    def read(cls, element):
        return cls(
            int(element.get("id")), element.get("name"), int(element.get("clockrate")),
            int(element.get("channels") or 1),
            {one.get("name"): one.get("value") for one in find_all(element, RTP, "parameter")},
            [f"{one.get('type')} {one.get('subtype') or ''}".strip()
             for one in find_all(element, FEEDBACK, "rtcp-fb")])


@dataclass
class Candidate:
    ip: str
    port: int
    priority: int
    foundation: str
    kind: str = "host"
    protocol: str = "udp"
    component: int = 1
    base: tuple | None = None  # the address and port that a mapped one has here

    def xml(self):
        return node(ICE, "candidate", {
            "component": self.component, "foundation": self.foundation, "generation": 0,
            "id": f"c{self.foundation}{self.port}", "ip": self.ip, "network": 0,
            "port": self.port, "priority": self.priority, "protocol": self.protocol,
            "type": self.kind, "rel-addr": self.base and self.base[0],
            "rel-port": self.base and self.base[1]})

    @classmethod
    def read(cls, element):
        return cls(element.get("ip"), int(element.get("port")), int(element.get("priority")),
                   element.get("foundation"), element.get("type"),
                   element.get("protocol").lower(), int(element.get("component")))


@dataclass
class Transport:
    ufrag: str
    password: str
    fingerprints: list  # (hash, value)
    setup: str
    candidates: list = field(default_factory=list)
    sockets: list = field(default_factory=list)
    sctp: int | None = None
    generation: int | None = None  # of a restart of ICE

    def xml(self, has_sctp=False):
        return node(
            ICE, "transport", {
                "ufrag": self.ufrag, "pwd": self.password, "ice-generation": self.generation},
            node(ICE, "rtcp-mux"),
            *(node(DTLS, "fingerprint", {"hash": name, "setup": self.setup}, text=value)
              for name, value in self.fingerprints),
            *(node(COLIBRI, "web-socket", {"url": url}) for url in self.sockets),
            *(one.xml() for one in self.candidates),
            *([node(SCTP, "sctpmap", {"number": self.sctp, "protocol": "webrtc-datachannel",
                                      "streams": 1024})] if has_sctp else []))

    @classmethod
    def read(cls, element):
        fingerprints = find_all(element, DTLS, "fingerprint")
        sctp = find(element, SCTP, "sctpmap")
        return cls(
            element.get("ufrag"), element.get("pwd"),
            [(one.get("hash"), one.text.strip()) for one in fingerprints],
            fingerprints[0].get("setup") if fingerprints else None,
            [Candidate.read(one) for one in find_all(element, ICE, "candidate")],
            [one.get("url") for one in find_all(element, COLIBRI, "web-socket")],
            None if sctp is None else int(sctp.get("number")),
            None if element.get("ice-generation") is None
            else int(element.get("ice-generation")))


@dataclass
class Content:
    name: str
    payloads: list = field(default_factory=list)
    extensions: dict = field(default_factory=dict)  # by their URIs
    senders: str = "both"
    transport: Transport | None = None
    has_multiplexing: bool = True

    def xml(self, sources=()):
        media = "application" if self.name == "data" else self.name
        return node(
            JINGLE, "content",
            {"creator": "initiator", "name": self.name, "senders": self.senders},
            node(RTP, "description", {
                "media": media, "maxptime": 60 if media == "audio" else None},
                *(one.xml() for one in self.payloads),
                *(node(EXTENSIONS, "rtp-hdrext", {"id": number, "uri": uri})
                  for uri, number in self.extensions.items()),
                *([node(EXTENSIONS, "extmap-allow-mixed")] if self.extensions else []),
                *sources,
                *([node(RTP, "rtcp-mux")] if self.has_multiplexing else [])),
            *([self.transport.xml(self.name == "data")] if self.transport else []))

    @classmethod
    def read(cls, element):
        description = find(element, RTP, "description")
        transport = find(element, ICE, "transport")
        found = cls(element.get("name"), senders=element.get("senders") or "both",
                    transport=None if transport is None else Transport.read(transport))
        if description is not None:
            found.payloads = [Payload.read(one)
                              for one in find_all(description, RTP, "payload-type")]
            found.extensions = {one.get("uri"): int(one.get("id"))
                                for one in find_all(description, EXTENSIONS, "rtp-hdrext")}
            found.has_multiplexing = find(description, RTP, "rtcp-mux") is not None
        return found


def read_contents(jingle):
    """The contents of a Jingle element, by name."""
    return {one.get("name"): Content.read(one) for one in find_all(jingle, JINGLE, "content")}


def offered(has_audio=True, has_video=True, has_sctp=True, has_rtx=True, has_tcc=True,
            has_remb=False):
    """The contents of jicofo's offer by its reference.conf and CodecUtil.kt, without transports."""
    adaptation = (["transport-cc"] if has_tcc else []) + (["goog-remb"] if has_remb else [])
    pictures = ["ccm fir", "nack", "nack pli"]
    contents = []
    if has_audio:
        contents.append(Content("audio", [
            Payload(111, "opus", 48_000, 2, {"minptime": "10", "useinbandfec": "1"},
                    ["transport-cc"] if has_tcc else []),
            Payload(126, "telephone-event", 8_000)],
            {LEVEL_EXTENSION: 1, MID_EXTENSION: 10} | ({TCC_EXTENSION: 5} if has_tcc else {})))
    if has_video:
        payloads = [
            Payload(41, "AV1", 90_000, feedback=pictures + adaptation),
            Payload(100, "VP8", 90_000, feedback=pictures + adaptation),
            # The semicolons are jicofo's: one parameter holds all three.
            Payload(107, "H264", 90_000, parameters={
                "profile-level-id": "42e01f;level-asymmetry-allowed=1;packetization-mode=1;"},
                feedback=pictures + adaptation),
            Payload(101, "VP9", 90_000, feedback=pictures + adaptation)]
        if has_rtx:
            payloads += [
                Payload(number, "rtx", 90_000, parameters={"apt": str(repaired)},
                        feedback=[] if repaired == 107 else pictures)
                for number, repaired in [(42, 41), (96, 100), (97, 101), (99, 107)]]
        contents.append(Content(
            "video", payloads,
            {DEPENDENCY_EXTENSION: 11, MID_EXTENSION: 10, TIME_EXTENSION: 3}
            | ({TCC_EXTENSION: 5} if has_tcc else {})))
    if has_sctp:
        # jicofo calls it multiplexed as well.
        contents.append(Content("data"))
    return contents
