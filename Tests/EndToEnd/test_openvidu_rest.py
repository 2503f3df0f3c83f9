"""OpenVidu's application servers: sessions, connections, streams, signals, recordings and events."""

import io
import json
import time
import zipfile

import av
import numpy as np
import pytest
import requests
from harness import media
from harness.openvidu import Participant
from harness.openvidu_application import Application, EventReceiver
from harness.server import Server
from harness.stranger import Colour, Failure, Stranger, Tone
from harness.waiting import wait_for
from pyopenvidu import OpenVidu

RED, BLUE = (200, 30, 30), (30, 30, 200)
SECRET = "MY_SECRET"  # the demo's
SETTINGS = {"ROOMCAST_OPENVIDU_SECRET": SECRET, "ROOMCAST_OPENVIDU_RECORDING_AUTOSTOP_SECONDS": "2"}
TIMEOUT = 30  # s


@pytest.fixture(scope="module")
def events():
    receiver = EventReceiver()
    yield receiver
    receiver.close()


@pytest.fixture(scope="module")
def server(binary, events, tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("server"), settings=SETTINGS | events.settings)
    yield server
    assert server.stop() == 0, server.tail()


@pytest.fixture
def application(server):
    return Application(server, SECRET)


@pytest.fixture
def join(server, room, application, stack):
    """Joins by a token that the application server makes."""

    def join(name, **properties):
        token = application.connect(room, **properties)["token"]
        participant = stack.enter_context(Participant(server, room, name, address=token))
        participant.join()
        return participant

    return join


def decoded(data):
    """A movie's pictures, and its loudest sample."""
    with av.open(io.BytesIO(data)) as movie:
        pictures = [frame.to_ndarray(format="rgb24") for frame in movie.decode(video=0)]
    with av.open(io.BytesIO(data)) as movie:
        loudest = max((np.abs(frame.to_ndarray()).max() for frame in movie.decode(audio=0)),
                      default=0)
    return pictures, loudest


def test_a_client_of_others_finds_its_way(server, room, stack):
    """pyopenvidu, unmodified."""
    client = OpenVidu(f"http://{server.host}:{server.port}/openvidu/api/", SECRET)
    assert client.get_config()["OPENVIDU_RECORDING"] is True
    session = client.create_session(room)
    assert session.id == room and session.media_mode == "ROUTED"
    token = session.create_webrtc_connection(data="from the server").token
    ann = stack.enter_context(Participant(server, room, "Ann", address=token))
    ann.join()
    stream = ann.publish(Colour(RED), Tone(440))
    assert client.fetch()
    session = client.get_session(room)
    session.fetch()
    connection = next(one for one in session.connections if one.active_at)
    assert connection.id == ann.id and connection.server_data == "from the server"
    assert [one.stream_id for one in connection.publishers] == [stream]
    session.signal("greeting", "hello")
    assert ann.told("sendMessage") == {"data": "hello", "type": "signal:greeting"}
    connection.publishers[0].force_unpublish()
    assert ann.told("participantUnpublished")["reason"] == "forceUnpublishByServer"
    connection.force_disconnect()
    assert ann.told("participantEvicted")["reason"] == "forceDisconnectByServer"

    def is_gone():
        client.fetch()
        return all(one.id != room for one in client.sessions)

    wait_for("the session ends with its last participant", is_gone, TIMEOUT)
    client.create_session(room).close()
    assert is_gone()


