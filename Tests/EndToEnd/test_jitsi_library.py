"""The Jitsi deployment that the bot is tried with, tried with Jitsi's own web client (make
test-clients)."""

import contextlib
import json
from types import SimpleNamespace

import pytest
from harness import clients
from harness.jitsi_attendee import Attendee
from harness.jitsi_deployment import deployed
from harness.jitsi_library import TIMEOUT, Library
from harness.jitsi_prosody import FOCUS, OWN_HOSTS, ROOMS, SECRET, JitsiProsody
from harness.server import Server
from harness.stranger import Colour, Stranger, Tone
from harness.waiting import wait_for

RED, BLUE, GREEN = (200, 30, 30), (30, 30, 200), (30, 160, 30)


@pytest.fixture(scope="module")
def deployment():
    with deployed() as deployment:
        yield deployment


@pytest.mark.parametrize("channel", ["sctp", "websocket"])
def test_it_meets_whom_we_play(deployment, browser, channel):
    has_socket = channel == "websocket"
    conference = deployment.conference(has_sctp=not has_socket, has_socket=has_socket)
    ann = conference.add("Ann", camera=lambda: Colour(RED), sound=lambda: Tone(500))
    library = Library(
        browser, clients.bundle("lib-jitsi-meet.min.js"), deployment, conference)
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


def test_it_meets_in_rooms_of_our_own(browser, room, tmp_path):
    with contextlib.ExitStack() as stack:
        prosody = stack.enter_context(contextlib.closing(JitsiProsody(OWN_HOSTS)))
        prosody.start()
        settings = {"server": f"127.0.0.1:{prosody.component_port}", "component": FOCUS,
                    "rooms": ROOMS, "secret": SECRET}
        server = Server(tmp_path, settings={"ROOMCAST_JITSI_FOCUS": json.dumps(settings)})
        stack.callback(server.stop)
        ann = stack.enter_context(Attendee(
            prosody, room, "Ann", camera=lambda: Colour(RED), sound=lambda: Tone(500)))
        place = SimpleNamespace(prosody=prosody)
        meeting = SimpleNamespace(bridge=SimpleNamespace(name=room))
        library = stack.enter_context(contextlib.closing(Library(
            browser, clients.bundle("lib-jitsi-meet.min.js"), place, meeting)))
        library.shows(ann.own["camera"], RED)
        library.shows(ann.own["sound"])
        library.told("DOMINANT_SPEAKER_CHANGED", ann.nick)
        ann.say("hello")
        library.told("MESSAGE_RECEIVED", ann.nick, "hello")
        ann.tell({"colibriClass": "EndpointMessage", "to": "", "msgPayload": {"a": 1}})
        library.told("ENDPOINT_MESSAGE_RECEIVED", ann.nick)
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
