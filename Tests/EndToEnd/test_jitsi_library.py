"""The Jitsi deployment that the bot is tried with, tried with Jitsi's own web client (make
test-clients)."""

import contextlib
from types import SimpleNamespace

import pytest
from harness import clients
from harness.jitsi_attendee import Attendee
from harness.jitsi_deployment import deployed
from harness.jitsi_library import TIMEOUT, Library
from harness.jitsi_prosody import RECORDERS, beside_a_server, focus_settings
from harness.server import Server
from harness.stranger import Colour, Stranger, Tone
from harness.waiting import wait_for

RED, BLUE, GREEN = (200, 30, 30), (30, 30, 200), (30, 160, 30)
# When they were built. That of 2022 has only one way for the bridge's channel.
VERSIONS = ["2022", "2025", "2026"]
CHANNELS = [("2022", "websocket"), *(
    (version, channel) for version in ("2025", "2026") for channel in ("sctp", "websocket"))]


def bundle(version):
    return clients.bundle(f"lib-jitsi-meet-{version}.min.js")


@pytest.fixture(scope="module")
def deployment():
    with deployed() as deployment:
        yield deployment


@pytest.mark.parametrize("channel", ["sctp", "websocket"])
def test_it_meets_whom_we_play(deployment, browser, channel):
    has_socket = channel == "websocket"
    conference = deployment.conference(has_sctp=not has_socket, has_socket=has_socket)
    ann = conference.add("Ann", camera=lambda: Colour(RED), sound=lambda: Tone(500))
    library = Library(browser, bundle("2026"), deployment, conference)
    with contextlib.closing(library):
        library.shows(ann.source("camera"), RED)
        library.shows(ann.source("sound"))
        endpoint = conference.endpoint()
        wait_for("its channel is open", lambda: endpoint.channel.kinds == [channel], TIMEOUT)
        ben = conference.add(
            "Ben", camera=lambda: Colour(BLUE), sound=lambda: Tone(800), codec="H264")
        ben.publish("screen", lambda: Colour(GREEN))
        library.shows(ben.source("camera"), BLUE)
        assert library.shows(ben.source("screen"), GREEN)["type"] == "desktop"
        ben.speak()
        library.told("DOMINANT_SPEAKER_CHANGED", ben.id)
        ann.say("hello")
        library.told("MESSAGE_RECEIVED", ann.id, "hello")
        ann.tell({"a": 1})
        library.told("ENDPOINT_MESSAGE_RECEIVED", ann.id)

        # Its feedback tells of all packets, those that only measure the line too.
        numbers = conference.probe(endpoint.name)
        reports = endpoint.leg.dtls.reports
        wait_for("it tells of them", lambda: all(one in reports for one in numbers), TIMEOUT)
        assert all(reports[one] for one in numbers)

        ann.mute("camera")
        library.told("TRACK_MUTE_CHANGED", ann.source("camera").name)
        gone = ann.source("sound").name
        ann.leave()
        library.told("TRACK_REMOVED", gone)
        conference.restart(endpoint.name)
        library.shows(ben.source("camera"), BLUE)
        assert len(conference.occupants[endpoint.name].sessions) == 2 and not conference.failures


@pytest.fixture(scope="module")
def own():
    """A Prosody beside a server that is its focus."""
    with beside_a_server() as prosody:
        yield SimpleNamespace(prosody=prosody)


@pytest.fixture
def server(own, tmp_path):
    server = Server(tmp_path, settings={"ROOMCAST_JITSI_FOCUS": focus_settings(own.prosody)})
    yield server
    server.stop()


@pytest.fixture(params=VERSIONS)
def library(request, own, browser, room, server):
    """Lets one more of it come into the room."""
    with contextlib.ExitStack() as stack:
        meeting = SimpleNamespace(bridge=SimpleNamespace(name=room))
        yield lambda **more: stack.enter_context(contextlib.closing(Library(
            browser, bundle(request.param), own, meeting, RECORDERS, **more)))


