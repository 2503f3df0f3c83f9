"""Jitsi's clients meet in rooms of our own, through a real Prosody."""

import contextlib
import json
import os
import signal
import ssl
import time
from uuid import UUID

import numpy as np
import pytest
from harness import assets
from harness.jitsi_attendee import Attendee
from harness.jitsi_caller import FEATURES
from harness.jitsi_prosody import FOCUS, RECORDERS, ROOMS, beside_a_server, focus_settings
from harness.jitsi_xml import FOCUS as FOCUS_PROTOCOL
from harness.jitsi_xml import CLIENT, JIBRI, MUC_USER, SCTP, find, node
from harness.jitsi_xmpp import Refused
from harness.nginx import Nginx
from harness.push_servers import NginxRTMP
from harness.server import Server
from harness.stranger import SAMPLE_RATE, Colour, Stranger, Tone, is_near
from harness.waiting import wait_for
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

RED, BLUE, GREEN = (200, 30, 30), (30, 30, 200), (30, 160, 30)
TIMEOUT = 30


@pytest.fixture(scope="module")
def prosody():
    with beside_a_server() as prosody:
        yield prosody


@pytest.fixture(scope="module")
def server(prosody, tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("jitsi-rooms"),
                    settings=assets.SHORT_SEGMENTS | {
                        "ROOMCAST_JITSI_FOCUS": focus_settings(prosody),
                        "ROOMCAST_STREAM_PUSH_HOSTS": "127.0.0.1"})
    yield server
    server.stop()


@pytest.fixture
def attend(prosody, room, server):
    with contextlib.ExitStack() as stack:
        yield lambda name, room=room, **more: stack.enter_context(
            Attendee(prosody, room, name, **more))


def frequency(samples):
    return np.abs(np.fft.rfft(samples)).argmax() * SAMPLE_RATE / len(samples)


def assert_receives(attendee, other, colour, tone):
    """The camera and the voice of another."""
    for kind in ("video", "audio"):
        source = attendee.source_of(other.nick, kind)
        got = attendee.wait_for_frames(source, attendee.frames(source) + 10, TIMEOUT)
        if kind == "video":
            assert is_near(got.last, colour)
        else:
            assert abs(frequency(got.last) - tone) < 60


def test_two_see_hear_and_talk_to_each_other(attend, server, room):
    ann = attend("Ann", camera=lambda: Colour(RED), sound=lambda: Tone(500))
    ben = attend("Ben", camera=lambda: Colour(BLUE), sound=lambda: Tone(800))
    assert_receives(ann, ben, BLUE, 800)
    assert_receives(ben, ann, RED, 500)
    server.wait_for_peer_count(room, 2, TIMEOUT)

    # The bridge.
    ann.tell({"colibriClass": "EndpointMessage", "to": "", "msgPayload": {"n": 1}})
    wait_for("all are told", lambda: [one for one in list(ben.heard) if one.get("from") == ann.nick
                                      and one["msgPayload"] == {"n": 1}], TIMEOUT)
    ben.tell({"colibriClass": "EndpointMessage", "to": ann.nick, "msgPayload": {"n": 2}})
    wait_for("one is told", lambda: [one for one in list(ann.heard) if one.get("from") == ben.nick
                                     and one["msgPayload"] == {"n": 2}], TIMEOUT)
    ben.tell({"colibriClass": "EndpointStats", "connectionQuality": 90})
    wait_for("his connection is told", lambda: {
        "colibriClass": "EndpointStats", "connectionQuality": 90, "from": ben.nick} in ann.heard,
        TIMEOUT)
    wait_for("the speaker is told", lambda: [
        one for one in list(ann.heard)
        if one["colibriClass"] == "DominantSpeakerEndpointChangeEvent"], TIMEOUT)

    # Only what is wanted is sent.
    camera = ben.source_of(ann.nick, "video")
    ben.tell({"colibriClass": "ReceiverVideoConstraints", "lastN": 0})
    seen = [-1]

    def has_stopped():
        seen.append(ben.frames(camera))
        return seen[-1] == seen[-2]

    wait_for("the pictures end", has_stopped, TIMEOUT, interval=1.5)
    ben.tell({"colibriClass": "ReceiverVideoConstraints", "lastN": -1})
    ben.wait_for_frames(camera, ben.frames(camera) + 5, TIMEOUT)

    # A screen.
    ann.share(lambda: Colour(GREEN))
    screen = ben.source_of(ann.nick, "video", 1)
    assert screen.is_screen
    assert is_near(ben.wait_for_frames(screen, 3, TIMEOUT).last, GREEN)
    ann.stop_sharing()
    wait_for("the screen is gone", lambda: screen.ssrc not in ben.sources, TIMEOUT)

    # Another connection.
    ann.restart()
    wait_for("another session", lambda: ann.actions.count("session-initiate") == 2, TIMEOUT)
    assert_receives(ann, ben, BLUE, 800)
    assert_receives(ben, ann, RED, 500)

    ben.leave()
    wait_for("his sources are gone", lambda: not [
        one for one in list(ann.sources.values()) if one.owner == ben.nick], TIMEOUT)


