"""OpenVidu's own web client, unmodified, in Chromium and Firefox (make test-clients)."""

import base64
import contextlib
from urllib.parse import urlsplit

import pytest
from harness import clients, openvidu_browser
from harness.namespace import ADDRESS
from harness.openvidu_browser import InChromium, InFirefox, Person
from harness.server import Server
from harness.waiting import wait_for
from harness.wire import Wire

CAMERA_RATE = 15  # frames/s: two pages encode and decode here
SECRET = "MY_SECRET"
SETTINGS = {"ROOMCAST_OPENVIDU_SECRET": SECRET}
CASES = [(browser, version) for browser in ("chromium", "firefox")
         for version in openvidu_browser.VERSIONS]


class Stage:
    """A server, and a browser with one version of the client."""

    def __init__(self, server, browser, port):
        self.server = server
        self.browser = browser
        self.port = port  # of the server, as the pages reach it
        self.wire = None

    def rest(self, method, path, body=None):
        secret = base64.b64encode(f"OPENVIDUAPP:{SECRET}".encode()).decode()
        answer = self.server.http.request(
            method, f"/openvidu/api/{path}", body=body, headers={"Authorization": f"Basic {secret}"})
        assert answer.status == 200, answer
        return answer.json

    def enter(self, room, person, role="PUBLISHER"):
        token = urlsplit(self.rest("POST", f"sessions/{room}/connection", {"role": role})["token"])
        # It names the server's own address, and the client speaks only TLS.
        person.join(token._replace(scheme="wss", netloc=f"127.0.0.1:{self.port}").geturl())
        return person

    def cut(self, person):
        """Cuts a person's sockets: in Chromium the wire to the server, on which nobody says goodbye."""
        if self.wire:
            self.wire.cut()
            self.wire.mend()
        else:
            person.cut()


@pytest.fixture(scope="module", params=CASES, ids=lambda case: "-".join(case))
def stage(request, binary, tmp_path_factory):
    kind, version = request.param
    bundle = clients.bundle(f"openvidu-browser-{version}.js")
    directory = tmp_path_factory.mktemp("stage")
    with contextlib.ExitStack() as stack:
        if kind == "chromium":
            server = Server(directory, settings=SETTINGS)
            stack.callback(server.stop)
            wire = stack.enter_context(contextlib.closing(Wire(server.port)))
            browser = InChromium(request.getfixturevalue("browser"), bundle)
            stage = Stage(server, browser, wire.port)
            stage.wire = wire
        else:
            namespace = request.getfixturevalue("namespace")
            server = Server(directory, namespace=namespace, media_address=ADDRESS, settings=SETTINGS)
            stack.callback(server.stop)
            browser = InFirefox(request.getfixturevalue("firefox"), namespace, bundle,
                                tmp_path_factory.mktemp("site"))
            stage = Stage(server, browser, server.port)
        stack.callback(browser.close)
        yield stage


@pytest.fixture
def person(stage, room):
    """`person("Ann", "MODERATOR")`: somebody in the session, as its application server lets in."""
    stage.browser.begin()
    stage.rest("POST", "sessions", {"customSessionId": room})

    return lambda name, role="PUBLISHER": stage.enter(room, Person(stage.browser.page(), name), role)


@pytest.fixture
def ann(person):
    """A moderator who publishes."""
    ann = person("Ann", "MODERATOR")
    ann.stream = ann.publish()
    return ann


@pytest.fixture
def ben(person, ann):
    """Another publisher; both receive each other."""
    ben = person("Ben")
    ben.stream = ben.publish()
    ann.told("streamCreated", lambda one: one["stream"] == ben.stream)
    ben.told("streamCreated", lambda one: one["stream"] == ann.stream)
    return ben


def test_two_people_see_and_hear_each_other(ann, ben):
    ann.wait_for_media(ben.stream)
    ben.wait_for_media(ann.stream)
    assert ann.connections().count(ben.id) == 1 and ben.connections().count(ann.id) == 1


def test_signals_reach_everybody_or_one(ann, ben, person):
    cleo = person("Cleo")
    ann.told("connectionCreated", lambda one: one["connection"] == cleo.id)
    ann.call("signal", "for all", "chat")
    for one in (ann, ben, cleo):
        told = one.told("signal", lambda event: event["data"] == "for all")
        assert told["type"] == "signal:chat" and told["from"] == ann.id
    ann.call("signal", "for Ben", "chat", [ben.id])
    ann.call("signal", "the last", "chat")
    ben.told("signal", lambda event: event["data"] == "for Ben")
    cleo.told("signal", lambda event: event["data"] == "the last")
    assert "for Ben" not in [one["data"] for one in cleo.said()]


