"""A peer in another room, which measures the delay of each ping's answer.

It is a process of its own, so that the attackers' work does not hold it up. Prints one JSON line
when its standard input ends.
"""

import json
import sys
import threading
import time

from harness import signalling

INTERVAL = 0.1  # s


class Address:
    def __init__(self, host, port):
        import socket
        self.host, self.port = host, port
        self.http = self
        self.connect = lambda host, port: socket.create_connection((host, port), 10)


def main(host, port):
    peer = signalling.Peer(Address(host, int(port)), "quiet", "Quinn", role="host")
    peer.join()
    is_over = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), is_over.set()), daemon=True).start()
    took = []
    while not is_over.wait(INTERVAL):
        peer.notifications.clear()
        begin = time.monotonic()
        peer.call("ping", {"timestamp": 1})
        took.append((time.monotonic() - begin) * 1000)
    took.sort()
    print(json.dumps({"pings": len(took), "median_ms": round(took[len(took) // 2], 1),
                      "p95_ms": round(took[int(len(took) * 0.95)], 1),
                      "p99_ms": round(took[int(len(took) * 0.99)], 1),
                      "worst_ms": round(took[-1], 1)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
