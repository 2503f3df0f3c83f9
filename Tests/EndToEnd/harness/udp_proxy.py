"""A process that forwards datagrams through two links, each client's from a separate socket, so
that the server can tell clients apart.

    python -m harness.udp_proxy ADDRESS SERVER PORT SEED

It listens at the address, on the server's port. passage.py tells how it is controlled.
"""

import selectors
import socket
import sys
import time

from .passage import Forwarder

HEADERS = 28  # bytes of IP and UDP
MAXIMUM = 2048  # bytes of a datagram


class Proxy(Forwarder):
    def __init__(self, address, server, port, seed):
        super().__init__(seed, HEADERS)
        self.server = (server, port)
        self.address = address
        self.entrance = self._socket(port)
        self.exits = {}  # client's address → socket
        self.selector.register(self.entrance, selectors.EVENT_READ, self._from_clients)

    def _socket(self, port):
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.bind((self.address, port))
        made.setblocking(False)
        return made

    def _from_clients(self):
        for datagram, client in _received(self.entrance):
            self.links["up"].take(datagram, self._exit(client), time.monotonic())

    def _exit(self, client):
        """Returns a way to forward a client's datagrams."""
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
    Proxy(address, server, int(port), int(seed)).run()
