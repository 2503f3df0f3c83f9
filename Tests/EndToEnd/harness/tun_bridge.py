"""A process that forwards IP packets through two links, from one TUN device to another.

    python -m harness.tun_bridge SERVER VIEWER SEED

Both are descriptors of devices that are open. passage.py tells how it is controlled.
"""

import os
import selectors
import sys
import time

from .passage import Forwarder

MAXIMUM = 65536  # bytes of a packet


class Bridge(Forwarder):
    def __init__(self, server, viewer, seed):
        super().__init__(seed, headers=0)  # they are in the packets
        self._join(server, viewer, self.links["down"])
        self._join(viewer, server, self.links["up"])

    def _join(self, begin, end, link):
        def send(packet):
            try:
                os.write(end, packet)
            except OSError:
                pass  # lost, as on any network

        def arrived():
            for packet in _received(begin):
                link.take(packet, send, time.monotonic())

        self.selector.register(begin, selectors.EVENT_READ, arrived)


def _received(device):
    """All that has arrived."""
    while True:
        try:
            yield os.read(device, MAXIMUM)
        except BlockingIOError:
            return


if __name__ == "__main__":
    Bridge(*map(int, sys.argv[1:])).run()
