"""OpenVidu's clients in rooms, beside those of other protocols and in the stream."""

import base64
import json

import numpy as np
import pytest
from harness import hls, openvidu, whip
from harness.openvidu import IPhone, OldParticipant, Participant
from harness.stranger import Colour, Failure, Stranger, Tone, is_near
from harness.waiting import wait_for
from harness.wire import Wire

RED, GREEN, BLUE = (200, 30, 30), (30, 160, 30), (30, 30, 200)
TIMEOUT = 60  # s

SECRET = "MY_SECRET"  # the demo's
SETTINGS = {"ROOMCAST_OPENVIDU_SECRET": SECRET}


@pytest.fixture
def join(server, room, stack):
    def join(name, role="guest", **options):
        participant = stack.enter_context(Participant(server, room, name, role, **options))
        participant.join()
        return participant

    return join


@pytest.fixture
def ann(join):
    return join("Ann", role="host")


@pytest.fixture
def ben(join, ann):
    return join("Ben")


@pytest.fixture
def hms(server, room, stack):
    """A peer with a 100ms client."""
    hms = stack.enter_context(Stranger(server, room, "Hms"))
    hms.join()
    return hms


def assert_is_seen_and_heard(viewer, stream, colour):
    assert is_near(viewer.wait_for_frames(stream, "video", 10).last, colour)
    assert np.abs(viewer.wait_for_frames(stream, "audio", 50).last).max() > 0.02


@pytest.mark.parametrize("offers", [True, False], ids=["client offers", "server offers"])
def test_two_participants_see_and_hear_each_other(ann, ben, offers):
    ann.publish(Colour(RED), Tone(440))
    ben.publish(Colour(BLUE), Tone(660), codec="H264")
    for viewer, name, colour in [(ann, "Ben", BLUE), (ben, "Ann", RED)]:
        stream = viewer.stream_of(name)
        viewer.subscribe(stream, offers)
        assert_is_seen_and_heard(viewer, stream, colour)
    ben.leave()
    assert ann.told("participantLeft")["reason"] == "disconnect"


def test_participants_and_100ms_peers_see_each_other(server, room, ann, hms):
    ann.publish(Colour(RED), Tone(440))
    told = hms.told("on-track-add", lambda params: params["peer"]["info"]["name"] == "Ann")
    tracks = {track["type"]: one for one, track in told["tracks"].items()}
    assert is_near(hms.wait_for_frames(tracks["video"], 10).last, RED)
    assert np.abs(hms.wait_for_frames(tracks["audio"], 50).last).max() > 0.02

    hms.publish(Colour(GREEN), Tone(550), codec="VP8")
    camera = ann.stream_of("Hms")
    ann.subscribe(camera)
    assert_is_seen_and_heard(ann, camera, GREEN)
    # A screen of the same peer is another participant, on another connection.
    hms.publish(Colour(BLUE), codec="VP8", source="screen")
    joined = ann.told("participantPublished",
                      lambda params: params["streams"][0].get("typeOfVideo") == "SCREEN")
    screen = joined["streams"][0]["id"]
    ann.subscribe(screen)
    assert is_near(ann.wait_for_frames(screen, "video", 10).last, BLUE)
    assert is_near(ann.remotes[camera].received["video"].last, GREEN)

    # Chat, both ways.
    ann.signal("hello")
    sent = hms.told("on-broadcast")
    assert sent["info"] == {"type": "chat", "message": "hello"} or sent["info"]["message"] == "hello"
    assert ann.told("sendMessage")["from"] == ann.id
    hms.call("broadcast", {"info": {"type": "chat", "message": "hi"}})
    heard = ann.told("sendMessage", lambda signal: signal["data"] == "hi")
    assert heard["type"] == "signal:chat" and heard["from"] in camera

    # A 100ms moderator mutes the participant, whose client goes on sending.
    hms.call("change-track-mute-state-request", {
        "requested_for": ann.id, "value": True, "type": "audio"})
    assert hms.told("on-track-update")["tracks"][tracks["audio"]]["mute"] is True
    assert ann.told("streamPropertyChanged")["newValue"] == "false"
    wait_for("the sound stops while the picture goes on",
             lambda: is_still(hms, tracks["audio"], tracks["video"]), TIMEOUT)


