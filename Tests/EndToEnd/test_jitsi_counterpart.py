"""The Jitsi deployment that the bot is tried with, tried with a client of its own."""

import contextlib

import numpy as np
import pytest
from harness.jitsi_caller import FEATURES, Caller
from harness.jitsi_deployment import Deployment
from harness.jitsi_prosody import JitsiProsody
from harness.jitsi_xml import JSON_SOURCES
from harness.stranger import SAMPLE_RATE, Colour, Tone, is_near
from harness.waiting import wait_for

RED, BLUE, GREEN = (200, 30, 30), (30, 30, 200), (30, 160, 30)
TIMEOUT = 20


@pytest.fixture(scope="module")
def deployment():
    with contextlib.closing(JitsiProsody()) as prosody:
        prosody.start()
        with Deployment(prosody) as deployment:
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
