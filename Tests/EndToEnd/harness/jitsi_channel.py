"""The bridge's channels: JSON texts over SCTP's data channel or over a WebSocket."""

import contextlib
import json
import secrets
from urllib.parse import parse_qs, urlsplit

from websockets.asyncio.server import serve
from websockets.exceptions import ConnectionClosed


class Channel:
    """What one endpoint hears and says, however it came. `heard` has the messages as they were."""

    def __init__(self, hear):
        self.heard = []
        self.told = []
        self.kinds = []  # "sctp" or "websocket", for each time that it was opened
        self._hear = hear
        self._send = None

    def opened(self, kind, send):
        self.kinds.append(kind)
        self._send = send

    def closed(self):
        self._send = None

    async def take(self, text):
        message = json.loads(text)
        self.heard.append(message)
        if message["colibriClass"] == "ClientHello":
            await self.tell({"colibriClass": "ServerHello", "version": "2.3.test"})
        await self._hear(message)

    async def tell(self, message):
        """Nobody hears it without a channel, as with the videobridge."""
        if self._send:
            self.told.append(message)
            await self._send(json.dumps(message))

    def of(self, kind):
        """The messages that were heard of that class."""
        return [one for one in list(self.heard) if one["colibriClass"] == kind]


class SocketServer:
    """Where WebSockets to the bridge lead: `/colibri-ws/<server>/<conference>/<endpoint>?pwd=…`."""

    def __init__(self):
        self._expected = {}  # channels, by path and password

    async def listen(self):
        self._server = await serve(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    def address(self, conference, endpoint, channel):
        path, password = f"/colibri-ws/default-id/{conference}/{endpoint}", secrets.token_hex(12)
        self._expected[path, password] = channel
        return f"ws://127.0.0.1:{self.port}{path}?pwd={password}"

    async def _serve(self, socket):
        found = urlsplit(socket.request.path)
        channel = self._expected.get((found.path, parse_qs(found.query).get("pwd", [""])[0]))
        if channel is None:
            return await socket.close(1011, "no such endpoint")
        channel.opened("websocket", socket.send)
        await channel.tell({"colibriClass": "ServerHello", "version": "2.3.test"})
        with contextlib.suppress(ConnectionClosed):
            async for text in socket:
                await channel.take(text)
        channel.closed()

    def close(self):
        self._server.close()