def is_still(viewer, track, other):
    before, heard = viewer.frames(track), viewer.frames(other)
    viewer.wait_for_frames(other, heard + 10)
    return viewer.frames(track) == before


def test_signals_go_to_all_or_to_one(ann, ben, join):
    cid = join("Cid")
    ann.signal("for all")
    for one in (ann, ben, cid):
        assert one.told("sendMessage") == {
            "data": "for all", "type": "signal:chat", "from": ann.id}
    ann.signal("for Ben", to=[ben.id])
    ann.signal("for all again")
    assert ben.told("sendMessage", lambda signal: signal["data"] == "for Ben")
    cid.told("sendMessage", lambda signal: signal["data"] == "for all again")
    heard = [one["params"]["data"] for one in cid.notifications if one["method"] == "sendMessage"]
    assert heard == ["for all", "for all again"]


def test_a_mute_is_told_and_stops_the_sound(ann, ben):
    ann.publish(Colour(RED), Tone(440))
    stream = ben.stream_of("Ann")
    ben.subscribe(stream)
    assert_is_seen_and_heard(ben, stream, RED)
    ann.mute("audio")
    assert ben.told("streamPropertyChanged") == {
        "connectionId": ann.id, "streamId": stream, "property": "audioActive",
        "newValue": "false", "reason": "publishAudio"}
    ann.mute("audio", is_active=True)
    ben.told("streamPropertyChanged", lambda change: change["newValue"] == "true")
    ben.wait_for_frames(stream, "audio", ben.frames(stream, "audio") + 20)
    ann.call("unpublishVideo")
    assert ben.told("participantUnpublished")["reason"] == "unpublish"


def test_a_moderator_puts_out(ann, ben, hms):
    ben.publish(Colour(BLUE))
    with pytest.raises(Failure, match="401"):
        ben.call("forceDisconnect", connectionId=ann.id)
    ann.call("forceDisconnect", connectionId=ben.id)
    assert ben.told("participantEvicted") == {
        "connectionId": ben.id, "reason": "forceDisconnectByUser"}
    assert ann.told("participantLeft")["reason"] == "forceDisconnectByUser"
    hms.told("on-peer-leave", lambda peer: peer["info"]["name"] == "Ben")


def test_a_cut_socket_is_replaced_and_the_media_go_on(server, ann, join, stack):
    wire = Wire(server.port)
    stack.callback(wire.close)
    ben = join("Ben", port=wire.port)
    ann.publish(Colour(RED), Tone(440))
    stream = ben.stream_of("Ann")
    ben.subscribe(stream)
    assert_is_seen_and_heard(ben, stream, RED)
    wire.cut()
    ann.signal("while away")
    ann.mute("audio")
    ben.wait_for_frames(stream, "video", ben.frames(stream, "video") + 20)
    wire.mend()
    wait_for("Ben is back", lambda: ben.reconnected == 1, TIMEOUT)
    ben.told("sendMessage", lambda signal: signal["data"] == "while away")
    ben.told("streamPropertyChanged")
    ben.wait_for_frames(stream, "video", ben.frames(stream, "video") + 20)
    assert not any(one["method"] == "participantLeft" for one in ann.notifications)


def test_a_stream_may_be_received_anew(ann, ben):
    ann.publish(Colour(RED))
    stream = ben.stream_of("Ann")
    ben.subscribe(stream)
    ben.wait_for_frames(stream, "video", 10)
    ben.subscribe(stream)
    ben.wait_for_frames(stream, "video", 10)