def test_signals_and_their_statuses(application, room, join):
    assert application.post("signal", {"type": "x"}).status_code == 400
    assert application.post("signal", {"session": room}).status_code == 404
    application.open(room)
    assert application.post("signal", {"session": room, "data": "x"}).status_code == 406
    ann, ben = join("Ann"), join("Ben")
    everybody = {"session": room, "to": [], "type": "chat", "data": "for all"}
    assert application.post("signal", everybody).status_code == 200
    only = {"session": room, "to": [ben.id], "type": "signal:chat", "data": "for Ben"}
    answer = application.post("signal", only)
    assert answer.status_code == 200 and answer.content == b""
    for to in (["con_unknown"], [ann.id, "x"]):
        refused = application.post("signal", only | {"to": to})
        assert refused.status_code == 406 and refused.json()["path"] == "/openvidu/api/signal"
    for to in ("all", [5], {}):
        assert application.post("signal", only | {"to": to}).status_code == 400
    assert ben.told("sendMessage", lambda one: one["data"] == "for Ben")["type"] == "signal:chat"
    assert ann.told("sendMessage") == {"type": "signal:chat", "data": "for all"}
    application.post("signal", everybody | {"data": "last"})
    ann.told("sendMessage", lambda one: one["data"] == "last")
    assert "for Ben" not in [one["params"].get("data") for one in ann.notifications]


def test_streams_and_connections_are_changed(server, application, room, join, stack):
    application.open(room)
    options = {"kurentoOptions": {"videoMaxRecvBandwidth": 300},
               "customIceServers": [{"url": "turn:192.0.2.1:3478", "username": "u",
                                     "credential": "c"}]}
    pending = application.connect(room, **options)
    path = f"sessions/{room}/connection/{pending['id']}"
    assert pending | options == pending == application.get(path).json()
    changed = application.patch(path, {"role": "MODERATOR", "record": False})
    assert changed.status_code == 200
    assert changed.json()["role"] == "MODERATOR" and changed.json()["record"] is False
    ann = stack.enter_context(Participant(server, room, "Ann", address=pending["token"]))
    joined = ann.join()
    assert joined["role"] == "MODERATOR"
    assert joined["customIceServers"] == options["customIceServers"]
    active = application.get(path).json()
    assert active["status"] == "active" and active["activeAt"] >= pending["createdAt"]
    assert active | options == active
    assert {name: active[name] for name in ("token", "createdAt")} == {
        name: pending[name] for name in ("token", "createdAt")}
    ben = join("Ben")
    stream = ben.publish(Colour(BLUE))
    changed = application.patch(f"sessions/{room}/connection/{ben.id}", {
        "role": "MODERATOR", "record": False}).json()
    assert changed["role"] == "MODERATOR" and changed["record"] is False
    told = {one["property"]: one["newValue"] for one in (
        ben.told("connectionPropertyChanged", lambda one: one["property"] == name)
        for name in ("role", "record"))}
    assert told == {"role": "MODERATOR", "record": False}
    assert application.patch(
        f"sessions/{room}/connection/{ben.id}", {"role": "KING"}).status_code == 400
    assert application.patch(
        f"sessions/{room}/connection/none", {"role": "PUBLISHER"}).status_code == 404

    assert application.delete(f"sessions/{room}/stream/none").status_code == 404
    assert application.delete(f"sessions/{room}/stream/{stream}").status_code == 204
    assert ann.told("participantUnpublished")["reason"] == "forceUnpublishByServer"
    assert application.delete(f"sessions/{room}/stream/{stream}").status_code == 404
    # Another protocol's client cannot be told to.
    hms = stack.enter_context(Stranger(server, room, "Hms"))
    hms.join()
    hms.publish(Colour(RED), codec="VP8")
    foreign = ann.stream_of("Hms")
    refused = application.delete(f"sessions/{room}/stream/{foreign}")
    assert refused.status_code == 405 and refused.json()["status"] == 405


