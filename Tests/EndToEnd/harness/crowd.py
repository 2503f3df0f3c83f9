"""Many peers of one room on one event loop: signalling alone, as fast as one process can read."""

import asyncio
import json
import socket
import time
from urllib.parse import urlencode

from websockets.asyncio.client import connect

from . import tokens

JOINING = 50  # at once
TIMEOUT = 120  # s
PING = 3  # s, as clients do
SMALL = 4096  # bytes that wait unread in the system for who never reads


class Member:
    """One socket. It counts frames by method, and keeps the delays of messages."""

    def __init__(self, crowd, number, reads=True):
        self.crowd = crowd
        self.peer_id = f"member-{number}"
        self.reads = reads
        self.counts = {}
        self.delays = []
        self.joined = asyncio.Event()
        self.closed = None

    async def join(self):
        server = self.crowd.server
        token = tokens.room_token(self.crowd.room, user=self.peer_id, role=self.crowd.role)
        query = urlencode({"peer": self.peer_id, "token": token})
        raw = socket.socket()
        if not self.reads:
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
        raw.setblocking(False)
        await asyncio.get_running_loop().sock_connect(raw, (server.host, server.port))
        self.socket = await connect(
            f"ws://{server.host}:{server.port}/ws?{query}", sock=raw, max_size=None,
            compression=None, proxy=None, ping_interval=None, open_timeout=TIMEOUT, close_timeout=1,
            max_queue=4)
        await self.call("join", {"name": self.peer_id, "data": ""})
        if self.reads:
            self.tasks = [asyncio.create_task(self._read()), asyncio.create_task(self._ping())]
            async with asyncio.timeout(TIMEOUT):
                await self.joined.wait()

    async def call(self, method, params):
        await self.socket.send(json.dumps(
            {"method": method, "params": params, "id": method, "jsonrpc": "2.0"}))

    async def _ping(self):
        while True:
            await asyncio.sleep(PING)
            await self.call("ping", {"timestamp": 1})

    async def _read(self):
        try:
            async for text in self.socket:
                # Most frames are broadcasts; the fields that matter are near their ends.
                method = _between(text, '"method":"')
                self.counts[method] = self.counts.get(method, 0) + 1
                if method == "on-broadcast":
                    self.delays.append(time.monotonic() - float(_between(text, "sent at ", " ")))
                elif method is None and '"id":"join"' in text:
                    assert '"error"' not in text, text
                    self.joined.set()
        finally:
            self.closed = self.socket.close_code

    async def leave(self):
        for task in getattr(self, "tasks", []):
            task.cancel()
        self.socket.transport.abort()


class Crowd:
    """Peers that join `room`, as many at a time as a busy minute brings."""

    def __init__(self, server, room, role="viewer"):
        self.server, self.room, self.role = server, room, role
        self.members = []

    async def join(self, count):
        places = asyncio.Semaphore(JOINING)

        async def join(member):
            async with places:
                await member.join()

        members = [Member(self, len(self.members) + number) for number in range(count)]
        async with asyncio.TaskGroup() as group:
            for member in members:
                group.create_task(join(member))
        self.members += members

    async def join_without_reading(self):
        member = Member(self, len(self.members), reads=False)
        await member.join()
        self.members.append(member)
        return member

    @property
    def readers(self):
        return [member for member in self.members if member.reads]

    async def say(self, sender, padding):
        """A message to all peers, and the time at which it has reached all."""
        counts = [len(member.delays) for member in self.readers]
        message = f"sent at {time.monotonic()} {'x' * padding}"
        await sender.call("broadcast", {"info": {"message": message}})

        def is_heard():
            return all(
                len(member.delays) > count or member is sender
                for member, count in zip(self.readers, counts))

        await self.until(is_heard)

    async def until(self, is_so):
        async with asyncio.timeout(TIMEOUT):
            while not is_so():
                await asyncio.sleep(0.01)

    async def leave(self):
        await asyncio.gather(*(member.leave() for member in self.members))


def _between(text, begin, end='"'):
    start = text.find(begin)
    if start < 0:
        return None
    start += len(begin)
    return text[start:text.find(end, start)]
