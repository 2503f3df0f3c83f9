"""Limits of rooms and of connections: they are settings, and exceeding one has its own error."""

import asyncio
import concurrent.futures
import contextlib
import os
import select
import signal
import socket
import time
import uuid
from urllib.parse import urlencode

import pytest
import websockets.exceptions
from websockets.asyncio.client import connect

from harness import tokens
from harness.crowd import Crowd
from harness.namespace import ADDRESS
from harness.server import Server
from harness.signalling import DATA_CHANNEL_OFFER, Peer
from harness.waiting import wait_for

TIMEOUT = 60  # s
CROWD = 1000
MESSAGES = 20


@pytest.fixture
def limited(binary, tmp_path, request):
    """A server with the settings of the test's mark."""
    settings = {f"ROOMCAST_{key}": str(value) for key, value in request.param.items()}
    server = Server(tmp_path / "server", settings=settings)
    yield server
    assert server.process.poll() is None, f"the server died:\n{server.tail()}"
    assert server.stop() == 0, server.tail()


def limits(**settings):
    return pytest.mark.parametrize("limited", [settings], indirect=True, ids=[""])


def closing(peer):
    """The code with which the server closes a socket, after its last frames."""
    with pytest.raises(websockets.exceptions.ConnectionClosed) as ending:
        peer.wait_for("nothing", timeout=TIMEOUT)
    return ending.value.rcvd.code


def test_http_connections_of_an_address(binary, namespace, tmp_path):
    """A client that takes all it can get locks no other out, and gets the reason."""
    server = Server(tmp_path, namespace=namespace, settings={
        "ROOMCAST_HTTP_HOST": "0.0.0.0", "ROOMCAST_HTTP_CONNECTIONS_PER_ADDRESS_MAXIMUM": "3"})
    taken = [namespace.connect(ADDRESS, server.port) for _ in range(3)]
    try:
        # As slow as slow-loris.
        for one in taken:
            one.sendall(b"GET /health HTTP/1.1\r\n")
        request = b"GET /health HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
        for _ in range(5):
            # It has a second to ask.
            answer = wait_for("it is told why", lambda: exchange(
                namespace.connect(ADDRESS, server.port), request), TIMEOUT)
            assert answer.startswith(b"HTTP/1.1 503 ") and b"too many connections" in answer
        # The machine's own connections, such as a proxy's and the bots', do not count.
        others = [namespace.connect("127.0.0.1", server.port) for _ in range(5)]
        assert all(exchange(one, request).startswith(b"HTTP/1.1 200 ") for one in others)
        taken.pop().close()
        wait_for("a place is free", lambda: exchange(
            namespace.connect(ADDRESS, server.port), request).startswith(b"HTTP/1.1 200 "), TIMEOUT)
    finally:
        for one in taken:
            one.close()
        assert server.stop() == 0, server.tail()
    lines = [line for line in server.log.read_text().splitlines() if "of one address" in line]
    assert len(lines) == 1 and f"address={ADDRESS}" in lines[0], lines


def exchange(connection, request):
    """The response to a request until the connection ends; what there is of it if it is reset, as
    that of a request that comes too late is."""
    answer = b""
    with connection, contextlib.suppress(ConnectionError):
        connection.sendall(request)
        while part := connection.recv(4096):
            answer += part
    return answer


def run(work):
    """In a thread: this one may have the loop of the browsers' driver."""
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


@limits(ROOMS_MAXIMUM=3, LOG_LEVEL="warning")
def test_rooms_at_a_time(limited):
    """Also where all are opened at once."""
    endings = run(open_at_once(limited, 24, lambda rooms: is_full(limited, rooms)))
    assert endings.count("open") == 3, endings
    # Either the socket is not opened, or its room is not.
    assert set(endings) <= {"open", 503, 1013}, endings


def is_full(server, rooms):
    other = f"other-{uuid.uuid4().hex[:8]}"
    answer = server.http.get("/init?peer_id=p1", token=tokens.room_token(other))
    assert answer.status == 503 and answer.json["message"] == "too many rooms", answer
    assert answer.json["details"] == ["there may be 3"]
    with pytest.raises(websockets.exceptions.InvalidStatus) as refusal:
        Peer(server, other, "Eve")
    assert refusal.value.response.status_code == 503
    # The existing rooms still accept peers.
    assert server.http.get("/init?peer_id=p1", token=tokens.room_token(rooms[0])).status == 200
    ben = Peer(server, rooms[0], "Ben")
    assert "result" in ben.join()
    ben.leave()


async def open_at_once(server, count, check):
    """The outcomes of this many sockets, each for its own room; `check(rooms)` runs while those that
    were opened are."""
    begin = asyncio.Barrier(count)

    async def ending(number):
        room = f"at-once-{number}"
        query = urlencode({"peer": f"p{number}", "token": tokens.room_token(room)})
        await begin.wait()
        try:
            member = await connect(
                f"ws://{server.host}:{server.port}/ws?{query}", proxy=None, open_timeout=TIMEOUT)
        except websockets.exceptions.InvalidStatus as refusal:
            return refusal.response.status_code
        try:
            async with asyncio.timeout(TIMEOUT):
                await member.recv()
        except websockets.exceptions.ConnectionClosed as closed:
            return closed.rcvd.code
        members[room] = member
        return "open"

    members = {}
    endings = await asyncio.gather(*(ending(number) for number in range(count)))
    await asyncio.to_thread(check, list(members))
    for member in members.values():
        await member.close()
    return endings


