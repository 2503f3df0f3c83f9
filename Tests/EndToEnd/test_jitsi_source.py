"""Streams of a Jitsi deployment's conferences, in place of a room. Prosody is real; Jicofo and the
videobridge are played by slixmpp and aiortc."""

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from harness import media
from harness.assets import BOTH
from harness.http import path_of
from harness.jitsi_cast import (
    BLUE,
    GREEN,
    PASSWORD,
    RED,
    TIMEOUT,
    assert_fails,
    assert_shows_all,
    cast,  # noqa: F401  a fixture
    deployment,  # noqa: F401  a fixture
    on_air,
    start,
    url,
)
from harness.jitsi_prosody import DOMAIN, HIDDEN
from harness.jitsi_xml import CLIENT, find
from harness.shown import assert_shows, is_heard, is_near, newest_segment
from harness.stranger import Colour, Tone
from harness.waiting import wait_for
from test_degradation import bot_of


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
    # A screen as it is; of a camera the smallest that fills its tile.
    endpoint = conference.endpoint()
    wait_for("the bridge is told of the tiles", lambda: [
        endpoint.height(ann.source(what).name) for what in ("camera", "screen")] == [180, 2160],
        TIMEOUT)
    ann.unpublish("screen")
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


def test_what_is_said_is_in_the_recordings_chat(deployment, room, cast):
    conference = deployment.conference()
    ann = conference.add("Ann", camera=lambda: Colour(RED), sound=lambda: Tone(440))
    caster = cast()
    ann.say("before the recording")
    stream = on_air(caster, room, conference, recording=BOTH)
    nick = conference.occupant().nick
    file = caster.output / room / stream["id"] / "chat.csv"

    def is_written(text):
        wait_for(f"{text} is written", lambda: file.exists() and text in file.read_text(), TIMEOUT)

    ann.say("Grüße, \"alle\"")
    # The focus passes this on, and the bridge the other: one may overtake the other.
    is_written("Grüße")
    ann.say("for the bot alone", to=nick)
    conference.endpoint()
    ann.tell({"type": "reaction", "emoji": "clap"})
    ann.tell({"only": "for the bot"}, to=nick)
    is_written("clap")
    caster.stop_stream(room)
    done = caster.wait_for_status(stream["id"], "completed", TIMEOUT)
    [asset] = [one for one in done["recording_assets"] if one["type"] == "chat"]
    link = caster.manage("GET", f"/recording-assets/{asset['id']}/presigned-url").json
    text = caster.http.get(path_of(link["url"])).body.decode()
    _, *rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    assert [[*row[:4], *row[5:]] for row in rows] == [
        [ann.id, "Ann", "", "[]", "chat", "Grüße, \"alle\""],
        [ann.id, "Ann", "", "[]", "endpoint-message", '{"emoji":"clap","type":"reaction"}']]
