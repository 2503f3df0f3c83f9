"""Streams of an OpenVidu server's sessions, in place of a room."""

import contextlib
import json
import os
import signal
import socket
from pathlib import Path

import numpy as np
import pytest
from harness import hls, media, tokens
from harness.openvidu import Participant
from harness.openvidu_application import Application
from harness.openvidu_host import Host
from harness.server import Server, free_port
from harness.shown import LADDER, assert_shows, is_heard, is_near, newest_segment
from harness.stranger import Colour, Failure, Tone
from harness.waiting import wait_for
from harness.wire import Wire
from test_degradation import bot_of

RED, GREEN, BLUE = (200, 30, 30), (30, 160, 30), (30, 30, 200)
SECRET = "MY_SECRET.of-the-server"
TIMEOUT = 60  # s
LOST_TIMEOUT = 180  # s: a bot seeks its server for a minute

SETTINGS = {"ROOMCAST_OPENVIDU_SECRET": SECRET}


@pytest.fixture
def wire(server, stack):
    wire = Wire(server.port)
    stack.callback(wire.close)
    return wire


def casting(directory, *ports, secret=SECRET, **tokens):
    """A server that may stream the sessions of those ports' servers."""
    names = [f"127.0.0.1:{port}" for port in ports]
    entry = {"secret": secret} | ({"tokens": tokens} if tokens else {})
    return Server(directory / "caster", settings={
        "ROOMCAST_STREAM_SOURCE_HOSTS": ",".join(names),
        "ROOMCAST_OPENVIDU_SERVERS": json.dumps({name: entry for name in names})})


@pytest.fixture
def cast(binary, tmp_path, stack):
    def cast(*ports, **options):
        caster = casting(tmp_path, *ports, **options)
        stack.callback(caster.stop)
        return caster

    return cast


@pytest.fixture(scope="module")
def lost(binary, tmp_path_factory):
    """A server and its stream of a session whose server is gone. The bot seeks that one for a
    minute, which passes beside the tests of others."""
    with contextlib.ExitStack() as stack:
        folder = tmp_path_factory.mktemp("lost")
        other = Server(folder / "other", settings=SETTINGS)
        stack.callback(other.stop)
        caster = casting(folder, other.port)
        stack.callback(caster.stop)
        with Participant(other, "lost", "Ann", "host") as ann:
            ann.join()
            ann.publish(Colour(RED), Tone(440))
            stream = start(caster, "lost", other.port)
            caster.wait_for_status(stream["id"], "running", TIMEOUT)
        other.kill()
        yield caster, stream


@pytest.fixture
def join(server, room, stack):
    def join(name, role="guest", **options):
        participant = stack.enter_context(Participant(server, room, name, role, **options))
        participant.join()
        return participant

    return join


@pytest.fixture
def host(stack):
    return lambda kind: stack.enter_context(contextlib.closing(Host(SECRET, kind)))


def url(port, session):
    return f"openvidu:ws://127.0.0.1:{port}/openvidu?sessionId={session}"


def start(caster, room, port, session=None):
    return caster.start_stream(
        room, {"meeting_url": url(port, session or room), "ladder": LADDER})


def assert_shows_both(caster, stream, colours):
    """Side by side, in any order."""
    def shown():
        with newest_segment(caster, stream) as segment:
            picture = media.frames(segment)[-1]
        half = picture.shape[1] // 2
        sides = [np.median(one[20:-40].reshape(-1, 3), axis=0)
                 for one in (picture[:, 8:half - 8], picture[:, half + 8:-8])]
        return all(any(np.abs(side - colour).max() < 60 for side in sides) for colour in colours)

    wait_for(f"the stream is {colours}", shown, TIMEOUT, interval=1)


