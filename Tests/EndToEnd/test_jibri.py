"""`roomcast jibri` in a Jitsi deployment: Prosody is real; Jicofo, its brewery and the videobridge
are played by slixmpp and aiortc."""

import base64
import contextlib
import json
import socket
import time

import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from harness import media
from harness.fault import Fault
from harness.http import Client
from harness.jibri import PASSWORDS, JibriServer
from harness.jitsi_deployment import deployed
from harness.jitsi_prosody import HIDDEN
from harness.jitsi_xml import CLIENT, JIBRI, find, node
from harness.jitsi_xmpp import Refused
from harness.local_server import Handler, LocalServer
from harness.stranger import Colour, Tone
from harness.waiting import wait_for
from harness.wire import Wire

RED = (200, 30, 30)
TIMEOUT = 60  # s
EXIT_TIMEOUT = 60  # s


@pytest.fixture(scope="module")
def deployment():
    # A recorder that fails is asked again at once.
    with deployed(failure_pause=0) as deployment:
        yield deployment


@pytest.fixture
def jibri(binary, deployment, tmp_path, stack):
    """Starts one; those before it are gone from the brewery."""
    def jibri(**settings):
        wait_for("the brewery is empty", lambda: not deployment.brewery.slots, TIMEOUT)
        one = JibriServer(tmp_path / "jibri", deployment.prosody, **settings)
        stack.callback(one.stop)
        return one

    return jibri


@pytest.fixture
def conference(deployment):
    conference = deployment.conference()
    conference.ann = conference.add("Ann", camera=lambda: Colour(RED), sound=lambda: Tone(440))
    return conference


def wait_for_state(recording, *states):
    wait_for(f"{states}", lambda: tuple(recording.states) == states, 2 * TIMEOUT)


def wait_for_exit(one):
    wait_for("it ends", lambda: one.process.poll() is not None, EXIT_TIMEOUT)
    return one.process.returncode


def seconds(file):
    """Of its picture."""
    return len(media.frames(file)) / 30


def name(conference):
    return conference.room.partition("@")[0]


def test_a_button_records_a_conference_to_its_file(deployment, conference, jibri):
    one, brewery = jibri(), deployment.brewery
    assert sorted(brewery.wait_for_slots(2)) == ["rec", "rec-2"]
    assert one.busy == "IDLE"
    ann = conference.ann
    # As Jitsi's Prosody adds it for members with tokens.
    ann.show(identity=[
        node(CLIENT, "user", None, node(CLIENT, "id", text="a-1"),
             node(CLIENT, "name", text="Anna")),
        node(CLIENT, "group", text="staff")])
    conference.add("Ben", sound=lambda: Tone(660))
    data = {"file_recording_metadata": {"share": True, "initiator": {"id": "ann"}}}
    session = ann.ask("focus", node(JIBRI, "jibri", {
        "action": "start", "recording_mode": "file", "app_data": json.dumps(data),
    })).get("session_id")
    recording = brewery.recordings[0]
    nick = recording.nick
    wait_for_state(recording, ("on", None))
    assert brewery.answers[-1] == (nick, "start", {"status": "pending"})
    assert brewery.slots[nick].busy == "busy"
    assert one.busy == "IDLE", "there is another slot"
    occupant = conference.occupant()
    assert occupant.jid.startswith(f"recorder@{HIDDEN}/")

    def shown(tag):
        found = find(occupant.presence, CLIENT, tag)
        return None if found is None else found.text

    wait_for("it shows the session", lambda: shown("session_id") == session, TIMEOUT)
    assert shown("mode") == "file"

    ann.ask("focus", node(JIBRI, "jibri", {"action": "stop"}))
    wait_for("the script has run", lambda: one.finalized, TIMEOUT)
    (directory, names), = one.finalized
    assert directory == str(one.kept / session)
    assert names[0] == "metadata.json" and len(names) == 2
    assert names[1].startswith(f"{name(conference)}_20") and names[1].endswith(".mp4")
    metadata = one.metadata(session)
    assert metadata["meeting_url"] == f"https://meet.test/{name(conference)}"
    assert metadata["share"] is True and metadata["initiator"] == {"id": "ann"}
    assert metadata["participants"] == [
        {"user": {"id": "a-1", "name": "Ann"}, "group": "staff"}], "Ben's is not known"
    assert seconds(one.kept / session / names[1]) > 1
    wait_for("the slot is free", lambda: brewery.slots[nick].is_available, TIMEOUT)
    assert recording.states == [("on", None), ("off", None)]
    wait_for("its end is in the log",
             lambda: "the finalize script has ended" in one.log.read_text(), TIMEOUT)
    assert "finalizing " in one.log.read_text()
    assert not any(secret in one.log.read_text() for secret in PASSWORDS)
    wait_for("nothing is left to do", lambda: not list((one.kept / ".roomcast").iterdir()), TIMEOUT)