@pytest.mark.parametrize("library, channel", CHANNELS, indirect=["library"])
def test_it_meets_in_rooms_of_our_own(own, library, room, server, channel):
    with contextlib.ExitStack() as stack:
        ann = stack.enter_context(Attendee(
            own.prosody, room, "Ann", camera=lambda: Colour(RED), sound=lambda: Tone(500)))
        library = library(prefers_sctp=channel == "sctp")
        library.shows(ann.own["camera"], RED)
        library.shows(ann.own["sound"])
        library.told("DOMINANT_SPEAKER_CHANGED", ann.nick)
        ann.say("hello")
        library.told("MESSAGE_RECEIVED", ann.nick, "hello")
        ann.tell({"colibriClass": "EndpointMessage", "to": "", "msgPayload": {"a": 1}})
        library.told("ENDPOINT_MESSAGE_RECEIVED", ann.nick)
        ann.tell({"colibriClass": "EndpointStats", "connectionQuality": 90})
        library.told("ENDPOINT_STATS_RECEIVED", ann.nick)
        sockets = [one for one in library.sockets if "/colibri-ws/" in one]
        assert len(sockets) == (channel == "websocket")
        library.page.evaluate("(to) => room.sendEndpointMessage(to, { b: 2 })", ann.nick)
        wait_for("she is told", lambda: [
            one for one in list(ann.heard) if one.get("msgPayload") == {"b": 2}], TIMEOUT)
        ann.mute("camera")
        library.told("TRACK_MUTE_CHANGED", ann.own["camera"].name)
        ann.share(lambda: Colour(GREEN))
        assert library.shows(ann.own["screen"], GREEN)["type"] == "desktop"

        # One of another protocol.
        hms = stack.enter_context(Stranger(server, room, "Hms"))
        hms.join()
        hms.publish(Colour(BLUE), Tone(440), codec="VP8")
        guest = ann.nick_of("Hms")
        library.told("USER_JOINED", guest)
        library.shows(SimpleNamespace(name=f"{guest}-v0"), BLUE)
        ann.leave()
        library.told("TRACK_REMOVED", ann.own["sound"].name)


def test_it_sends_in_rooms_of_our_own(own, library, room, server):
    first, second = library(), library()
    # What Chromium's own camera and microphone have.
    first.send("audio", "video")
    second.send("audio", "video")
    for one, other in (first, second), (second, first):
        one.shows(SimpleNamespace(name=f"{other.nick}-v0"))
        one.shows(SimpleNamespace(name=f"{other.nick}-a0"))
    with contextlib.closing(Attendee(own.prosody, room, "Ann")) as ann:
        for kind in "video", "audio":
            ann.wait_for_frames(ann.source_of(first.nick, kind), 20, TIMEOUT)
        with Stranger(server, room, "Hms") as hms:
            hms.join()
            hms.wait_for_frames(f"{first.nick}-v0", 10, TIMEOUT)
        first.mute("audio")
        second.told("TRACK_MUTE_CHANGED", f"{first.nick}-a0")
        first.share(GREEN)
        screen = SimpleNamespace(name=f"{first.nick}-v1")
        assert second.shows(screen, GREEN)["type"] == "desktop"


def test_its_button_records_rooms_of_our_own(library, room, server):
    first, second = library(), library()
    first.send("audio", "video")
    first.told("USER_ROLE_CHANGED", first.nick, "moderator")
    session = first.record()
    for one in first, second:
        wait_for("it is recorded", lambda: one.recordings()[-1:] == ["on"], 2 * TIMEOUT)
        assert "pending" in one.recordings()
    [recording] = server.manage("GET", f"/recordings?room_id={room}").json["data"]
    assert recording["status"] == "running"
    # Apps do not show the recorder.
    assert first.page.evaluate(
        "() => room.getParticipants().filter((one) => !one.isHidden()).map((one) => one.getId())"
    ) == [second.nick]
    first.stop_recording(session)
    for one in first, second:
        wait_for("it is over", lambda: one.recordings()[-1] == "off", 2 * TIMEOUT)
    server.wait_for_status(recording["id"], "completed", 2 * TIMEOUT, "recordings")


def test_its_moderator_says_who_may_unmute(own, library, room, server):
    first, second = library(), library()
    for one in first, second:
        one.send("audio", "video")
    first.told("USER_ROLE_CHANGED", first.nick, "moderator")
    assert first.page.evaluate("() => room.isAVModerationSupported()")
    voice = f"{second.nick}-a0"
    first.shows(SimpleNamespace(name=voice))
    # The stranger is of the other implementation.
    with contextlib.closing(Attendee(own.prosody, room, "Ann")) as ann:
        source = ann.source_of(second.nick, "audio")
        ann.wait_for_frames(source, 20, TIMEOUT)
        first.page.evaluate("() => room.enableAVModeration('audio')")
        for one in first, second:
            one.told("AV_MODERATION_CHANGED", "true audio")
        # It mutes by itself.
        first.told("TRACK_MUTE_CHANGED", voice)
        assert second.is_muted("audio") and not first.is_muted("audio")

        # Its app does not ask first: it is muted again, and nothing was heard.
        count = len(second.mutes("audio"))
        second.unmute("audio")
        wait_for("it is muted again", lambda: second.mutes("audio")[count:] == [False, True], TIMEOUT)
        ann.wait_for_silence(source)

        first.page.evaluate("(id) => room.avModerationApprove('audio', id)", second.nick)
        second.told("AV_MODERATION_APPROVED", "audio")
        first.told("AV_MODERATION_PARTICIPANT_APPROVED", f"audio {second.nick}")
        second.unmute("audio")
        ann.wait_for_frames(source, ann.frames(source) + 20, TIMEOUT)
        assert not second.is_muted("audio")

        first.page.evaluate("(id) => room.avModerationReject('audio', id)", second.nick)
        second.told("AV_MODERATION_REJECTED", "audio")
        first.told("AV_MODERATION_PARTICIPANT_REJECTED", f"audio {second.nick}")
        wait_for("it is muted", lambda: second.is_muted("audio"), TIMEOUT)
        ann.wait_for_silence(source)

        third = library()
        third.told("AV_MODERATION_CHANGED", "true audio")
        first.page.evaluate("() => room.disableAVModeration('audio')")
        for one in first, second, third:
            one.told("AV_MODERATION_CHANGED", "false audio")
        second.unmute("audio")
        ann.wait_for_frames(source, ann.frames(source) + 20, TIMEOUT)


