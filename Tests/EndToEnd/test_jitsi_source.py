"""Streams of a Jitsi deployment's conferences, in place of a room. Prosody is real; Jicofo and the
videobridge are played by slixmpp and aiortc."""

import json
from pathlib import Path

import numpy as np
import pytest
from harness import hls, media
from harness.jitsi_deployment import deployed
from harness.jitsi_prosody import DOMAIN, FOCUS, HIDDEN, ROOMS
from harness.jitsi_xml import CLIENT, find
from harness.server import Server
from harness.shown import LADDER, assert_shows, is_heard, is_near, newest_segment
from harness.stranger import Colour, Tone
from harness.waiting import wait_for
from test_degradation import bot_of

RED, GREEN, BLUE = (200, 30, 30), (30, 160, 30), (30, 30, 200)
PASSWORD = "recorder secret"
TIMEOUT = 60  # s


@pytest.fixture(scope="module")
def deployment():
    with deployed() as deployment:
        yield deployment


@pytest.fixture
def cast(binary, deployment, tmp_path, stack):
    """Starts a server that may stream the deployment's conferences."""
    def cast(**changes):
        entry = {
            "server": f"127.0.0.1:{deployment.prosody.port}", "domain": DOMAIN,
            "certificates": str(deployment.prosody.authority.file),
            "mucDomain": ROOMS, "focus": FOCUS, "hiddenDomain": HIDDEN, "isJibri": True,
            "user": "recorder", "password": PASSWORD}
        entry = {name: value for name, value in (entry | changes).items() if value is not None}
        caster = Server(tmp_path / "caster", settings={
            "ROOMCAST_JITSI_DEPLOYMENTS": json.dumps({DOMAIN: entry})})
        stack.callback(caster.stop)
        return caster

    return cast


def url(conference):
    return f"jitsi:https://{DOMAIN}/{conference.room.partition('@')[0]}"


def start(caster, room, conference, **more):
    return caster.start_stream(room, {"meeting_url": url(conference), "ladder": LADDER} | more)


def assert_shows_all(caster, stream, colours):
    """Each has a good part of the picture, wherever."""
    def shown():
        with newest_segment(caster, stream) as segment:
            picture = media.frames(segment)[-1].astype(int)
        shares = [(np.abs(picture - colour).max(axis=2) < 60).mean() for colour in colours]
        return all(share > 0.02 for share in shares)

    wait_for(f"the stream is {colours}", shown, TIMEOUT, interval=1)


def assert_fails(caster, stream, words):
    failed = caster.wait_for_status(stream["id"], "failed", 2 * TIMEOUT)
    assert words in failed["stop_reason"], failed
    assert PASSWORD not in caster.log.read_text()


def on_air(caster, room, conference, colour=RED):
    stream = start(caster, room, conference)
    caster.wait_for_status(stream["id"], "running", TIMEOUT)
    assert_shows(caster, stream, colour)
    return stream


@pytest.mark.parametrize("encoding, codec", [("json", "VP8"), ("xml", "H264")])
def test_a_conference_is_streamed_by_a_recorder_that_nobody_sees(
        deployment, room, cast, encoding, codec):
    conference = deployment.conference(encoding=encoding)
    ann = conference.add("Ann", camera=lambda: Colour(RED), sound=lambda: Tone(440), codec=codec)
    caster = cast()
    stream = on_air(caster, room, conference)
    assert stream["meeting_url"] == url(conference) and "warnings" not in stream

    occupant = conference.occupant()
    assert occupant.jid.startswith(f"recorder@{HIDDEN}/") and len(occupant.nick) == 8
    features = find(occupant.presence, CLIENT, "features")
    assert [one.get("var") for one in features] == ["http://jitsi.org/protocol/jibri"]
    endpoint = conference.endpoint()
    assert endpoint.channel.kinds == ["sctp"]
    assert endpoint.label == "JVB data channel"
    assert endpoint.constraints["lastN"] == -1
    assert endpoint.feedback, "a bridge sends nothing good to who reports nothing"

    # A mute is followed, of the picture and of the sound.
    ann.mute("camera")
    ann.mute("sound")

    def shows_nothing():
        with newest_segment(caster, stream) as segment:
            return not is_near(segment, RED) and not is_heard(segment)

    wait_for("neither is there", shows_nothing, TIMEOUT)
    ann.unmute("camera")
    ann.unmute("sound")
    assert_shows(caster, stream, RED)

    # Who comes is shown, and who goes is not any more.
    conference.add("Ben", camera=lambda: Colour(BLUE), sound=lambda: Tone(660))
    assert_shows_all(caster, stream, [RED, BLUE])
    ann.leave()
    assert_shows(caster, stream, BLUE)

    command = Path(f"/proc/{bot_of(caster)}/cmdline").read_bytes().decode()
    environment = Path(f"/proc/{bot_of(caster)}/environ").read_bytes().decode()
    assert " bot" in command.replace("\0", " ")
    assert PASSWORD not in command and PASSWORD not in environment
    caster.stop_stream(room)
    ended = caster.wait_for_status(stream["id"], "completed", TIMEOUT)
    assert ended["meeting_url"] == url(conference)
    # It says goodbye to the focus while it is still in the room.
    session = occupant.sessions[-1]
    wait_for("the bot is gone", lambda: occupant.nick not in conference.occupants, TIMEOUT)
    assert [one.get("action") for one in session.told] == ["session-accept", "session-terminate"]
    assert not conference.failures and PASSWORD not in caster.log.read_text()


