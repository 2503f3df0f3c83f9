"""A room with its page in one of the browsers, and with bare sockets as the others in it."""

from .room_page import TIMEOUT, InChromium, InFirefox
from .signalling import DATA_CHANNEL_OFFER, Peer
from .waiting import wait_for

ANNOUNCING_TIMEOUT = 60  # s
PUBLISHING_TIMEOUT = 60  # s until what a page publishes is with others
HAND = "_handraise"  # the group of those who raise theirs
ANNOUNCED = """() => [...document.querySelectorAll("[role=status]")]
  .map((node) => node.textContent).join()"""


class World:
    """Closes everything opened here at the end, and reports errors on the pages."""

    def __init__(self, server, room, browser, is_firefox):
        self.server = server
        self.room = room
        self._browser = browser
        self._kind = InFirefox if is_firefox else InChromium
        self._pages = []
        self._peers = []

    def page(self, **options):
        """A blank one. Firefox has only one at a time."""
        self._pages.append(self._kind(self._browser, **options))
        return self._pages[-1]

    def open(self, name="Ann", role="host", **options):
        """A page in the room."""
        page = self.page(**options)
        page.enter(self.server, self.room, name, role)
        return page

    def connect(self, name, role="guest", tracks=()):
        """Another peer in the room."""
        peer = Peer(self.server, self.room, name, role=role)
        self._peers.append(peer)
        assert "result" in peer.join()
        if tracks:
            publish(peer, *tracks)
        return peer

    def close(self):
        for one in [*self._peers, *self._pages]:
            one.close()
        assert [page.errors for page in self._pages if page.errors] == []


def publish(peer, *tracks):
    """Announces tracks without ever sending a packet: a microphone (a1), a camera (v1) or a screen
    (s1)."""
    payloads = {
        track: {"track_id": track, "stream_id": "stream", "description": "", "mute": False,
                "type": "audio" if track.startswith("a") else "video",
                "source": "screen" if track.startswith("s") else "regular"}
        for track in tracks
    }
    assert "result" in peer.call("offer", {
        "desc": {"type": "offer", "sdp": DATA_CHANNEL_OFFER}, "tracks": payloads})


def heard(peer, method, timeout=TIMEOUT, **params):
    """The notification in which all of this stands."""
    return peer.wait_for(
        method, lambda said: all(said.get(key) == value for key, value in params.items()), timeout)


def peer_of(peer, name):
    """The id of a peer in the room."""
    def listed():
        answer = peer.call("peer-name-search", {"query": name})["result"]["peers"]
        return answer and answer[0]["peer_id"]

    return wait_for(f"{name} is listed", listed, TIMEOUT)


def announced(page, text):
    """Told to a screen reader, now or before."""
    wait_for(f"'{text}' is said", lambda: text in page.evaluate(ANNOUNCED) or any(
        text in one for one in page.evaluate("() => window.announcements")), ANNOUNCING_TIMEOUT)


def run_poll(peer, *questions, title="Lunch?"):
    """Another peer's poll, with questions in the wire format. Returns its id."""
    poll = peer.call("poll-info-set", {"title": title})["result"]["poll_id"]
    asked = peer.call("poll-questions-set", {"poll_id": poll, "questions": list(questions)})
    assert asked["result"]["total_questions"] == len(questions)
    assert "result" in peer.call("poll-start", {"poll_id": poll})
    return poll


def question(text, kind, *options):
    return {"question": {"text": text, "type": kind},
            "options": [{"text": option} for option in options]}
