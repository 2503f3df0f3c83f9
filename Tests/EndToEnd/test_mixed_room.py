"""One room for all protocols: a 100ms peer, an OpenVidu participant, a member of a Jitsi conference, a
WHIP publisher and a WHEP viewer; on air, with a recorder that none of them is told of."""

import contextlib
import json

import numpy as np
import pytest
from harness import hls, media, whip
from harness.jitsi_attendee import Attendee
from harness.jitsi_prosody import beside_a_server, focus_settings
from harness.openvidu import Participant
from harness.openvidu_application import Application, EventReceiver
from harness.receiver import Receiver
from harness.server import Server
from harness.stranger import SAMPLE_RATE, Colour, Stranger, Tone, is_near
from harness.waiting import wait_for
from harness.wire import Wire

SECRET = "as secret as a test"
COLOURS = {"Hms": (30, 160, 30), "Ovi": (200, 30, 30), "Jit": (30, 180, 180), "Cam": (30, 30, 200),
           "Cam 2": (200, 200, 30)}
TONES = {"Hms": 440, "Ovi": 700, "Jit": 1060, "Cam": 1500, "Cam 2": 1500}  # Hz
TIMEOUT = 90  # s


@pytest.fixture(scope="module")
def prosody():
    with beside_a_server() as prosody:
        yield prosody


@pytest.fixture(scope="module")
def hooks():
    """Receives webhooks of 100ms' form."""
    with contextlib.closing(Receiver()) as receiver:
        yield receiver


@pytest.fixture(scope="module")
def events():
    """Receives webhooks of OpenVidu's form."""
    with contextlib.closing(EventReceiver()) as receiver:
        yield receiver


@pytest.fixture(scope="module")
def server(binary, prosody, hooks, events, tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("server"), settings={
        "ROOMCAST_OPENVIDU_SECRET": SECRET, "ROOMCAST_JITSI_FOCUS": focus_settings(prosody)
    } | hooks.settings | events.settings)
    yield server
    assert server.stop() == 0, server.tail()


def tracks(name):
    return Colour(COLOURS[name]), Tone(TONES[name])


def is_sound_of(name, samples):
    """Whether that one's tone is in the sound, whoever else's is."""
    strength = np.abs(np.fft.rfft(samples))
    at = np.fft.rfftfreq(len(samples), 1 / SAMPLE_RATE)
    return strength[abs(at - TONES[name]) < 30].max() > 0.2 * strength.max() > 0


