"""Streams of a Jitsi deployment's conferences while its parts, or the network, are away."""

import time

import pytest
from harness import hls
from harness.jitsi_cast import (
    BLUE,
    RED,
    TIMEOUT,
    assert_shows_all,
    assert_without_gap,
    cast,  # noqa: F401  a fixture
    deployment,  # noqa: F401  a fixture
    occupied,
    on_air,
)
from harness.shown import assert_shows
from harness.stranger import Colour, Tone
from harness.waiting import wait_for
from test_degradation import bot_of

OUTAGE = 10  # s


def test_a_server_that_is_restarted_is_joined_again(deployment, room, cast):
    conference = occupied(deployment)
    caster = cast()
    begun = time.monotonic()
    stream = on_air(caster, room, conference)
    bot, before = bot_of(caster), conference.occupant()
    deployment.prosody.stop()
    deployment.prosody.start()
    deployment.reconnect()
    after = wait_for("it joins again", lambda: next(
        (one for one in conference.occupants.values() if one is not before), None), TIMEOUT)
    wait_for("it accepts a session", lambda: after.session and after.session.state == "active",
             TIMEOUT)
    conference.add("Ben", camera=lambda: Colour(BLUE), sound=lambda: Tone(660))
    assert_shows_all(caster, stream, [RED, BLUE])
    assert bot_of(caster) == bot and caster.stream(stream["id"])["status"] == "running"
    assert_without_gap(caster, stream)
    assert before.nick == after.nick, "it is the same endpoint for the bridge"


def test_without_network_for_a_while_the_stream_goes_on(deployment, room, cast):
    conference = occupied(deployment)
    caster = cast()
    stream = on_air(caster, room, conference)
    bot, occupant = bot_of(caster), conference.occupant()
    playback = stream["playback"]["url"]
    count = hls.segment_count(caster.http, playback)
    conference.cut(occupant.nick)
    deployment.prosody.freeze()
    time.sleep(OUTAGE)
    deployment.prosody.thaw()
    conference.mend(occupant.nick)
    assert_shows(caster, stream, RED)
    wait_for("segments follow", lambda: hls.segment_count(caster.http, playback) > count + 4,
             TIMEOUT)
    # It is in the same room and the same session.
    conference.add("Ben", camera=lambda: Colour(BLUE), sound=lambda: Tone(660))
    assert_shows_all(caster, stream, [RED, BLUE])
    assert bot_of(caster) == bot and len(occupant.sessions) == 1
    assert list(conference.occupants.values()) == [occupant]
    assert_without_gap(caster, stream)


@pytest.mark.parametrize("has_sctp", [True, False])
def test_another_session_follows_without_a_gap(deployment, room, cast, has_sctp):
    conference = occupied(deployment, has_sctp=has_sctp, has_socket=True)
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
    conference = occupied(deployment)
    caster = cast()
    stream = on_air(caster, room, conference)
    occupant = conference.occupant()
    conference.break_media(occupant.nick)
    wait_for("it has another session", lambda: len(occupant.sessions) > 1, TIMEOUT)
    assert [one.get("action") for one in occupant.sessions[0].told][-1] == "session-terminate"
    wait_for("it accepts", lambda: occupant.session.state == "active", TIMEOUT)
    assert_shows(caster, stream, RED)


def test_a_session_goes_on_at_another_bridge(deployment, room, cast):
    conference = occupied(deployment)
    caster = cast()
    stream = on_air(caster, room, conference)
    occupant, bot = conference.occupant(), bot_of(caster)
    conference.replace_transport(occupant.nick)
    wait_for("it accepts", lambda: [one.get("action") for one in occupant.session.told]
             == ["session-accept", "transport-accept"], TIMEOUT)
    conference.add("Ben", camera=lambda: Colour(BLUE), sound=lambda: Tone(660))
    assert_shows_all(caster, stream, [RED, BLUE])
    assert conference.endpoint().channel.of("ReceiverVideoConstraints")
    assert len(occupant.sessions) == 1 and bot_of(caster) == bot
    assert_without_gap(caster, stream)


def test_ice_begins_anew_while_media_go_on(deployment, room, cast):
    conference = occupied(deployment)
    caster = cast()
    stream = on_air(caster, room, conference)
    occupant, endpoint = conference.occupant(), conference.endpoint()
    for number in [1, 2]:
        conference.restart_ice(occupant.nick)
        wait_for("it is done", lambda: endpoint.restarted == number, TIMEOUT)
    conference.add("Ben", camera=lambda: Colour(BLUE), sound=lambda: Tone(660))
    assert_shows_all(caster, stream, [RED, BLUE])
    assert [one.get("action") for one in occupant.session.told] == [
        "session-accept", "transport-info", "transport-info"]
    assert len(occupant.sessions) == 1 and not conference.failures
    assert_without_gap(caster, stream)
