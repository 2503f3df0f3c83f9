"""OpenVidu's own client for application servers, unmodified, in Node.js (make test-clients)."""

import pytest
from harness import clients
from harness.openvidu import Participant
from harness.openvidu_node import Application
from harness.server import Server
from harness.stranger import Colour, Tone
from harness.waiting import wait_for

RED = (200, 30, 30)
SECRET = "MY_SECRET"
SETTINGS = {"ROOMCAST_OPENVIDU_SECRET": SECRET, "ROOMCAST_OPENVIDU_RECORDING_AUTOSTOP_SECONDS": "2"}


@pytest.fixture(scope="module")
def bundle():
    return clients.bundle("openvidu-node-client.js")


@pytest.fixture(scope="module")
def server(binary, bundle, tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("server"), settings=SETTINGS)
    yield server
    assert server.stop() == 0, server.tail()


@pytest.fixture
def application(bundle, server):
    with Application(bundle, server, SECRET) as application:
        yield application


@pytest.fixture
def session(application, room):
    """`kept.session`, in the room."""
    return application.run(
        f"kept.session = await openvidu.createSession({{customSessionId: '{room}'}});"
        "return kept.session")


@pytest.fixture
def join(server, room, stack):
    def join(name, token):
        one = stack.enter_context(Participant(server, room, name, address=token))
        one.join()
        return one

    return join


def test_sessions_are_opened_and_closed(application, session, room):
    run, fault = application.run, application.fault
    assert session["sessionId"] == room
    # Its comparison is of texts, whose order its first fetch changes.
    run("await kept.session.fetch()")
    assert run("return await kept.session.fetch()") is False
    again = run(f"return await openvidu.createSession({{customSessionId: '{room}'}})")
    assert (again["sessionId"], again["createdAt"]) == (room, session["createdAt"])
    assert run("return (await openvidu.createSession()).sessionId").startswith("ses_")
    assert fault("await openvidu.createSession({customSessionId: 'a b?'})") == "400"
    run("await kept.session.close()")
    assert fault("await kept.session.close()") == "404"
    assert fault("await kept.session.fetch()") == "404"
    run("await openvidu.fetch()")
    assert room not in run("return openvidu.activeSessions.map((one) => one.sessionId)")


def test_a_connection_is_shown_as_it_was_made(application, session, join):
    made = application.run("""
        kept.made = await kept.session.createConnection({
          type: "WEBRTC", role: "MODERATOR", data: "from us", record: false,
          kurentoOptions: { videoMaxRecvBandwidth: 700, allowedFilters: ["GStreamerFilter"] },
          customIceServers: [{ url: "turn:192.0.2.1:443", username: "u", credential: "c" }],
        });
        return kept.made;""")
    assert made["status"] == "pending" and made["role"] == "MODERATOR"
    assert made["serverData"] == "from us" and made["connectionProperties"]["record"] is False
    assert made["connectionProperties"]["kurentoOptions"]["videoMaxRecvBandwidth"] == 700
    fetched = application.run("await kept.session.fetch(); return kept.session.connections[0]")
    assert fetched == made
    ann = join("Ann", made["token"])
    assert application.run("return await kept.session.fetch()") is True
    [active] = application.run("return kept.session.activeConnections")
    assert active["connectionId"] == ann.id and active["status"] == "active"
    for name in ("token", "createdAt", "connectionProperties"):
        assert active[name] == made[name], name
    application.run("await openvidu.fetch()")
    assert application.run("return await openvidu.fetch()") is False


