"""Who comes to a room that has a lobby, without media."""

import secrets

from .jitsi_prosody import DOMAIN, FOCUS, ROOMS
from .jitsi_xml import CLIENT, DATA, MUC_USER, NICK, find, node
from .jitsi_xml import FOCUS as FOCUS_PROTOCOL
from .jitsi_xmpp import Person, from_outside, statuses
from .own_loop import OnItsOwnLoop


def configuration(**values):
    """The form by which an owner configures a room."""
    def field(name, value):
        return node(DATA, "field", {"var": name}, node(DATA, "value", text=value))

    return node("http://jabber.org/protocol/muc#owner", "query", None, node(
        DATA, "x", {"type": "submit"},
        field("FORM_TYPE", "http://jabber.org/protocol/muc#roomconfig"),
        *(field(f"muc#roomconfig_{name}", value) for name, value in values.items())))


def members_only(is_limited):
    return configuration(membersonly="1" if is_limited else "0")


class Newcomer(OnItsOwnLoop):
    """`presences` are what others' rooms have shown of others as (from, type), `texts` what it was
    told as (from, text), `invitations` the rooms to which it was invited; `end` is how its stay in
    the lobby has ended, as (status codes, the room that it may enter instead)."""

    def __init__(self, prosody, room, name):
        self.home = self
        self.room = f"{room}@{ROOMS}"
        self.name = name
        self.nick = secrets.token_hex(4)
        self.presences = []
        self.texts = []
        self.invitations = []
        self.end = None
        self._begin(self._come(prosody))

    @property
    def address(self):
        return self._person.address

    async def _come(self, prosody):
        self._person = Person(prosody, DOMAIN)
        self._person.on_presence(self._saw)
        self._person.on_message(self._heard)
        await self._person.connect()
        await self._person.ask(FOCUS, node(
            FOCUS_PROTOCOL, "conference", {"room": self.room, "machine-uid": "x"}))

    @from_outside
    async def enter(self, room=None, name=None, password=None):
        """The conference, or its lobby. Raises Refused."""
        name = self.name if name is None else name
        await self._person.enter(
            room or self.room, self.nick, *([node(NICK, "nick", text=name)] if name else []),
            password=password)

    @from_outside
    async def say(self, room, text):
        self._person.say(room, "groupchat", node(CLIENT, "body", text=text))

    @from_outside
    async def tell(self, occupant, text):
        self._person.say(occupant, "chat", node(CLIENT, "body", text=text))

    @from_outside
    async def limit_to_members(self, room, is_limited):
        await self._person.ask(room, members_only(is_limited))

    @from_outside
    async def invite_itself(self):
        invite = node(MUC_USER, "invite", {"to": self.address})
        for invites in [invite], [invite, invite]:
            self._person.say(self.room, None, node(MUC_USER, "x", None, *invites))

    def _saw(self, presence):
        sender = presence.get("from", "")
        if presence.get("type") == "error":
            return
        if not sender.endswith(f"/{self.nick}"):
            self.presences.append((sender, presence.get("type")))
        elif presence.get("type") == "unavailable":
            shown = find(find(presence, MUC_USER, "x"), MUC_USER, "destroy")
            self.end = (statuses(presence), None if shown is None else shown.get("jid"))

    def _heard(self, message):
        body = find(message, CLIENT, "body")
        x = find(message, MUC_USER, "x")
        # Invitations have words too.
        if x is not None and find(x, MUC_USER, "invite") is not None:
            self.invitations.append(message.get("from"))
        elif body is not None and message.get("type") != "error":
            self.texts.append((message.get("from"), body.text))

    async def _close(self):
        await self._person.close()