def test_the_bridge_by_websocket(attend, server, room):
    # Who has no SCTP takes the socket; the other one has a data channel.
    ann = attend("Ann", sound=lambda: Tone(500), features=FEATURES - {SCTP})
    ben = attend("Ben", camera=lambda: Colour(BLUE))
    camera = ann.source_of(ben.nick, "video")
    ann.wait_for_frames(camera, 10, TIMEOUT)
    assert ann.socket_url.startswith(
        f"ws://127.0.0.1:{server.port}/colibri-ws/default-id/{room}/{ann.nick}?pwd=")

    def told(one, kind, count=1, **said):
        wait_for(f"{kind} is told", lambda: len([
            heard for heard in list(one.heard) if heard["colibriClass"] == kind
            and said.items() <= heard.items()]) == count, TIMEOUT)

    told(ann, "ServerHello")
    ann.tell({"colibriClass": "ClientHello"})
    told(ann, "ServerHello", 2)
    ann.tell({"colibriClass": "EndpointMessage", "to": "", "msgPayload": {"n": 1}})
    told(ben, "EndpointMessage", **{"from": ann.nick})
    ben.tell({"colibriClass": "EndpointMessage", "to": ann.nick, "msgPayload": {"n": 2}})
    told(ann, "EndpointMessage", **{"from": ben.nick})
    # More than once where a busy machine makes pauses in her voice.
    wait_for("the speaker is told", lambda: [
        one for one in list(ann.heard)
        if one["colibriClass"] == "DominantSpeakerEndpointChangeEvent"
        and one["dominantSpeakerEndpoint"] == ann.nick and not one["silence"]], TIMEOUT)

    ann.tell({"colibriClass": "ReceiverVideoConstraints", "lastN": 0})
    seen = [-1]

    def has_stopped():
        seen.append(ann.frames(camera))
        return seen[-1] == seen[-2]

    wait_for("the pictures end", has_stopped, TIMEOUT, interval=1.5)
    told(ann, "ForwardedSources", forwardedSources=[])

    # Only she has the password; of two sockets the newer one counts.
    for url in (ann.socket_url[:-1] + "x", ann.socket_url.replace(ann.nick, ben.nick)):
        with pytest.raises(InvalidStatus) as refused:
            connect(url).__enter__()
        assert refused.value.response.status_code == 403
    ann.open_another_socket()
    told(ann, "ServerHello", 3)
    wait_for("the older one is closed", lambda: ann.socket_codes == [1000], TIMEOUT)
    ann.tell({"colibriClass": "ReceiverVideoConstraints", "lastN": -1})
    ann.wait_for_frames(camera, ann.frames(camera) + 5, TIMEOUT)
    told(ann, "ForwardedSources", forwardedSources=[camera.name])

    ann.leave()
    wait_for("the socket ends with the stay", lambda: ann.socket_codes == [1000, 1001], TIMEOUT)
    with pytest.raises(InvalidStatus):
        connect(ann.socket_url).__enter__()


def test_the_bridge_behind_a_proxy(attend, server, room, tmp_path):
    ann = attend("Ann", features=FEATURES - {SCTP})
    url = wait_for("its address is told", lambda: ann.socket_url, TIMEOUT)
    trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    with contextlib.closing(Nginx(tmp_path / "nginx", server)) as nginx:
        nginx.start()
        place, password = url.split(f":{server.port}")[1].split("?pwd=")
        with connect(f"wss://127.0.0.1:{nginx.port}{place}?pwd={password}", ssl=trusting,
                     server_hostname="rooms.example.test") as socket:
            assert json.loads(socket.recv(TIMEOUT))["colibriClass"] == "ServerHello"
        wait_for("the line of the socket", lambda: place in nginx.access_log.read_text(), TIMEOUT)
        for log in nginx.access_log, nginx.log:
            assert password not in log.read_text()


