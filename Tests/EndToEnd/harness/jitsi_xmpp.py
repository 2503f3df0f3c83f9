"""slixmpp in a Jitsi deployment: connections, rooms, and requests as plain elements."""

import asyncio
import functools

import slixmpp
from slixmpp.exceptions import IqError, IqTimeout
from slixmpp.xmlstream.handler import Callback
from slixmpp.xmlstream.matcher import MatchXPath

from .jitsi_xml import CLIENT, MUC, MUC_USER, find, find_all, node

TIMEOUT = 30  # s
ANSWER_TIMEOUT = 15  # s, as Smack's in jicofo


class Refused(Exception):
    """An answer that is an error: its condition, its words, and the element."""

    def __init__(self, condition, words="", element=None):
        super().__init__(f"{condition} {words}".strip())
        self.condition, self.words, self.element = condition, words, element


def from_outside(work):
    """Has a coroutine of an object be called by the tests' thread; it runs on the loop of its
    `home`, an OnItsOwnLoop."""

    @functools.wraps(work)
    def call(self, *arguments, **named):
        return self.home._run(work(self, *arguments, **named))  # noqa: SLF001

    return call


class Person:
    """A connection to a Prosody by an account, or without one."""

    def __init__(self, prosody, domain, user=None, password=None):
        address = f"{user}@{domain}" if user else domain
        self.client = slixmpp.ClientXMPP(address, password or "")
        self._prosody = prosody
        self.client.loop = asyncio.get_running_loop()
        self.client.ca_certs = str(prosody.authority.file)
        for plugin in ["xep_0030", "xep_0045", "xep_0115", "xep_0199"]:
            self.client.register_plugin(plugin)
        self._presences = {}  # waiting for one's own, by occupant
        self._handler("presence", f"{{{CLIENT}}}presence", self._presence_came)
        self.heard = []  # (from, element) of each presence, message and request

    async def connect(self):
        online = asyncio.Event()
        self.client.add_event_handler("session_start", lambda _: online.set())
        self.client.connect("127.0.0.1", self._prosody.port)
        await asyncio.wait_for(online.wait(), TIMEOUT)

    @property
    def address(self):
        return str(self.client.boundjid)

    def _handler(self, name, path, work):
        self.client.register_handler(Callback(f"jitsi {name}", MatchXPath(path), work))

    def on_presence(self, work):
        self._handler("seen", f"{{{CLIENT}}}presence", lambda one: work(one.xml))

    def on_message(self, work):
        self._handler("message", f"{{{CLIENT}}}message", lambda one: work(one.xml))

    def on_request(self, namespace, name, work):
        """Has `work(from, element)`, a coroutine, answer requests with an element or nothing, or
        raise Refused."""
        on_request(self.client, namespace, name, work)

    def send(self, element):
        self.client.send_raw(slixmpp.xmlstream.tostring(element))

    async def ask(self, to, element, kind="set", timeout=ANSWER_TIMEOUT):
        """The answer's child, None if it has none."""
        request = self.client.make_iq(ito=to, itype=kind)
        request.append(element)
        try:
            answer = await request.send(timeout=timeout)
        except IqError as error:
            raise Refused(error.condition, error.text or "", error.iq.xml) from None
        except IqTimeout:
            raise Refused("timeout") from None
        return next(iter(answer.xml), None)

    async def enter(self, room, nick, *extensions, password=None):
        """Joins; the presences' element that shows it."""
        mine = asyncio.get_running_loop().create_future()
        self._presences[f"{room}/{nick}"] = mine
        secret = [node(MUC, "password", text=password)] if password else []
        self.show(room, nick, node(MUC, "x", None, *secret), *extensions)
        return await asyncio.wait_for(mine, TIMEOUT)

    def show(self, room, nick, *extensions, kind=None):
        presence = node(CLIENT, "presence", {"to": f"{room}/{nick}", "type": kind})
        presence.extend(extensions)
        self.send(presence)

    def say(self, to, kind, *children):
        message = node(CLIENT, "message", {"to": to, "type": kind})
        message.extend(children)
        self.send(message)

    def _presence_came(self, presence):
        waiting = self._presences.get(presence.xml.get("from"))
        if waiting is None or waiting.done():
            return
        if presence.xml.get("type") == "error":
            error = find(presence.xml, CLIENT, "error")
            waiting.set_exception(Refused(error[0].tag.split("}")[1], element=error))
        elif "110" in statuses(presence.xml):
            waiting.set_result(presence.xml)

    async def close(self):
        await end(self.client)

    def cut(self):
        """Loses its connection, without words."""
        self.client.abort()


async def end(client):
    """Ends a connection, or what is left of it."""
    await client.disconnect(wait=1)
    # Otherwise it is cancelled when the client is collected, on a loop that is closed by then.
    filters = client._run_out_filters  # noqa: SLF001
    filters.cancel()
    await asyncio.gather(filters, return_exceptions=True)


def statuses(presence):
    """The codes that a room put into a presence."""
    told = find(presence, MUC_USER, "x")
    return set() if told is None else {
        one.get("code") for one in find_all(told, MUC_USER, "status")}


def on_request(client, namespace, name, work):
    """The same for a component."""
    tasks = set()

    async def answer(request):
        reply = request.reply()
        try:
            made = await work(request.xml.get("from"), find(request.xml, namespace, name))
            if made is not None:
                reply.append(made)
        except Refused as refusal:
            reply = request.reply(clear=True)
            reply["type"] = "error"
            reply["error"]["type"] = "cancel"
            reply["error"]["condition"] = refusal.condition
            if refusal.words:
                reply["error"]["text"] = refusal.words
            if refusal.element is not None:
                reply["error"].append(refusal.element)
        reply.send()

    def came(request):
        if request["type"] in ("set", "get"):
            task = asyncio.ensure_future(answer(request))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

    path = f"{{{client.default_ns}}}iq/{{{namespace}}}{name}"
    client.register_handler(Callback(f"jitsi {name}", MatchXPath(path), came))