def test_a_session_is_streamed_by_a_recorder_that_nobody_sees(server, room, cast, join, lost):
    ann = join("Ann", role="host")
    ann.publish(Colour(RED), Tone(440))
    caster = cast(server.port)
    stream = start(caster, room, server.port)
    assert stream["meeting_url"] == url(server.port, room) and "warnings" not in stream
    caster.wait_for_status(stream["id"], "running", TIMEOUT)
    assert_shows(caster, stream, RED)

    # A mute is followed, of the picture and of the sound.
    ann.mute("video")
    ann.mute("audio")

    def shows_nothing():
        with newest_segment(caster, stream) as segment:
            return not is_near(segment, RED) and not is_heard(segment)

    wait_for("neither is there", shows_nothing, TIMEOUT)
    ann.mute("video", is_active=True)
    ann.mute("audio", is_active=True)
    assert_shows(caster, stream, RED)

    # Who comes is shown, and who goes is not any more.
    ben = join("Ben")
    ben.publish(Colour(BLUE), Tone(660), codec="H264")
    assert_shows_both(caster, stream, [RED, BLUE])
    ann.leave()
    assert_shows(caster, stream, BLUE)

    assert ben.others and all(one["id"] == ann.id for one in ben.others)
    assert not any(one["method"] == "participantJoined" for one in ben.notifications)
    command = Path(f"/proc/{bot_of(caster)}/cmdline").read_bytes().decode()
    assert " bot" in command.replace("\0", " ") and SECRET not in command
    caster.stop_stream(room)
    ended = caster.wait_for_status(stream["id"], "completed", TIMEOUT)
    assert ended["meeting_url"] == url(server.port, room)
    assert SECRET not in caster.log.read_text() and SECRET not in server.log.read_text()


def test_a_token_makes_it_a_participant_that_everybody_sees(server, room, cast, join):
    ann = join("Ann", role="host")
    ann.publish(Colour(RED), Tone(440))
    token = tokens.room_token(room, user="caster", role="viewer")
    caster = cast(server.port, secret="wrong", **{room: token})
    stream = start(caster, room, server.port)
    caster.wait_for_status(stream["id"], "running", TIMEOUT)
    assert_shows(caster, stream, RED)
    joined = ann.told("participantJoined")
    assert json.loads(joined["metadata"]) == {"clientData": "recorder"}
    caster.stop_stream(room)
    assert ann.told("participantLeft")["connectionId"] == joined["id"]


def test_a_cut_socket_is_replaced_and_what_was_missed_is_made_up_for(
        server, room, cast, join, wire):
    ann = join("Ann", role="host")
    ann.publish(Colour(RED), Tone(440))
    caster = cast(wire.port)
    stream = start(caster, room, wire.port)
    caster.wait_for_status(stream["id"], "running", TIMEOUT)
    assert_shows(caster, stream, RED)
    wire.cut()
    ben = join("Ben")
    ben.publish(Colour(BLUE), Tone(660))
    # The media go on meanwhile.
    url = stream["playback"]["url"]
    count = hls.segment_count(caster.http, url)
    wait_for("segments follow", lambda: hls.segment_count(caster.http, url) > count + 1, TIMEOUT)
    assert_shows(caster, stream, RED)
    wire.mend()
    assert_shows_both(caster, stream, [RED, BLUE])
    wire.cut()
    ann.leave()
    wire.mend()
    assert_shows(caster, stream, BLUE)
    assert caster.stream(stream["id"])["status"] == "running"
    assert "server lost" in caster.log.read_text()


def test_another_bot_takes_the_place_of_a_dead_one(server, room, cast, join):
    """The session's server still keeps the dead one's place, and refuses with 104 meanwhile."""
    ann = join("Ann", role="host")
    ann.publish(Colour(RED), Tone(440))
    caster = cast(server.port)
    stream = start(caster, room, server.port)
    caster.wait_for_status(stream["id"], "running", TIMEOUT)
    assert_shows(caster, stream, RED)
    dead = bot_of(caster)
    os.kill(dead, signal.SIGKILL)
    wait_for("another bot", lambda: bot_of(caster) not in (None, dead), TIMEOUT)
    url = stream["playback"]["url"]
    count = hls.segment_count(caster.http, url)
    wait_for("segments follow", lambda: hls.segment_count(caster.http, url) > count + 1, TIMEOUT)
    assert_shows(caster, stream, RED)
    assert caster.stream(stream["id"])["status"] == "running"
    # A second recorder is told in words that there is one.
    with Participant(server, room, "Rec") as recorder, pytest.raises(Failure, match="104"):
        recorder.join(secret=SECRET, recorder=True, token="", session=room)
    caster.stop_stream(room)


def test_a_session_that_the_server_closes_ends_its_stream(server, room, cast, stack):
    application = Application(server, SECRET)
    application.open(room)
    ann = stack.enter_context(
        Participant(server, room, "Ann", address=application.connect(room)["token"]))
    ann.join()
    ann.publish(Colour(RED), Tone(440))
    caster = cast(server.port)
    stream = start(caster, room, server.port)
    caster.wait_for_status(stream["id"], "running", TIMEOUT)
    listed = application.get(f"sessions/{room}").json()["connections"]
    assert [one["connectionId"] for one in listed["content"]] == [ann.id]
    assert application.delete(f"sessions/{room}").status_code == 204
    ended = caster.wait_for_status(stream["id"], "completed", TIMEOUT)
    assert ended["stop_reason"] == "room ended"