def test_a_session_is_recorded(server, application, events, room, join):
    refused = application.post("recordings/start", {"session": room, "name": ""})
    assert refused.status_code == 404
    application.open(room, defaultRecordingProperties={"resolution": "640x360", "frameRate": 15})
    assert application.post("recordings/start", {"session": room}).status_code == 406
    ann = join("Ann")
    ann.publish(Colour(RED), Tone(440))
    for status, body in [
            (400, {}), (400, {"session": room, "name": "a b"}),
            (400, {"session": room, "outputMode": "FILM"}),
            (422, {"session": room, "resolution": "99x100"}),
            (422, {"session": room, "frameRate": 121}),
            (422, {"session": room, "hasAudio": False, "hasVideo": False})]:
        refused = application.post("recordings/start", body)
        assert refused.status_code == status, body
        assert refused.json()["status"] == status and refused.json()["message"]
    started = application.post("recordings/start", {"session": room, "name": "Our-film"})
    assert started.status_code == 200, started.text
    recording = started.json()
    assert recording["status"] == "started" and recording["url"] is None
    assert recording["id"] == room and recording["object"] == "recording"
    assert recording["resolution"] == "640x360" and recording["frameRate"] == 15
    assert ann.told("recordingStarted") == {"id": room, "name": "Our-film"}
    assert application.post("recordings/start", {"session": room}).status_code == 409
    assert application.delete(f"recordings/{room}").status_code == 409
    assert application.get(f"sessions/{room}").json()["recording"] is True
    wait_for("some of it is recorded",
             lambda: events.of(room, "recordingStatusChanged"), TIMEOUT)
    time.sleep(3)

    stopped = application.post(f"recordings/stop/{room}")
    assert stopped.status_code == 200 and stopped.json()["status"] == "stopped"
    # openvidu-node-client takes it for granted.
    assert application.get(f"sessions/{room}").json()["recording"] is False
    assert ann.told("recordingStopped") == {
        "id": room, "name": "Our-film", "reason": "recordingStoppedByServer"}
    assert application.post(f"recordings/stop/{room}").status_code == 404
    ready = application.wait_for_recording(room, "ready")
    assert ready["size"] > 10_000 and ready["duration"] > 2
    assert ready["url"] == f"{application.base}/openvidu/recordings/{room}/Our-film.mp4"
    assert requests.get(ready["url"]).status_code == 401
    file = application.download(ready["url"])
    assert file.status_code == 200 and len(file.content) == ready["size"]
    assert file.headers["Content-Type"] == "video/mp4"
    pictures, loudest = decoded(file.content)
    assert media.share_of(pictures[-1], RED) > 0.3 and loudest > 0.02
    assert pictures[-1].shape == (360, 640, 3)
    picture = application.download(ready["url"].replace(".mp4", ".jpg"))
    assert picture.status_code == 200 and picture.headers["Content-Type"] == "image/jpeg"
    assert application.download(ready["url"].replace("Our-film", "other")).status_code == 404
    assert ready in application.get("recordings").json()["items"]

    events.wait_for(room, "recordingStatusChanged", lambda one: one["status"] == "ready")
    statuses = [(one["status"], one.get("reason"))
                for one in events.of(room, "recordingStatusChanged")]
    assert statuses[:2] == [("started", None), ("stopped", "recordingStoppedByServer")]

    # A second one has another id, until the first is deleted.
    again = application.post("recordings/start", {
        "session": room, "hasVideo": False, "outputMode": "COMPOSED_QUICK_START"}).json()
    assert again["id"] == again["name"] == f"{room}~1" and "resolution" not in again
    time.sleep(2)
    application.post(f"recordings/stop/{room}~1")
    sound = application.wait_for_recording(f"{room}~1", "ready")
    assert sound["url"].endswith(".m4a") and sound["hasVideo"] is False
    assert application.delete(f"recordings/{room}").status_code == 204
    assert application.get(f"recordings/{room}").status_code == 404
    assert application.download(ready["url"]).status_code == 404
    assert application.delete(f"recordings/{room}").status_code == 404
    assert application.get(f"recordings/{room}~1").status_code == 200


