"""A conference as its focus sees it: who is in the room, and the Jingle session of each."""

import asyncio
import contextlib
import secrets
from dataclasses import dataclass, field

from .jitsi_bridge import Bridge
from .jitsi_jingle import Transport, offered, read_contents
from .jitsi_member import Member
from .jitsi_prosody import LOBBIES
from .jitsi_sources import contents, descriptions, json_message
from .jitsi_xml import (
    AUDIO,
    DISCO,
    FOCUS,
    GROUPING,
    ICE,
    JINGLE,
    JSON_SOURCES,
    MEET,
    MUC_USER,
    REMB,
    RETRANSMISSION,
    SCTP,
    TRANSPORT_CC,
    VIDEO,
    find,
    find_all,
    node,
)
from .jitsi_xmpp import TIMEOUT, Refused, from_outside, statuses
from .waiting import wait_for

NICK = "focus"
MINIMUM = 2  # members, before anybody is invited
DEFAULT_FEATURES = {AUDIO, VIDEO, SCTP}  # of whoever does not answer


@dataclass
class Occupant:
    """A member of the room that is not one of ours."""

    nick: str
    jid: str
    presence: object  # the newest
    features: set = field(default_factory=set)  # what it says of itself
    session: "Session | None" = None
    sessions: list = field(default_factory=list)  # all that it was offered
    is_inviting: bool = False


@dataclass
class Session:
    """`told` has the Jingle elements that it sent, `state` is "pending", "active" or "ended"."""

    sid: str
    endpoint: object
    is_json: bool
    signalled: list
    state: str = "pending"
    told: list = field(default_factory=list)
    initial_last_n: int | None = None


