"""Events of rooms: joins and leaves, even if the server died."""

import collections

import pytest

from harness.server import Server
from harness.signalling import Peer
from harness.waiting import wait_for

TIMEOUT = 60  # s


@pytest.fixture
def world(binary, receiver, tmp_path):
    servers = [Server(tmp_path, settings=receiver.settings)]

    def restart():
        servers[-1].kill()
        servers.append(Server(tmp_path, settings=receiver.settings))
        return servers[-1]

    yield servers[0], restart
    servers[-1].stop()


def told(receiver, room):
    return [one for one in receiver.accepted
            if one["data"]["room_id"] == room and not one["type"].startswith("hls.")]


def kinds(receiver, room):
    return [one["type"].removesuffix(".success") for one in told(receiver, room)]


def join(server, room, name, role="guest"):
    peer = Peer(server, room, name, role=role)
    assert "result" in peer.join()
    return peer


def test_who_comes_and_goes_is_told_in_order_and_the_recorder_is_not(world, receiver, room):
    server, _ = world
    ann = join(server, room, "Ann", role="host")
    ben = join(server, room, "Ben")
    cleo = join(server, room, "Cleo")
    stream = server.start_stream(room)
    server.wait_for_status(stream["id"], "running", TIMEOUT)
    ann.call("peer-leave-request", {"requested_for": ben.peer_id, "reason": "noise"})
    ann.leave()
    cleo.leave()
    server.stop_stream(room)
    expected = ["session.open", "peer.join", "peer.join", "peer.join", "peer.leave", "peer.leave",
                "peer.leave", "session.close"]
    wait_for("all of it is told", lambda: kinds(receiver, room) == expected, TIMEOUT)
    events = told(receiver, room)
    assert len({one["id"] for one in events}) == len(events)
    assert len({one["data"]["session_id"] for one in events}) == 1
    assert [one["data"].get("user_name") for one in events[1:7]] == [
        "Ann", "Ben", "Cleo", "Ben", "Ann", "Cleo"]
    assert [(one["data"]["reason"], one["data"]["message"]) for one in events[4:7]] == [
        ("peer kicked", "noise"), ("client request", ""), ("client request", "")]
    assert events[1]["data"]["peer_id"] == ann.peer_id and events[1]["data"]["role"] == "host"
    assert events[-1]["data"]["session_duration"] >= 1
    ben.close()
    # A server that stops in good order closes its sessions.
    join(server, room, "Dora", role="host")
    wait_for("it is told", lambda: len(told(receiver, room)) == 10, TIMEOUT)
    assert server.stop() == 0
    assert kinds(receiver, room)[8:] == [
        "session.open", "peer.join", "peer.leave", "session.close"]
    assert told(receiver, room)[10]["data"]["reason"] == "server removed peer"


def test_a_session_that_a_server_died_in_is_closed_exactly_once(world, receiver, room):
    server, restart = world
    join(server, room, "Ann", role="host")
    join(server, room, "Ben")
    wait_for("they are told", lambda: len(told(receiver, room)) == 3, TIMEOUT)
    server = restart()
    wait_for("the session is closed", lambda: "session.close" in kinds(receiver, room), TIMEOUT)
    server = restart()
    # A later session shows that no event of the first one is still to come.
    join(server, room, "Cleo").leave()
    # Not deliveries: an accepted one may come again if the server died before it knew.
    wait_for("the next one is closed", lambda: len({
        one["id"] for one in told(receiver, room)
        if one["type"] == "session.close.success"}) == 2, TIMEOUT)
    by_session = collections.defaultdict(list)
    for one in told(receiver, room):
        by_session[one["data"]["session_id"]].append(one)
    first, second = by_session.values()
    # Deliveries in flight when the server died may come twice, under the same id.
    assert len({one["id"] for one in first}) == 6
    left = {one["id"]: one["data"]["reason"] for one in first
            if one["type"] == "peer.leave.success"}
    assert list(left.values()) == ["server removed peer"] * 2
    assert [one["type"] for one in first][-1] == "session.close.success"
    assert len(second) == 4
