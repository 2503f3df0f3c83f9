"""WHIP into a room and WHEP out of it, with independent clients."""

import concurrent.futures
import contextlib
import re

import numpy as np
import pytest
from harness import gstreamer, hls, media, tokens, whip
from harness.publisher import Publisher
from harness.server import REPOSITORY, Server
from harness.stranger import Colour, Stranger, Tone, is_near
from harness.waiting import wait_for

RED, GREEN, BLUE = (200, 30, 30), (30, 160, 30), (30, 30, 200)
TIMEOUT = 60  # s


@pytest.fixture
def ann(server, room, stack):
    """A peer with a 100ms client."""
    ann = stack.enter_context(Stranger(server, room, "Ann"))
    ann.join()
    return ann


def tracks_of(ann, name):
    """A peer's tracks as announced to Ann, by kind."""
    told = ann.told("on-track-add", lambda params: params["peer"]["info"]["name"] == name)
    return {track["type"]: identifier for identifier, track in told["tracks"].items()}


def assert_is_seen(ann, name, colour):
    tracks = tracks_of(ann, name)
    assert is_near(ann.wait_for_frames(tracks["video"], 10).last, colour)
    return tracks


def assert_is_seen_and_heard(ann, name, colour):
    tracks = assert_is_seen(ann, name, colour)
    assert np.abs(ann.wait_for_frames(tracks["audio"], 50).last).max() > 0.02
    return tracks


@pytest.fixture(scope="module")
def vanished(server):
    """The wait until a room hears that a publisher has vanished, beside the tests of others: its
    silence is noticed after 30 s. A peer's place in the room is kept for a minute."""
    with contextlib.ExitStack() as stack:
        ann = stack.enter_context(Stranger(server, "vanished", "Ann"))
        ann.join()
        publisher = stack.enter_context(
            whip.Publisher(server, "vanished", Tone(500), query="?name=Camera"))
        ann.wait_for_frames(tracks_of(ann, "Camera")["audio"], 10)
        publisher.vanish()
        pool = stack.enter_context(concurrent.futures.ThreadPoolExecutor(1))
        yield pool.submit(wait_for, "the room hears of it", lambda: any(
            one["method"] == "on-peer-leave" for one in list(ann.notifications)), 50)


@pytest.mark.parametrize("codec", ["VP8", "H264"])
def test_a_publisher_is_a_peer_like_any_other(server, room, ann, stack, vanished, codec):
    publisher = stack.enter_context(
        whip.Publisher(server, room, Tone(500), Colour(RED), codec=codec, query="?name=Camera"))
    assert publisher.answer.headers["content-type"] == "application/sdp"
    assert publisher.answer.headers["accept-patch"] == whip.FRAGMENT
    joined = ann.told("on-peer-join")
    assert joined["info"]["name"] == "Camera" and joined["role"] == "host"
    assert_is_seen_and_heard(ann, "Camera", RED)

    # Muted tracks are not forwarded, although the publisher keeps sending them.
    [audio] = [one for kind, one in tracks_of(ann, "Camera").items() if kind == "audio"]
    request = {"requested_for": joined["peer_id"], "value": True, "type": "audio"}
    ann.call("change-track-mute-state-request", request)
    assert ann.told("on-track-update")["tracks"][audio]["mute"] is True
    [video] = [one for kind, one in tracks_of(ann, "Camera").items() if kind == "video"]
    wait_for("the sound stops while the picture goes on",
             lambda: is_still(ann, audio, video), TIMEOUT)
    ann.call("change-track-mute-state-request", request | {"value": False})
    ann.wait_for_frames(audio, ann.frames(audio) + 50)

    assert publisher.end().status == 200
    ann.told("on-peer-leave", lambda peer: peer["peer_id"] == joined["peer_id"])
    assert server.http.request("DELETE", publisher.session).status == 404


def is_still(viewer, track, other):
    before, heard = viewer.frames(track), viewer.frames(other)
    viewer.wait_for_frames(other, heard + 10)
    return viewer.frames(track) == before


def test_a_publisher_that_is_put_out_is_gone(server, room, ann, stack):
    publisher = stack.enter_context(
        whip.Publisher(server, room, Colour(RED), in_path=True, query="?name=Camera"))
    peer = ann.told("on-peer-join")["peer_id"]
    tracks_of(ann, "Camera")
    ann.call("peer-leave-request", {"requested_for": peer, "reason": "enough"})
    ann.told("on-peer-leave")
    wait_for("it notices", lambda: not publisher.is_there(), TIMEOUT)