def test_an_app_of_2018_joins(server, room, ann, stack):
    ann.publish(Colour(RED), Tone(440))
    old = stack.enter_context(OldParticipant(server, room, "Olga"))
    old.join(secret=SECRET, token="", session=room)
    old.publish(Colour(BLUE), Tone(660))
    stream = old.stream_of("Ann")
    old.subscribe(stream)
    assert_is_seen_and_heard(old, stream, RED)
    published = ann.told("participantPublished")["streams"][0]
    assert published["typeOfVideo"] == "CAMERA" and published["videoActive"] is True
    ann.subscribe(published["id"])
    assert_is_seen_and_heard(ann, published["id"], BLUE)
    assert ann.told("participantJoined")["metadata"] == '{"participantName": "Olga"}'


def test_the_app_for_ios_joins_by_another_address(server, room, ann, join, stack):
    def post(path, body):
        credentials = base64.b64encode(f"OPENVIDUAPP:{SECRET}".encode()).decode()
        answer = server.http.request(
            "POST", path, body=json.dumps(body).encode(),
            headers={"Authorization": f"Basic {credentials}", "Content-Type": "application/json"})
        assert answer.status == 200, answer
        return answer.json

    ann.publish(Colour(RED), Tone(440))
    post("/api/sessions", {"customSessionId": room})
    app = stack.enter_context(IPhone(server, room, "Olga"))
    app.enter(room, post("/api/tokens", {"session": room})["token"], Colour(BLUE), Tone(660))
    own = ann.told("participantPublished")["streams"][0]
    assert own["id"] == app.stream and own["typeOfVideo"] == "CAMERA" and own["frameRate"] == 30
    ann.subscribe(own["id"])
    assert_is_seen_and_heard(ann, own["id"], BLUE)
    assert ann.told("participantJoined")["metadata"] == '{"clientData": "Olga"}'
    present = app.stream_of("Ann")
    app.subscribe(present)
    assert_is_seen_and_heard(app, present, RED)
    ben = join("Ben")
    ben.publish(Colour(GREEN), Tone(550))
    later = app.stream_of("Ben")
    app.subscribe(later)
    assert_is_seen_and_heard(app, later, GREEN)
    ben.leave()
    # It has another name for the connection.
    assert app.told("participantLeft")["name"] == ben.id
    wait_for("a ping after it has joined", lambda: len(app.pongs) > 1, TIMEOUT)
    assert app.pongs == [{"value": "pong"}] * len(app.pongs) and app.misread == []


def test_a_recorder_with_the_secret_is_not_seen(server, room, ann, hms, stack):
    ann.publish(Colour(RED))
    recorder = stack.enter_context(Participant(server, room, "Rec"))
    assert recorder.join(secret=SECRET, recorder=True, token="", session=room)["id"] == "RECORDER"
    stream = recorder.stream_of("Ann")
    recorder.subscribe(stream)
    assert is_near(recorder.wait_for_frames(stream, "video", 10).last, RED)
    recorder.leave()
    ann.signal("afterwards")
    hms.told("on-broadcast")
    assert not any(one["method"].startswith("participant") and one["params"]["id"] == "RECORDER"
                   for one in ann.notifications if "id" in one["params"])
    assert not any(one["method"] == "on-peer-join" for one in hms.notifications)