def test_a_wrong_secret_fails_the_stream_in_words(server, room, cast):
    caster = cast(server.port, secret="not it")
    stream = start(caster, room, server.port)
    failed = caster.wait_for_status(stream["id"], "failed", TIMEOUT)
    assert "refused with 401" in failed["stop_reason"], failed
    assert "not it" not in caster.log.read_text()


def test_a_secret_that_a_server_repeats_is_shown_to_nobody(room, cast, host):
    far = host("kurento")
    caster = cast(far.port, secret="WRONG_SECRET")
    stream = start(caster, room, far.port, "ses_1")
    failed = caster.wait_for_status(stream["id"], "failed", TIMEOUT)
    assert failed["stop_reason"].endswith(
        "refused with 401: Unable to join session ses_1. Token … is not valid"), failed
    assert len(far.called("joinRoom")) == 1
    assert "WRONG_SECRET" not in json.dumps(caster.stream(stream["id"]))
    assert "WRONG_SECRET" not in caster.log.read_text()


def test_what_cannot_be_streamed_is_refused(server, room, cast):
    caster = cast(server.port)
    port = free_port(socket.SOCK_STREAM)

    def refused(meeting_url, one=caster):
        answer = one.manage(
            "POST", f"/live-streams/room/{room}/start", {"meeting_url": meeting_url})
        assert answer.status == 400, answer
        return answer.json["details"][0]

    assert "127.0.0.1 is not one of the hosts in stream.sourceHosts" == refused(url(port, room))
    assert "they are in openvidu.servers" in refused(url(server.port, room) + f"&secret={SECRET}")
    assert "a session is like openvidu:wss://" in refused("openvidu:https://example.org/?sessionId=a")
    assert SECRET not in caster.log.read_text()


@pytest.mark.parametrize("kind", ["mediasoup", "kurento"])
def test_a_strangers_server_is_streamed_over_one_socket(room, cast, host, kind):
    far = host(kind)
    ann = far.add("Ann", lambda: [Colour(RED), Tone(440)])
    far.add("Ben", lambda: [Colour(BLUE), Tone(660)])
    caster = cast(far.port)
    stream = start(caster, room, far.port, "ses_1")
    caster.wait_for_status(stream["id"], "running", TIMEOUT)
    assert_shows_both(caster, stream, [RED, BLUE])
    method = "receiveVideoFrom" if kind == "kurento" else "prepareReceiveVideoFrom"
    assert len(far.called(method)) == 2
    # A stream's connection is another one, at the same port.
    (first, second) = far.client_ports()
    assert len(first) == 1 and first == second
    candidates = far.called("onIceCandidate")
    assert {one["endpointName"] for one in candidates} == {"con_Ann", "con_Ben"}

    # A cut socket: `connect` comes back with it, and nothing is received anew.
    far.cut()
    wait_for("it comes back", lambda: far.called("connect"), TIMEOUT)
    assert far.called("connect") == [{"sessionId": "rpc1", "reconnect": True}]
    assert far.sockets[-1].endswith("?sessionId=ses_1&reconnect=true")
    # Garbage: another socket.
    far.say("garbage")
    wait_for("it comes back", lambda: len(far.called("connect")) == 2, TIMEOUT)
    # Types that are wrong are passed over.
    far.tell("participantPublished", {"id": 1, "streams": "none"})
    far.tell("unheard-of", {})
    # A connection that is closed is replaced.
    assert far.called("reconnectStream") == []
    far.break_media(ann.stream)
    wait_for("it is replaced", lambda: far.called("reconnectStream"), TIMEOUT)
    assert_shows_both(caster, stream, [RED, BLUE])
    # A server that has forgotten it: it joins again.
    far.knows_sessions = False
    far.cut()
    wait_for("it joins again", lambda: len(far.called("joinRoom")) == 2, TIMEOUT)
    far.remove(ann)
    assert_shows(caster, stream, BLUE)
    assert "is not understood: participantPublished: 'id' must be a text" in caster.log.read_text()
    # Who leaves does not come back.
    sockets = list(far.sockets)
    caster.stop_stream(room)
    caster.wait_for_status(stream["id"], "completed", TIMEOUT)
    assert far.calls[-1][0] == "leaveRoom" and far.sockets == sockets


def test_a_server_that_is_gone_fails_the_stream_in_words(lost):
    caster, stream = lost
    failed = caster.wait_for_status(stream["id"], "failed", LOST_TIMEOUT)
    assert "the server cannot be reached" in failed["stop_reason"], failed