@pytest.fixture
def pages(server, browser):
    """A page for a publisher and one for a viewer."""
    context = browser.new_context(permissions=["camera", "microphone"])
    pages = context.new_page(), context.new_page()
    for page in pages:
        page.goto(server.base)
    yield pages
    context.close()


def plays(viewer):
    return viewer.evaluate("document.querySelector('video').videoWidth > 0 && "
                           "document.querySelector('video').currentTime > 1")


def test_a_browser_publishes_and_another_one_plays(server, room, ann, pages):
    publisher, viewer = pages
    token = tokens.room_token(room, user="browser")
    session = whip.in_browser(publisher, server, f"/whip/{room}?name=Browser", token)
    assert session.startswith(f"http://127.0.0.1:{server.http.port}/whip/{room}/sessions/")
    tracks = tracks_of(ann, "Browser")
    ann.wait_for_frames(tracks["video"], 10)
    ann.wait_for_frames(tracks["audio"], 50)
    whip.in_browser(viewer, server, f"/whep/{room}", tokens.room_token(room, role="viewer"))
    wait_for("the other one plays", lambda: plays(viewer), TIMEOUT)


def test_the_page_in_the_document_publishes_and_receives_nothing(server, room, ann, pages):
    """It adds its tracks, which offers them in both directions."""
    ann.publish(Colour(RED), codec="VP8")
    code = re.search(r"```js\n(.*?)```", (REPOSITORY / "docs/WHIP.md").read_text(), re.DOTALL)[1]
    assert "https://live.example.org/whip/demo" in code
    code = code.replace("https://live.example.org/whip/demo", f"{server.base}/whip/{room}")
    publisher, _ = pages
    publisher.evaluate(f"async token => {{ {code} window.connection = connection; }}",
                       tokens.room_token(room, user="page"))
    tracks = tracks_of(ann, "Camera")
    ann.wait_for_frames(tracks["video"], 10)
    ann.wait_for_frames(tracks["audio"], 50)
    assert not whip.statistics(publisher, "inbound-rtp")
    directions = publisher.evaluate(
        "window.connection.getTransceivers().map(({currentDirection}) => currentDirection)")
    assert directions == ["sendonly", "sendonly"]


def test_a_browser_restarts_ice_and_goes_on(server, room, ann, pages):
    publisher, _ = pages
    session = whip.in_browser(
        publisher, server, f"/whip/{room}?name=Browser", tokens.room_token(room, user="browser"))
    video = tracks_of(ann, "Browser")["video"]
    ann.wait_for_frames(video, 10)
    before = paths(publisher)
    restarted = whip.restart(publisher, session)
    assert restarted["etag"] == f'"{restarted["ufrag"]}"'
    wait_for("media takes the new path", lambda: paths(publisher) - before, TIMEOUT)
    ann.wait_for_frames(video, ann.frames(video) + 30)
    # The server has one session as before, and a second restart is a new generation too.
    assert whip.restart(publisher, session)["etag"] != restarted["etag"]
    ann.wait_for_frames(video, ann.frames(video) + 30)


def paths(page):
    """The pairs of candidates that have carried media."""
    return {one["id"] for one in whip.statistics(page, "candidate-pair")
            if one.get("nominated") and one["bytesSent"] > 10_000}


@pytest.mark.parametrize("codec", ["VP9", "AV1"])
def test_a_browser_publishes_what_only_browsers_play(server, room, pages, codec):
    publisher, viewer = pages
    whip.in_browser(publisher, server, f"/whip/{room}", tokens.room_token(room), codec=codec)
    whip.in_browser(viewer, server, f"/whep/{room}", tokens.room_token(room, role="viewer"))
    wait_for("the viewer plays", lambda: plays(viewer), TIMEOUT)
    assert f"video/{codec}" in [one["mimeType"] for one in whip.statistics(viewer, "codec")]


def test_a_browser_publishes_layers(server, room, ann, pages):
    publisher, viewer = pages
    whip.in_browser(publisher, server, f"/whip/{room}", tokens.room_token(room), "VP8", rids="hf")
    whip.in_browser(viewer, server, f"/whep/{room}", tokens.room_token(room, role="viewer"))

    def sent():
        return {one["rid"] for one in whip.statistics(publisher, "outbound-rtp")
                if one["kind"] == "video" and one.get("framesSent", 0) > 10}

    wait_for("both layers are sent", lambda: sent() == set("hf"), TIMEOUT)
    wait_for("the viewer plays", lambda: plays(viewer), TIMEOUT)
    # One of them is forwarded at a time.
    ann.wait_for_frames(next(iter(tracks_of_any(ann, "video"))), 10)