@pytest.mark.parametrize("kind", ["video", "audio"])
def test_mutes_are_told(ann, ben, kind):
    ben.wait_for_media(ann.stream)
    for is_active in (False, True):
        ann.call("mute", kind, is_active)
        ben.told("streamPropertyChanged",
                 lambda one, value=is_active: one["property"] == f"{kind}Active"
                 and one["value"] is value)
    ben.wait_for_media(ann.stream)


def test_a_screen_is_shared(ann, ben, person):
    screen = person("Ann's screen")
    stream = screen.publish(videoSource="screen", publishAudio=False)
    told = ben.told("streamCreated", lambda one: one["stream"] == stream)
    assert told["typeOfVideo"] == "SCREEN"
    ben.wait_for_media(stream, kinds=["video"])
    ann.wait_for_media(stream, kinds=["video"])


def test_a_cut_socket_is_replaced(stage, ann, ben):
    ann.wait_for_media(ben.stream)
    stage.cut(ann)
    for one in (ann, ben):
        one.told("reconnecting")
        one.told("reconnected")
    ann.call("signal", "back", "chat")
    ben.told("signal", lambda one: one["data"] == "back")
    ann.wait_for_media(ben.stream)
    ben.wait_for_media(ann.stream)
    assert not [one for one in ben.said() if one["name"] == "streamDestroyed"]


def test_a_moderator_puts_out(ann, ben):
    ann.call("forceUnpublish", ben.stream)
    assert ben.told("ownStreamDestroyed")["reason"] == "forceUnpublishByUser"
    assert ann.told("streamDestroyed")["reason"] == "forceUnpublishByUser"
    stream = ben.publish()
    ann.told("streamCreated", lambda one: one["stream"] == stream)
    ann.call("forceDisconnect", stream)
    assert ben.told("sessionDisconnected")["reason"] == "forceDisconnectByUser"
    gone = ann.told("connectionDestroyed", lambda one: one["connection"] == ben.id)
    assert gone["reason"] == "forceDisconnectByUser"


def test_streams_end_and_begin_again(ann, ben):
    ann.wait_for_media(ben.stream)
    ann.call("unsubscribe", ben.stream)
    ben.call("unpublish")
    assert ben.told("ownStreamDestroyed")["reason"] == "unpublish"
    assert ann.told("streamDestroyed")["reason"] == "unpublish"
    stream = ben.publish()
    ann.told("streamCreated", lambda one: one["stream"] == stream)
    ann.wait_for_media(stream)


def test_who_leaves_is_gone(ann, ben):
    ben.call("disconnect")
    assert ben.told("sessionDisconnected")["reason"] == "disconnect"
    assert ann.told("streamDestroyed")["reason"] == "disconnect"
    gone = ann.told("connectionDestroyed")
    assert gone["connection"] == ben.id and gone["reason"] == "disconnect"
    wait_for("nobody is left", lambda: ann.connections() in ([], [ann.id]), 10)


def test_a_recording_is_told_and_its_recorder_is_not(stage, room, ann, ben):
    recording = stage.rest("POST", "recordings/start", {"session": room, "name": "ours"})
    for one in (ann, ben):
        assert one.told("recordingStarted", timeout=60)["id"] == recording["id"]
    stage.rest("POST", f"recordings/stop/{recording['id']}")
    for one in (ann, ben):
        told = one.told("recordingStopped")
        assert told["id"] == recording["id"] and told["reason"] == "recordingStoppedByServer"
        names = [event["name"] for event in one.said()]
        assert names.count("connectionCreated") <= 2, one.said()
        assert set(one.connections()) <= {ann.id, ben.id}


def test_versions_meet(binary, browser, room, tmp_path):
    """The oldest, one of the middle and the newest in one session."""
    with contextlib.ExitStack() as stack:
        server = Server(tmp_path, settings=SETTINGS)
        stack.callback(server.stop)
        stage = Stage(server, browser, server.port)
        stage.rest("POST", "sessions", {"customSessionId": room})
        people = []
        for version in openvidu_browser.VERSIONS[::2]:
            bundle = clients.bundle(f"openvidu-browser-{version}.js")
            pages = stack.enter_context(contextlib.closing(InChromium(browser, bundle)))
            one = stage.enter(room, Person(pages.page(), f"Of {version}"), "MODERATOR")
            one.stream = one.publish()
            people.append(one)
        for one in people:
            others = [other for other in people if other is not one]
            for other in others:
                one.wait_for_media(other.stream)
            assert sorted(one.connections()) == sorted(other.id for other in others)
            one.call("signal", f"from {one.name}", "chat")
            for other in others:
                other.told("signal", lambda event, text=f"from {one.name}": event["data"] == text)
        oldest, _, newest = people
        for one, other in ((oldest, newest), (newest, oldest)):
            one.call("mute", "audio", False)
            other.told("streamPropertyChanged",
                       lambda event: event["property"] == "audioActive" and event["value"] is False)
        oldest.call("forceDisconnect", newest.stream)
        assert newest.told("sessionDisconnected")["reason"] == "forceDisconnectByUser"
