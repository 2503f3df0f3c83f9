"""Many viewers of one server in one process: sockets that stay open, and one epoll."""

import selectors
import socket
import struct
import time
from urllib.parse import urlsplit

from .job import Unfit

PIECE = 1 << 20
HEADER_END = b"\r\n\r\n"
# Linux's <asm-generic/socket.h>; Python has no name for it. It makes the kernel tell when it received
# what is read, as seconds and nanoseconds.
SO_TIMESTAMPNS = 35
TIMESTAMP = struct.Struct("qq")


class Viewer:
    """One connection. `body` is that of the newest answer; `taken` seconds after its request. At
    `arrived`, a time of the wall clock, the kernel had its last byte: this process may read it later."""

    def __init__(self, host, port):
        self.socket = socket.create_connection((host, port), timeout=10)
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.asked = None
        self.status, self.body, self.taken = 0, b"", 0.0
        self.arrived = 0.0
        self._head, self._left, self._pieces = b"", None, []

    def ask(self, host, path, fields=""):
        self.socket.send(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{fields}\r\n".encode())
        self.asked = time.monotonic()

    def read(self):
        """Whether the answer is complete."""
        while True:
            try:
                data, notes, _, _ = self.socket.recvmsg(
                    PIECE, socket.CMSG_SPACE(TIMESTAMP.size))
            except BlockingIOError:
                return False
            if not data:
                raise Unfit("the server has closed a viewer's connection")
            for level, kind, note in notes:
                if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS):
                    seconds, nanoseconds = TIMESTAMP.unpack(note)
                    self.arrived = seconds + 1e-9 * nanoseconds
            if self._left is None:
                self._head += data
                head, found, data = self._head.partition(HEADER_END)
                if not found:
                    continue
                lines = head.decode("latin-1").split("\r\n")
                fields = dict(line.lower().split(": ", 1) for line in lines[1:])
                self.status = int(lines[0].split()[1])
                self._left, self._head = int(fields.get("content-length", 0)), b""
            self._pieces.append(data)
            self._left -= len(data)
            if self._left <= 0:
                self.taken = time.monotonic() - self.asked
                self.body, self._pieces, self._left = b"".join(self._pieces), [], None
                self.asked = None
                return True


class Viewers:
    def __init__(self, base, count):
        parts = urlsplit(base)
        self.host = parts.netloc
        self.selector = selectors.EpollSelector()
        self.all = []
        for _ in range(count):
            viewer = Viewer(parts.hostname, parts.port)
            self.selector.register(viewer.socket, selectors.EVENT_READ, viewer)
            self.all.append(viewer)

    def answered(self, timeout):
        """Those whose answers have become complete within the time."""
        for key, _ in self.selector.select(timeout):
            if key.data.read():
                yield key.data

    def paced(self, path, interval, seconds, fields=""):
        """Each asks once an interval, evenly spread. Gives the seconds of all answers."""
        begin, due, taken, free = time.monotonic(), 0, [], list(self.all)
        step = interval / len(self.all)
        while (now := time.monotonic() - begin) < seconds:
            while due * step <= now and free:
                free.pop(0).ask(self.host, path, fields)
                due += 1
            for viewer in self.answered(max(0, min(due * step - now, 0.01))):
                if viewer.status != 200:
                    raise Unfit(f"{viewer.status} for {path}")
                taken.append(viewer.taken)
                free.append(viewer)
        if due * step < 0.9 * seconds:
            raise Unfit(f"{due} requests in {seconds} s are too few: the viewers are too slow")
        return taken

    def close(self):
        for viewer in self.all:
            self.selector.unregister(viewer.socket)
            viewer.socket.close()
