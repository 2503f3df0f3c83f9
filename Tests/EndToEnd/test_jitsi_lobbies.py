"""Lobbies of rooms of our own, by the module for Prosody that we ship."""

import contextlib

import pytest
from harness.jitsi_attendee import Attendee
from harness.jitsi_lobby import Newcomer
from harness.jitsi_prosody import LOBBIES, ROOMS, beside_a_server, focus_settings
from harness.jitsi_xml import MEET, find
from harness.jitsi_xmpp import Refused
from harness.server import Server
from harness.stranger import Colour, Stranger, Tone
from harness.waiting import wait_for

TIMEOUT = 30


@pytest.fixture(scope="module")
def prosody():
    with beside_a_server() as prosody:
        yield prosody


@pytest.fixture(scope="module")
def server(prosody, tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("lobbies"),
                    settings={"ROOMCAST_JITSI_FOCUS": focus_settings(prosody)})
    yield server
    server.stop()


@pytest.fixture
def come(prosody, room, server):
    """Ann is there, and has opened the lobby; others come."""
    with contextlib.ExitStack() as stack:
        def attend(name, **more):
            return stack.enter_context(Attendee(prosody, room, name, **more))

        def newcomer(name):
            return stack.enter_context(Newcomer(prosody, room, name))

        yield attend, newcomer


def refusal(newcomer, **more):
    with pytest.raises(Refused) as refused:
        newcomer.enter(**more)
    return refused.value


def occupant(room, one):
    return f"{room}/{one.nick}"


def is_here(server, room, name):
    peers = server.manage("GET", f"/active-rooms/{room}/peers").json["peers"].values()
    return name in [one["name"] for one in peers]


def test_whoever_waits_is_admitted_or_refused(come, server, room):
    attend, newcomer = come
    lobby = f"{room}@{LOBBIES}"
    ann, ben = attend("Ann"), attend("Ben")
    for one in ann, ben:
        one.wait_until_invited()
    assert ann.identities()["lobbyrooms"] == LOBBIES
    assert ann.lobby() is None
    with pytest.raises(Refused) as refused:
        ben.limit_to_members()
    assert refused.value.condition == "forbidden"
    wait_for("she owns the room", lambda: limits(ann), TIMEOUT)
    assert ann.lobby() == lobby
    enabled = {"type": "lobby-notify", "event": "LOBBY-ENABLED", "value": True}
    wait_for("he is told", lambda: (occupant(ann.room, ann), enabled) in ben.notices, TIMEOUT)

    # Those who were there stay; whoever comes has to wait, and needs a name.
    cleo, dan, eve = newcomer("Cleo"), newcomer("Dan"), newcomer("Eve")
    assert refusal(cleo, name="").condition == "not-acceptable"
    for one in cleo, dan, eve:
        why = refusal(one)
        assert why.condition == "registration-required"
        assert find(why.element, MEET, "lobbyroom").text == lobby
        one.enter(lobby)
    server.wait_for_peer_count(room, 2, TIMEOUT)

    # The moderator sees them, and they nobody.
    ann.enter_lobby(lobby)
    wait_for("she sees all", lambda: {one.nick for one in (cleo, dan, eve)} <= set(ann.waiting), TIMEOUT)
    ben.enter_lobby(lobby)
    dan.say(lobby, "to all")
    dan.tell(occupant(lobby, cleo), "to one")
    wait_for("she reads it", lambda: (occupant(lobby, dan), "groupchat", "to all") in ann.texts, TIMEOUT)
    ann.tell_waiting(occupant(lobby, cleo), "wait")
    wait_for("she reads it too", lambda: cleo.texts == [(occupant(lobby, ann), "wait")], TIMEOUT)
    assert not any(one.presences for one in (cleo, dan, eve))
    assert not dan.texts[1:] and not eve.texts and not ben.waiting

    # Several are admitted at once; one is refused.
    for one in cleo, eve:
        with pytest.raises(Refused):
            one.enter()
    ann.admit(cleo.address, eve.address)
    for one in cleo, eve:
        wait_for("it is invited", lambda one=one: one.invitations == [one.room], TIMEOUT)
        one.enter()
        wait_for("it is a peer", lambda one=one: is_here(server, room, one.name), TIMEOUT)
    wait_for("members are told", lambda: [
        said["name"] for _, said in list(ben.notices)
        if said["event"] == "LOBBY-ACCESS-GRANTED"] == ["Cleo", "Eve"], TIMEOUT)
    ann.put_out(lobby, dan.nick)
    wait_for("he is put out", lambda: dan.end and "307" in dan.end[0], TIMEOUT)
    denied = {"type": "lobby-notify", "event": "LOBBY-ACCESS-DENIED", "name": "Dan",
              "value": occupant(lobby, dan)}
    wait_for("members are told", lambda: (occupant(ann.room, ann), denied) in ben.notices, TIMEOUT)
    assert refusal(dan).condition == "registration-required"

    # Peers of other protocols come by their own doors, and are seen.
    with Stranger(server, room, "Hms") as hms:
        hms.join()
        hms.publish(Colour((30, 160, 30)), Tone(440), codec="VP8")
        ann.source_of(ann.nick_of("Hms"), "video")

    # Its end lets all in who wait.
    fay = newcomer("Fay")
    refusal(fay)
    fay.enter(lobby)
    ann.limit_to_members(False)
    wait_for("she may come", lambda: fay.end and fay.end[1] == fay.room, TIMEOUT)
    fay.enter()
    dan.enter()
    assert ann.lobby() is None
    wait_for("members are told of it", lambda: (
        occupant(ann.room, ann), enabled | {"value": False}) in ben.notices, TIMEOUT)


