"""Where a network lets no UDP out: media over one TCP port."""

import socket

from harness import media
from harness.recording import record
from harness.waiting import wait_for

CAMERA_RATE = 10  # frames/s
NOBODY = "198.51.100.1"  # RFC 5737: is never anybody's
SETTINGS = {
    "ROOMCAST_UDP_ADVERTISED_ADDRESSES": NOBODY,
    "ROOMCAST_TCP_ADVERTISED_ADDRESSES": "127.0.0.1",
}


def test_two_people_see_each_other_over_tcp(enter, server):
    ann, ben = enter("Ann"), enter("Ben", role="guest")
    for one, other in [(ann, ben), (ben, ann)]:
        tile = one.wait_for_picture_of(other.name)
        wait_for(
            f"{one.name} sees {other.name} go on",
            lambda one=one, other=other, before=tile["time"]:
                one.tile(other.name)["time"] > before + 3,
            90,
        )
    for person in (ann, ben):
        paths = wait_for(f"{person.name} has both ways", lambda person=person: len(
            person.paths()) == 2 and person.paths(), 90)
        for path in paths:
            assert path["protocol"] == "tcp", paths
            assert (path["address"], path["port"]) == ("127.0.0.1", server.media_port), paths


def test_a_stream_needs_no_way_that_leads_outside(enter, server, room, tmp_path):
    # The recorder is on the server's machine: no router has to let it come back from outside.
    ann = enter("Ann")
    wait_for("Ann is counted", lambda: server.peer_count(room) == 1, 60)
    recording = record(server, room, 6, tmp_path, {"layout": {"names": False}})
    pictures = media.frames(recording.stream.top.file)
    assert media.movement(pictures).mean() > 1, "a camera, no slate"
    assert ann.errors == []


def test_who_does_not_read_and_who_is_nobody_hold_nobody_up(enter, server):
    strangers = [
        socket.create_connection(("127.0.0.1", server.media_port), 60) for _ in range(40)
    ]
    try:
        for number, stranger in enumerate(strangers):
            # Half a frame, a frame of nonsense, a null frame, and a forbidden one.
            stranger.sendall([b"\x00", b"\x00\x03abc", b"\x00\x00", b"\xff\xff"][number % 4])
        ann, ben = enter("Ann"), enter("Ben", role="guest")
        ann.wait_for_picture_of("Ben")
        ben.wait_for_picture_of("Ann")
        for stranger in strangers:
            stranger.settimeout(60)
            assert stranger.recv(1) == b"", "nobody is sent nothing, and is gone after 5 s"
    finally:
        for stranger in strangers:
            stranger.close()
