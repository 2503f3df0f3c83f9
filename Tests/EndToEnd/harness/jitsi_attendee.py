"""A participant of a conference in a room of Roomcast: slixmpp for the signalling, aiortc for the
media. It joins as Jitsi's apps do, sends, receives and moderates."""

import json
import secrets
from dataclasses import replace

from .jitsi_caller import Caller
from .jitsi_lobby import configuration, members_only
from .jitsi_prosody import DOMAIN, FOCUS
from .jitsi_sources import Source, json_message
from .jitsi_xml import (
    CLIENT,
    DATA,
    DISCO,
    JIBRI,
    JINGLE,
    MEET,
    MUC_USER,
    NICK,
    find,
    find_all,
    node,
)
from .jitsi_xmpp import Person, from_outside
from .waiting import wait_for

TIMEOUT = 30


class Attendee(Caller):
    """`smaller` make the camera's picture in smaller sizes, best first. `texts` are the room's messages
    as (from, kind, text), `presences` those of others as (nick, type, element), `mutes` what the focus
    has asked it to mute, `recordings` what the focus has shown of recordings, each once, `notices` the
    room's JSON, `moderation` what the AV moderation has told it, and `errors` the conditions of
    messages that were refused."""

    def __init__(self, prosody, room, name, camera=None, sound=None, screen=None, smaller=(),
                 **more):
        self.name = name
        self.nick = secrets.token_hex(4)
        self.own = {}  # sources, by "camera", "sound", "screen"
        self.makers = {}  # of their tracks, one for each size
        self.muted = set()
        self.texts = []
        self.presences = []
        self.mutes = []
        self.recordings = []
        self.moderation = []
        self.notices = []
        self.waiting = {}  # the newest presences in the lobby, by nick
        self.errors = []
        for what, maker in {"camera": camera, "sound": sound, "screen": screen}.items():
            if maker:
                self._add(what, maker, *(smaller if what == "camera" else ()))
        super().__init__(prosody, room, **more)

    def _add(self, what, *makers):
        kind = "audio" if what == "sound" else "video"
        name = f"{self.nick}-{kind[0]}{1 if what == 'screen' else 0}"
        numbers = secrets.SystemRandom()
        (ssrc, repair), *smaller = [
            (numbers.randrange(1, 2**32),
             numbers.randrange(1, 2**32) if kind == "video" else None) for _ in makers]
        self.own[what] = Source(
            self.nick, name, kind, ssrc, f"{name}-1 {name}-track", repair, what == "screen",
            tuple(smaller))
        self.makers[what] = makers

    # What it is, to Caller.

    def _make_person(self, prosody):
        person = Person(prosody, DOMAIN)
        person.on_presence(self._saw)
        person.on_message(self._heard_text)
        for media in ("audio", "video", "desktop"):
            person.on_request(f"http://jitsi.org/jitmeet/{media}", "mute", self._asked_to_mute)
        return person

    def _shown(self):
        said = {one.name: {"muted": what in self.muted} | (
            {"videoType": "desktop" if one.is_screen else "camera"} if one.kind == "video" else {})
            for what, one in self.own.items()}
        return [node(NICK, "nick", text=self.name),
                node(CLIENT, "SourceInfo", text=json.dumps(said))]

    def _senders(self, name):
        return "both"

    def _own_sources(self):
        return [json_message(list(self.own.values()))] if self.own else []

    async def _begin_sending(self):
        for what in self.own:
            await self._send(what)

    async def _send(self, what):
        source = self.own[what]
        content = self._accepted[source.kind]
        for make, (ssrc, repair) in zip(self.makers[what], source.sizes(), strict=True):
            await self.leg.send(
                replace(source, ssrc=ssrc, repair=repair), make(), content.payloads[0],
                content.payloads, content.extensions)

    # What it hears.

    def _saw(self, presence):
        nick = presence.get("from", "").partition("/")[2]
        if presence.get("from", "").partition("/")[0] != self.room:
            if nick != self.nick:
                self.waiting[nick] = presence
        elif nick == "focus":
            shown = find(presence, JIBRI, "jibri-recording-status")
            if shown is not None and shown.attrib not in self.recordings[-1:]:
                self.recordings.append(dict(shown.attrib))
        elif nick != self.nick:
            self.presences.append((nick, presence.get("type"), presence))

    def _heard_text(self, message):
        body = message.find(f"{{{CLIENT}}}body")
        if body is not None:
            self.texts.append((message.get("from"), message.get("type"), body.text))
        said = find(message, MEET, "json-message")
        if message.get("from") != FOCUS:
            if said is not None:
                self.notices.append((message.get("from"), json.loads(said.text)))
        elif message.get("type") == "error":
            self.errors.append(find(message, CLIENT, "error")[0].tag.partition("}")[2])
        elif said is not None:
            self.moderation.append(json.loads(said.text))

    async def _asked_to_mute(self, _, mute):
        self.mutes.append((mute.tag.partition("}")[0][1:], mute.get("actor"), mute.text))

    def nick_of(self, name):
        """The nick of another participant, once it is seen."""

        def found():
            seen = {}
            for nick, kind, presence in list(self.presences):
                shown = presence.find(f"{{{NICK}}}nick")
                seen[nick] = None if kind or shown is None else shown.text
            return next((nick for nick, shown in seen.items() if shown == name), None)

        return wait_for(f"{name} is seen", found, TIMEOUT)

    def names(self):
        """Of all others that were ever seen."""
        shown = [presence.find(f"{{{NICK}}}nick") for _, _, presence in list(self.presences)]
        return {one.text for one in shown if one is not None}

    def wait_until_gone(self, nick):
        wait_for("it is gone", lambda: any(
            one == nick and kind == "unavailable" for one, kind, _ in list(self.presences)), TIMEOUT)

    def wait_until_invited(self):
        """It is a peer of the room then."""
        wait_for("a session", lambda: "session-initiate" in self.actions, TIMEOUT)

    def told_of_recording(self, session, *statuses):
        """Waits until it was shown these, of one session; them."""
        def shown():
            found = [one for one in list(self.recordings) if one["session_id"] == session]
            return [one["status"] for one in found] == list(statuses) and found

        return wait_for(f"the recording is {statuses}", shown, 2 * TIMEOUT)

    def source_of(self, nick, kind, number=0):
        """The source of another, once it is told."""
        name = f"{nick}-{kind[0]}{number}"
        return wait_for(f"{name} is told", lambda: next(
            (one for one in list(self.sources.values()) if one.name == name), None), TIMEOUT)

    def told_of_moderation(self, **members):
        """Waits until the newest word has these, or does not have them if they are None."""
        def is_told():
            newest = dict(self.moderation[-1]) if self.moderation else {}
            return all(newest.get(name) == value for name, value in members.items()) and newest

        return wait_for(f"it is told {members}", is_told, TIMEOUT)

    def wait_for_silence(self, source):
        """Until nothing has come of it for three seconds: it may only just have begun."""
        seen = [-1, -1]

        def has_stopped():
            seen.append(self.frames(source))
            return seen[-1] == seen[-2] == seen[-3]

        wait_for(f"{source.name} ends", has_stopped, TIMEOUT, interval=1.5)

    # Called by the tests.

    @from_outside
    async def identities(self):
        """Of the domain itself, by their types."""
        told = await self._person.ask(DOMAIN, node(DISCO, "query"), "get")
        return {one.get("type"): one.get("name") for one in find_all(told, DISCO, "identity")}

    @from_outside
    async def moderate(self, **attributes):
        """Orders something of the AV moderation."""
        self._person.say(FOCUS, None, node(CLIENT, "av_moderation", attributes))

    @from_outside
    async def end(self):
        """As a moderator ends the conference for all."""
        self._person.say(FOCUS, None, node(CLIENT, "end_conference"))

    @from_outside
    async def mute(self, what, is_muted=True):
        (self.muted.add if is_muted else self.muted.discard)(what)
        self._person.show(self.room, self.nick, *self._shown())

    @from_outside
    async def share(self, maker):
        """Adds a screen."""
        self._add("screen", maker)
        self._person.show(self.room, self.nick, *self._shown())
        await self._jingle("source-add", json_message([self.own["screen"]]))
        await self._send("screen")

    @from_outside
    async def stop_sharing(self):
        source = self.own.pop("screen")
        await self._jingle("source-remove", json_message([source]))
        self._person.show(self.room, self.nick, *self._shown())

    async def _jingle(self, action, *children):
        await self._person.ask(f"{self.room}/focus", node(
            JINGLE, "jingle", {"action": action, "sid": self.session}, *children))

    @from_outside
    async def ask(self, element, nick="focus"):
        """Raises Refused."""
        return await self._person.ask(f"{self.room}/{nick}", element)

    @from_outside
    async def limit_to_members(self, is_limited=True):
        """As a moderator opens a lobby. Raises Refused."""
        await self._person.ask(self.room, members_only(is_limited))

    @from_outside
    async def lock(self, password):
        """As a moderator sets the room's password."""
        await self._person.ask(
            self.room, configuration(passwordprotectedroom="1", roomsecret=password))

    @from_outside
    async def told(self, what):
        """What the room tells of itself, such as its `lobbyroom`; None if it does not."""
        told = await self._person.ask(self.room, node(DISCO, "query"), "get")
        field = told.find(f".//{{{DATA}}}field[@var='muc#roominfo_{what}']/{{{DATA}}}value")
        return None if field is None else field.text

    def lobby(self):
        return self.told("lobbyroom")

    @from_outside
    async def enter_lobby(self, lobby):
        await self._person.enter(lobby, self.nick, *self._shown())

    @from_outside
    async def admit(self, *addresses):
        """Who waits."""
        invites = [node(MUC_USER, "invite", {"to": one}) for one in addresses]
        self._person.say(self.room, None, node(MUC_USER, "x", None, *invites))

    @from_outside
    async def put_out(self, lobby, nick):
        await self._person.client.plugin["xep_0045"].set_role(lobby, nick, "none")

    @from_outside
    async def tell_waiting(self, occupant, text):
        self._person.say(occupant, "chat", node(CLIENT, "body", text=text))

    @from_outside
    async def ask_focus(self, element):
        """Before, or beside, its conference."""
        return await self._person.ask(FOCUS, element)

    @from_outside
    async def restart(self):
        """Asks for another session, as after a failure of ICE."""
        self.sources = {}  # of the old one
        await self._jingle(
            "session-terminate",
            node(JINGLE, "reason", None, node(JINGLE, "connectivity-error")),
            node("http://jitsi.org/protocol/focus", "bridge-session",
                 {"id": self.session, "restart": "true"}))
        await self.leg.close()

    @from_outside
    async def say(self, text, to=None):
        self._person.say(f"{self.room}/{to}" if to else self.room, "chat" if to else "groupchat",
                         node(CLIENT, "body", text=text))

    @from_outside
    async def kick(self, nick):
        await self._person.client.plugin["xep_0045"].set_role(self.room, nick, "none")

    @from_outside
    async def make_moderator(self, nick):
        """As apps do, by the real address."""
        shown = next(one for name, _, one in reversed(self.presences) if name == nick)
        address = find(shown, MUC_USER, "x")[0].get("jid").partition("/")[0]
        await self._person.client.plugin["xep_0045"].set_affiliation(
            self.room, "owner", jid=address)

    @from_outside
    async def leave(self):
        self._person.show(self.room, self.nick, kind="unavailable")