def limits(attendee):
    try:
        attendee.limit_to_members()
    except Refused:
        return False
    return True


def test_the_next_moderator_has_the_lobby(come, server, room):
    attend, newcomer = come
    lobby = f"{room}@{LOBBIES}"
    ann, ben = attend("Ann"), attend("Ben")
    for one in ann, ben:
        one.wait_until_invited()
    wait_for("she owns the room", lambda: limits(ann), TIMEOUT)
    cleo = newcomer("Cleo")
    refusal(cleo)
    cleo.enter(lobby)
    ann.leave()
    wait_for("he owns the room", lambda: limits(ben), TIMEOUT)
    ben.enter_lobby(lobby)
    wait_for("he sees her", lambda: cleo.nick in ben.waiting, TIMEOUT)
    ben.admit(cleo.address)
    wait_for("she is invited", lambda: cleo.invitations == [cleo.room], TIMEOUT)
    cleo.enter()


def test_no_lobby_is_made_by_others(come, room):
    attend, newcomer = come
    ann, cleo = attend("Ann"), newcomer("Cleo")
    ann.wait_until_invited()
    for name in room, "another":
        assert refusal(cleo, room=f"{name}@{LOBBIES}").condition == "not-allowed"
    # Nor may somebody who waits make members, or open the room.
    wait_for("she owns the room", lambda: limits(ann), TIMEOUT)
    refusal(cleo)
    cleo.enter(f"{room}@{LOBBIES}")
    for address in f"{room}@{LOBBIES}", f"{room}@{ROOMS}":
        with pytest.raises(Refused) as refused:
            cleo.limit_to_members(address, False)
        assert refused.value.condition in ("forbidden", "not-allowed")
    cleo.invite_itself()
    assert refusal(cleo).condition == "registration-required"


def test_a_password_leads_past_the_lobby(come, room):
    attend, newcomer = come
    ann, cleo, dan = attend("Ann"), newcomer("Cleo"), newcomer("Dan")
    ann.wait_until_invited()
    wait_for("she owns the room", lambda: limits(ann), TIMEOUT)
    ann.lock("open sesame")
    assert refusal(cleo, password="open").condition == "registration-required"
    cleo.enter(password="open sesame")
    # Whom she admits need not know it.
    assert refusal(dan).condition == "registration-required"
    dan.enter(f"{room}@{LOBBIES}")
    ann.admit(dan.address)
    wait_for("he is invited", lambda: dan.invitations == [dan.room], TIMEOUT)
    dan.enter()
    # Without a lobby, everybody needs it.
    ann.limit_to_members(False)
    assert refusal(newcomer("Eve")).condition == "not-authorized"


def test_whoever_is_put_out_waits_again(come, room):
    attend, newcomer = come
    ann, ben, cleo = attend("Ann"), attend("Ben"), newcomer("Cleo")
    for one in ann, ben:
        one.wait_until_invited()
    wait_for("she owns the room", lambda: limits(ann), TIMEOUT)
    refusal(cleo)
    cleo.enter(f"{room}@{LOBBIES}")
    ann.admit(cleo.address)
    wait_for("she is invited", lambda: cleo.invitations == [cleo.room], TIMEOUT)
    cleo.enter()
    ann.put_out(ann.room, cleo.nick)
    assert refusal(cleo).condition == "registration-required"
    # Who goes by itself may come back.
    cleo.enter(f"{room}@{LOBBIES}")
    ann.admit(cleo.address)
    wait_for("she is invited again", lambda: len(cleo.invitations) == 2, TIMEOUT)
    cleo.enter()