def test_a_meeting_has_a_beginning_and_an_id(attend, room):
    began = time.time()
    ann, ben = attend("Ann"), attend("Ben")
    since, meeting = int(ann.told("created_timestamp")), ann.told("meetingId")
    assert began - 1 <= since / 1000 <= time.time()
    assert str(UUID(meeting)) == meeting
    # All are told the same, and another meeting has another one.
    assert (ben.told("created_timestamp"), ben.told("meetingId")) == (str(since), meeting)
    assert attend("Cleo", room=f"{room}-other").told("meetingId") != meeting


def test_a_moderator_mutes_and_kicks(attend, server, room):
    ann = attend("Ann", sound=lambda: Tone(500))
    ben = attend("Ben", sound=lambda: Tone(800))
    ann.source_of(ben.nick, "audio")

    def mute(nick):
        return node("http://jitsi.org/jitmeet/audio", "mute", {"jid": f"{ann.room}/{nick}"},
                    text="true")

    ann.ask(mute(ben.nick))
    wait_for("he is asked", lambda: ben.mutes, TIMEOUT)
    assert ben.mutes == [("http://jitsi.org/jitmeet/audio", f"{ann.room}/{ann.nick}", "true")]
    with pytest.raises(Refused) as refused:
        ben.ask(mute(ann.nick))
    assert refused.value.condition == "not-allowed"
    # The first one owns the XMPP room too.
    ann.kick(ben.nick)
    ann.wait_until_gone(ben.nick)
    wait_for("he has left", lambda: server.peer_count(room) == 1, TIMEOUT)


def test_a_moderator_makes_another(attend, server, room):
    ann, ben = attend("Ann"), attend("Ben")
    cleo = attend("Cleo", sound=lambda: Tone(500))
    ben.source_of(cleo.nick, "audio")
    mute = node("http://jitsi.org/jitmeet/audio", "mute", {"jid": f"{ann.room}/{cleo.nick}"},
                text="true")
    with pytest.raises(Refused):
        ben.ask(mute)
    ann.nick_of("Ben")
    ann.make_moderator(ben.nick)

    def is_obeyed():
        with contextlib.suppress(Refused):
            ben.ask(mute)
            return True

    wait_for("he may mute", is_obeyed, TIMEOUT)
    wait_for("she is asked", lambda: cleo.mutes, TIMEOUT)
    # He is one still when the first has left, and nobody else becomes one.
    ann.leave()
    ben.wait_until_gone(ann.nick)
    wait_for("she has left", lambda: server.peer_count(room) == 2, TIMEOUT)
    ben.ask(mute)


def test_the_room_makes_and_unmakes_moderators(attend, server, room):
    ann, ben = attend("Ann"), attend("Ben")
    ann.wait_until_invited()
    ben.wait_until_invited()
    ann.nick_of("Ben")
    place = f"/active-rooms/{room}/peers"
    peer, = (one for one in server.manage("GET", f"{place}?role=guest").json["peers"])

    def xmpp_role():
        shown = next(one for nick, _, one in reversed(ann.presences) if nick == ben.nick)
        return find(shown, MUC_USER, "x")[0].get("role")

    for role, shown in ("host", "moderator"), ("guest", "participant"):
        assert server.manage("POST", f"{place}/{peer}", {"role": role}).status == 200
        wait_for(f"he is a {shown}", lambda shown=shown: xmpp_role() == shown, TIMEOUT)
    server.wait_for_peer_count(room, 2, TIMEOUT)


def test_a_moderator_ends_the_conference_for_all(attend, server, room):
    ann, ben = attend("Ann"), attend("Ben")
    with Stranger(server, room, "Hms") as hms:
        hms.join()
        ann.nick_of("Hms")
        ben.nick_of("Ann")
        ben.wait_until_invited()
        assert ann.identities()["end_conference"] == FOCUS
        ben.end()
        wait_for("he is refused", lambda: ben.errors == ["not-allowed"], TIMEOUT)
        server.wait_for_peer_count(room, 3, TIMEOUT)
        ann.end()
        wait_for("all are gone", lambda: server.peer_count(room) == 0, TIMEOUT)
        # They may meet again.
        cleo = attend("Cleo")
        cleo.wait_until_invited()
        assert not cleo.names() - {"Cleo"}


