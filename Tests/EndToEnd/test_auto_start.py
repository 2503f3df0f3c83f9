"""Rooms that go on air by themselves, and off it, each for its reason."""

import json
import time

import pytest

from harness import chromium
from harness.assets import LADDER, SHORT_SEGMENTS, TIMEOUT
from harness.server import Server
from harness.signalling import Peer
from harness.waiting import wait_for

# Counted from the request, so it must be longer than a stream takes to start.
SHORT = 15  # s
PEOPLE = {
    "publishParams": {"allowed": ["audio", "video"]},
    "subscribeParams": {"subscribeToRoles": ["*"]},
    "permissions": {"hlsStreaming": True, "endRoom": True},
}
POLICY = {
    "roles": {"host": PEOPLE, "guest": PEOPLE},
    "destinations": {"hlsDestinations": {
        "default": {"layers": LADDER, "autoStopTimeout": SHORT},
        "rooms": {"layers": LADDER},
    }},
}


@pytest.fixture
def serve(binary, receiver, tmp_path):
    """`serve(destinations)`: a server whose policy has these changes to its destinations."""
    servers = []

    def serve(changes):
        policy = json.loads(json.dumps(POLICY))
        for name, change in changes.items():
            policy["destinations"]["hlsDestinations"][name] |= change
        (tmp_path / "policy.json").write_text(json.dumps(policy))
        servers.append(Server(tmp_path, settings=receiver.settings | SHORT_SEGMENTS | {
            "ROOMCAST_POLICY_FILE": str(tmp_path / "policy.json")}))
        return servers[-1]

    yield serve
    for server in servers:
        assert server.stop() == 0, server.tail()


def join(server, room, name="Ann", **offer):
    peer = Peer(server, room, name, role="host")
    assert "result" in peer.join(**offer)
    return peer


def streams(server, room):
    return server.manage("GET", f"/live-streams?room_id={room}").json["data"]


def ends(server, receiver, stream, reason):
    """With that reason in its state and in its event."""
    done = server.wait_for_status(stream["id"], "completed", 3 * TIMEOUT)
    assert done["stop_reason"] == reason and done["stopped_by"] == ""
    wait_for("it is told", lambda: "hls.stopped.success" in receiver.types(stream["id"]), TIMEOUT)
    [told] = [one["data"]["reason"] for one in receiver.events(stream["id"])
              if one["type"] == "hls.stopped.success"]
    assert told == reason


def test_a_room_goes_on_air_as_soon_as_it_opens_and_is_kept(serve, receiver, room):
    server = serve({"rooms": {
        "autoStart": "room", "autoStopTimeout": SHORT,
        "recording": {"singleFilePerLayer": True}}})
    peer = join(server, room)
    [stream] = wait_for("it is on air", lambda: streams(server, room), TIMEOUT)
    assert stream["destination"] == "rooms" and stream["started_by"] == ""
    assert stream["recording"] == {"hls_vod": False, "single_file_per_layer": True}
    server.wait_for_status(stream["id"], "running", TIMEOUT)
    peer.leave()
    ends(server, receiver, stream, "last peer left")
    assert len(server.stream(stream["id"])["recording_assets"]) == 2
    # The next opening of the room starts another stream, which ends when the room does.
    peer = join(server, room)
    wait_for("it is on air again", lambda: len(streams(server, room)) == 2, TIMEOUT)
    [again] = [one for one in streams(server, room) if one["id"] != stream["id"]]
    server.wait_for_status(again["id"], "running", TIMEOUT)
    peer.call("end-room", {"reason": "class is over", "lock": False})
    ends(server, receiver, again, "room ended")
    peer.close()


def test_a_room_goes_on_air_with_its_second_publisher(serve, receiver, room, browser):
    server = serve({"default": {"autoStart": "publishers:2", "autoStopTimeout": 0,
                                "idleTimeout": SHORT}})
    watcher = join(server, room, "Watcher")
    people = [chromium.Participant(browser, server, room, "Ann", "host")]
    time.sleep(2)  # two looks at the room, in which nothing may happen
    assert streams(server, room) == []
    people.append(chromium.Participant(browser, server, room, "Ben", "host"))
    [stream] = wait_for("it is on air", lambda: streams(server, room), TIMEOUT)
    assert stream["destination"] == "" and stream["recording"]["hls_vod"] is False
    server.wait_for_status(stream["id"], "running", 2 * TIMEOUT)
    # The room is still occupied, but nobody publishes anything.
    for person in people:
        person.leave()
        person.close()
    ends(server, receiver, stream, "nothing published")
    watcher.leave()


def test_a_room_whose_template_records_is_recorded_as_soon_as_somebody_is_in_it(serve):
    server = serve({})
    made = server.manage("POST", "/templates", {
        "name": "kept", "roles": {"host": PEOPLE | {"name": "host"}},
        "settings": {"recording": {"enabled": True}}})
    assert made.status == 200, made
    rooms = [server.manage("POST", "/rooms", body) for body in (
        {"name": "kept", "template_id": made.json["id"]}, {"name": "not-kept"})]
    kept, other = (room.json["id"] for room in rooms)
    peers = [join(server, room) for room in (kept, other)]

    def recordings(room):
        return server.manage("GET", f"/recordings?room_id={room}").json["data"]

    [recording] = wait_for("it is recorded", lambda: recordings(kept), TIMEOUT)
    assert recording["started_by"] == "" and streams(server, kept) == []
    server.wait_for_status(recording["id"], "running", TIMEOUT, kind="recordings")
    assert recordings(other) == []
    for peer in peers:
        peer.leave()
