"""Clients of ours come back to a server that was restarted and knows nothing of them."""

from harness import chromium
from harness.publisher import Publisher
from harness.scene import CLIPS
from harness.server import Server
from harness.signalling import Peer
from harness.waiting import wait_for

TIMEOUT = 60  # s; a client tries for so long


def publishing(server, room):
    """The names of those who publish."""
    peer = Peer(server, room, "Looker", role="host")
    try:
        assert "result" in peer.join()
        others = peer.wait_for("peer-list")["peers"].values()
        return {other["info"]["name"] for other in others if other.get("tracks")}
    finally:
        peer.leave()


def frames(person):
    """How many pictures of others its present connections have decoded."""
    return sum(stream["framesDecoded"] for stream in person.inbound("video"))


def test_a_publisher_joins_again(binary, room, tmp_path):
    server = Server(tmp_path)
    try:
        with Publisher(server, room, CLIPS / "ben.webm") as publisher:
            wait_for("it publishes", lambda: publishing(server, room), TIMEOUT)
            server.kill()
            server = Server(tmp_path, port=server.port)
            wait_for("it publishes again", lambda: publishing(server, room), TIMEOUT)
            assert publisher.is_there()
    finally:
        server.stop()


def test_two_pages_see_each_other_again(binary, browser, room, tmp_path):
    server = Server(tmp_path)
    try:
        people = [chromium.Participant(browser, server, room, name) for name in ("Ann", "Ben")]
        ann, ben = people
        ann.wait_for_picture_of("Ben")
        ben.wait_for_picture_of("Ann")
        server.kill()
        server = Server(tmp_path, port=server.port)
        wait_for("both publish again", lambda: publishing(server, room) == {"Ann", "Ben"}, TIMEOUT)
        for person, other in [(ann, "Ben"), (ben, "Ann")]:
            before = frames(person)
            wait_for(f"{person.name} sees pictures again", lambda: frames(person) > before + 15,
                     TIMEOUT)
            assert [tile["name"] for tile in person.tiles() if not tile["isLocal"]] == [other]
        for person in people:
            person.leave()
            assert person.errors == []
    finally:
        server.stop()
