"""A real publisher that a host moderates: its role changes, and it is asked to mute its tracks."""

import pytest
from harness.publisher import Publisher
from harness.scene import CLIPS
from harness.waiting import wait_for

PUBLISHING_TIMEOUT = 60  # s
PAUSE = 0.3  # s in which what was caused has come


@pytest.fixture
def host(connect):
    host = connect("Ann", role="host")
    assert "result" in host.join()
    return host


def ask(peer, method, **params):
    answer = peer.call(method, params)
    assert "result" in answer, answer
    return answer["result"]


def tracks_of(peer, publisher):
    """The kinds of a peer's tracks, as announced to this peer."""
    peer.drain(PAUSE)
    tracks = {}
    for message in peer.notifications:
        params = message["params"]
        if params.get("peer", {}).get("peer_id") != publisher:
            continue
        if message["method"] == "on-track-add":
            tracks |= {name: track["type"] for name, track in params["tracks"].items()}
        elif message["method"] == "on-track-remove":
            tracks = {name: kind for name, kind in tracks.items() if name not in params["tracks"]}
    return sorted(tracks.values())


def test_a_publisher_sends_what_its_role_of_the_moment_may(server, room, host):
    with Publisher(server, room, CLIPS / "ben.webm", name="Ben") as publisher:
        ben = host.wait_for("on-track-add", timeout=PUBLISHING_TIMEOUT)["peer"]["peer_id"]
        for role, tracks in [("viewer", []), ("host", ["audio", "video"]), ("viewer", [])]:
            ask(host, "role-change-request", requested_for=ben, role=role, force=True)
            wait_for(f"Ben publishes as {role}",
                     lambda tracks=tracks: tracks_of(host, ben) == tracks, PUBLISHING_TIMEOUT)
        assert publisher.is_there()


def test_a_publisher_does_what_it_is_asked(server, room, host):
    with Publisher(server, room, CLIPS / "ben.webm", name="Ben"):
        joined = host.wait_for("on-track-add", lambda added: len(added["tracks"]) == 2,
                               timeout=PUBLISHING_TIMEOUT)
        ben = joined["peer"]["peer_id"]
        tracks = {track["type"]: track for track in joined["tracks"].values()}

        def is_told(kind, is_muted):
            track = tracks[kind]["track_id"]
            host.wait_for(
                "on-track-update", timeout=PUBLISHING_TIMEOUT,
                accept=lambda update: update["tracks"].get(track, {}).get("mute") is is_muted)
            host.notifications.clear()

        for is_muted in [True, False]:
            ask(host, "change-track-mute-state-request", value=is_muted, type="audio")
            is_told("audio", is_muted)
            camera = tracks["video"]
            ask(host, "track-update-request", requested_for=ben, track_id=camera["track_id"],
                stream_id=camera["stream_id"], mute=is_muted)
            is_told("video", is_muted)
