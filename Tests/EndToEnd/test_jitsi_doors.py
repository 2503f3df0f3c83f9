"""The ways into a Jitsi deployment's conferences, and those who keep them. Prosody is real, with a
module that sends to lobbies as Jitsi's own does."""

import pytest
from harness.jitsi_cast import (
    RED,
    TIMEOUT,
    assert_fails,
    cast,  # noqa: F401  a fixture
    deployment,  # noqa: F401  a fixture
    occupied,
    on_air,
    start,
)
from harness.jitsi_prosody import HIDDEN
from harness.jitsi_xmpp import Refused
from harness.shown import assert_shows
from harness.waiting import wait_for


@pytest.mark.parametrize("scheme, port", [("wss", "secure_web_port"), ("ws", "web_port")])
def test_the_server_is_reached_by_websocket(deployment, room, cast, scheme, port):
    conference = occupied(deployment)
    address = f"{scheme}://127.0.0.1:{getattr(deployment.prosody, port)}/xmpp-websocket"
    caster = cast(server=address)
    on_air(caster, room, conference)
    occupant = conference.occupant()
    assert occupant.jid.startswith(f"recorder@{HIDDEN}/")
    # By which a deployment of several servers knows where to send it.
    name = conference.room.partition("@")[0]
    log = deployment.prosody.log.read_text()
    assert f"/xmpp-websocket?room={name}" in log or "room=" not in log
    caster.stop_stream(room)
    wait_for("the bot is gone", lambda: occupant.nick not in conference.occupants, TIMEOUT)


def test_the_focus_is_asked_by_http(deployment, room, cast):
    conference = occupied(deployment)
    count = len(deployment.requests)
    deployment.delays = 1
    caster = cast(conferenceRequest=deployment.request_address)
    on_air(caster, room, conference)
    asked = [one for one in deployment.http_requests if one["room"] == conference.room]
    assert len(asked) == 2, "it is asked again when it is not ready"
    assert asked[0]["properties"] == {"rtcstatsEnabled": False} and asked[0]["machineUid"]
    assert len(deployment.requests) == count


def test_a_focus_that_refuses_by_http_fails_the_stream(deployment, room, cast):
    conference = occupied(deployment)
    caster = cast(conferenceRequest=deployment.request_address)
    deployment.refusal = Refused("not-authorized")
    try:
        assert_fails(caster, start(caster, room, conference),
                     "only users who have logged in may create the room")
    finally:
        deployment.refusal = None


def in_the_lobby(deployment, room, cast):
    """A stream whose bot waits there, and its nick."""
    conference = occupied(deployment)
    conference.open_lobby()
    caster = cast()
    stream = start(caster, room, conference)
    nick = wait_for("somebody waits", lambda: next(iter(conference.waiting), None), TIMEOUT)
    assert conference.waiting[nick].startswith(f"recorder@{HIDDEN}/")
    assert not conference.occupants
    return conference, caster, stream, nick


def test_whoever_is_let_in_from_the_lobby_is_there(deployment, room, cast):
    conference, caster, stream, nick = in_the_lobby(deployment, room, cast)
    conference.let_in(nick)
    caster.wait_for_status(stream["id"], "running", TIMEOUT)
    assert_shows(caster, stream, RED)
    assert conference.occupant().nick == nick
    wait_for("nobody waits", lambda: not conference.waiting, TIMEOUT)


def test_a_lobby_that_is_closed_lets_all_in(deployment, room, cast):
    conference, caster, stream, _ = in_the_lobby(deployment, room, cast)
    conference.close_lobby()
    caster.wait_for_status(stream["id"], "running", TIMEOUT)
    assert_shows(caster, stream, RED)


def test_whoever_is_sent_away_does_not_knock_again(deployment, room, cast):
    conference, caster, stream, nick = in_the_lobby(deployment, room, cast)
    conference.send_away(nick)
    assert_fails(caster, stream,
                 "refused with 403: the recorder was not let in from the lobby")
    wait_for("nobody waits", lambda: not conference.waiting, TIMEOUT)
    assert not conference.occupants
    assert caster.log.read_text().count("waiting in the lobby") == 1


def test_a_locked_room_needs_its_password(deployment, room, cast, stack):
    conference = occupied(deployment)
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