class World:
    def __init__(self, server, prosody, room, stack, hooks, events):
        self.server, self.room, self.stack = server, room, stack
        self.hooks, self.events = hooks, events
        self.wire = Wire(server.port)
        stack.callback(self.wire.close)
        self.application = Application(server, SECRET)
        self.application.open(room)
        self.hms = stack.enter_context(Stranger(server, room, "Hms"))
        self.hms.join()
        self.hms.publish(*tracks("Hms"), codec="VP8")
        self.ovi = stack.enter_context(
            Participant(server, room, "Ovi", role="host", port=self.wire.port))
        self.ovi.join()
        self.ovi.publish(*tracks("Ovi"))
        self.jit = stack.enter_context(Attendee(
            prosody, room, "Jit", camera=lambda: Colour(COLOURS["Jit"]),
            sound=lambda: Tone(TONES["Jit"])))
        self.jit.wait_until_invited()
        self.most = 3  # peers at a time
        self.publish("Cam")
        self.remotes = {}  # the streams that the OpenVidu participant receives, by name

    def publish(self, name):
        self.most += 1
        self.whip = self.stack.enter_context(whip.Publisher(
            self.server, self.room, *tracks(name), query=f"?name={name.replace(' ', '%20')}"))

    def track_of(self, name, kind):
        """A track of a peer, as the 100ms peer has been told of it."""

        def found():
            for one in reversed(list(self.hms.notifications)):
                params = one["params"]
                peers = [params["peer"] | {"tracks": params["tracks"]}] \
                    if one["method"] == "on-track-add" else \
                    params["peers"].values() if one["method"] == "peer-list" else []
                for peer in peers:
                    for identifier, track in (peer.get("tracks") or {}).items():
                        if (peer["info"]["name"], track["type"]) == (name, kind):
                            return identifier
            return None

        return wait_for(f"a track of {name}", found, TIMEOUT)

    def assert_each_receives_the_others(self, camera="Cam"):
        """From now on, so also after somebody's return."""
        for name in ("Ovi", "Jit", camera):
            for kind, count in (("video", 10), ("audio", 30)):
                track = self.track_of(name, kind)
                got = self.hms.wait_for_frames(track, self.hms.frames(track) + count, TIMEOUT)
                assert is_near(got.last, COLOURS[name]) if kind == "video" else np.abs(got.last).max() > 0.02
        for name in ("Hms", "Jit", camera):
            if name not in self.remotes:
                self.remotes[name] = self.ovi.stream_of(name)
                self.ovi.subscribe(self.remotes[name])
            for kind, count in (("video", 10), ("audio", 30)):
                stream = self.remotes[name]
                seen = self.ovi.frames(stream, kind)
                got = self.ovi.wait_for_frames(stream, kind, seen + count, TIMEOUT)
                assert is_near(got.last, COLOURS[name]) if kind == "video" else np.abs(got.last).max() > 0.02
        for name in ("Hms", "Ovi", camera):
            nick = self.jit.nick_of(name)
            for kind, count in (("video", 10), ("audio", 30)):
                source = self.jit.source_of(nick, kind)
                got = self.jit.wait_for_frames(source, self.jit.frames(source) + count, TIMEOUT)
                assert is_near(got.last, COLOURS[name]) if kind == "video" else np.abs(got.last).max() > 0.02
        for name in ("Hms", "Ovi", "Jit", camera):
            peer = self.peers()[name]
            with whip.Viewer(self.server, self.room, f"?peer={peer}") as viewer:
                assert is_near(
                    viewer.wait_for_frames("video", 10, TIMEOUT).last, COLOURS[name])
                assert np.abs(viewer.wait_for_frames("audio", 30, TIMEOUT).last).max() > 0.02

    def peers(self):
        """The ids of the peers in the room, by their names."""
        answer = self.server.manage("GET", f"/active-rooms/{self.room}/peers")
        assert answer.status == 200, answer
        return {peer["name"]: peer["id"] for peer in answer.json["peers"].values()}

    def assert_nobody_is_told_of_the_recorder(self, camera="Cam"):
        names = {"Hms", "Ovi", "Jit", camera}
        assert set(self.peers()) == names
        self.server.wait_for_peer_count(self.room, 4, TIMEOUT)
        connections = self.application.get(f"sessions/{self.room}/connection")
        assert connections.status_code == 200
        assert connections.json()["numberOfElements"] == 4
        told = [one["params"] for one in self.hms.notifications]
        joined = {one["info"]["name"] for params in told
                  for one in [params, *(params.get("peers") or {}).values()] if "info" in one
                  and "joined_at" in one}
        assert joined <= set(COLOURS), joined
        counts = [params["peer_count"] for params in told if "peer_count" in params]
        assert not counts or max(counts) <= self.most, counts
        joined = {one["params"]["metadata"] for one in self.ovi.notifications
                  if one["method"] == "participantJoined"}
        joined |= {one["metadata"] for one in self.ovi.others}
        assert all(any(name in metadata for name in COLOURS) for metadata in joined), joined
        shown = self.jit.names()
        assert shown <= set(COLOURS), shown
        self.assert_no_webhook_tells_of_the_recorder(names)

    def assert_no_webhook_tells_of_the_recorder(self, names):
        """Of 100ms' form, nor of OpenVidu's."""

        def peers():
            return [one["data"] for one in list(self.hooks.accepted)
                    if one["type"].startswith("peer.") and one["data"]["room_id"] == self.room]

        def joined():
            return self.events.of(self.room, "participantJoined")

        def told():
            return {json.loads(one["clientData"])["clientData"] for one in joined()}

        wait_for("webhooks tell of all others",
                 lambda: names <= {one["user_name"] for one in peers()} & told(), TIMEOUT)
        assert {one["user_name"] for one in peers()} | told() <= set(COLOURS)
        known = {one["connectionId"] for one in joined()}
        # No stream is received by a connection of which nobody was told.
        assert {one["connectionId"] for one in self.events.of(self.room)
                if "connectionId" in one} <= known
        everything = json.dumps([peers(), self.events.of(self.room)])
        assert "RECORDER" not in everything and "recorder" not in everything

    def assert_words_reach_all(self, number):
        self.hms.call("broadcast", {"info": {"type": "chat", "message": f"from Hms {number}"}})
        self.ovi.told("sendMessage", lambda signal: signal["data"] == f"from Hms {number}")
        self.ovi.signal(f"from Ovi {number}")
        self.hms.told("on-broadcast", lambda params: params["info"]["message"] == f"from Ovi {number}")
        self.jit.say(f"from Jit {number}")
        self.hms.told("on-broadcast", lambda params: params["info"]["message"] == f"from Jit {number}")
        self.ovi.told("sendMessage", lambda signal: signal["data"] == f"from Jit {number}")
        words = {f"from {name} {number}" for name in ("Hms", "Ovi")}
        wait_for("the Jitsi member is told", lambda: words <= {
            text for _, kind, text in list(self.jit.texts) if kind == "groupchat"}, TIMEOUT)


