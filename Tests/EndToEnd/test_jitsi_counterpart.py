"""The Jitsi deployment that the bot is tried with, tried with a client of its own."""

import numpy as np
import pytest
from harness.jitsi_caller import FEATURES, Caller, Jibri
from harness.jitsi_deployment import deployed
from harness.jitsi_xml import JIBRI, JSON_SOURCES, find, node
from harness.jitsi_xmpp import Refused
from harness.stranger import SAMPLE_RATE, Colour, Tone, is_near
from harness.waiting import wait_for

RED, BLUE, GREEN = (200, 30, 30), (30, 30, 200), (30, 160, 30)
TIMEOUT = 20


@pytest.fixture(scope="module")
def deployment():
    with deployed() as deployment:
        yield deployment


def frequency(samples):
    """The loudest one, in Hz."""
    return np.abs(np.fft.rfft(samples)).argmax() * SAMPLE_RATE / len(samples)


@pytest.mark.parametrize("encoding, codec", [("json", "VP8"), ("xml", "H264")])
def test_a_client_sees_hears_and_is_told(deployment, encoding, codec):
    conference = deployment.conference(encoding=encoding)
    ann = conference.add("Ann", camera=lambda: Colour(RED), sound=lambda: Tone(500), codec=codec)
    features = FEATURES if encoding == "json" else FEATURES - {JSON_SOURCES}
    with Caller(deployment.prosody, conference.bridge.name, features) as caller:
        endpoint = conference.endpoint()
        assert caller.wait_for_frames(ann.source("sound"), 10)
        heard = caller.received[ann.source("sound").name].last
        assert abs(frequency(heard) - 500) < 60
        seen = caller.wait_for_frames(ann.source("camera"), 3)
        assert is_near(seen.last, RED)

        caller.tell({"colibriClass": "ReceiverVideoConstraints", "lastN": -1,
                     "defaultConstraints": {"maxHeight": 720}})
        ben = conference.add("Ben", camera=lambda: Colour(BLUE), sound=lambda: Tone(800))
        seen = caller.wait_for_frames(ben.source("camera"), 3)
        assert is_near(seen.last, BLUE)
        wait_for("its wish is known", lambda: endpoint.height(ben.source("camera").name) == 720,
                 TIMEOUT)
        ben.speak()
        wait_for("it is told", lambda: any(
            one.get("dominantSpeakerEndpoint") == ben.id for one in list(caller.heard)), TIMEOUT)

        ann.leave()
        wait_for("her sources are gone", lambda: not any(
            one.owner == ann.id for one in list(caller.sources.values())), TIMEOUT)
        conference.restart(caller.nick)
        count = caller.frames(ben.source("camera"))
        caller.wait_for_frames(ben.source("camera"), count + 3)
        assert caller.actions == ["session-initiate", "source-add", "source-remove",
                                  "session-terminate", "session-initiate"]


def test_the_bridge_sends_what_is_wanted_and_passes_messages_on(deployment):
    conference = deployment.conference(has_sctp=False, has_socket=True)
    ann = conference.add("Ann", camera=lambda: Colour(RED), sound=lambda: Tone(500))
    ben = conference.add("Ben", camera=lambda: Colour(BLUE), screen=lambda: Colour(GREEN))
    screen = ben.source("screen")
    with Caller(deployment.prosody, conference.bridge.name) as caller:
        assert is_near(caller.wait_for_frames(screen, 3).last, GREEN)
        assert caller.sources[screen.ssrc].is_screen
        endpoint = conference.endpoint()
        caller.tell({"colibriClass": "ReceiverVideoConstraints", "lastN": 1,
                     "defaultConstraints": {"maxHeight": 180}, "onStageSources": [screen.name]})
        wait_for("one is left", lambda: endpoint.forwarded == [screen.name], TIMEOUT)
        ben.mute("screen")
        wait_for("another takes its place", lambda: (
            endpoint.forwarded == [ann.source("camera").name]), TIMEOUT)
        caller.tell({"colibriClass": "EndpointMessage", "to": ann.id, "msgPayload": {"a": 1}})
        wait_for("she hears it", lambda: ann.heard and ann.heard[0]["from"] == caller.nick, TIMEOUT)
        assert not ben.heard
        ben.tell({"b": 2})
        wait_for("all hear it", lambda: any(
            one.get("msgPayload") == {"b": 2} for one in list(caller.heard)), TIMEOUT)
        assert caller.heard[0]["colibriClass"] == "ServerHello"
        assert endpoint.channel.kinds == ["websocket"] and ann.heard[1]["from"] == ben.id
        conference.kick(caller.nick)
        wait_for("it is out", lambda: conference.gone, TIMEOUT)
        assert "307" in conference.gone[0][1] and not conference.bridge.endpoints


def test_a_button_starts_whoever_waits_in_the_brewery(deployment):
    conference, brewery = deployment.conference(), deployment.brewery
    ann = conference.add("Ann")
    button = node(JIBRI, "jibri", {"action": "start", "recording_mode": "file", "app_data": "{}"})
    with pytest.raises(Refused, match="service-unavailable"):
        ann.ask("focus", button)
    with Jibri(deployment.prosody, "one") as one, Jibri(deployment.prosody, "two") as two:
        brewery.wait_for_slots(2)
        one.answer = {"status": "off", "failure_reason": "busy", "should_retry": "true"}
        session = ann.ask("focus", button).get("session_id")
        assert two.asked == [{"action": "start", "recording_mode": "file", "app_data": "{}",
                              "session_id": session, "room": conference.room}]
        recording = brewery.recordings[0]
        with pytest.raises(Refused, match="unexpected-request"):
            ann.ask("focus", button)
        two.say(status="on")
        wait_for("it is shown", lambda: recording.states == [("on", None)], TIMEOUT)
        wait_for("to all", lambda: any(
            (shown := find(element, JIBRI, "jibri-recording-status")) is not None
            and shown.get("status") == "on" for element in list(ann.presences)), TIMEOUT)
        ann.ask("focus", node(JIBRI, "jibri", {"action": "stop"}))
        wait_for("it is stopped", lambda: len(two.asked) == 2, TIMEOUT)
        assert two.asked[1] == {"action": "stop", "session_id": session}
        assert recording.states[-1] == ("off", None)