def test_sound_alone_is_recorded_if_it_is_set_so(deployment, conference, jibri):
    one = jibri(slots=1, more="jibri.recording.audio-only = true")
    deployment.brewery.wait_for_slots(1)
    recording = deployment.brewery.start(conference)
    wait_for_state(recording, ("on", None))
    wait_for("no picture is asked of the bridge",
             lambda: conference.endpoint().constraints.get("lastN") == 0, TIMEOUT)
    deployment.brewery.stop(recording)
    wait_for("the script has run", lambda: one.finalized, TIMEOUT)
    (_, names), = one.finalized
    assert names[1].startswith(f"{name(conference)}_20") and names[1].endswith(".m4a")
    file = one.kept / recording.id / names[1]
    assert list(media.streams(file)) == ["audio"]
    assert media.loudness(media.sound(file)).max() > 0.05


def test_two_conferences_have_a_slot_each_and_a_third_is_told_that_all_are_busy(
        deployment, conference, jibri):
    one, brewery = jibri(), deployment.brewery
    brewery.wait_for_slots(2)
    other = deployment.conference()
    other.add("Ben", camera=lambda: Colour(RED), sound=lambda: Tone(440))
    recordings = [brewery.start(conference), brewery.start(other)]
    for recording in recordings:
        wait_for_state(recording, ("on", None))
    assert {recording.nick for recording in recordings} == {"rec", "rec-2"}
    assert one.busy == "BUSY"
    third = deployment.conference()
    third.add("Cleo")
    with pytest.raises(Refused, match="resource-constraint"):
        brewery.start(third)
    # Who asks all the same is told so.
    answer = brewery.ask("rec", action="start", recording_mode="file", session_id="x",
                         room=third.room)
    assert answer == {"status": "off", "failure_reason": "busy", "should_retry": "true"}
    # One ends by itself, the other goes on.
    other.destroy()
    wait_for_state(recordings[1], ("on", None), ("off", None))
    assert recordings[0].states == [("on", None)]
    brewery.stop(recordings[0])
    wait_for("both files are there", lambda: len(one.finalized) == 2, TIMEOUT)


def test_what_cannot_be_recorded_is_answered_as_jibri_does(deployment, conference, jibri):
    one, brewery = jibri(
        more='jibri.streaming.rtmp-allow-list = [ "rtmp://live.test/.*" ]'), deployment.brewery
    brewery.wait_for_slots(2)

    def start(**more):
        return brewery.ask("rec", **({"action": "start", "recording_mode": "file",
                                      "session_id": "x", "room": conference.room} | more))

    final = {"status": "off", "failure_reason": "error", "should_retry": "false"}
    assert start(sipaddress="a@b") == final | {"sipaddress": "a@b"}
    assert start(recording_mode="tape") == final
    assert start(room="") == final | {"should_retry": "true"}
    with pytest.raises(Refused, match="bad-request"):
        brewery.ask("rec", action="dance")
    assert brewery.ask("rec", action="stop", session_id="x") == {"status": "off"}
    # What only the operator's settings forbid fails after it was taken on; no other one is tried.
    recording = brewery.start(conference, stream="rtmp://elsewhere.test/app/key")
    wait_for_state(recording, ("off", "error"))
    assert recording.nicks == [recording.nicks[0]]
    wait_for("both are free", lambda: len(brewery.wait_for_slots(2)) == 2, TIMEOUT)
    assert "key" not in one.log.read_text()