@pytest.fixture
def world(server, prosody, room, hooks, events):
    with contextlib.ExitStack() as stack:
        yield World(server, prosody, room, stack, hooks, events)


def test_each_receives_the_others_and_is_in_the_stream_also_after_its_return(world):
    server, room = world.server, world.room
    started = server.start_stream(room, {
        "ladder": [{"width": 640, "height": 360, "videoBitrate": 800}], "layout": {"names": False}})
    server.wait_for_status(started["id"], "running", 60)
    url = started["playback"]["url"]
    # Besides the bot of the stream, the recorder of OpenVidu's protocol.
    recorder = world.stack.enter_context(Participant(server, room, "Rec"))
    assert recorder.join(secret=SECRET, recorder=True, token="", session=room)["id"] == "RECORDER"
    recorder.subscribe(recorder.stream_of("Ovi"))

    def assert_all_are_on_air(camera="Cam"):
        names = ("Hms", "Ovi", "Jit", camera)
        colours = [COLOURS[name] for name in names]
        wait_for("the stream shows all four",
                 lambda: min(hls.shares(server.http, url, colours)) > 0.15, TIMEOUT)

        def are_heard():
            with hls.newest_segment(server.http, url) as segment:
                samples = media.sound(segment)
            return all(is_sound_of(name, samples) for name in names)

        wait_for("all four are heard", are_heard, TIMEOUT)

    world.assert_each_receives_the_others()
    world.assert_words_reach_all(1)
    assert_all_are_on_air()
    world.assert_nobody_is_told_of_the_recorder()

    world.wire.cut()
    world.wire.mend()
    wait_for("the OpenVidu participant is back", lambda: world.ovi.reconnected == 1, TIMEOUT)
    world.assert_words_reach_all(2)
    world.assert_each_receives_the_others()

    world.hms.reconnect()
    world.assert_words_reach_all(3)
    world.assert_each_receives_the_others()
    world.assert_nobody_is_told_of_the_recorder()

    # It comes back before the room has missed it. (In the sections of one that has gone, aiortc
    # would receive nothing.)
    first = world.whip
    world.publish("Cam 2")
    world.assert_each_receives_the_others("Cam 2")
    first.end()
    world.hms.told("on-peer-leave", lambda peer: peer["info"]["name"] == "Cam")
    world.assert_each_receives_the_others("Cam 2")
    assert_all_are_on_air("Cam 2")
    world.assert_nobody_is_told_of_the_recorder("Cam 2")
    server.stop_stream(room)


def test_mutes_are_told_to_all_protocols(world):
    hms, ovi = world.hms, world.ovi
    world.assert_each_receives_the_others()

    # Of an OpenVidu participant, by itself.
    ovi.mute("video")
    camera = world.track_of("Ovi", "video")
    hms.told("on-track-update", lambda params: params["tracks"].get(camera, {}).get("mute"))
    # Of a 100ms peer, by itself.
    [own] = [one for one, track in hms.published.items() if track["type"] == "audio"]
    hms.set_muted(own, True)
    ovi.told("streamPropertyChanged", lambda params: params["property"] == "audioActive"
             and params["streamId"] == world.remotes["Hms"])
    # Of a publisher that has no signalling, by a moderator.
    sound = world.track_of("Cam", "audio")
    hms.call("change-track-mute-state-request", {
        "requested_for": world.peers()["Cam"], "value": True, "type": "audio"})
    hms.told("on-track-update", lambda params: params["tracks"].get(sound, {}).get("mute"))
    ovi.told("streamPropertyChanged", lambda params: params["property"] == "audioActive"
             and params["streamId"] == world.remotes["Cam"])
    stream = world.remotes["Cam"]

    def is_still():
        before = ovi.frames(stream, "audio"), hms.frames(sound)
        ovi.wait_for_frames(stream, "video", ovi.frames(stream, "video") + 10)
        return (ovi.frames(stream, "audio"), hms.frames(sound)) == before

    # Packets that are under way still come.
    wait_for("the sound stops while the picture goes on", is_still, TIMEOUT)
