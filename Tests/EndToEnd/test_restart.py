"""Clients of ours come back to a server that was restarted and knows nothing of them."""

from harness.publisher import Publisher
from harness.scene import CLIPS
from harness.server import Server
from harness.signalling import Peer
from harness.waiting import wait_for

TIMEOUT = 60  # s; a client tries for so long


def is_publishing(server, room):
    peer = Peer(server, room, "Looker", role="host")
    try:
        assert "result" in peer.join()
        others = peer.wait_for("peer-list")["peers"].values()
        return any(other.get("tracks") for other in others)
    finally:
        peer.leave()


def test_a_publisher_joins_again(binary, room, tmp_path):
    server = Server(tmp_path)
    try:
        with Publisher(server, room, CLIPS / "ben.webm") as publisher:
            wait_for("it publishes", lambda: is_publishing(server, room), TIMEOUT)
            server.kill()
            server = Server(tmp_path, port=server.port)
            wait_for("it publishes again", lambda: is_publishing(server, room), TIMEOUT)
            assert publisher.is_there()
    finally:
        server.stop()