def test_single_streams_are_recorded(server, application, room, join):
    application.open(room)
    ann = join("Ann", data="of the server")
    ben = join("Ben", record=False)
    stream = ann.publish(Colour(RED), Tone(440))
    ben.publish(Colour(BLUE))
    started = application.post("recordings/start", {
        "session": room, "name": "Parts", "outputMode": "INDIVIDUAL", "hasAudio": True,
        "hasVideo": True, "ignoreFailedStreams": False})
    assert started.status_code == 200, started.text
    assert started.json()["outputMode"] == "INDIVIDUAL" and "resolution" not in started.json()
    time.sleep(4)
    assert ann.call("unpublishVideo") is not None
    assert application.post(f"recordings/stop/{room}").status_code == 200
    ready = application.wait_for_recording(room, "ready")
    assert ready["url"].endswith(f"/{room}/Parts.zip")
    with zipfile.ZipFile(io.BytesIO(application.download(ready["url"]).content)) as archive:
        assert sorted(archive.namelist()) == sorted(["Parts.json", f"{stream}.webm"])
        index = json.loads(archive.read("Parts.json"))
        movie = archive.read(f"{stream}.webm")
    assert index["id"] == room and index["sessionId"] == room and index["name"] == "Parts"
    assert index["createdAt"] == ready["createdAt"]
    file, = index["files"]
    assert file["name"] == f"{stream}.webm" and file["size"] == len(movie)
    assert file["connectionId"] == ann.id and file["streamId"] == stream
    assert file["clientData"] == '{"clientData": "Ann"}' and file["serverData"] == "of the server"
    assert file["hasAudio"] is file["hasVideo"] is True and file["typeOfVideo"] == "CAMERA"
    assert 0 <= file["startTimeOffset"] < file["endTimeOffset"]
    assert file["endTimeOffset"] - file["startTimeOffset"] > 2000
    pictures, loudest = decoded(movie)
    assert len(pictures) > 10 and media.share_of(pictures[-1], RED) > 0.9 and loudest > 0.02


def test_some_sessions_are_always_recorded(application, events, room, join):
    application.open(room, recordingMode="ALWAYS", defaultRecordingProperties={
        "resolution": "320x180", "frameRate": 10, "name": "always"})
    ann = join("Ann")
    ann.publish(Colour(RED), Tone(440))
    told = ann.told("recordingStarted")
    assert told == {"id": room, "name": "always"}
    time.sleep(3)
    ann.leave()
    # The session stays while its recording runs out.
    assert application.get(f"sessions/{room}").json()["recording"] is True
    stopped = events.wait_for(
        room, "recordingStatusChanged", lambda one: one["status"] == "stopped", TIMEOUT)
    assert stopped["reason"] == "automaticStop"
    application.wait_for_recording(room, "ready")
    events.wait_for(room, "sessionDestroyed")
    assert application.get(f"sessions/{room}").status_code == 404


def test_application_servers_are_told(application, events, room, join):
    application.open(room)
    ann = join("Ann", data="of the server")
    stream = ann.publish(Colour(RED), Tone(440))
    ben = join("Ben", role="SUBSCRIBER")
    ben.subscribe(stream)
    ann.signal("hello", to=[ben.id])
    ben.told("sendMessage")
    ben.leave()
    ann.leave()
    events.wait_for(room, "sessionDestroyed")
    told = [(one["event"], one.get("connectionId")) for one in events.of(room)]
    assert told == [
        ("sessionCreated", None), ("participantJoined", ann.id),
        ("webrtcConnectionCreated", ann.id), ("participantJoined", ben.id),
        ("webrtcConnectionCreated", ben.id), ("signalSent", None),
        ("webrtcConnectionDestroyed", ben.id), ("participantLeft", ben.id),
        ("webrtcConnectionDestroyed", ann.id), ("participantLeft", ann.id),
        ("sessionDestroyed", None)]
    created, joined, published, _, viewed, signal, *_, left, destroyed = events.of(room)
    assert created["uniqueSessionId"] == f"{room}_{created['timestamp']}"
    assert joined["clientData"] == '{"clientData": "Ann"}' and joined["participantId"] == ann.id
    assert joined["serverData"] == "of the server"
    assert published["connection"] == "OUTBOUND" and published["streamId"] == stream
    assert published["videoSource"] == "CAMERA" and published["audioEnabled"] is True
    assert viewed["connection"] == "INBOUND" and viewed["receivingFrom"] == ann.id
    assert signal["from"] == ann.id and signal["to"] == [ben.id] and signal["type"] == "chat"
    assert left["reason"] == "disconnect" and left["startTime"] == joined["timestamp"]
    assert destroyed["reason"] == "lastParticipantLeft" and destroyed["duration"] >= 0