def wait_until_heard(listener, source):
    listener.wait_for_frames(source, listener.frames(source) + 20, TIMEOUT)


def test_a_moderator_says_who_may_unmute(attend, server, room):
    ann = attend("Ann", camera=lambda: Colour(RED), sound=lambda: Tone(500))
    # He does not do as he is asked, and goes on sending.
    ben = attend("Ben", camera=lambda: Colour(BLUE), sound=lambda: Tone(800))
    assert ann.identities()["av_moderation"] == FOCUS
    voice, hers = ann.source_of(ben.nick, "audio"), ben.source_of(ann.nick, "audio")
    wait_until_heard(ann, voice)

    def occupant(one):
        return f"{ann.room}/{one.nick}"

    ben.moderate(enable="true", mediaType="audio")
    wait_for("he is refused", lambda: ben.errors == ["not-allowed"], TIMEOUT)
    ann.moderate(enable="true", mediaType="audio")
    ben.told_of_moderation(enabled=True, mediaType="audio", actor=occupant(ann), room=ann.room)
    ann.told_of_moderation(whitelists={"audio": []}, mediaType="audio")
    assert ann.moderation[0]["enabled"] and len(ben.moderation) == 1
    muting = ("http://jitsi.org/jitmeet/audio", occupant(ann), "true")
    wait_for("he is asked to mute", lambda: ben.mutes == [muting], TIMEOUT)
    ann.wait_for_silence(voice)
    # Of hers and of his picture nothing is held back.
    wait_until_heard(ben, hers)
    wait_until_heard(ann, ann.source_of(ben.nick, "video"))
    unmute = node("http://jitsi.org/jitmeet/audio", "mute", {"jid": occupant(ben)}, text="false")
    assert refusal(ben, unmute) == "not-allowed"

    # Whoever comes later learns it, and one of another protocol is asked too.
    cleo = attend("Cleo", sound=lambda: Tone(600))
    cleo.told_of_moderation(enabled=True, mediaType="audio", actor=occupant(ann))
    wait_for("she is asked to mute", lambda: cleo.mutes == [muting], TIMEOUT)
    with Stranger(server, room, "Hms", role="guest") as hms:
        hms.join()
        hms.publish(Tone(440))
        asked = hms.told("on-track-update-request")
        assert asked["mute"] is True
        guest = ann.source_of(ann.nick_of("Hms"), "audio")
        for source in ann.source_of(cleo.nick, "audio"), guest, voice:
            ann.wait_for_silence(source)
        ann.moderate(jidToWhitelist=f"{ann.room}/{guest.owner}", mediaType="audio")
        wait_until_heard(ann, guest)

        ann.moderate(jidToWhitelist=occupant(ben), mediaType="audio")
        ben.told_of_moderation(approved=True, mediaType="audio", enabled=None)
        ann.told_of_moderation(
            whitelists={"audio": sorted([occupant(ben), f"{ann.room}/{guest.owner}"])})
        assert ann.ask(node("http://jitsi.org/jitmeet/audio", "mute", {"jid": occupant(ann)},
                            text="false")) is None
        assert ben.ask(unmute) is None
        wait_until_heard(ann, voice)
        ann.moderate(jidToBlacklist=occupant(ben), mediaType="audio")
        ben.told_of_moderation(removed=True, mediaType="audio", approved=None)
        ann.wait_for_silence(voice)
        wait_until_heard(ann, guest)
    # He mutes and unmutes, and is refused.
    count = len(ben.mutes)
    ben.mute("sound")
    ben.mute("sound", is_muted=False)
    wait_for("he is asked again", lambda: len(ben.mutes) > count, TIMEOUT)
    ann.wait_for_silence(voice)

    ann.moderate(enable="false", mediaType="audio")
    for one in ann, ben, cleo:
        one.told_of_moderation(enabled=False, mediaType="audio", actor=occupant(ann))
    wait_until_heard(ann, voice)
    wait_until_heard(ann, ann.source_of(cleo.nick, "audio"))