def test_a_shared_screen_has_the_stage(deployment, room, cast):
    conference = deployment.conference()
    ann = conference.add("Ann", camera=lambda: Colour(RED), sound=lambda: Tone(440))
    caster = cast()
    stream = on_air(caster, room, conference)
    ann.publish("screen", lambda: Colour(GREEN))

    def share(colour):
        with newest_segment(caster, stream) as segment:
            picture = media.frames(segment)[-1].astype(int)
        return (np.abs(picture - colour).max(axis=2) < 60).mean()

    wait_for("the screen has most of the picture",
             lambda: share(GREEN) > 2 * share(RED) and share(RED) > 0.01, TIMEOUT, interval=1)
    ann.unpublish("screen")
    assert_shows(caster, stream, RED)


@pytest.mark.parametrize("has_sctp", [True, False])
def test_another_session_follows_without_a_gap(deployment, room, cast, has_sctp):
    conference = deployment.conference(has_sctp=has_sctp, has_socket=True)
    conference.add("Ann", camera=lambda: Colour(RED), sound=lambda: Tone(440))
    caster = cast()
    stream = on_air(caster, room, conference)
    occupant, bot = conference.occupant(), bot_of(caster)
    channel = conference.endpoint().channel
    assert channel.kinds[0] == ("sctp" if has_sctp else "websocket")
    assert channel.of("ReceiverVideoConstraints")
    playback = stream["playback"]["url"]
    count = hls.segment_count(caster.http, playback)
    conference.restart(occupant.nick)
    wait_for("it accepts the other session", lambda: occupant.session.state == "active", TIMEOUT)
    wait_for("segments follow", lambda: hls.segment_count(caster.http, playback) > count + 2,
             TIMEOUT)
    assert_shows(caster, stream, RED)
    assert conference.endpoint().channel.of("ReceiverVideoConstraints")
    conference.add("Ben", camera=lambda: Colour(BLUE), sound=lambda: Tone(660))
    assert_shows_all(caster, stream, [RED, BLUE])
    assert len(occupant.sessions) == 2 and bot_of(caster) == bot
    assert caster.stream(stream["id"])["status"] == "running"


def test_a_bridge_that_is_gone_is_asked_for_anew(deployment, room, cast):
    conference = deployment.conference()
    conference.add("Ann", camera=lambda: Colour(RED), sound=lambda: Tone(440))
    caster = cast()
    stream = on_air(caster, room, conference)
    occupant = conference.occupant()
    conference.break_media(occupant.nick)
    wait_for("it has another session", lambda: len(occupant.sessions) > 1, TIMEOUT)
    assert [one.get("action") for one in occupant.sessions[0].told][-1] == "session-terminate"
    wait_for("it accepts", lambda: occupant.session.state == "active", TIMEOUT)
    assert_shows(caster, stream, RED)


def test_whoever_ends_the_stay_ends_the_stream(deployment, room, cast):
    conference = deployment.conference()
    conference.add("Ann", camera=lambda: Colour(RED), sound=lambda: Tone(440))
    caster = cast()
    stream = on_air(caster, room, conference)
    conference.kick(conference.occupant().nick, "enough")
    ended = caster.wait_for_status(stream["id"], "completed", TIMEOUT)
    assert ended["stop_reason"] == "enough"
    wait_for("the bot is gone", lambda: not conference.occupants, TIMEOUT)

    stream = on_air(caster, room, conference)
    conference.destroy()
    ended = caster.wait_for_status(stream["id"], "completed", TIMEOUT)
    assert ended["stop_reason"] == "room ended"


def test_a_locked_room_needs_its_password(deployment, room, cast, stack):
    conference = deployment.conference()
    conference.add("Ann", camera=lambda: Colour(RED), sound=lambda: Tone(440))
    conference.set_password("open")
    caster = cast()
    assert_fails(caster, start(caster, room, conference), "refused with 401: the room has a password")
    caster.stop()
    caster = cast(roomPasswords={conference.room.partition("@")[0]: "open"})
    on_air(caster, room, conference)


@pytest.mark.parametrize("changes, words", [
    ({"password": "wrong"}, "refused with 401: the server refused the account: not-authorized"),
    ({"certificates": None}, "the server cannot be trusted"),
])
def test_what_cannot_be_joined_fails_in_words(deployment, room, cast, changes, words):
    conference = deployment.conference()
    caster = cast(**changes)
    assert_fails(caster, start(caster, room, conference), words)


def test_an_encrypted_conference_is_not_recorded(deployment, room, cast):
    conference = deployment.conference()
    ann = conference.add("Ann", camera=lambda: Colour(RED), sound=lambda: Tone(440))
    ann.show(**{"jitsi_participant_e2ee.enabled": "true"})
    caster = cast()
    assert_fails(caster, start(caster, room, conference),
                 "the conference is encrypted from end to end, and a recorder has no key")


def test_what_cannot_be_streamed_is_refused(room, cast):
    caster = cast()

    def refused(meeting_url):
        answer = caster.manage(
            "POST", f"/live-streams/room/{room}/start", {"meeting_url": meeting_url})
        assert answer.status == 400, answer
        return answer.json["details"][0]

    assert (refused("jitsi:https://far.example/Daily")
            == "far.example is not one of the deployments in jitsi.deployments")
    for wrong in [f"jitsi:https://{DOMAIN}/Daily?jwt=eyJ", f"jitsi:https://{DOMAIN}/",
                  f"jitsi:https://{DOMAIN}/Daily#config.startWithAudioMuted=true"]:
        assert refused(wrong).startswith("a conference is like jitsi:https://meet.example.org/Room")
