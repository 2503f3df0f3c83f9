"""Streams of a WHEP server's playback, in place of a room."""

import contextlib

import pytest
from harness import tokens
from harness.server import Server
from harness.shown import LADDER, assert_shows
from harness.stranger import Colour, Stranger, Tone
from harness.waiting import wait_for
from harness.whep_source import Source

RED, BLUE = (200, 30, 30), (30, 30, 200)
TOKEN = "letmein.0"
TIMEOUT = 60  # s


@pytest.fixture(scope="module")
def source():
    with contextlib.closing(Source(lambda: [Tone(500), Colour(RED)])) as source:
        yield source


@pytest.fixture(scope="module")
def caster(binary, server, source, tmp_path_factory):
    """A server that may stream the source's playback, and `server`'s rooms."""
    hosts = f"{source.host},{server.host}:{server.port}"
    caster = Server(
        tmp_path_factory.mktemp("caster"), settings={"ROOMCAST_STREAM_SOURCE_HOSTS": hosts})
    yield caster
    assert caster.stop() == 0, caster.tail()


def start(caster, room, url):
    return caster.start_stream(room, {"meeting_url": url, "ladder": LADDER})


@pytest.mark.parametrize("counters", [False, True], ids=["answers", "counters"])
def test_what_a_stranger_plays_is_streamed(caster, source, room, counters):
    source.counters = counters
    del source.asked[:]
    stream = start(caster, room, f"whep:http://{TOKEN}@{source.host}/moved")
    shown = f"whep:http://{source.host}/moved"
    assert stream["meeting_url"] == shown and "warnings" not in stream
    caster.wait_for_status(stream["id"], "running", TIMEOUT)
    assert_shows(caster, stream, RED)
    caster.stop_stream(room)
    ended = caster.wait_for_status(stream["id"], "completed", TIMEOUT)
    assert ended["meeting_url"] == shown
    asked = [("POST", "/moved"), ("POST", "/live")] + [("PATCH", "/sessions/1")] * counters
    assert source.asked == [(*one, TOKEN) for one in [*asked, ("DELETE", "/sessions/1")]]
    assert TOKEN not in caster.log.read_text()
    source.counters = False


def test_a_source_that_is_not_on_air_is_awaited_and_ends_its_stream(caster, source, room):
    source.is_on_air = False
    del source.asked[:]
    stream = start(caster, room, f"whep:{source.base}/live")
    wait_for("it is asked more than once", lambda: len(source.asked) > 2, TIMEOUT)
    source.is_on_air = True
    caster.wait_for_status(stream["id"], "running", TIMEOUT)
    assert_shows(caster, stream, RED)
    source.go()
    ended = caster.wait_for_status(stream["id"], "completed", TIMEOUT)
    assert ended["stop_reason"] == "room ended"


def test_a_room_of_another_server_is_streamed(caster, server, room):
    with Stranger(server, room, "Ann") as ann:
        ann.join()
        ann.publish(Colour(BLUE), Tone(600), codec="VP8")
        token = tokens.room_token(room, user="caster", role="viewer")
        stream = start(caster, room, f"whep:http://{token}@{server.host}:{server.port}/whep/{room}")
        caster.wait_for_status(stream["id"], "running", TIMEOUT)
        assert_shows(caster, stream, BLUE)
        other = caster.manage("POST", f"/live-streams/room/{room}/start", {})
        assert other.status == 409 and "of another source" in other.json["details"][0]
        caster.stop_stream(room)
        caster.wait_for_status(stream["id"], "completed", TIMEOUT)


def test_what_is_no_source_and_a_host_that_is_not_listed_are_refused(caster, server, room):
    request = {"meeting_url": "whep:http://one@two@example.org/"}
    answer = caster.manage("POST", f"/live-streams/room/{room}/start", request)
    assert answer.status == 400 and answer.json["message"] == "meeting_url is not supported"
    assert "a source is like whep:https://" in answer.json["details"][0]
    request = {"meeting_url": "whep:http://example.org/live"}
    for one in (caster, server):
        answer = one.manage("POST", f"/live-streams/room/{room}/start", request)
        assert answer.status == 400, answer
        assert answer.json["details"] == ["example.org is not one of the hosts in stream.sourceHosts"]


def test_a_source_that_leads_to_another_host_is_not_followed(caster, source, room):
    stream = start(caster, room, f"whep:{source.base}/away")
    failed = caster.wait_for_status(stream["id"], "failed", TIMEOUT)
    assert "localhost is not one of the hosts that may be asked" in failed["stop_reason"], failed