def tracks_of_any(ann, kind):
    told = ann.told("on-track-add")
    return [track for track, one in told["tracks"].items() if one["type"] == kind]


def test_ffmpeg_publishes(server, room, ann, stack):
    publisher = stack.enter_context(whip.FFmpeg(server, room, BLUE, 900))
    try:
        assert_is_seen_and_heard(ann, "FFmpeg", BLUE)
    finally:
        assert publisher.failure is None


@pytest.mark.parametrize("codec", ["VP8", "H264"])
def test_gstreamer_publishes(server, room, ann, stack, codec):
    pipeline = gstreamer.pipeline(codec, BLUE, 900)
    stack.enter_context(gstreamer.WHIPPublisher(server, room, "GStreamer", pipeline))
    assert_is_seen_and_heard(ann, "GStreamer", BLUE)


def test_a_viewer_gets_whoever_speaks_and_is_not_seen(server, room, ann, stack):
    ann.publish(Colour(RED), codec="VP8")
    viewer = stack.enter_context(whip.Viewer(server, room))
    assert is_near(viewer.wait_for_frames("video", 5).last, RED)
    ben = stack.enter_context(Stranger(server, room, "Ben"))
    ben.join()
    assert [one["info"]["name"] for one in ben.told("peer-list")["peers"].values()] == ["Ann"]
    ben.publish(Colour(BLUE), Tone(600), codec="VP8")
    wait_for("the viewer sees Ben, who speaks",
             lambda: is_near(viewer.received["video"].last, BLUE), TIMEOUT)
    assert np.abs(viewer.wait_for_frames("audio", 50).last).max() > 0.02
    assert viewer.end().status == 200
    ann.told("on-peer-join", lambda peer: peer["info"]["name"] == "Ben")
    assert not any(one["method"] == "on-peer-leave" for one in ann.notifications)


UNPLAYABLE = b"v=0\r\no=- 0 0 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\na=group:BUNDLE 0\r\n" \
    b"m=audio 9 UDP/TLS/RTP/SAVPF 0\r\nc=IN IP4 0.0.0.0\r\na=mid:0\r\na=recvonly\r\na=rtcp-mux\r\n"


@pytest.mark.parametrize("offer, status", [(b"", 201), (UNPLAYABLE, 406)], ids=["none", "useless"])
def test_a_viewer_that_offers_nothing_to_play_is_offered_something(
        server, room, ann, stack, offer, status):
    ann.publish(Colour(RED), Tone(440), codec="H264")
    viewer = stack.enter_context(whip.OfferedViewer(server, room, offer, status))
    assert is_near(viewer.wait_for_frames("video", 5).last, RED)
    assert np.abs(viewer.wait_for_frames("audio", 50).last).max() > 0.02
    viewer.reply(viewer.connection.localDescription.sdp.encode(), 400)
    assert viewer.end().status == 200


def test_one_room_for_all_protocols_and_the_stream(server, room, ann, stack, tmp_path):
    """A 100ms client, `roomcast publish`, WHIP and WHEP: each sees the right tracks, and the stream
    shows all of them."""
    ann.publish(Colour(RED), Tone(440), codec="VP8")
    green = tmp_path / "green.webm"
    media.run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=0x1ea01e:s=320x180:r=10:d=5",
              "-c:v", "libvpx", str(green))
    stack.enter_context(Publisher(server, room, green))
    assert_is_seen(ann, "green", GREEN)
    stack.enter_context(
        whip.Publisher(server, room, Tone(620), Colour(BLUE), codec="H264", query="?name=Camera"))
    assert_is_seen_and_heard(ann, "Camera", BLUE)
    peer = ann.told("on-peer-join", lambda peer: peer["info"]["name"] == "Camera")["peer_id"]
    viewer = stack.enter_context(whip.Viewer(server, room, f"?peer={peer}"))
    assert is_near(viewer.wait_for_frames("video", 5).last, BLUE)
    started = server.start_stream(room, {
        "ladder": [{"width": 640, "height": 360, "videoBitrate": 800}], "layout": {"names": False}})
    server.wait_for_status(started["id"], "running", 60)
    url = started["playback"]["url"]
    wait_for("the stream shows all three",
             lambda: min(hls.shares(server.http, url, (RED, GREEN, BLUE))) > 0.15, TIMEOUT)
    server.stop_stream(room)


def test_a_full_room_says_so_and_when_to_come_again(binary, tmp_path, room, stack):
    server = Server(tmp_path, settings={"ROOMCAST_ROOMS_PEERS_MAXIMUM": "1"})
    stack.callback(server.stop)
    stack.enter_context(whip.Publisher(server, room, Tone(500)))
    refused = server.http.post(f"/whip/{room}", body=recording_offer(), headers=whip.SDP,
                               token=tokens.room_token(room))
    assert refused.status == 503 and int(refused.headers["retry-after"]) > 0