def test_application_servers_make_tokens_for_one_use(server, room, stack):
    def request(method, path, body=None, secret=SECRET):
        credentials = base64.b64encode(f"OPENVIDUAPP:{secret}".encode()).decode()
        return server.http.request(
            method, f"/openvidu/api/{path}", body=json.dumps(body).encode() if body else None,
            headers={"Authorization": f"Basic {credentials}", "Content-Type": "application/json"})

    assert request("POST", "sessions", {}, secret="wrong").status == 401
    session = request("POST", "sessions", {"customSessionId": room, "mediaMode": "ROUTED"})
    assert session.status == 200 and session.json["sessionId"] == room
    assert session.json["connections"] == {"numberOfElements": 0, "content": []}
    assert request("POST", "sessions", {"customSessionId": room}).status == 409
    assert request("POST", f"sessions/{room}/connection", {"role": "KING"}).status == 400
    assert request("GET", "sessions/unknown").status == 404
    made = request("POST", f"sessions/{room}/connection",
                   {"role": "MODERATOR", "data": "from the server"}).json
    assert made["status"] == "pending" and made["role"] == "MODERATOR"
    ann = stack.enter_context(Participant(server, room, "Ann", address=made["token"]))
    joined = ann.join()
    assert joined["id"] == made["connectionId"] and joined["role"] == "MODERATOR"
    assert joined["metadata"] == '{"clientData": "Ann"}%/%from the server'
    again = stack.enter_context(Participant(server, room, "Eve", address=made["token"]))
    with pytest.raises(Failure, match="401"):
        again.join()
    token = request("POST", "tokens", {"session": room}).json
    assert token["role"] == "PUBLISHER" and token["token"].startswith("ws://")
    stream = ann.publish(Tone(440))
    connections = request("GET", f"sessions/{room}/connection").json
    assert connections["numberOfElements"] == 2
    active = next(one for one in connections["content"] if one["status"] == "active")
    assert [one["streamId"] for one in active["publishers"]] == [stream]
    assert active["clientData"] == '{"clientData": "Ann"}'
    assert request("DELETE", f"sessions/{room}/connection/{token['connectionId']}").status == 204
    late = stack.enter_context(Participant(server, room, "Late", address=token["token"]))
    with pytest.raises(Failure, match="401"):
        late.join()
    assert request("DELETE", f"sessions/{room}").status == 204
    assert ann.told("participantEvicted")["reason"] == "sessionClosedByServer"
    assert request("GET", f"sessions/{room}").status == 404


def test_what_is_refused_has_openvidus_numbers(server, room, stack):
    def refused(**options):
        participant = stack.enter_context(Participant(server, room, "Eve", **options))
        with pytest.raises(Failure) as failure:
            participant.join()
        return failure.value.code

    assert refused(address=f"ws://{server.host}:{server.port}?sessionId={room}&token=tok_X") == 401
    assert refused(role="emperor") == 401
    other = openvidu.token_address(server, "other", "eve", "guest")
    participant = stack.enter_context(Participant(server, room, "Eve", address=other))
    with pytest.raises(Failure, match="401"):
        participant.join(session=room)
    viewer = stack.enter_context(Participant(server, room, "Vic", role="viewer"))
    assert viewer.join()["role"] == "SUBSCRIBER"
    with pytest.raises(Failure, match="401"):
        viewer.publish(Tone(440))


def test_one_room_for_all_protocols_and_the_stream(server, room, ann, hms, stack):
    """An OpenVidu participant, a 100ms peer and a WHIP publisher: each is in the stream, whose
    recorder is in no list, count or event."""
    ann.publish(Colour(RED), Tone(440))
    hms.publish(Colour(GREEN), codec="VP8")
    stack.enter_context(whip.Publisher(server, room, Colour(BLUE), query="?name=Camera"))
    for name, colour in [("Hms", GREEN), ("Camera", BLUE)]:
        stream = ann.stream_of(name)
        ann.subscribe(stream)
        assert is_near(ann.wait_for_frames(stream, "video", 10).last, colour)
    started = server.start_stream(room, {
        "ladder": [{"width": 640, "height": 360, "videoBitrate": 800}],
        "layout": {"names": False}, "recording": {"hls_vod": True}})
    server.wait_for_status(started["id"], "running", 60)
    assert ann.told("recordingStarted")["id"] == room
    url = started["playback"]["url"]
    wait_for("the stream shows all three",
             lambda: min(hls.shares(server.http, url, (RED, GREEN, BLUE))) > 0.15, 90)
    joined = [one for one in ann.notifications if one["method"] == "participantJoined"]
    assert len(joined) == 2
    server.stop_stream(room)
    ann.told("recordingStopped")
