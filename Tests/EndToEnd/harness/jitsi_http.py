"""Conference requests by HTTP, as jicofo's Application.kt takes them."""

import asyncio
import json

from .jitsi_xmpp import Refused

PATH = "/conference-request/v1"


class RequestServer:
    """`answer(room)` makes the object that is answered, or raises Refused. `requests` has those that
    came."""

    def __init__(self, answer):
        self.requests = []
        self._answer = answer

    async def listen(self):
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _serve(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        lines = head.split("\r\n")
        headers = {name.lower(): value.strip()
                   for name, _, value in (line.partition(":") for line in lines[1:])}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        status, kind, said = await self._take(lines[0], body)
        writer.write(
            f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(said)}\r\n"
            "Connection: close\r\n\r\n".encode() + said)
        await writer.drain()
        writer.close()

    async def _take(self, line, body):
        if not line.startswith(f"POST {PATH} "):
            return "404 Not Found", "text/plain", b""
        request = json.loads(body)
        self.requests.append(request)
        try:
            answer = await self._answer(request.get("room"))
        except Refused as refusal:
            match refusal.condition:
                case "not-authorized":
                    return "403 Forbidden", "text/plain", b"403 Forbidden"
                case "not-acceptable":
                    return "400 Bad Request", "text/plain", b"400 invalid-session"
                case condition:
                    return "400 Bad Request", "text/plain", condition.encode()
        return "200 OK", "application/json", json.dumps(answer).encode()

    def close(self):
        self._server.close()