# The effect of each of them is shown by the Swift tests of rooms and of the protocol.
@limits(ROOMS_PEERS_MAXIMUM=2, ROOMS_CONNECTIONS_MAXIMUM=3, ROOMS_TRACKS_PER_PEER_MAXIMUM=1,
        ROOMS_ABSENCE_SECONDS=1)
def test_the_limits_of_a_room_are_settings(limited, room):
    ann, ben = Peer(limited, room, "Ann", role="host"), Peer(limited, room, "Ben", role="host")
    for peer in (ann, ben):
        assert "result" in peer.join()
    visitor = Peer(limited, room, "Cat")
    assert visitor.join()["error"] == {
        "code": 403, "message": "the room is full: it holds 2 peers"}
    late = Peer(limited, room, "Dan")
    assert late.wait_for("on-error") == {
        "code": 403, "message": "the room takes 3 connections, which are all there"}
    assert closing(late) == 1008

    tracks = {
        name: {"track_id": name, "stream_id": "s", "type": "audio", "source": "regular",
               "mute": False}
        for name in ("one", "two")
    }
    answer = ann.call("offer", {
        "desc": {"type": "offer", "sdp": DATA_CHANNEL_OFFER}, "tracks": tracks})
    assert answer["result"]["type"] == "answer", answer
    assert ann.wait_for("on-warning") == {
        "code": 400, "message": "2 tracks; a peer may publish at most 1"}

    ben.close()
    lost = time.monotonic()
    ann.wait_for("on-peer-leave", lambda peer: peer["peer_id"] == ben.peer_id, TIMEOUT)
    assert time.monotonic() - lost < 40  # without the setting it would be a minute
    # Its place is free.
    assert "result" in visitor.join()
    for peer in (ann, visitor):
        peer.close()


@limits(HTTP_CONNECTIONS_MAXIMUM=17)
def test_connections_of_the_server(limited):
    # They arrive all at once, as when the machine is busy.
    os.kill(limited.process.pid, signal.SIGSTOP)
    waiting = []
    for _ in range(18):
        one = socket.create_connection((limited.host, limited.port))
        one.sendall(b"GET /health HTTP/1.1\r\nHost: here\r\n\r\n")
        waiting.append(one)
    os.kill(limited.process.pid, signal.SIGCONT)

    answered = []

    def answers(timeout=0.1):
        for one in select.select(waiting, [], [], timeout)[0]:
            waiting.remove(one)
            answered.append(one)
        return len(answered)

    wait_for("all but one are answered", lambda: answers() >= 17, TIMEOUT)
    assert answers(timeout=2) == 17
    for one in answered:
        one.close()
    wait_for("there is a place for the last one", lambda: answers() == 18, TIMEOUT)


# A thousand peers in one room. A peer that never reads costs the others nothing.

CROWDED = {
    "ROOMS_PEERS_MAXIMUM": CROWD + 10, "ROOMS_CONNECTIONS_MAXIMUM": CROWD + 10,
    "ROOMS_OUTBOX_BYTES": 65_536, "ROOMS_ABSENCE_SECONDS": 2,
    "ROOMS_REQUESTS_PER_SECOND": 1000, "ROOMS_REQUESTS_BURST": 10_000, "LOG_LEVEL": "warning",
}
FLOOD = 2000  # messages of 8 KB: more than the system keeps for a socket


def resident(server):
    """The server's current memory, in MiB."""
    with open(f"/proc/{server.process.pid}/status") as file:
        for line in file:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    raise AssertionError("no VmRSS")


@limits(**CROWDED)
def test_a_thousand_hear_each_other_and_who_never_reads_is_let_go(limited, room):
    run(crowded(limited, room))


async def crowded(server, room):
    empty = resident(server)
    crowd = Crowd(server, room)
    await crowd.join(1)
    deaf = await crowd.join_without_reading()
    begin = time.monotonic()
    await crowd.join(CROWD - 1)
    joining = time.monotonic() - begin
    full = resident(server)

    def count():
        return server.peer_count(room)

    await crowd.until(lambda: count() == CROWD + 1)  # the list is up to a second old
    sender = crowd.readers[0]
    for _ in range(MESSAGES):
        await crowd.say(sender, padding=4000)
    delays = sorted(delay for member in crowd.readers for delay in member.delays)
    assert len(delays) == MESSAGES * (CROWD - 1)
    p50, p95 = (delays[int(len(delays) * share)] for share in (0.5, 0.95))

    before = sender.counts.get(None, 0)
    for number in range(1, FLOOD + 1):
        await sender.call(
            "broadcast", {"info": {"message": "x" * 8000}, "peer_id": deaf.peer_id})
        # A client that sends without reading the answers is disconnected too.
        if number % 100 == 0:
            await crowd.until(
                lambda number=number: sender.counts.get(None, 0) >= before + number)
    await crowd.until(lambda: count() == CROWD)
    spoken = resident(server)
    print(f"\n{CROWD} joined in {joining:.1f} s; a message is with everybody in "
          f"{p50 * 1000:.0f} ms (median), {p95 * 1000:.0f} ms (95 %); "
          f"memory {empty:.0f} MiB empty, {full:.0f} full, {spoken:.0f} in the end")
    # Most of these milliseconds belong to this one process, which reads a thousand sockets.
    assert p95 < 2
    assert all(member.closed is None for member in crowd.readers)
    # A thousand sockets and their peers; for a peer that does not read, the server keeps only its
    # outbox.
    assert full - empty < 256 and spoken - full < 64
    await deaf.leave()
    await crowd.leave()