def test_a_session_closes_with_its_last_participant(server, application, room, join, stack):
    application.open(room)
    unused = application.connect(room)["token"]
    ann, ben = join("Ann"), join("Ben")
    ann.leave()
    assert application.get(f"sessions/{room}").status_code == 200
    ben.leave()
    wait_for("it is closed",
             lambda: application.get(f"sessions/{room}").status_code == 404, TIMEOUT)
    late = stack.enter_context(Participant(server, room, "Late", address=unused))
    with pytest.raises(Failure, match="401"):
        late.join()
    # The next one of that name has its own properties.
    session = application.open(room, recordingMode="ALWAYS")
    assert session["recordingMode"] == "ALWAYS"
    assert session["connections"]["numberOfElements"] == 0
    # One that has been deleted does not take the next one with it.
    join("Cid")
    assert application.delete(f"sessions/{room}").status_code == 204
    application.open(room)
    time.sleep(2)
    assert application.get(f"sessions/{room}").status_code == 200


def test_wrong_secrets_are_counted_by_address(binary, stack, tmp_path, room):
    server = Server(tmp_path, settings=SETTINGS)
    stack.callback(server.stop)

    def connect(name):
        return stack.enter_context(Participant(server, room, name))

    def guess(participant, secret):
        try:
            participant.join(secret=secret, token="", session=room)
        except Failure as failure:
            return failure.code

    codes, began = [], time.monotonic()
    while set(codes) <= {401} and len(codes) < 1000:
        # Each socket alone tries less than is allowed.
        eve = connect("Eve")
        codes += [guess(eve, f"wrong {number}") for number in range(25)]
        eve.close()
    # A tenth of a second after one that was refused, a guess is allowed again.
    [refusal] = set(codes) - {401}
    assert codes[0] == 401 and refusal is not None
    # A hundred at once, and ten a second.
    assert codes.count(401) <= 101 + 10 * (time.monotonic() - began)

    def is_refused(eve, late):
        """Right after a guess that was refused."""
        while guess(eve, "wrong") == 401:
            pass
        return guess(late, SECRET) == refusal

    assert any(is_refused(connect("Eve"), connect("Late")) for _ in range(10))


def test_recordings_outlive_the_server(binary, stack, tmp_path, room):
    server = Server(tmp_path, settings=SETTINGS)
    try:
        application = Application(server, SECRET)
        application.open(room)
        ann = Participant(server, room, "Ann", address=application.connect(room)["token"])
        ann.join()
        ann.publish(Colour(RED), Tone(440))
        assert application.post("recordings/start", {
            "session": room, "name": "kept", "resolution": "320x180"}).status_code == 200
        time.sleep(2)
        assert application.post(f"recordings/stop/{room}").status_code == 200
        before = application.wait_for_recording(room, "ready")
        ann.close()
        server.kill()
        server = Server(tmp_path, port=server.port, settings=SETTINGS)
        application = Application(server, SECRET)
        assert application.get(f"recordings/{room}").json() == before
        assert application.get("recordings").json()["items"] == [before]
        assert application.download(before["url"]).status_code == 200
        assert application.delete(f"recordings/{room}").status_code == 204
    finally:
        server.stop()


def test_the_configuration_and_old_addresses(application, server, room):
    assert application.get("config").json()["OPENVIDU_RECORDING_AUTOSTOP_TIMEOUT"] == 2
    assert requests.get(f"{application.base}/openvidu/api/config").status_code == 401
    url = requests.get(f"{application.base}/openvidu/api/config/openvidu-publicurl")
    assert url.status_code == 200 and url.text.startswith("http")
    # Of versions before 2.16.
    old = requests.post(f"{application.base}/api/sessions", auth=("OPENVIDUAPP", SECRET),
                        json={"customSessionId": room})
    assert old.status_code == 200 and old.json()["id"] == room
    token = requests.post(f"{application.base}/api/tokens", auth=("OPENVIDUAPP", SECRET),
                          json={"session": room})
    assert token.json()["token"].startswith("ws://")
    assert requests.post(f"{application.base}/api/sessions", json={}).status_code == 401
