"""A bad network in user space, since not every kernel has one (tc-netem): the way from some
browsers to a server's media port, which can be narrow, long, and lose packets.

It listens at an address of its own, on the server's port, and passes datagrams on, each client's
from a socket of its own, so that the server knows clients apart. The address is on no interface of
the namespace: who comes from there is on another machine as far as the server can see, which does
not measure what its own machine carries.
"""

import json
import random
import selectors
import socket
import subprocess
import sys
import time
from collections import deque
from dataclasses import asdict, dataclass

HEADERS = 28  # bytes of IP and UDP
MAXIMUM = 2048  # bytes of a datagram
IDLE = 1.0  # s
END_TIMEOUT = 10  # s

# What the server says of its own address is said of the way's.
DETOUR = """
(() => {
  const prototype = RTCPeerConnection.prototype;
  const original = prototype.setRemoteDescription;
  prototype.setRemoteDescription = function ({ type, sdp }) {
    return original.call(this, { type, sdp: sdp.replaceAll("%s", "%s") });
  };
})();
"""


@dataclass(frozen=True)
class Conditions:
    """Of one direction."""

    rate: float | None = None  # kbit/s at which datagrams leave; None: at once
    queue: float = 0.3  # s for which the last of the datagrams that wait has to, at that rate
    loss: float = 0.0  # share of datagrams, 0 to 1
    delay: float = 0.0  # s


class Way:
    """All who go this way share what it carries, as a household does its line."""

    def __init__(self, server, address, seed=1):
        """The server must be in a network namespace; the address is to be nobody's there."""
        self._server_address = server.settings["ROOMCAST_UDP_HOST"]
        self._address = address
        # The loopback takes datagrams to the address without having it.
        subprocess.run(
            [*server.prefix, "ip", "route", "replace", "local", address, "dev", "lo"], check=True)
        self._process = subprocess.Popen(
            [*server.prefix, sys.executable, __file__, address, self._server_address,
             str(server.media_port), str(seed)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self._await_answer()

    @property
    def script(self):
        """For a page whose connections are to go this way."""
        return DETOUR % (self._server_address, self._address)

    def become(self, down=Conditions(), up=Conditions()):
        """The conditions from the server and to it, from when this returns."""
        self._process.stdin.write(json.dumps({"down": asdict(down), "up": asdict(up)}) + "\n")
        self._process.stdin.flush()
        self._await_answer()

    def _await_answer(self):
        answer = self._process.stdout.readline()
        assert answer == "ready\n", f"the way has ended, said {answer!r}"

    def close(self):
        self._process.stdin.close()  # it reads the end and goes
        self._process.stdout.close()
        try:
            self._process.wait(END_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class Link:
    """One direction: loss, then a bottleneck whose queue drops what comes last, then delay."""

    def __init__(self, seed):
        self.conditions = Conditions()
        self._random = random.Random(seed)
        self._queue = deque()  # (when it came, datagram, how to send it)
        self._queued = 0  # bytes
        self._free_at = 0.0  # when the bottleneck has let its last datagram go
        self._travelling = deque()  # (when it arrives, datagram, how to send it)

    def take(self, datagram, send, now):
        conditions = self.conditions
        if self._random.random() < conditions.loss:
            return
        size = len(datagram) + HEADERS
        if conditions.rate and self._duration(self._queued + size) > conditions.queue:
            return
        self._queue.append((now, datagram, send))
        self._queued += size
        self.work(now)

    def work(self, now):
        """Sends what is due, and gives when there will be more; None where nothing waits."""
        while self._queue and self._free_at <= now:
            came, datagram, send = self._queue.popleft()
            size = len(datagram) + HEADERS
            self._queued -= size
            self._free_at = max(self._free_at, came) + self._duration(size)
            self._travelling.append((self._free_at + self.conditions.delay, datagram, send))
        while self._travelling and self._travelling[0][0] <= now:
            _, datagram, send = self._travelling.popleft()
            send(datagram)
        due = [self._travelling[0][0]] if self._travelling else []
        due += [self._free_at] if self._queue else []
        return min(due, default=None)

    def _duration(self, size):
        rate = self.conditions.rate
        return size * 8 / (rate * 1000) if rate else 0.0


class Relay:
    """What the process does: two links, and a socket for each client."""

    def __init__(self, address, server, port, seed):
        self.server = (server, port)
        self.address = address
        self.links = {"up": Link(seed), "down": Link(seed + 1)}
        self.entrance = self._socket(port)
        self.exits = {}  # client's address → socket
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.entrance, selectors.EVENT_READ, self._from_clients)
        self.selector.register(sys.stdin, selectors.EVENT_READ, None)

    def _socket(self, port):
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.bind((self.address, port))
        made.setblocking(False)
        return made

    def run(self):
        print("ready", flush=True)
        while True:
            due = [link.work(time.monotonic()) for link in self.links.values()]
            next_due = min((one for one in due if one is not None), default=None)
            wait = IDLE if next_due is None else max(0.0, next_due - time.monotonic())
            for key, _ in self.selector.select(wait):
                if key.data:
                    key.data()
                elif not self._obey(sys.stdin.readline()):
                    return

    def _obey(self, line):
        if line:
            for name, conditions in json.loads(line).items():
                self.links[name].conditions = Conditions(**conditions)
            print("ready", flush=True)
        return line

    def _from_clients(self):
        for datagram, client in _received(self.entrance):
            self.links["up"].take(datagram, self._exit(client), time.monotonic())

    def _exit(self, client):
        """How to send on what comes from a client."""
        if client not in self.exits:
            self.exits[client] = self._socket(0)
            self.exits[client].connect(self.server)
            back = _sender(self.entrance, client)

            def from_server(socket=self.exits[client]):
                for datagram, _ in _received(socket):
                    self.links["down"].take(datagram, back, time.monotonic())

            self.selector.register(self.exits[client], selectors.EVENT_READ, from_server)
        return _sender(self.exits[client], self.server)


def _received(socket):
    """All that has arrived. Nobody may be there any more to whom something was sent."""
    while True:
        try:
            yield socket.recvfrom(MAXIMUM)
        except BlockingIOError:
            return
        except ConnectionRefusedError:
            continue


def _sender(socket, address):
    def send(datagram):
        try:
            socket.sendto(datagram, address)
        except (BlockingIOError, ConnectionRefusedError):
            pass  # lost, as on any network

    return send


if __name__ == "__main__":
    address, server, port, seed = sys.argv[1:]
    Relay(address, server, int(port), int(seed)).run()
