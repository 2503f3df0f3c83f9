"""Clients of a Jitsi deployment, with which the counterpart is tried: one joins as a recorder does,
accepts the focus' offer and decodes what the bridge sends; one waits in the brewery."""

import asyncio
import json
import secrets

from aiortc.mediastreams import MediaStreamError
from websockets.asyncio.client import connect

from .jitsi_jingle import Content, read_contents
from .jitsi_leg import Leg
from .jitsi_prosody import AUTH, BREWERY, FOCUS, HIDDEN, ROOMS
from .jitsi_sources import read_description, read_json
from .jitsi_xml import (
    AUDIO,
    HEALTH,
    JIBRI,
    JINGLE,
    JSON_SOURCES,
    MEET,
    NICK,
    RETRANSMISSION,
    RTP,
    SCTP,
    TRANSPORT_CC,
    VIDEO,
    find,
    find_all,
    node,
)
from .jitsi_xml import FOCUS as FOCUS_PROTOCOL
from .jitsi_xmpp import Person, Refused, from_outside
from .own_loop import OnItsOwnLoop
from .stranger import Received
from .waiting import wait_for

FEATURES = {AUDIO, VIDEO, SCTP, RETRANSMISSION, TRANSPORT_CC, JSON_SOURCES}


class Caller(OnItsOwnLoop):
    """`sources` by their SSRCs, `received` by the names of sources, `heard` of the bridge."""

    def __init__(self, prosody, room, features=FEATURES, codecs=("VP8", "H264", "opus")):
        self.home = self
        self.room = f"{room}@{ROOMS}"
        self.nick = getattr(self, "nick", None) or secrets.token_hex(4)
        self.codecs = {one.lower() for one in codecs} | {"rtx"}
        self.sources = {}
        self.received = {}
        self.heard = []
        self.actions = []
        self.leg = None
        self._channel = None
        self._socket = None
        self.socket_url = None
        self.socket_codes = []  # with which sockets were closed
        self._tasks = []
        self._begin(self._join(prosody, features))

    def _make_person(self, prosody):
        return Person(prosody, HIDDEN, "recorder", "recorder secret")

    def _shown(self):
        """The elements of its presence."""
        return [node(NICK, "nick", text="Recorder")]

    def _senders(self, name):
        """Who sends in that content, as it accepts it."""
        return "initiator" if name != "data" else "both"

    def _own_sources(self):
        """The elements that name them in its acceptance."""
        return []

    async def _begin_sending(self):
        pass

    async def _join(self, prosody, features):
        self._person = self._make_person(prosody)
        self._person.on_request(JINGLE, "jingle", self._answer)
        await self._person.connect()
        for one in features:
            self._person.client.plugin["xep_0030"].add_feature(one)
        while True:
            answer = await self._person.ask(FOCUS, node(
                FOCUS_PROTOCOL, "conference", {"room": self.room, "machine-uid": "x"}))
            if answer.get("ready") == "true":
                break
            await asyncio.sleep(0.2)
        await self._person.enter(self.room, self.nick, *self._shown())

    async def _answer(self, sender, jingle):
        if sender != f"{self.room}/focus":
            raise Refused("item-not-found")
        action = jingle.get("action")
        self.actions.append(action)
        listed = self._listed(jingle)
        match action:
            case "session-initiate":
                self._tasks.append(asyncio.ensure_future(self._accept(sender, jingle, listed)))
            case "source-add":
                for one in listed:
                    await self._receive(one)
            case "source-remove":
                for one in listed:
                    self.sources.pop(one.ssrc)
            case "session-terminate":
                await self.leg.close()
                self.sources = {}

    @staticmethod
    def _listed(jingle):
        message = find(jingle, MEET, "json-message")
        if message is not None:
            return read_json(message.text)
        found = []
        for content in find_all(jingle, JINGLE, "content"):
            description = find(content, RTP, "description")
            if description is not None and content.get("name") != "data":
                found += read_description(content.get("name"), description)
        return found

    async def _accept(self, sender, jingle, listed):
        leg = self.leg = Leg(is_controlling=False)
        self.session = jingle.get("sid")
        offer = read_contents(jingle)
        transport = await leg.described("active")
        self._accepted = {}
        for name, content in offer.items():
            kept = [one for one in content.payloads if one.name.lower() in self.codecs]
            repaired = {str(one.id) for one in kept}
            kept = [one for one in kept
                    if one.name != "rtx" or one.parameters["apt"] in repaired]
            self._accepted[name] = Content(
                name, kept, content.extensions, self._senders(name), transport)
        await self._person.ask(sender, node(
            JINGLE, "jingle",
            {"action": "session-accept", "sid": jingle.get("sid"),
             "initiator": jingle.get("initiator"), "responder": f"{self.room}/{self.nick}"},
            *(one.xml() for one in self._accepted.values()), *self._own_sources()))
        other = offer["audio"].transport
        data = offer.get("data")
        await leg.start(other, data and data.transport.sctp)
        if data:
            self._channel = leg.open_channel()
            self._channel.on("message", lambda text: self.heard.append(json.loads(text)))
        elif other.sockets:
            self.socket_url = other.sockets[0]
            self._tasks.append(asyncio.ensure_future(self._open_socket(self.socket_url)))
        for one in listed:
            await self._receive(one)
        await self._begin_sending()

    async def _open_socket(self, url):
        async with connect(url) as socket:
            self._socket = socket
            async for text in socket:
                self.heard.append(json.loads(text))
        self.socket_codes.append(socket.close_code)

    async def _receive(self, source):
        self.sources[source.ssrc] = source
        if source.owner != "jvb":
            content = self._accepted[source.kind]
            track = await self.leg.receive(source, content.payloads, content.extensions)
            self._tasks.append(asyncio.ensure_future(self._consume(source, track)))

    async def _consume(self, source, track):
        received = self.received[source.name] = Received(source.kind)
        try:
            while True:
                received.take(await track.recv())
        except MediaStreamError:
            pass

    # Called by the tests.

    @from_outside
    async def tell(self, message):
        """Says something to the bridge, as soon as it can."""
        while not self._socket and not (self._channel and self._channel.readyState == "open"):
            await asyncio.sleep(0.02)
        if self._socket:
            await self._socket.send(json.dumps(message))
        else:
            self._channel.send(json.dumps(message))

    @from_outside
    async def open_another_socket(self):
        """In the place of the one that it has."""
        self._tasks.append(asyncio.ensure_future(self._open_socket(self.socket_url)))

    def frames(self, source):
        return self.received[source.name].count if source.name in self.received else 0

    def wait_for_frames(self, source, count, timeout=20):
        wait_for(f"{count} frames of {source.name}", lambda: self.frames(source) >= count, timeout)
        return self.received[source.name]

    async def _close(self):
        for task in self._tasks:
            task.cancel()
        if self.leg:
            await self.leg.close()
        await self._person.close()


class Jibri(OnItsOwnLoop):
    """A recorder in the brewery. `asked` has the attributes of what it was asked, `answer` those
    that it answers to a start."""

    def __init__(self, prosody, nick):
        self.home = self
        self.nick = nick
        self.asked = []
        self.answer = {"status": "pending"}
        self._begin(self._join(prosody))

    async def _join(self, prosody):
        self._person = Person(prosody, AUTH, "jibri", "jibri secret")
        self._person.on_request(JIBRI, "jibri", self._asked)
        await self._person.connect()
        await self._person.enter(BREWERY, self.nick, self._status("idle"))

    @staticmethod
    def _status(busy, health="healthy"):
        return node(JIBRI, "jibri-status", None, node(JIBRI, "busy-status", {"status": busy}),
                    node(HEALTH, "health-status", {"status": health}))

    async def _asked(self, _, jibri):
        self.asked.append(dict(jibri.attrib))
        is_start = jibri.get("action") == "start"
        return node(JIBRI, "jibri", self.answer if is_start else {"status": "off"})

    @from_outside
    async def say(self, **attributes):
        """Tells the focus how it is."""
        await self._person.ask(f"{BREWERY}/focus", node(JIBRI, "jibri", attributes))

    async def _close(self):
        await self._person.close()
