"""A Jitsi deployment with a real Prosody, in which Jicofo and the videobridge are played by slixmpp
and aiortc.

It follows the sources of jicofo, jitsi-videobridge and jitsi-xmpp-extensions and knows nothing
about its client.
"""

import asyncio
import contextlib
import uuid

import slixmpp

from .jitsi_brewery import Brewery
from .jitsi_channel import SocketServer
from .jitsi_focus import Conference
from .jitsi_http import PATH, RequestServer
from .jitsi_prosody import AUTH, BREWERY, FOCUS, LOBBIES, ROOMS, SECRET, JitsiProsody
from .jitsi_xml import FOCUS as FOCUS_PROTOCOL
from .jitsi_xml import JIBRI, JINGLE, node
from .jitsi_xmpp import TIMEOUT, Person, Refused, end, from_outside, on_request
from .own_loop import OnItsOwnLoop


class Deployment(OnItsOwnLoop):
    """On a JitsiProsody that has been started. `requests` has the conference requests as (from,
    element). The next ones are answered "not ready" as often as `delays` says, and with the
    `refusal` as long as there is one."""

    def __init__(self, prosody, **brewery):
        self.home = self
        self.prosody = prosody
        self.conferences = {}  # by their rooms
        self.requests = []
        self.delays = 0
        self.refusal = None
        self._begin(self._connect(brewery))

    # Called by the tests.

    @from_outside
    async def conference(self, name=None, has_sctp=True, has_socket=False, encoding=None):
        """Opens a room, as when the first one asks for it."""
        return await self._open(name or f"room{uuid.uuid4().hex[:8]}", has_sctp=has_sctp,
                                has_socket=has_socket, encoding=encoding)

    @from_outside
    async def reconnect(self):
        """Has all come back after the server was down."""
        await self._log_out()
        await self._log_in()
        for one in self.conferences.values():
            await one.reopen()

    @property
    def request_address(self):
        """Where conference requests are taken by HTTP."""
        return f"http://127.0.0.1:{self._http.port}{PATH}"

    @property
    def http_requests(self):
        return self._http.requests

    # Runs on its event loop.

    async def _connect(self, brewery):
        self._sockets = SocketServer()
        await self._sockets.listen()
        self._http = RequestServer(self._answer)
        await self._http.listen()
        self.brewery = Brewery(self, **brewery)
        await self._log_in()

    async def _log_in(self):
        self.focus = Person(self.prosody, AUTH, "focus", "focus secret")
        self.focus.on_presence(self._saw)
        self.focus.on_request(JINGLE, "jingle", self._jingle)
        self.focus.on_request(JIBRI, "jibri", self._jibri)
        await self.focus.connect()
        await self.brewery.open()
        self._component = slixmpp.ComponentXMPP(
            FOCUS, SECRET, "127.0.0.1", self.prosody.component_port)
        self._component.loop = asyncio.get_running_loop()
        self._component.register_plugin("xep_0030")
        self._component.register_plugin("xep_0199")
        on_request(self._component, FOCUS_PROTOCOL, "conference", self._conference)
        online = asyncio.Event()
        self._component.add_event_handler("session_start", lambda _: online.set())
        self._component.connect()
        await asyncio.wait_for(online.wait(), TIMEOUT)

    async def _open(self, name, **settings):
        room = f"{name}@{ROOMS}"
        if room not in self.conferences:
            made = self.conferences[room] = Conference(
                self, name, room, self._sockets, **settings)
            await made.open()
        return self.conferences[room]

    async def _conference(self, sender, request):
        self.requests.append((sender, request))
        answer = await self._answer(request.get("room"))
        properties = answer.pop("properties")
        return node(
            FOCUS_PROTOCOL, "conference",
            {"ready": "true" if answer["ready"] else "false", "focusjid": answer["focusJid"],
             "room": answer["room"]},
            *(node(FOCUS_PROTOCOL, "property", {"name": name, "value": value})
              for name, value in properties.items()))

    async def _answer(self, room):
        """As it is by HTTP."""
        if self.refusal:
            raise self.refusal
        if not room:
            raise Refused("bad-request", "No 'room' specified.")
        is_ready = self.delays <= 0
        self.delays -= 1
        if is_ready:
            await self._open(room.partition("@")[0])
        return {
            "ready": is_ready, "focusJid": f"focus@{AUTH}", "room": room,
            "properties": {"authentication": "false", "visitors-supported": "false"}}

    def _saw(self, presence):
        room = presence.get("from", "").partition("/")[0]
        name, _, domain = room.partition("@")
        if domain == LOBBIES and f"{name}@{ROOMS}" in self.conferences:
            self.conferences[f"{name}@{ROOMS}"].saw_in_lobby(presence)
        if room == BREWERY:
            self.brewery.saw(presence)
        elif room in self.conferences:
            self.conferences[room].saw(presence)

    async def _jingle(self, sender, jingle):
        conference = self.conferences.get(sender.partition("/")[0])
        if conference is None:
            raise Refused("item-not-found", "no such conference")
        return await conference.answer(sender, jingle)

    async def _jibri(self, sender, jibri):
        if await self.brewery.request(sender, jibri):
            return None
        conference = self.conferences.get(sender.partition("/")[0])
        if conference is None:
            raise Refused("forbidden")
        return await self.brewery.button(conference, sender, jibri)

    async def _close(self):
        for one in self.conferences.values():
            await one.close()
        if hasattr(self, "brewery"):
            self.brewery.close()
        await self._log_out()
        self._http.close()
        self._sockets.close()

    async def _log_out(self):
        if hasattr(self, "focus"):
            await self.focus.close()
        if hasattr(self, "_component"):
            await end(self._component)


@contextlib.contextmanager
def deployed(**brewery):
    """A Deployment on a Prosody of its own."""
    with contextlib.closing(JitsiProsody()) as prosody:
        prosody.start()
        with Deployment(prosody, **brewery) as deployment:
            yield deployment