def test_no_other_recorder_tries_a_conference_that_is_encrypted(deployment, conference, jibri):
    one, brewery = jibri(), deployment.brewery
    brewery.wait_for_slots(2)
    conference.ann.show(**{"jitsi_participant_e2ee.enabled": "true"})
    recording = brewery.start(conference)
    wait_for_state(recording, ("off", "error"))
    assert recording.nicks == [recording.nicks[0]]
    wait_for("both are free", lambda: len(brewery.wait_for_slots(2)) == 2, TIMEOUT)
    assert not one.finalized


def test_a_stop_before_it_runs_ends_it(deployment, jibri):
    one, brewery = jibri(), deployment.brewery
    brewery.wait_for_slots(2)
    # Nobody is in it, so there is no offer and no recording.
    recording = brewery.start(deployment.conference())
    assert brewery.answers[-1][2] == {"status": "pending"}
    brewery.stop(recording)
    wait_for("the slot is free", lambda: len(brewery.wait_for_slots(2)) == 2, TIMEOUT)
    wait_for("the stop is answered", lambda: brewery.answers[-1][1:] == ("stop", {"status": "off"}),
             TIMEOUT)
    assert not one.finalized and recording.states == [("off", None)]
    assert [path.name for path in one.kept.iterdir()] == [".roomcast"]


SLOW = """#!/bin/sh
trap '' TERM
echo "$1" > '{0}'
while true; do sleep 1; done
"""


def test_a_script_that_does_not_end_does_not_hold_up_the_end(
        deployment, conference, jibri, tmp_path):
    script = tmp_path / "slow.sh"
    script.write_text(SLOW.format(tmp_path / "given"))
    script.chmod(0o755)
    one = jibri(more=f'jibri.recording.finalize-script = "{script}"')
    brewery = deployment.brewery
    brewery.wait_for_slots(2)
    recording = brewery.start(conference)
    wait_for_state(recording, ("on", None))
    brewery.stop(recording)
    wait_for("the script runs", (tmp_path / "given").exists, TIMEOUT)
    began = time.monotonic()
    one.order("shutdown")
    wait_for("it ends", lambda: one.process.poll() is not None, 90)
    assert 55 < time.monotonic() - began < 85
    log = one.log.read_text()
    assert "ends although not everything is done" in log and recording.id in log
    # The next start goes on with it.
    assert [path.suffix for path in (one.kept / ".roomcast").iterdir()] == [".json"]


def test_a_session_that_is_recorded_twice_has_two_directories(deployment, conference, jibri):
    one, brewery = jibri(), deployment.brewery
    brewery.wait_for_slots(2)

    def record():
        ask = {"session_id": "again", "room": conference.room}
        assert brewery.ask("rec", action="start", recording_mode="file", **ask)["status"] == "pending"
        wait_for("it is recorded", lambda: [
            kept for kept in one.manage("GET", "/recordings").json["data"]
            if kept["status"] == "running"], TIMEOUT)
        brewery.ask("rec", action="stop", session_id="again")

    record()
    wait_for("the script has run", lambda: len(one.finalized) == 1, TIMEOUT)
    wait_for("the slot is free", lambda: brewery.slots["rec"].is_available, TIMEOUT)
    record()
    wait_for("the script has run again", lambda: len(one.finalized) == 2, TIMEOUT)
    assert [directory for directory, _ in one.finalized] == [
        str(one.kept / "again"), str(one.kept / "again_2")]
    assert all(len(names) == 2 for _, names in one.finalized)