def test_connections_and_streams_are_changed_and_ended(application, session, join):
    run, fault = application.run, application.fault
    made = run("kept.made = await kept.session.createConnection(); return kept.made")
    changed = run("return await kept.session.updateConnection(kept.made.connectionId,"
                  " {role: 'SUBSCRIBER', record: false})")
    assert changed["connectionProperties"]["role"] == "SUBSCRIBER"
    run("await kept.session.updateConnection(kept.made.connectionId, {role: 'PUBLISHER'})")
    ann = join("Ann", made["token"])
    stream = ann.publish(Colour(RED), Tone(440))
    ben = join("Ben", run("return (await kept.session.createConnection({role: 'SUBSCRIBER'})).token"))
    ben.subscribe(stream)
    run("await kept.session.fetch()")
    seen = {one["connectionId"]: one for one in run("return kept.session.activeConnections")}
    assert [one["streamId"] for one in seen[ann.id]["publishers"]] == [stream]
    assert seen[ben.id]["subscribers"] == [stream]
    assert run("return (await openvidu.fetchWebRtc()).changes") is not None
    run("await kept.session.forceUnpublish("
        "kept.session.activeConnections.flatMap((one) => one.publishers)[0])")
    assert ann.told("participantUnpublished")["reason"] == "forceUnpublishByServer"
    assert fault(f"await kept.session.forceUnpublish('{stream}')") == "404"
    run(f"await kept.session.forceDisconnect('{ben.id}')")
    assert ben.told("participantEvicted")["reason"] == "forceDisconnectByServer"
    assert fault("await kept.session.forceDisconnect('con_none')") == "404"
    pending = run("kept.pending = await kept.session.createConnection(); return kept.pending")
    run("await kept.session.forceDisconnect(kept.pending); await kept.session.fetch()")
    ids = run("return kept.session.connections.map((one) => one.connectionId)")
    assert pending["connectionId"] not in ids
    assert run("return await kept.session.generateToken({role: 'SUBSCRIBER'})").startswith("ws")
    assert fault("await kept.session.createConnection({role: 'KING'})") == "400"


@pytest.mark.parametrize("mode, ending", [
    ("COMPOSED", "mp4"), ("COMPOSED_QUICK_START", "mp4"), ("INDIVIDUAL", "zip")])
def test_recordings_follow_each_other(application, room, join, mode, ending):
    run, fault = application.run, application.fault
    run(f"kept.session = await openvidu.createSession({{customSessionId: '{room}'}})")
    assert fault(f"await openvidu.startRecording('{room}')") == "406"
    assert fault("await openvidu.startRecording('unknown')") == "404"
    ann = join("Ann", run("return (await kept.session.createConnection()).token"))
    ann.publish(Colour(RED), Tone(440))
    size = "" if mode == "INDIVIDUAL" else "resolution: '320x180', frameRate: 10,"
    started = run(f"return await openvidu.startRecording('{room}', {{name: 'Film', {size}"
                  f" outputMode: '{mode}', hasAudio: true, hasVideo: true}})")
    assert (started["status"], started["id"], started["sessionId"]) == ("started", room, room)
    assert started["properties"]["outputMode"] == mode
    assert run("await kept.session.fetch(); return kept.session.recording") is True
    assert fault(f"await openvidu.startRecording('{room}')") == "409"
    assert fault(f"await openvidu.deleteRecording('{room}')") == "409"
    run(f"await openvidu.stopRecording('{room}')")
    assert run("await kept.session.fetch(); return kept.session.recording") is False
    second = run(f"return (await openvidu.startRecording('{room}', 'Second')).id")
    assert second == f"{room}~1"
    run(f"await openvidu.stopRecording('{second}')")

    def is_ready():
        shown = run(f"return await openvidu.getRecording('{room}')")
        return shown if shown["status"] == "ready" else None

    ready = wait_for("the recording is ready", is_ready, 90)
    assert ready["size"] > 0 and ready["url"].endswith(f"/openvidu/recordings/{room}/Film.{ending}")
    assert room in run("return (await openvidu.listRecordings()).map((one) => one.id)")
    run(f"await openvidu.deleteRecording('{room}')")
    assert fault(f"await openvidu.getRecording('{room}')") == "404"
    assert fault("await openvidu.stopRecording('none')") == "404"


def test_the_secret_is_checked(bundle, server):
    with Application(bundle, server, "wrong") as application:
        assert application.fault("await openvidu.createSession()") == "401"
        assert application.fault("await openvidu.fetch()") == "401"