def test_pictures_and_screens_are_moderated_apart(attend, server, room):
    ann = attend("Ann", sound=lambda: Tone(500))
    ben = attend("Ben", camera=lambda: Colour(BLUE), screen=lambda: Colour(GREEN))
    camera, screen = ann.source_of(ben.nick, "video"), ann.source_of(ben.nick, "video", 1)
    wait_until_heard(ann, camera)
    wait_until_heard(ann, screen)
    ann.moderate(enable="true", mediaType="desktop")
    wait_for("he is asked to mute", lambda: ben.mutes == [
        ("http://jitsi.org/jitmeet/desktop", f"{ann.room}/{ann.nick}", "true")], TIMEOUT)
    ann.wait_for_silence(screen)
    wait_until_heard(ann, camera)
    ann.moderate(enable="true", mediaType="video")
    ann.wait_for_silence(camera)

    # The next moderator is free, and knows.
    ann.leave()
    cleo = attend("Cleo")
    ben.told_of_moderation(whitelists={"desktop": []})
    told = [one for one in list(cleo.moderation) if one.get("enabled")]
    assert {one["mediaType"] for one in told} <= {"video", "desktop"}
    for number in 0, 1:
        wait_until_heard(cleo, cleo.source_of(ben.nick, "video", number))


def test_orders_of_strangers_are_of_no_use(attend, server, room):
    ann, ben = attend("Ann"), attend("Ben", sound=lambda: Tone(800))
    other = attend("Eve", room=f"{room}-2")
    for one in ann, ben, other:
        one.wait_until_invited()
    voice = ann.source_of(ben.nick, "audio")
    faulty = [
        {"enable": "true", "mediaType": "presenter"}, {"enable": "true"},
        {"enable": "1", "mediaType": "audio"}, {"mediaType": "audio"},
        {"jidToWhitelist": "x" * 100_000, "mediaType": "audio"},
        {"jidToWhitelist": ",".join(f"{ann.room}/{n}" for n in range(2000)), "mediaType": "audio"},
        {"jidToWhitelist": f"{ann.room}/nobody", "mediaType": "audio"}]
    for order in faulty:
        ann.moderate(**order)
    wait_for("all are refused", lambda: len(ann.errors) == len(faulty), TIMEOUT)
    # She owns her own room, and is nobody in theirs.
    other.moderate(enable="true", mediaType="audio", room=ann.room)
    other.moderate(jidToBlacklist=f"{ann.room}/{ben.nick}", mediaType="audio")
    other.told_of_moderation(whitelists={"audio": []}, room=other.room)
    for _ in range(2000):
        ben.moderate(enable="true", mediaType="audio")
    counts = [0]

    def is_no_longer_answered():
        counts.append(len(ben.errors))
        return counts[-1] > 10 and counts[-1] == counts[-2]

    wait_for("the rest is left out", is_no_longer_answered, TIMEOUT, interval=2)
    wait_until_heard(ann, voice)
    assert not ann.moderation and not ben.moderation and len(ben.errors) < 1500


def test_all_protocols_meet(attend, server, room):
    ann = attend("Ann", camera=lambda: Colour(RED), sound=lambda: Tone(500))
    with Stranger(server, room, "Hms") as hms:
        hms.join()
        hms.publish(Colour(GREEN), Tone(440), codec="VP8")
        nick = ann.nick_of("Hms")
        seen = ann.wait_for_frames(ann.source_of(nick, "video"), 10, TIMEOUT)
        assert is_near(seen.last, GREEN)
        ann.wait_for_frames(ann.source_of(nick, "audio"), 20, TIMEOUT)
        peer = next(one for one in server.manage(
            "GET", f"/active-rooms/{room}/peers").json["peers"].values() if one["name"] == "Ann")
        hms.wait_for_frames(f"{ann.nick}-v0", 10, TIMEOUT)

        hms.call("broadcast", {"info": {"type": "chat", "message": "from Hms"}})
        wait_for("Ann reads it", lambda: (f"{ann.room}/{nick}", "groupchat", "from Hms")
                 in list(ann.texts), TIMEOUT)
        ann.say("from Ann")
        hms.told("on-broadcast", lambda params: params["info"]["message"] == "from Ann")
        ann.mute("camera")
        hms.told("on-track-update", lambda params: '"mute": true' in json.dumps(params))
        assert peer["id"]
    ann.wait_until_gone(nick)


def test_what_is_asked_wrongly_is_refused(attend, prosody):
    ann = attend("Ann")

    def conference(room):
        return node(FOCUS_PROTOCOL, "conference", {"room": room, "machine-uid": "x"})

    for room, condition in [("x@other.test", "bad-request"), (f"a.b@{ROOMS}", "not-acceptable")]:
        with pytest.raises(Refused) as refused:
            ann.ask_focus(conference(room))
        assert refused.value.condition == condition


