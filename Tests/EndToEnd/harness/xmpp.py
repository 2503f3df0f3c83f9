"""Both ends of XMPP: our client as `xmpp-probe`, slixmpp as a stranger, servers that misbehave."""

import asyncio
import contextlib
import itertools
import json
import queue
import socket
import subprocess
import threading

import slixmpp

from .machine import clock
from .own_loop import OnItsOwnLoop
from .server import BINARY, environment

PROBE = BINARY.with_name("xmpp-probe")
TIMEOUT = 30  # s


class Probe:
    """Our client's program. `client` is one of the clients that it may hold."""

    def __init__(self, name="one", process=None):
        self.name = name
        self.process = process or subprocess.Popen(
            [PROBE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
            env=environment())
        self._events = queue.SimpleQueue()
        self.seen = []
        self._ids = itertools.count()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self._events.put(json.loads(line))
        self._events.put(None)

    def order(self, order, **more):
        line = {"client": more.pop("client", self.name), "order": order} | more
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()

    def connect(self, server, **more):
        """To a Prosody by TCP, or wherever `more` says, as `jibri` of auth.test."""
        client = {"client": more.pop("client")} if "client" in more else {}
        defaults = {"host": "127.0.0.1", "domain": "auth.test", "user": "jibri",
                    "password": "pass word ü"}
        if server is not None:
            defaults |= {"port": server.port, "authorities": str(server.authority.file)}
        settings = defaults | more
        self.order("connect", server={key: value for key, value in settings.items()
                                      if value is not None}, **client)

    def wait(self, event, timeout=TIMEOUT, **fields):
        """The next event of that name with those fields; those before it are in `seen`."""
        deadline = clock() + timeout
        while True:
            left = deadline - clock()
            try:
                found = self._events.get(timeout=max(0.01, min(left, 1)))
            except queue.Empty:
                assert left > 0, f"no {event} {fields} in {timeout} s; {self.seen[-8:]}"
                continue
            assert found is not None, f"the probe died: {self.seen[-8:]}"
            self.seen.append(found)
            if found["event"] == event and all(
                    found.get(key) == value for key, value in fields.items()):
                return found

    def hear(self):
        """What the next message in a room says; those without words set the subject."""
        while True:
            found = self.wait("room", case="message")
            if "body" in found:
                return found["body"]

    def ask(self, xml, to=None, kind="get", timeout=15):
        """The answer, or the failure, to a request."""
        name = f"ask{next(self._ids)}"
        self.order("ask", id=name, xml=[xml], to=to, kind=kind, timeout=timeout)
        deadline = clock() + TIMEOUT
        while clock() < deadline:
            found = self._events.get(timeout=TIMEOUT)
            assert found is not None, "the probe died"
            self.seen.append(found)
            if found.get("id") == name:
                return found
        raise AssertionError("no answer")

    def enter(self, room, nick, **more):
        self.order("enter", room=room, nick=nick, **more)

    def close(self):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        try:
            self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Stranger(OnItsOwnLoop):
    """slixmpp with an account of a Prosody."""

    def __init__(self, prosody, address="focus@auth.test", password="focus"):
        self.messages = queue.SimpleQueue()
        self._begin(self._connect(prosody, address, password))

    async def _connect(self, prosody, address, password):
        self.client = slixmpp.ClientXMPP(address, password)
        self.client.loop = asyncio.get_running_loop()
        self.client.ca_certs = str(prosody.authority.file)
        for plugin in ["xep_0030", "xep_0045", "xep_0115", "xep_0199"]:
            self.client.register_plugin(plugin)
        self.client.add_event_handler(
            "groupchat_message", lambda message: self.messages.put(message))
        online = asyncio.Event()
        self.client.add_event_handler("session_start", lambda _: online.set())
        self.client.connect("127.0.0.1", prosody.port)
        await asyncio.wait_for(online.wait(), TIMEOUT)
        self.client.send_presence()
        self.muc = self.client.plugin["xep_0045"]

    async def _close(self):
        await self.client.disconnect(wait=1)
        # Otherwise it is cancelled when the client is collected, on a loop that is closed by then.
        filters = self.client._run_out_filters
        filters.cancel()
        await asyncio.gather(filters, return_exceptions=True)

    @property
    def address(self):
        return str(self.client.boundjid)

    def do(self, work):
        """The result of a coroutine that `work` makes, on the client's loop."""
        async def run():
            found = work()
            return await found if asyncio.iscoroutine(found) or asyncio.isfuture(found) else found
        return self._run(run())

    def begin(self, work):
        """The future of a coroutine that `work` makes."""
        return asyncio.run_coroutine_threadsafe(work(), self._loop)

    def enter(self, room, nick, **settings):
        """Enters a room, and opens it to others where it is new."""
        self.do(lambda: self.muc.join_muc_wait(room, nick, timeout=TIMEOUT))
        self.configure(room, **settings)

    def configure(self, room, **settings):
        async def work():
            form = self.client.plugin["xep_0004"].make_form(ftype="submit")
            form.add_field(var="FORM_TYPE", ftype="hidden",
                           value="http://jabber.org/protocol/muc#roomconfig")
            for name, value in settings.items():
                form.add_field(var=f"muc#roomconfig_{name}", value=value)
            await self.muc.set_room_config(room, form)
        self.do(work)

    def say(self, room, *bodies):
        def work():
            for body in bodies:
                self.client.send_message(room, body, mtype="groupchat")
        self.do(work)

    def nicks(self, room):
        return set(self.do(lambda: self.muc.get_roster(room)))


class Impostor:
    """A server that says what `play(connection)` does to each connection."""

    def __init__(self, play):
        self._play = play
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        with contextlib.suppress(OSError), connection:
            connection.settimeout(TIMEOUT)
            self._play(connection)

    def close(self):
        # Also while the thread waits for connections.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
