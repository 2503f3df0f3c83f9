"""A participant of a Jitsi conference: seen in its room, and sent by its bridge."""

import json
import random
import secrets
from itertools import count

from .jitsi_prosody import DOMAIN
from .jitsi_sources import Source
from .jitsi_xml import CLIENT, NICK, node
from .jitsi_xmpp import Person, from_outside

SSRCS = count(random.randrange(1, 2**31))


class Member:
    """`name` is shown, `id` is its nick in the room and its endpoint on the bridge. The tracks are
    made anew for each who receives them. `heard` has the bridge's messages to it, `texts` those of
    the room as (from, element)."""

    def __init__(self, conference, name, codec="VP8", **makers):
        self.conference = conference
        self.home = conference.home
        self.name = name
        self.id = secrets.token_hex(4)
        self.codec = codec
        self.sources = []
        self.muted = set()  # the names of sources
        self.heard = []
        self.texts = []
        self.presences = []  # of others
        self.extra = {}  # elements of its presence, by their names
        self._person = None
        self._makers = {}  # of tracks, by the names of sources
        for what, make in makers.items():
            if make:
                self._add(what, make)

    @property
    def address(self):
        return f"{self.conference.room}/{self.id}"

    @property
    def account(self):
        """Its address, without the resource."""
        return self._person.address.partition("/")[0]

    def source(self, what):
        """Its "camera", "sound" or "screen"; any other word is the name of a source."""
        name = {"camera": f"{self.id}-v0", "sound": f"{self.id}-a0",
                "screen": f"{self.id}-v1"}.get(what, what)
        return next(one for one in self.sources if one.name == name)

    def make_track(self, source):
        return self._makers[source.name]()

    # Called by the tests.

    @from_outside
    async def mute(self, what, is_muted=True):
        name = self.source(what).name
        (self.muted.add if is_muted else self.muted.discard)(name)
        self._show()
        await self.conference.bridge.update()

    def unmute(self, what):
        self.mute(what, is_muted=False)

    @from_outside
    async def publish(self, what, make):
        """Adds a "camera", a "sound" or a "screen"."""
        self._add(what, make)
        self._show()
        await self.conference.update()

    @from_outside
    async def unpublish(self, what):
        self._remove(what)
        self._show()
        await self.conference.update()

    @from_outside
    async def show(self, **extra):
        """Sets further elements of its presence by their names: a text, or what is in them. None
        takes one away."""
        self.extra |= extra
        self._show()

    @from_outside
    async def say(self, text, to=None):
        """To all, or to one nick."""
        room = self.conference.room
        self._person.say(
            f"{room}/{to}" if to else room, "chat" if to else "groupchat",
            node(CLIENT, "body", text=text), node(NICK, "nick", text=self.name))

    @from_outside
    async def tell(self, payload, to=""):
        """An endpoint message by the bridge."""
        await self.conference.bridge.pass_on(self.id, {
            "colibriClass": "EndpointMessage", "to": to, "msgPayload": payload})

    @from_outside
    async def speak(self, is_silence=False):
        """Is the loudest from now on."""
        await self.conference.bridge.speak(self.id, is_silence)

    @from_outside
    async def ask(self, nick, element, kind="set"):
        """Another occupant's answer; raises Refused."""
        return await self._person.ask(f"{self.conference.room}/{nick}", element, kind)

    @from_outside
    async def leave(self):
        await self.go()

    # Runs on the loop.

    def _add(self, what, make):
        kind = "audio" if what == "sound" else "video"
        number = sum(one.kind == kind for one in self.sources)
        name = f"{self.id}-v1" if what == "screen" else f"{self.id}-{kind[0]}{number}"
        self._makers[name] = make
        self.sources.append(Source(
            self.id, name, kind, next(SSRCS), f"{self.id}-{kind}-{number}-1 {secrets.token_hex(8)}",
            next(SSRCS) if kind == "video" else None, what == "screen"))

    def _remove(self, what):
        source = self.source(what)
        self.sources.remove(source)
        self.muted.discard(source.name)

    async def come(self):
        if self._person:
            await self._person.close()
        self._person = Person(self.conference.prosody, DOMAIN)
        self._person.on_presence(self.presences.append)
        self._person.on_message(lambda one: self.texts.append((one.get("from"), one)))
        await self._person.connect()
        await self._person.enter(self.conference.room, self.id, *self._extensions())

    def _extensions(self):
        said = {}
        for one in self.sources:
            said[one.name] = {"muted": one.name in self.muted}
            if one.kind == "video":
                said[one.name]["videoType"] = "desktop" if one.is_screen else "camera"
        return [
            node(NICK, "nick", text=self.name),
            node(CLIENT, "stats-id", text="Elinor-jQm"),
            node(CLIENT, "SourceInfo", text=json.dumps(said, separators=(",", ":"))),
            node(CLIENT, "jitsi_participant_codecList", text="av1,vp9,vp8,h264"),
            *(node(CLIENT, name, text=value) if isinstance(value, str)
              else node(CLIENT, name, None, *value)
              for name, value in self.extra.items() if value is not None)]

    def _show(self):
        self._person.show(self.conference.room, self.id, *self._extensions())

    async def go(self):
        self._person.show(self.conference.room, self.id, kind="unavailable")
        await self.conference.forget(self)
        await self._person.close()