# That of 2022 is told otherwise.
@pytest.mark.parametrize("library", ["2025", "2026"], indirect=True)
def test_it_knows_since_when_rooms_of_our_own_meet(library):
    one = library()
    one.told("CONFERENCE_CREATED_TIMESTAMP")
    assert len(one.page.evaluate("() => room.getMeetingUniqueId()")) == 36


@pytest.mark.parametrize("library", ["2025", "2026"], indirect=True)
def test_its_moderator_makes_another_who_ends_the_meeting(library, room, server):
    first, second = library(), library()
    first.told("USER_ROLE_CHANGED", first.nick, "moderator")
    second.told("CONFERENCE_JOINED")
    first.told("USER_JOINED", second.nick)
    first.page.evaluate("(id) => room.grantOwner(id)", second.nick)
    second.told("USER_ROLE_CHANGED", second.nick, "moderator")
    assert second.page.evaluate("() => room.isEndConferenceSupported()")
    second.page.evaluate("() => room.end()")
    for one in first, second:
        one.told("CONFERENCE_FAILED", "conference.destroyed")
    wait_for("all are gone", lambda: server.peer_count(room) == 0, TIMEOUT)


def test_it_waits_in_the_lobby_of_rooms_of_our_own(library, server, room):
    first, second = library(name="Ann"), library(name="Ben")
    for one in first, second:
        one.told("CONFERENCE_JOINED")
    first.told("USER_ROLE_CHANGED", first.nick, "moderator")
    assert first.page.evaluate("() => room.isLobbySupported()")
    first.page.evaluate("() => room.enableLobby()")
    for one in first, second:
        one.told("MEMBERS_ONLY_CHANGED", "true")

    # Nobody of those who wait is in the conference.
    third, fourth = library(name="Cleo"), library(name="Dan")
    for one, name in (third, "Cleo"), (fourth, "Dan"):
        one.told("CONFERENCE_FAILED", "conference.connectionError.membersOnly")
        one.page.evaluate("(name) => room.joinLobby(name)", name)
        first.told("LOBBY_USER_JOINED", name)
    waiting = {name: nick for nick, name in first.page.evaluate(
        "() => said.filter((one) => one.name === 'LOBBY_USER_JOINED').map("
        "(one) => one.values.slice(0, 2))")}
    assert set(waiting) == {"Cleo", "Dan"}
    server.wait_for_peer_count(room, 2, TIMEOUT)
    assert not second.page.evaluate(
        "() => said.some((one) => one.name === 'LOBBY_USER_JOINED')")
    first.page.evaluate("(id) => room.lobbyApproveAccess(id)", waiting["Cleo"])
    third.told("CONFERENCE_JOINED")
    for one in first, second:
        one.told("USER_JOINED", third.nick)
    first.page.evaluate("(id) => room.lobbyDenyAccess(id)", waiting["Dan"])
    fourth.told("CONFERENCE_FAILED", "conference.connectionError.accessDenied")
    first.told("LOBBY_USER_LEFT", waiting["Dan"])
    assert not fourth.page.evaluate("() => said.some((one) => one.name === 'CONFERENCE_JOINED')")

    fifth = library(name="Eve")
    fifth.told("CONFERENCE_FAILED", "conference.connectionError.membersOnly")
    fifth.page.evaluate("() => room.joinLobby('Eve')")
    first.told("LOBBY_USER_JOINED", "Eve")
    first.page.evaluate("() => room.disableLobby()")
    fifth.told("CONFERENCE_JOINED")
    for one in first, second, third:
        one.told("MEMBERS_ONLY_CHANGED", "false")
