"""Through a relay, where a network lets nothing else through: TURN with credentials that end."""

import time

import pytest

from harness import relay as relays
from harness import tokens, whip
from harness.relay import Relay
from harness.server import Server
from harness.stranger import Tone
from harness.waiting import wait_for

CAMERA_RATE = 10  # frames/s
LIFETIME = 3600  # s

RELAY_ONLY = """
(() => {
  const Original = window.RTCPeerConnection;
  window.RTCPeerConnection = class extends Original {
    constructor(configuration) {
      super({ ...configuration, iceTransportPolicy: "relay" });
    }
  };
})();
"""

# A browser's relayed candidates, and the error codes.
GATHER = """async (server) => {
  const connection = new RTCPeerConnection({ iceServers: [server], iceTransportPolicy: "relay" });
  const found = [], errors = [];
  connection.onicecandidate = ({ candidate }) => {
    if (candidate?.candidate) found.push(candidate.type);
  };
  connection.onicecandidateerror = ({ errorCode }) => errors.push(errorCode);
  const done = new Promise((resolve) => {
    connection.onicegatheringstatechange = () =>
      connection.iceGatheringState === "complete" && resolve();
  });
  connection.createDataChannel("any");
  await connection.setLocalDescription();
  await done;
  connection.close();
  return { found, errors };
}"""


@pytest.fixture(scope="module")
def relay(tmp_path_factory):
    relay = Relay(tmp_path_factory.mktemp("relay"))
    yield relay
    relay.close()


@pytest.fixture(scope="module")
def server(binary, relay, tmp_path_factory):
    settings = relay.settings | {"ROOMCAST_TURN_LIFETIME_SECONDS": str(LIFETIME)}
    server = Server(tmp_path_factory.mktemp("server"), settings=settings)
    yield server
    assert server.stop() == 0, server.tail()


def ice_servers(server, room, role="host"):
    token = tokens.room_token(room, role=role)
    answer = server.http.get("/init?peer_id=p1", token=token)
    assert answer.status == 200, answer
    return answer.json["rtcConfiguration"]["ice_servers"]


def test_two_people_see_each_other_through_the_relay(enter, server):
    ann = enter("Ann", script=RELAY_ONLY)
    ben = enter("Ben", role="guest", script=RELAY_ONLY)
    for one, other in [(ann, ben), (ben, ann)]:
        one.wait_for_picture_of(other.name)
    for person in (ann, ben):
        paths = wait_for(f"{person.name} has both ways", lambda person=person: len(
            person.paths()) == 2 and person.paths(), 60)
        assert {path["type"] for path in paths} == {"relay"}, paths
        assert {(path["address"], path["port"]) for path in paths} \
            == {("127.0.0.1", server.media_port)}, paths


def test_clients_of_whip_and_whep_are_told_of_the_relay(server, relay, room):
    token = tokens.room_token(room)
    with whip.Publisher(server, room, Tone(500)) as publisher:
        assert_names(relay, publisher.answer)
        for path in (f"/whip/{room}", f"/whep/{room}", f"/whip/{room}/{token}"):
            bearer = None if path.endswith(token) else token
            assert_names(relay, server.http.request("OPTIONS", path, token=bearer))
        # What a browser asks before a page's request has no token.
        assert "link" not in server.http.request("OPTIONS", f"/whip/{room}").headers


def assert_names(relay, answer):
    """RFC 9725 sect. 4.6."""
    link = answer.headers["link"]
    assert link.startswith(f"<{relay.urls[-1]}>; rel=\"ice-server\"; username=\""), link
    assert "; credential=\"" in link and link.endswith("; credential-type=\"password\""), link


def test_a_credential_is_the_peers_and_ends(server, relay, room):
    before = int(time.time())
    (given,) = ice_servers(server, room)
    assert given["urls"] == relay.urls
    end, _, user = given["username"].partition(":")
    assert before + LIFETIME <= int(end) <= int(time.time()) + LIFETIME
    assert user == "p1"


def test_the_recorder_is_given_none(server, room):
    assert ice_servers(server, room, role="__internal_recorder") == []


def test_the_relay_refuses_who_comes_late_or_changes_a_letter(server, relay, room, browser):
    context = browser.new_context()
    try:
        page = context.new_page()
        page.goto(f"{server.base}/")
        url = relay.urls[0]
        given = ice_servers(server, room)[0] | {"urls": [url]}
        assert "relay" in page.evaluate(GATHER, given)["found"]
        late = relays.credential(-1)
        changed = given | {"username": given["username"] + "2"}
        for refused in ({"urls": [url]} | late, changed):
            result = page.evaluate(GATHER, refused)
            assert result["found"] == [] and 401 in result["errors"], result
    finally:
        context.close()