def test_the_conference_outlives_its_server(attend, prosody):
    ann = attend("Ann", sound=lambda: Tone(500))
    ben = attend("Ben", sound=lambda: Tone(800))
    source = ben.source_of(ann.nick, "audio")
    prosody.freeze()
    count = ben.frames(source)
    ben.wait_for_frames(source, count + 100, TIMEOUT)
    prosody.thaw()
    ann.say("still here")
    wait_for("he reads it", lambda: [one for one in list(ben.texts) if one[2] == "still here"],
             TIMEOUT)


def jibri(action, **attributes):
    return node(JIBRI, "jibri", {"action": action, **attributes})


def is_hidden(presence):
    item = find(find(presence, MUC_USER, "x"), MUC_USER, "item")
    return f"@{RECORDERS}/" in item.get("jid", "")


def refusal(attendee, element):
    with pytest.raises(Refused) as refused:
        attendee.ask(element)
    return refused.value.condition


def shown_to(one):
    """The nicks of whom a client shows."""
    return {nick for nick, _, presence in list(one.presences) if not is_hidden(presence)}


def test_the_recording_button(attend, server, room):
    ann = attend("Ann", camera=lambda: Colour(RED), sound=lambda: Tone(500))
    ben = attend("Ben")
    ann.wait_until_invited()
    ben.wait_until_invited()
    start = jibri("start", recording_mode="file", app_data="{}")
    assert refusal(ben, start) == "not-allowed"
    assert refusal(ann, jibri("stop", recording_mode="file")) == "item-not-found"
    session = ann.ask(start).get("session_id")
    assert refusal(ann, start) == "unexpected-request"
    for one in ann, ben:
        pending, on = one.told_of_recording(session, "pending", "on")
        assert pending["recording_mode"] == "file" and "initiator" not in pending
        assert on["initiator"] == f"{ann.room}/{ann.nick}"
    [recording] = server.manage("GET", f"/recordings?room_id={room}").json["data"]
    assert recording["status"] == "running"

    # Clients are shown none but whom they hide, also when another bot takes the place of ours.
    folder = assets.directory(server, recording)
    os.kill(assets.writer(folder), signal.SIGKILL)
    wait_for("its death is told", lambda: server.stream(
        recording["id"], "recordings")["process_deaths"], TIMEOUT)
    server.wait_for_status(recording["id"], "running", TIMEOUT, "recordings")
    cleo = attend("Cleo")
    cleo.told_of_recording(session, "on")
    for one in ann, ben, cleo:
        others = {other.nick for other in (ann, ben, cleo)} - {one.nick}
        wait_for("all others are seen", lambda one=one, others=others: others <= shown_to(one), TIMEOUT)
        assert shown_to(one) == others
        [shown] = [presence for _, _, presence in list(one.presences) if is_hidden(presence)]
        assert find(shown, CLIENT, "session_id").text == session
        assert find(shown, CLIENT, "mode").text == "file"

    assert refusal(ben, jibri("stop", session_id=session)) == "not-allowed"
    assert refusal(ann, jibri("stop", session_id="another")) == "item-not-found"
    ann.ask(jibri("stop", session_id=session))
    for one in ann, ben:
        off = one.told_of_recording(session, "pending", "on", "off")[-1]
        assert off["initiator"] == f"{ann.room}/{ann.nick}" and "failure_reason" not in off
        wait_for("the recorder has left", lambda: [
            kind for _, kind, presence in list(one.presences)
            if is_hidden(presence)] == [None, "unavailable"], TIMEOUT)
    done = server.wait_for_status(recording["id"], "completed", 2 * TIMEOUT, "recordings")
    assert done["recording_assets"] and done["started_by"] == recording["started_by"]

    # One that others start and stop.
    assert server.manage("POST", f"/recordings/room/{room}/start").status == 200
    other = wait_for("it is told", lambda: ann.recordings[-1]["session_id"] not in (session,)
                     and ann.recordings[-1]["session_id"], TIMEOUT)
    assert "initiator" not in ann.told_of_recording(other, "pending", "on")[-1]
    assert refusal(ann, start) == "unexpected-request"
    assert server.manage("POST", f"/recordings/room/{room}/stop").status == 200
    assert "initiator" not in ann.told_of_recording(other, "pending", "on", "off")[-1]