def test_jibris_figures_are_there_if_they_are_turned_on(deployment, conference, jibri):
    one = jibri(slots=1, more="jibri.stats.prometheus.enabled = true")
    deployment.brewery.wait_for_slots(1)
    recording = deployment.brewery.start(conference)
    wait_for_state(recording, ("on", None))
    answer = Client("127.0.0.1", one.external_port).get("/metrics")
    assert answer.status == 200
    figures = dict(line.split() for line in answer.body.decode().splitlines() if line[0] != "#")
    assert figures["jitsi_jibri_sessions_started_total"] == "1"
    assert figures["jitsi_jibri_recording"] == figures["jitsi_jibri_healthy"] == "1"
    deployment.brewery.stop(recording)


def test_a_short_loss_of_the_connection_costs_nothing(deployment, conference, jibri, stack):
    wire = stack.enter_context(contextlib.closing(Wire(deployment.prosody.port)))
    one, brewery = jibri(port=wire.port), deployment.brewery
    brewery.wait_for_slots(2)
    recording = brewery.start(conference)
    wait_for_state(recording, ("on", None))
    wire.cut()
    wait_for("it is noticed", lambda: "no connection to the brewery" in one.log.read_text(),
             TIMEOUT)
    wire.mend()
    brewery.stop(recording)
    wait_for("the file is there", lambda: one.finalized, 2 * TIMEOUT)
    wait_for("both are free", lambda: len(brewery.wait_for_slots(2)) == 2, TIMEOUT)
    assert recording.states == [("on", None), ("off", None)]


def test_what_is_told_in_a_loss_arrives_when_it_is_over(deployment, conference, jibri, stack):
    wire = stack.enter_context(contextlib.closing(Wire(deployment.prosody.port)))
    one, brewery = jibri(port=wire.port), deployment.brewery
    brewery.wait_for_slots(2)
    gone = len(brewery.past)
    recording = brewery.start(conference)
    wait_for_state(recording, ("on", None))
    wire.cut()
    wait_for("it is noticed", lambda: "no connection to the brewery" in one.log.read_text(),
             TIMEOUT)
    running, = [kept["id"] for kept in one.manage("GET", "/recordings").json["data"]
                if kept["status"] == "running"]
    assert one.manage("POST", f"/recordings/{running}/stop").status == 200
    wait_for("the file is there", lambda: one.finalized, TIMEOUT)
    assert recording.states == [("on", None)]
    wire.mend()
    wait_for_state(recording, ("on", None), ("off", None))
    brewery.wait_for_slots(2)
    assert len(brewery.past) == gone, "Jicofo has not seen a loss"


def test_a_killed_recorders_file_is_put_in_place_by_the_next(
        deployment, conference, binary, tmp_path, stack):
    brewery = deployment.brewery
    first = JibriServer(tmp_path / "jibri", deployment.prosody)
    brewery.wait_for_slots(2)
    recording = brewery.start(conference)
    wait_for_state(recording, ("on", None))
    first.kill()
    assert not first.finalized
    # Jicofo looks for another one, and there is none yet.
    wait_for_state(recording, ("on", None), ("off", "error"))
    second = JibriServer(tmp_path / "jibri", deployment.prosody)
    stack.callback(second.stop)
    wait_for("the file is there", lambda: second.finalized, TIMEOUT)
    (directory, names), = second.finalized
    assert directory == str(second.kept / recording.id) and len(names) == 2
    assert seconds(second.kept / recording.id / names[1]) > 0.5
    brewery.wait_for_slots(2)


@pytest.mark.parametrize("order, status", [("gracefulShutdown", 255), ("notifyConfigChanged", 0)])
def test_it_ends_when_nothing_is_recorded_any_more(deployment, conference, jibri, order, status):
    one, brewery = jibri(), deployment.brewery
    brewery.wait_for_slots(2)
    recording = brewery.start(conference)
    wait_for_state(recording, ("on", None))
    one.order(order)
    wait_for("no slot is to be asked", lambda: all(
        slot.busy == "busy" for slot in list(brewery.slots.values())), TIMEOUT)
    assert one.busy == "BUSY" and recording.states == [("on", None)]
    brewery.stop(recording)
    assert wait_for_exit(one) == status
    assert len(one.finalized) == 1
    wait_for("the brewery is empty", lambda: not brewery.slots, TIMEOUT)