class Conference:
    """`occupants` are those who joined by themselves, by nick; `gone` those who have left. An
    `encoding` of "xml" or "json" overrides what clients say that they understand."""

    def __init__(self, home, name, room, sockets, has_sctp=True, has_socket=False, encoding=None):
        self.home = home
        self.prosody = home.prosody
        self.room = room
        self.bridge = Bridge(name, sockets, has_sctp, has_socket)
        self.encoding = encoding
        self.occupants = {}
        self.gone = []
        self.failures = []  # what went wrong while it invited somebody
        self.recording = None  # the <jibri-recording-status>
        self.waiting = {}  # the addresses of those in the lobby, by nick
        self._ours = {NICK}  # nicks, also of members who have gone
        self._updates = asyncio.Lock()
        self._tasks = set()

    @property
    def focus(self):
        """The Person."""
        return self.home.focus

    # Called by the tests.

    @from_outside
    async def add(self, name, camera=None, sound=None, screen=None, codec="VP8"):
        """Has a participant come, who sends what these make."""
        member = Member(self, name, codec, camera=camera, sound=sound, screen=screen)
        self.bridge.members[member.id] = member
        self._ours.add(member.id)
        await member.come()
        await self.update()
        self._invite_all()
        return member

    def occupant(self, timeout=TIMEOUT):
        """The one that joined by itself."""
        return wait_for(
            "somebody joins", lambda: next(iter(self.occupants.values()), None), timeout)

    def endpoint(self, timeout=TIMEOUT):
        """The one that is connected to the bridge; an assertion if that fails."""

        def found():
            assert not self.failures, self.failures
            return next((one for one in list(self.bridge.endpoints.values()) if one.is_connected),
                        None)

        return wait_for("somebody is connected to the bridge", found, timeout)

    @from_outside
    async def restart(self, nick):
        """Ends its session and offers another, as jicofo does when a bridge is gone."""
        occupant = self.occupants[nick]
        await self._terminate(occupant, "success", "moving")
        await self._invite(occupant)

    @from_outside
    async def replace_transport(self, nick):
        """Moves it to another bridge in the same session, as jicofo's ReplaceTransport does."""
        occupant = self.occupants[nick]
        await self.bridge.remove(nick)
        await self._invite(occupant, occupant.session)

    @from_outside
    async def restart_ice(self, nick):
        """Has the bridge begin ICE anew; its answer is in the endpoint's `restarted`."""
        occupant = self.occupants[nick]
        transport = await occupant.session.endpoint.restart_ice()
        await self._send(occupant, "transport-info", node(
            JINGLE, "content", {"creator": "initiator", "name": "audio"}, transport.xml()))

    @from_outside
    async def open_lobby(self):
        """Whoever comes from now on waits there, where `waiting` has it."""
        for member in self.bridge.members.values():
            await self.focus.client.plugin["xep_0045"].set_affiliation(
                self.room, "member", jid=member.account)
        await self.focus.enter(self.lobby, NICK)
        await self._configure(membersonly=True)

    @from_outside
    async def let_in(self, nick):
        invitation = node(MUC_USER, "x", None, node(
            MUC_USER, "invite", {"to": self.waiting[nick]}))
        self.focus.say(self.room, None, invitation)

    @from_outside
    async def send_away(self, nick):
        await self.focus.client.plugin["xep_0045"].set_role(self.lobby, nick, "none")

    @from_outside
    async def close_lobby(self):
        """Everybody may come in."""
        await self._configure(membersonly=False)
        form = node("http://jabber.org/protocol/muc#owner", "query", None, node(
            "http://jabber.org/protocol/muc#owner", "destroy", {"jid": self.room}))
        await self.focus.ask(self.lobby, form)

    @from_outside
    async def cut(self, nick):
        """The bridge and it do not reach each other any more."""
        self.bridge.endpoints[nick].leg.cut()

    @from_outside
    async def mend(self, nick):
        self.bridge.endpoints[nick].leg.mend()

    @from_outside
    async def break_media(self, nick):
        """Its bridge is gone, of which nobody tells."""
        await self.bridge.endpoints[nick].leg.close()

    @from_outside
    async def probe(self, nick):
        """Measures its line; the transport's numbers of the packets for that, of which its
        feedback should tell in the endpoint's `leg.dtls.reports`."""
        return await self.bridge.endpoints[nick].probe()

    @from_outside
    async def kick(self, nick, reason=""):
        await self.focus.client.plugin["xep_0045"].set_role(self.room, nick, "none", reason=reason)

    @from_outside
    async def destroy(self, reason=""):
        await self.focus.client.plugin["xep_0045"].destroy(self.room, reason)

    def set_password(self, password):
        self.configure(passwordprotectedroom=bool(password), roomsecret=password or "")

    @from_outside
    async def configure(self, **settings):
        """Sets the room's own settings."""
        await self._configure(**settings)

    # Runs on the loop.

    @property
    def lobby(self):
        return f"{self.room.partition('@')[0]}@{LOBBIES}"

    async def _configure(self, **settings):
        form = self.focus.client.plugin["xep_0004"].make_form(ftype="submit")
        form.add_field(var="FORM_TYPE", ftype="hidden",
                       value="http://jabber.org/protocol/muc#roomconfig")
        for name, value in settings.items():
            form.add_field(var=f"muc#roomconfig_{name}", value=value)
        await self.focus.client.plugin["xep_0045"].set_room_config(self.room, form)

    def saw_in_lobby(self, presence):
        nick = presence.get("from").partition("/")[2]
        item = find(find(presence, MUC_USER, "x"), MUC_USER, "item")
        if presence.get("type") == "unavailable":
            self.waiting.pop(nick, None)
        elif nick != NICK and presence.get("type") is None:
            self.waiting[nick] = item.get("jid")

    async def reopen(self):
        """The server is there again. All sessions are over, as jicofo has it, and all come anew."""
        for nick in list(self.bridge.endpoints):
            await self.bridge.remove(nick)
        self.occupants.clear()
        await self.open()
        for member in list(self.bridge.members.values()):
            await member.come()
        self._invite_all()

    async def open(self):
        await self.focus.enter(self.room, NICK, *self._extensions())

    def _extensions(self):
        properties = {"created-ms": "1764425000000", "bridge-count": "1",
                      "visitors-enabled": "false", "support-terminate-restart": "true"}
        return [
            node("http://jitsi.org/jitmeet/etherpad", "etherpad", text="pad"),
            node(MEET, "versions", None,
                 node(MEET, "component", {"name": "focus"}, text="1.1.test")),
            node(FOCUS, "conference-properties", None, *(
                node(FOCUS, "property", {"key": key, "value": value})
                for key, value in properties.items())),
            *([self.recording] if self.recording is not None else [])]

    def _show(self):
        self.focus.show(self.room, NICK, *self._extensions())

    def show_recording(self, status):
        self.recording = status
        self._show()

    def saw(self, presence):
        """Of somebody in the room. Requests that came before it are taken before it."""
        self._begin(self._see(presence))

    async def _see(self, presence):
        nick = presence.get("from").partition("/")[2]
        if nick in self._ours or presence.get("type") == "error":
            return
        if presence.get("type") == "unavailable":
            occupant = self.occupants.pop(nick, None)
            if occupant:
                self.gone.append((nick, statuses(presence), presence))
                await self._left(occupant)
            return
        item = find(find(presence, MUC_USER, "x"), MUC_USER, "item")
        occupant = self.occupants.get(nick)
        if occupant:
            occupant.presence = presence
            return
        self.occupants[nick] = Occupant(nick, item.get("jid"), presence)
        self._invite_all()

    async def _left(self, occupant):
        if occupant.session:
            occupant.session.state = "ended"
        await self.bridge.remove(occupant.nick)

    def _begin(self, work):
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _invite_all(self):
        if len(self.occupants) + len(self.bridge.members) < MINIMUM:
            return
        for occupant in self.occupants.values():
            if not occupant.is_inviting and not occupant.sessions:
                occupant.is_inviting = True
                self._begin(self._invite_first(occupant))

    async def _invite_first(self, occupant):
        try:
            occupant.features = await self._discover(occupant)
            await self._invite(occupant)
        except Exception as error:  # noqa: BLE001  shown by whoever waits for it
            self.failures.append(repr(error))
        finally:
            occupant.is_inviting = False

    async def _discover(self, occupant):
        with contextlib.suppress(Refused):
            found = await self.focus.ask(
                f"{self.room}/{occupant.nick}", node(DISCO, "query"), "get")
            return {one.get("var") for one in find_all(found, DISCO, "feature")}
        return DEFAULT_FEATURES

    async def _invite(self, occupant, goes_on=None):
        """Its session begins, or goes on with another transport."""
        features = occupant.features or DEFAULT_FEATURES
        endpoint = self.bridge.open(occupant.nick)
        transport = await endpoint.describe()
        sections = offered(
            has_audio=AUDIO in features, has_video=VIDEO in features,
            has_sctp=SCTP in features and self.bridge.has_sctp,
            has_rtx=RETRANSMISSION in features, has_tcc=TRANSPORT_CC in features,
            has_remb=REMB in features and TRANSPORT_CC not in features)
        is_json = (JSON_SOURCES in features if self.encoding is None else self.encoding == "json")
        sources = self._sources_for(occupant, features)
        named = descriptions(sources) if not is_json else {}
        for one in sections:
            one.transport = transport
        if goes_on:
            session = goes_on
            session.endpoint, session.signalled = endpoint, sources
        else:
            session = occupant.session = Session(
                secrets.token_hex(8), endpoint, is_json, sources)
            occupant.sessions.append(session)
        await self._send(
            occupant, "transport-replace" if goes_on else "session-initiate",
            *(one.xml(named.get(one.name, ())) for one in sections),
            node(GROUPING, "group", {"semantics": "BUNDLE"}, *(
                node(GROUPING, "content", {"name": one.name}) for one in sections)),
            node(FOCUS, "bridge-session", {"id": endpoint.session, "region": "here"}),
            *([json_message(sources)] if is_json else []),
            initiator=self.focus.address)

    def _sources_for(self, occupant, features=None):
        features = features or occupant.features or DEFAULT_FEATURES
        kinds = {"audio"} if AUDIO in features else set()
        kinds |= {"video"} if VIDEO in features else set()
        return [one for one in self.bridge.sources() + self.bridge.own
                if one.owner != occupant.nick and one.kind in kinds]

    async def _send(self, occupant, action, *children, initiator=None):
        return await self.focus.ask(
            f"{self.room}/{occupant.nick}",
            node(JINGLE, "jingle", {
                "action": action, "sid": occupant.session.sid, "initiator": initiator}, *children))

    async def update(self):
        """Tells each session which sources came and went, and has the bridge send them."""
        async with self._updates:
            for occupant in list(self.occupants.values()):
                if occupant.session and occupant.session.state == "active":
                    await self._update(occupant)
        await self.bridge.update()

    async def _update(self, occupant):
        session, wanted = occupant.session, self._sources_for(occupant)
        went = [one for one in session.signalled if one not in wanted]
        came = [one for one in wanted if one not in session.signalled]
        session.signalled = wanted
        for action, sources in [("source-remove", went), ("source-add", came)]:
            if sources:
                encoded = [json_message(sources)] if session.is_json else contents(sources)
                await self._send(occupant, action, *encoded)

    async def _terminate(self, occupant, reason, words):
        session = occupant.session
        session.state = "ended"
        said = [node(JINGLE, "text", text=words)] if words else []
        with contextlib.suppress(Refused):
            await self._send(occupant, "session-terminate", node(
                JINGLE, "reason", None, node(JINGLE, reason), *said))
        await self.bridge.remove(occupant.nick)

    async def answer(self, sender, jingle):
        """A request in somebody's session."""
        occupant = self.occupants.get(sender.partition("/")[2])
        session = occupant and occupant.session
        if not session or session.sid != jingle.get("sid") or session.state == "ended":
            raise Refused("item-not-found", "unknown session")
        session.told.append(jingle)
        match jingle.get("action"):
            case "session-accept" | "transport-accept":
                session.state = "active"
                answer = read_contents(jingle)
                session.initial_last_n = _last_n(jingle)
                if session.initial_last_n is not None:
                    session.endpoint.constraints.setdefault("lastN", session.initial_last_n)
                session.endpoint.start(answer, self.failures)
                # What came and went meanwhile.
                self._begin(self.update())
            case "transport-info":
                for content in find_all(jingle, JINGLE, "content"):
                    await session.endpoint.hear(Transport.read(find(content, ICE, "transport")))
            case "session-terminate":
                session.state = "ended"
                await self.bridge.remove(occupant.nick)
                bridge = find(jingle, FOCUS, "bridge-session")
                if bridge is not None and bridge.get("restart") == "true":
                    if bridge.get("id") != session.endpoint.session:
                        raise Refused("item-not-found", "another bridge's session")
                    self._begin(self._invite(occupant))
            case "session-info":
                bridge = find(jingle, FOCUS, "bridge-session")
                if bridge is not None and bridge.get("ice-restart") == "true":
                    raise Refused("feature-not-implemented", "in-place ICE restart is disabled")
            case "source-add" | "source-remove":
                pass
            case _:
                raise Refused("feature-not-implemented", "Unsupported 'action'")

    async def forget(self, member):
        self.bridge.members.pop(member.id, None)
        member.sources = []
        await self.update()

    async def close(self):
        for member in list(self.bridge.members.values()):
            with contextlib.suppress(Exception):
                await member.go()
        for task in list(self._tasks):
            task.cancel()
        await self.bridge.close()


def _last_n(jingle):
    found = jingle.find(".//{jitsi:colibri2}initial-last-n")
    return None if found is None else int(found.get("value"))