def test_the_streaming_button(attend, server, room, tmp_path):
    ann = attend("Ann", camera=lambda: Colour(RED), sound=lambda: Tone(500))
    ann.wait_until_invited()
    for faulty in (jibri("start", recording_mode="stream"),
                   jibri("start", recording_mode="file", streamid="x"),
                   jibri("start", recording_mode="stream", streamid="rtmp://10.0.0.1/live/x"),
                   jibri("start", recording_mode="stream", streamid="x" * 4096),
                   jibri("pause", recording_mode="file")):
        assert refusal(ann, faulty) == "bad-request"
    with contextlib.closing(NginxRTMP(tmp_path / "nginx")) as nginx:
        key = f"button-{room}"
        session = ann.ask(jibri("start", recording_mode="stream",
                                streamid=f"{nginx.base}/live/{key}",
                                you_tube_broadcast_id="https://watch.test/x")).get("session_id")
        on = ann.told_of_recording(session, "pending", "on")[-1]
        assert on["recording_mode"] == "stream"

        def shown():
            recorders = [one for _, kind, one in list(ann.presences) if is_hidden(one) and not kind]
            return recorders and find(recorders[-1], CLIENT, "live-stream-view-url")

        wait_for("its page is shown", lambda: getattr(shown(), "text", 0) == "https://watch.test/x",
                 TIMEOUT)
        wait_for("nginx has cut segments", lambda: len(nginx.segments(key)) > 1, 2 * TIMEOUT)
        # The room has one recording at a time.
        assert refusal(ann, jibri("start", recording_mode="file")) == "unexpected-request"
        ann.ask(jibri("stop", recording_mode="stream"))
        ann.told_of_recording(session, "pending", "on", "off")


def test_a_conference_is_asked_for_by_http(attend, server, prosody, room):
    def ask(body, **headers):
        return server.http.post("/conference-request/v1", body=body, headers=headers)

    answer = ask({"room": f"{room}@{ROOMS}", "machineUid": "x", "properties": {}})
    assert answer.status == 200 and answer.json["ready"] is True
    assert answer.json["focusJid"] == f"focus@focus.{ROOMS.partition('.')[2]}"
    assert answer.headers["access-control-allow-origin"] == "*"
    attend("Ann").wait_until_invited()
    for faulty in {"room": "x@other.test"}, {"room": f"a.b@{ROOMS}"}, {}, []:
        assert ask(faulty).status == 400
    assert ask(b"{" + b" " * 20_000 + b"}").status == 413
    # Each address has its own limit: so many at once, and some more as time goes by.
    statuses, began = [], time.monotonic()

    def is_limited():
        statuses.append(ask({}, **{"X-Forwarded-For": "203.0.113.5"}).status)
        return statuses[-1] == 429

    wait_for("the address has had its share", is_limited, TIMEOUT, interval=0)
    assert 100 < len(statuses) <= 102 + 10 * (time.monotonic() - began)
    assert set(statuses[:-1]) == {400}
    assert ask({"room": f"{room}@{ROOMS}"}).status == 200


def test_a_recording_is_shown_again_by_a_restarted_server(attend, prosody, server, room):
    def connections():
        return server.log.read_text().count("jitsi: connected to the XMPP server")

    wait_for("focus and recorders are there", lambda: connections() > 1, TIMEOUT)
    before = connections()
    ann = attend("Ann", sound=lambda: Tone(500))
    ann.wait_until_invited()
    session = ann.ask(jibri("start", recording_mode="file")).get("session_id")
    ann.told_of_recording(session, "pending", "on")
    prosody.stop()
    prosody.start()
    wait_for("focus and recorders are there again", lambda: connections() == before + 2,
             TIMEOUT)
    ben = attend("Ben", sound=lambda: Tone(800))
    ben.wait_until_invited()
    ben.told_of_recording(session, "on")
    wait_for("the recorder is there", lambda: [
        one for _, _, one in list(ben.presences) if is_hidden(one)], TIMEOUT)
    # He is the first one there, and so the moderator.
    wait_for("he may stop it", lambda: may_stop(ben, session), TIMEOUT)
    ben.told_of_recording(session, "on", "off")


def may_stop(attendee, session):
    try:
        attendee.ask(jibri("stop", session_id=session))
    except Refused:
        return False
    return True