def test_it_completes_what_is_recorded_when_it_is_to_end_at_once(deployment, conference, jibri):
    one, brewery = jibri(), deployment.brewery
    brewery.wait_for_slots(2)
    recording = brewery.start(conference)
    wait_for_state(recording, ("on", None))
    one.order("shutdown")
    wait_for_state(recording, ("on", None), ("off", None))
    assert wait_for_exit(one) == 255
    assert len(one.finalized) == 1


def test_a_signal_ends_it_in_good_order(deployment, conference, jibri):
    one, brewery = jibri(status=3), deployment.brewery
    brewery.wait_for_slots(2)
    recording = brewery.start(conference)
    wait_for_state(recording, ("on", None))
    assert one.stop() == 0
    wait_for_state(recording, ("on", None), ("off", None))
    assert len(one.finalized) == 1
    assert "the finalize script has ended" in one.log.read_text()


def test_one_of_single_use_records_once(deployment, conference, jibri):
    one, brewery = jibri(slots=1, single_use=True), deployment.brewery
    brewery.wait_for_slots(1)
    recording = brewery.start(conference)
    wait_for_state(recording, ("on", None))
    brewery.stop(recording)
    wait_for("it has expired", lambda: one.busy == "EXPIRED", TIMEOUT)
    assert brewery.slots["rec"].busy == "busy"
    with pytest.raises(Refused, match="resource-constraint"):
        brewery.start(conference)


class Subscriber(LocalServer):
    """Takes webhooks of a Jibri."""

    def __init__(self):
        self.taken = []  # (path, authorization, event)
        subscriber = self

        class Hooks(Handler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                subscriber.taken.append(
                    (self.path, self.headers["Authorization"], json.loads(body)))
                self.answer(200)

        super().__init__(Hooks)


def _decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def test_webhooks_tell_the_health_and_prove_it(deployment, conference, jibri, tmp_path, stack):
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    (tmp_path / "key.pem").write_bytes(key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption()))
    subscriber = stack.enter_context(contextlib.closing(Subscriber()))
    one = jibri(slots=1, more=f"""
        jibri.webhook.subscribers = [ "{subscriber.base}/hook" ]
        jibri.jwt-info {{ signing-key-path = "{tmp_path}/key.pem", kid = "k-1", issuer = "rec"
                          audience = "all", ttl = 1 hour }}""")
    deployment.brewery.wait_for_slots(1)
    wait_for("it is told", lambda: subscriber.taken, TIMEOUT)
    path, proof, event = subscriber.taken[0]
    assert path == "/hook/v1/status"
    assert event == {"jibriId": "rec-1", "status": {
        "busyStatus": "IDLE", "health": {"healthStatus": "HEALTHY", "details": {}}}}
    head, claims, signature = proof.removeprefix("Bearer ").split(".")
    key.public_key().verify(_decoded(signature), f"{head}.{claims}".encode(),
                            padding.PKCS1v15(), hashes.SHA256())
    assert json.loads(_decoded(head)) == {"alg": "RS256", "kid": "k-1", "typ": "JWT"}
    assert {"iss": "rec", "aud": "all"}.items() <= json.loads(_decoded(claims)).items()
    recording = deployment.brewery.start(conference)
    wait_for("a change is told at once", lambda: [
        event["status"]["busyStatus"] for _, _, event in subscriber.taken] == ["IDLE", "BUSY"],
        TIMEOUT)
    assert one.busy == "BUSY"
    deployment.brewery.stop(recording)


def test_a_port_that_is_taken_is_said(binary, deployment, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        more = f"jibri.api.http.external-api-port = {taken.getsockname()[1]}"
        with contextlib.suppress(Fault):
            # It may have answered by then.
            assert wait_for_exit(JibriServer(tmp_path / "jibri", deployment.prosody, more=more))
        log = (tmp_path / "jibri" / "server.log").read_text()
        assert "jibri.api.http.external-api-port is not valid: " in log
        assert "is taken by another program" in log
