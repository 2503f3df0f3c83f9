"""Many viewers of low latency at once, each waiting at the server for a part."""

import selectors
import socket
import time

from .low_latency import parse

HEADER_END = b"\r\n\r\n"


class Waiters:
    """`count` requests for a part that is to come a few segments later."""

    def __init__(self, server, path, count):
        number = parse(server.http.get(path).body.decode()).next + 1
        request = (f"GET {path}?_HLS_msn={number}&_HLS_part=0 HTTP/1.1\r\n"
                   f"Host: {server.host}\r\nConnection: close\r\n\r\n").encode()
        self._selector = selectors.DefaultSelector()
        self._all = []
        self.answers = []  # what each got until its connection was closed, maybe nothing
        for _ in range(count):
            one = socket.create_connection((server.host, server.port), 30)
            one.sendall(request)
            one.setblocking(False)
            self._selector.register(one, selectors.EVENT_READ, bytearray())
            self._all.append(one)

    def wait(self, seconds):
        """Until all connections are closed; how long that took."""
        begin = time.monotonic()
        while self._selector.get_map() and time.monotonic() < begin + seconds:
            for key, _ in self._selector.select(0.5):
                try:
                    data = key.fileobj.recv(1 << 20)
                except ConnectionResetError:
                    data = b""
                if data:
                    key.data.extend(data)
                    continue
                self._selector.unregister(key.fileobj)
                self.answers.append(bytes(key.data))
        return time.monotonic() - begin

    @property
    def left(self):
        """How many connections are still open."""
        return len(self._selector.get_map())

    def statuses(self):
        """The status of each answer, 0 for a connection that was closed without a whole one."""
        return [self._status(one) for one in self.answers]

    @staticmethod
    def _status(answer):
        head, found, body = answer.partition(HEADER_END)
        if not found:
            return 0
        lines = head.decode("latin-1").lower().split("\r\n")
        fields = dict(line.split(": ", 1) for line in lines[1:])
        is_whole = fields.get("transfer-encoding") == "chunked" or (
            len(body) == int(fields.get("content-length", 0)))
        return int(lines[0].split()[1]) if is_whole else 0

    def close(self):
        for one in self._all:
            one.close()
        self._selector.close()
