"""Streams of a Jitsi deployment's conferences: a deployment for a module's tests, and servers that may
stream from it."""

import datetime
import json

import numpy as np
import pytest

from . import hls, media
from .http import path_of
from .jitsi_deployment import deployed
from .jitsi_prosody import DOMAIN, FOCUS, HIDDEN, ROOMS
from .server import Server
from .shown import LADDER, assert_shows, newest_segment
from .stranger import Colour, Tone
from .waiting import wait_for

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


def occupied(deployment, **settings):
    """A conference of one, who is red."""
    conference = deployment.conference(**settings)
    conference.add("Ann", camera=lambda: Colour(RED), sound=lambda: Tone(440))
    return conference


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


def on_air(caster, room, conference, colour=RED, **more):
    stream = start(caster, room, conference, **more)
    caster.wait_for_status(stream["id"], "running", TIMEOUT)
    assert_shows(caster, stream, colour)
    return stream


def assert_without_gap(caster, stream):
    """The timeline goes on: each segment begins where the one before ends, by the clock."""
    playback = stream["playback"]["url"]
    wait_for("there are some", lambda: hls.segment_count(caster.http, playback) > 3, TIMEOUT)
    path = path_of(playback)
    path = hls.resolve(path, hls.parse_master(caster.http.get(path).body.decode())[0].uri)
    segments = hls.parse_media(caster.http.get(path).body.decode()).segments
    dates = [datetime.datetime.fromisoformat(one.date) for one in segments]
    assert not [one for one in segments if one.is_discontinuity]
    for one, date, following in zip(segments, dates, dates[1:], strict=False):
        assert abs((following - date).total_seconds() - one.duration) < 0.1, (one, following)