def test_a_publisher_that_vanishes_is_gone_within_half_a_minute(vanished):
    vanished.result()


# MARK: what is refused

OFFER = "v=0\r\no=- 0 0 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n"


@pytest.mark.parametrize("path", ["whip", "whep"])
def test_bad_requests_are_refused_in_order(server, room, path):
    def post(body, token, **headers):
        return server.http.post(f"/{path}/{room}", body=body, token=token,
                                headers={"Content-Type": "application/sdp"} | headers)

    token = tokens.room_token(room)
    answer = post(b"x" * 100_000, None)
    assert answer.status == 401 and answer.headers["www-authenticate"] == "Bearer"
    assert answer.headers["access-control-allow-origin"] == "*"
    assert post(b"", tokens.room_token("other")).status == 400
    assert post(OFFER.encode(), token, **{"Content-Type": "text/plain"}).status == 415
    assert post(b"x" * 100_000, token).status == 413
    refusal = post(b"nonsense", token)
    assert refusal.status == 400 and "malformed session description" in refusal.json["details"][0]
    # The server would make a viewer an offer, if anyone published anything.
    status = {"whip": 400, "whep": 409}[path]
    assert post(OFFER.encode(), token, **{"Content-Type": "Application/SDP; charset=utf-8"}).status == status
    session = f"/{path}/{room}/sessions/0123456789ab"
    fragment = {"Content-Type": whip.FRAGMENT, "If-Match": "*"}
    assert server.http.request("PATCH", session, body=b"m=audio 9 x 0", headers=fragment).status == 404
    assert server.http.request("DELETE", session).status == 404


@pytest.mark.parametrize("path", ["whip", "whep"])
def test_pages_of_other_sites_may_ask(server, room, path):
    answer = server.http.request("OPTIONS", f"/{path}/{room}", headers={
        "Origin": "https://example.org", "Access-Control-Request-Method": "POST"})
    assert answer.status == 204 and answer.headers["accept-post"] == "application/sdp"
    assert "PATCH" in answer.headers["access-control-allow-methods"]
    assert "if-match" in answer.headers["access-control-allow-headers"]
    answer = server.http.request("HEAD", f"/{path}/{room}")
    assert answer.status == 200 and answer.headers["content-type"] == "application/sdp"


def test_an_old_entity_tag_is_refused_and_nothing_else_notices(server, room, ann, stack):
    publisher = stack.enter_context(
        whip.Publisher(server, room, Tone(500), query="?name=Camera"))
    audio = tracks_of(ann, "Camera")["audio"]
    ann.wait_for_frames(audio, 10)

    def patch(condition, body=b"m=audio 9 UDP/TLS/RTP/SAVPF 0\r\na=mid:0\r\n"):
        headers = {"Content-Type": whip.FRAGMENT}
        if condition:
            headers["If-Match"] = condition
        return server.http.request("PATCH", publisher.session, body=body, headers=headers).status

    assert patch(publisher.answer.headers["etag"]) == 204
    assert patch('"old"') == 412
    assert patch(None) == 428
    assert patch("*", b"nonsense") == 400
    ann.wait_for_frames(audio, ann.frames(audio) + 50)
    assert publisher.is_there()


def test_who_may_not_publish_or_hear_is_refused(server, room):
    answer = server.http.post(f"/whip/{room}", body=recording_offer(), headers=whip.SDP,
                              token=tokens.room_token(room, role="viewer"))
    assert answer.status == 403 and "may not publish" in answer.json["message"]
    # Clients such as OBS show no more than the status.
    [line] = [line for line in server.log.read_text().splitlines() if f"room={room} " in line
              and "WHIP offer refused" in line]
    assert "status=403" in line and "may not publish" in line, line
    answer = server.http.post(f"/whep/{room}", body=recording_offer().replace(b"sendonly", b"recvonly"),
                              headers=whip.SDP, token=tokens.room_token(room, role="viewer"))
    assert answer.status == 409 and answer.headers["retry-after"]


def recording_offer():
    return (OFFER + "a=group:BUNDLE 0\r\nm=audio 9 UDP/TLS/RTP/SAVPF 111\r\nc=IN IP4 0.0.0.0\r\n"
            "a=mid:0\r\na=sendonly\r\na=rtpmap:111 opus/48000/2\r\na=rtcp-mux\r\n").encode()
