"""Our client of XMPP against Prosody, with slixmpp in the same rooms, and against bad servers."""

import base64
import contextlib
import itertools
import queue
import time
import uuid
from xml.etree import ElementTree

import pytest
from slixmpp.exceptions import IqError
from harness.prosody import Authority, Prosody
from harness.waiting import wait_for
from harness.wire import Wire
from harness.xmpp import Impostor, Probe, Stranger

QUIET = {"silence": 1, "pingAnswer": 1}  # s
STREAM = ("<?xml version='1.0'?><stream:stream xmlns='jabber:client' version='1.0' id='1' "
          "xmlns:stream='http://etherx.jabber.org/streams' from='auth.test'>")
SASL = "xmlns='urn:ietf:params:xml:ns:xmpp-sasl'"
FEATURES = (f"<stream:features><mechanisms {SASL}><mechanism>ANONYMOUS</mechanism></mechanisms>"
            "</stream:features>")
BIND = ("<stream:features><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/></stream:features>")
BOUND = ("<iq type='result' id='bind'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>"
         "<jid>a@auth.test/r</jid></bind></iq>")


@pytest.fixture(scope="module")
def prosody():
    with contextlib.closing(Prosody()) as prosody:
        prosody.start()
        yield prosody


@pytest.fixture
def probe(binary):
    with contextlib.closing(Probe()) as probe:
        yield probe


@pytest.fixture
def stranger(prosody):
    with contextlib.closing(Stranger(prosody)) as stranger:
        yield stranger


@pytest.fixture
def muc():
    return f"room-{uuid.uuid4().hex[:8]}@muc.test"


# MARK: Who is who

@pytest.mark.parametrize("domain, user, password, mechanism", [
    ("auth.test", "jibri", "pass word ü", "SCRAM-SHA-1"),
    ("strong.test", "jibri", "secret", "SCRAM-SHA-256"),
    ("plain.test", "jibri", "secret", "PLAIN"),
    ("hidden.test", "recorder", "secret", "SCRAM-SHA-1"),
    ("guests.test", None, None, "ANONYMOUS"),
])
def test_each_mechanism_lets_us_in(prosody, probe, domain, user, password, mechanism):
    offset = prosody.log.stat().st_size
    probe.connect(prosody, domain=domain, user=user, password=password, plaintext="refused")
    address = probe.wait("online")["address"]
    assert address.split("@")[1].startswith(domain + "/")
    assert user is None or address.startswith(user + "@")
    with prosody.log.open() as file:
        file.seek(offset)
        assert f"mechanism='{mechanism}'" in file.read()
    probe.order("quit")
    assert probe.wait("end")["case"] == "left"


@pytest.mark.parametrize("domain", ["auth.test", "strong.test", "plain.test"])
def test_a_wrong_password_is_final(prosody, probe, domain):
    probe.connect(prosody, domain=domain, password="wrong")
    end = probe.wait("end")
    assert end["mayPass"] == "false"
    assert end["text"] == "the server refused the account: not-authorized"


def test_another_servers_certificate_is_refused(prosody, probe):
    probe.connect(prosody, domain="other.test", password="secret")
    end = probe.wait("end")
    assert (end["case"], end["mayPass"]) == ("untrusted", "false")
    assert "its certificate is for another name" in end["text"]
    probe.connect(prosody, domain="other.test", password="secret", authorities="")
    probe.wait("online")


@pytest.mark.parametrize("how", ["machine", "another"])
def test_an_unknown_authority_is_refused(prosody, probe, tmp_path, how):
    authorities = str(Authority(tmp_path).file) if how == "another" else None
    probe.connect(prosody, authorities=authorities)
    end = probe.wait("end")
    assert (end["case"], end["mayPass"]) == ("untrusted", "false")
    assert "no authority that is trusted here" in end["text"]


def test_without_tls_nothing_is_shown(prosody, probe):
    bare = {"domain": "bare.test", "password": "secret"}
    probe.connect(prosody, plaintext="refused", **bare)
    end = probe.wait("end")
    assert (end["text"], end["mayPass"]) == ("the server offers no TLS", "false")
    # It is on this machine.
    probe.connect(prosody, **bare)
    probe.wait("online")


def test_a_name_that_the_server_does_not_know(prosody, probe):
    probe.connect(prosody, domain="unknown.test")
    end = probe.wait("end")
    assert "host-unknown" in end["text"] and end["mayPass"] == "false"


def test_nobody_listens(probe, prosody):
    with contextlib.closing(Impostor(lambda _: None)) as impostor:
        port = impostor.port
    probe.connect(prosody, port=port)
    end = probe.wait("end")
    assert (end["case"], end["mayPass"]) == ("unreachable", "true")


# MARK: WebSocket

@pytest.mark.parametrize("scheme", ["ws", "wss"])
def test_a_websocket_carries_the_same(prosody, probe, stranger, muc, scheme):
    port = prosody.web_port if scheme == "ws" else prosody.secure_web_port
    probe.connect(prosody, url=f"{scheme}://127.0.0.1:{port}/xmpp-websocket?room=a",
                  domain="guests.test", user=None, password=None)
    probe.wait("online")
    stranger.enter(muc, "focus")
    probe.enter(muc, "ours")
    probe.wait("room", case="entered")
    stranger.say(muc, "one & <two>")
    assert probe.hear() == "one & <two>"
    probe.order("quit")
    assert probe.wait("end")["case"] == "left"


def test_a_websocket_must_speak_xmpp(prosody, probe):
    for path, words in [("/nowhere", "404"), ("/", "200")]:
        probe.connect(prosody, url=f"ws://127.0.0.1:{prosody.web_port}{path}",
                      domain="guests.test", user=None)
        end = probe.wait("end")
        assert end["case"] == "unreachable" and words in end["text"], end


def test_a_websockets_certificate_is_checked(prosody, probe):
    url = f"wss://127.0.0.1:{prosody.secure_web_port}/xmpp-websocket"
    probe.connect(prosody, url=url, domain="guests.test", user=None, authorities=None)
    assert probe.wait("end")["case"] == "untrusted"


# MARK: Rooms

def test_both_see_who_comes_and_what_is_shown(prosody, probe, stranger, muc):
    probe.connect(prosody)
    address = probe.wait("online")["address"]
    stranger.enter(muc, "focus", whois="anyone")
    probe.enter(muc, "ours", xml=["<status xmlns='jabber:client'>idle</status>"])
    there = probe.wait("room", case="occupant", nick="focus")
    assert there["address"] == stranger.address and there["own"] == "false"
    assert probe.wait("room", case="entered")["nick"] == "ours"
    wait_for("the stranger sees us", lambda: "ours" in stranger.nicks(muc), 30)
    assert stranger.do(lambda: stranger.muc.get_jid_property(muc, "ours", "jid")) == address
    shown = lambda: stranger.do(lambda: stranger.muc.get_jid_property(muc, "ours", "status"))
    assert shown() == "idle"
    probe.order("show", room=muc, xml=["<status xmlns='jabber:client'>busy</status>"])
    wait_for("the stranger sees the change", lambda: shown() == "busy", 30)
    stranger.say(muc, "hello")
    assert probe.hear() == "hello"
    probe.order("send", xml=[f"<message xmlns='jabber:client' to='{muc}' type='groupchat'>"
                             "<body>good day</body></message>"])
    wait_for("the stranger hears us", lambda: stranger.messages.get(timeout=30)["body"]
             == "good day", 30)
    probe.order("leave", room=muc)
    assert probe.wait("room", case="ended")["ending"] == "left"
    wait_for("the stranger sees us leave", lambda: "ours" not in stranger.nicks(muc), 30)
    # Whoever leaves is no longer told what happens.
    probe.enter(muc, "ours")
    probe.wait("room", case="entered")
    stranger.do(lambda: stranger.muc.leave_muc(muc, "focus"))
    assert probe.wait("room", case="occupant", nick="focus")["change"] == "left"


def test_a_removal_tells_its_kind(prosody, probe, stranger, muc):
    probe.connect(prosody)
    probe.wait("online")
    stranger.enter(muc, "focus")
    probe.enter(muc, "ours")
    probe.wait("room", case="entered")
    stranger.do(lambda: stranger.muc.set_role(muc, "ours", "none", reason="enough"))
    assert probe.wait("room", case="ended")["text"] == "kicked (enough)"
    probe.enter(muc, "ours")
    probe.wait("room", case="entered")
    stranger.do(lambda: stranger.muc.set_affiliation(muc, "outcast", jid="jibri@auth.test"))
    assert probe.wait("room", case="ended")["ending"] == "banned"
    probe.enter(muc, "ours")
    assert probe.wait("room", case="ended")["ending"] == "banned"
    stranger.do(lambda: stranger.muc.set_affiliation(muc, "none", jid="jibri@auth.test"))
    probe.enter(muc, "ours")
    probe.wait("room", case="entered")
    stranger.do(lambda: stranger.muc.destroy(muc, reason="over"))
    assert probe.wait("room", case="ended")["ending"] == "destroyed"


def test_a_refused_entry_tells_why(prosody, probe, stranger, muc):
    probe.connect(prosody)
    probe.wait("online")
    ending = lambda: probe.wait("room", case="ended")["text"]
    stranger.enter(muc, "focus", roomsecret="open sesame", passwordprotectedroom="1")
    probe.enter(muc, "ours")
    assert ending() == "the room wants another password"
    probe.enter(muc, "ours", password="open sesame")
    probe.wait("room", case="entered")
    probe.order("leave", room=muc)
    assert ending() == "left"
    stranger.configure(muc, passwordprotectedroom="0", roomsecret="")
    probe.enter(muc, "focus")
    assert ending() == "the nick is taken"
    stranger.configure(muc, membersonly="1")
    probe.enter(muc, "ours")
    assert ending() == "the room is for members only"
    # As Prosody answers for a server that it does not talk to.
    probe.enter("room@nowhere.test", "ours")
    assert ending() == "there is no such room, and it may not be made"


# MARK: Requests

def test_requests_go_both_ways(prosody, probe, stranger):
    probe.connect(prosody, answered=["urn:ours"])
    address = probe.wait("online")["address"]
    query = "<query xmlns='http://jabber.org/protocol/disco#info'/>"
    assert "muc" in probe.ask(query, to="muc.test")["xml"]
    other = probe.ask("<other xmlns='urn:other'/>", to=stranger.address)
    assert other["event"] == "failure" and other["text"].startswith("refused: ")
    assert probe.ask("<other xmlns='urn:other'/>", to="a@nowhere.test", timeout=5)[
        "event"] == "failure"

    # slixmpp waits for the answers.
    pings = stranger.client.plugin["xep_0199"]
    assert stranger.do(lambda: pings.ping(address, timeout=10)) is not None

    async def asked(namespace):
        iq = stranger.client.make_iq_get(ito=address)
        iq.append(ElementTree.Element(f"{{{namespace}}}x"))
        try:
            return (await iq.send(timeout=10))["type"]
        except IqError as error:
            return error.condition
    assert stranger.do(lambda: asked("urn:unknown")) == "service-unavailable"
    answer = stranger.begin(lambda: asked("urn:ours"))
    request = probe.wait("request")
    assert request["from"] == stranger.address and "urn:ours" in request["xml"]
    probe.order("send", xml=[f"<iq xmlns='jabber:client' type='result' id='{request['id']}' "
                             f"to='{request['from']}'/>"])
    assert answer.result(30) == "result"


def test_a_stranger_computes_the_same_capabilities(prosody, probe, stranger, muc):
    probe.connect(prosody, features=["urn:xmpp:jingle:1", "http://jitsi.org/source-name"])
    probe.wait("online")
    shown = queue.SimpleQueue()
    stranger.do(lambda: stranger.client.add_event_handler(
        f"muc::{muc}::got_online", lambda presence: shown.put(presence)))
    stranger.enter(muc, "focus")
    probe.enter(muc, "ours")
    probe.wait("room", case="entered")
    presence = shown.get(timeout=30)
    while not str(presence["from"]).endswith("/ours"):
        presence = shown.get(timeout=30)
    caps = presence["caps"]
    assert caps["node"] == "https://roomcast.test/probe" and caps["hash"] == "sha-1"
    info = stranger.do(lambda: stranger.client.plugin["xep_0030"].get_info(
        f"{muc}/ours", node=f"{caps['node']}#{caps['ver']}", timeout=10))
    assert "urn:xmpp:jingle:1" in info["disco_info"]["features"]
    own = stranger.client.plugin["xep_0115"].generate_verstring(info["disco_info"], "sha-1")
    assert own == caps["ver"]


# MARK: Lost and found

def test_a_frozen_server_is_noticed_and_found_again(prosody, probe):
    probe.connect(prosody, pause=0.2, phase=2, **QUIET)
    probe.wait("online")
    prosody.freeze()
    try:
        end = probe.wait("end")
        assert end["text"] == "the server was silent (open)" and end["mayPass"] == "true"
        # While it is frozen, the kernel still connects.
        assert probe.wait("end")["text"] == "the server was silent (opening)"
    finally:
        prosody.thaw()
    probe.wait("online")


def test_a_quiet_server_that_answers_pings_is_kept(prosody, probe):
    probe.connect(prosody, silence=0.2, pingAnswer=5, resumes=False)
    probe.wait("online")
    offset = prosody.log.stat().st_size

    def pings():
        with prosody.log.open() as file:
            file.seek(offset)
            return file.read().count("type='get'") >= 3
    wait_for("it is asked again and again", pings, 30)
    assert not any(event["event"] == "end" for event in probe.seen)


def test_after_a_restart_we_come_back(prosody, probe, muc):
    probe.connect(prosody, pause=0.2)
    probe.wait("online")
    probe.enter(muc, "ours")
    probe.wait("room", case="entered")
    prosody.stop()
    end = probe.wait("end")
    assert end["mayPass"] == "true"
    prosody.start()
    assert probe.wait("online")["resumed"] == "false"
    # It says goodbye with status 332, or 333 if its connections go before its rooms, which may be on
    # its way when it goes.
    [ended] = [event["text"] for event in probe.seen if event.get("case") == "ended"]
    assert ended in (
        "removed with status 332", "removed with status 333", "the connection was lost")
    probe.enter(muc, "ours")
    probe.wait("room", case="entered")


@pytest.mark.parametrize("carrier", ["tcp", "ws"])
def test_nothing_is_lost_with_a_connection(prosody, probe, stranger, muc, carrier):
    wire = Wire(prosody.port if carrier == "tcp" else prosody.web_port)
    with contextlib.closing(wire):
        where = ({"port": wire.port} if carrier == "tcp" else
                 {"url": f"ws://127.0.0.1:{wire.port}/xmpp-websocket"})
        probe.connect(prosody, pause=0.1, **where)
        address = probe.wait("online")["address"]
        stranger.enter(muc, "focus")
        probe.enter(muc, "ours")
        probe.wait("room", case="entered")
        numbers = itertools.count()
        said, heard = [], []
        for _ in range(3):
            wire.swallow()
            ours = [f"ours {next(numbers)}" for _ in range(20)]
            probe.order("send", xml=[
                f"<message xmlns='jabber:client' to='{muc}' type='groupchat'><body>{body}</body>"
                "</message>" for body in ours])
            theirs = [f"theirs {next(numbers)}" for _ in range(20)]
            stranger.say(muc, *theirs)
            probe.wait("sent")
            wire.cut()
            wire.mend()
            online = probe.wait("online")
            assert (online["resumed"], online["address"]) == ("true", address)
            said, heard = said + ours, heard + theirs
            for body in theirs:
                probe.wait("room", case="message", body=body)
        mine = [event["body"] for event in probe.seen
                if "body" in event and event["nick"] == "focus"]
        assert mine == heard
        got = []
        while len([body for body in got if body.startswith("ours")]) < len(said):
            got.append(stranger.messages.get(timeout=30)["body"])
        assert [body for body in got if body.startswith("ours")] == said
        assert stranger.messages.empty()
        assert not any(event.get("case") == "ended" for event in probe.seen)


def test_who_does_not_read_holds_the_server_back(prosody, probe, stranger, muc):
    """What a program does not take waits at the server, and comes later in its order."""
    bodies = [f"{number} " + "x" * 60_000 for number in range(160)]
    with contextlib.closing(Wire(prosody.port)) as wire:
        probe.connect(prosody, port=wire.port, isDeaf=True, **QUIET)
        stranger.enter(muc, "focus")
        wait_for("we are there", lambda: probe.order("enter", room=muc, nick="ours")
                 or "ours" in stranger.nicks(muc), 30)
        stranger.say(muc, *bodies)
        while stranger.messages.get(timeout=60)["body"] != bodies[-1]:
            pass
        # The kernels take some; their buffers grow only for who reads.
        assert 0 < wire.passed < sum(map(len, bodies)) * 0.8
        probe.order("read")
        assert [probe.hear() for _ in bodies] == bodies
        assert wire.passed > sum(map(len, bodies))
    assert not any(event["event"] == "end" for event in probe.seen)


def test_several_clients_share_a_loop(prosody, probe, muc, stranger):
    stranger.enter(muc, "focus")
    names = [f"slot {number}" for number in range(8)]
    for name in names:
        probe.connect(prosody, client=name)
        probe.wait("online", client=name)
        probe.enter(muc, name, client=name)
        probe.wait("room", case="entered", client=name)
    wait_for("the stranger sees all", lambda: stranger.nicks(muc) >= set(names), 30)


def test_events_end_with_their_client(prosody, probe):
    probe.connect(prosody)
    probe.wait("online")
    probe.order("quit")
    probe.wait("end")
    probe.order("drop")
    probe.wait("over")


# MARK: Bad servers

def said_by(*parts, hold=True, drip=None, first=True):
    """A server that says those parts, `drip` seconds between two bytes, and reads nothing but what
    comes first."""
    def play(connection):
        if first:
            connection.recv(65536)
        for part in parts:
            data = part.encode() if isinstance(part, str) else part
            if drip is None:
                connection.sendall(data)
                continue
            for byte in data:
                connection.sendall(bytes([byte]))
                time.sleep(drip)
        if hold:
            while connection.recv(65536):
                pass
    return play


def online_then(*parts, **options):
    """A server that lets in, and says the parts then."""
    def play(connection):
        connection.recv(65536)
        connection.sendall((STREAM + FEATURES).encode())
        connection.recv(65536)
        connection.sendall(f"<success {SASL}/>".encode())
        connection.recv(65536)
        connection.sendall((STREAM + BIND).encode())
        connection.recv(65536)
        connection.sendall(BOUND.encode())
        said_by(*parts, first=False, **options)(connection)
    return play


def meet(probe, play, **more):
    with contextlib.closing(Impostor(play)) as impostor:
        probe.connect(None, port=impostor.port, user=None, password=None, **more)
        return probe.wait("end", timeout=60)


@pytest.mark.parametrize("said, words", [
    ("garbage", "no XML"),
    ("HTTP/1.1 400 Bad Request\r\n\r\n", "no XML"),
    (b"\x16\x03\x01\x00\x05hello", "no XML"),
    ("<!DOCTYPE a [<!ENTITY b 'c'>]>", "a comment or a document type"),
    (STREAM + "<stream:features>&bomb;</stream:features>", "a reference to an entity"),
    (STREAM + "<a>" * 40, "more than 32 elements"),
    (STREAM + "<a b='" + "x" * 300_000, "more than 262144 bytes"),
    (STREAM + "<a>" + "x" * 10_000_000 + "</a>", "more than 262144 bytes"),
    (STREAM + "<" + "x" * 10_000_000, "more than 262144 bytes"),
    (STREAM + "<a " + " ".join(f"a{n}='1'" for n in range(100)) + "/>", "more than 64 attributes"),
    (STREAM + "<a></b>", "an end tag that ends no element"),
    (STREAM + b"<a>\xff\xfe</a>".decode("latin-1"), None),
    (STREAM + "<iq/>", "out of turn"),
    (STREAM.replace("1.0'", "0.9'", 2), None),
    (STREAM + "<stream:features/>", "none of the offered mechanisms"),
    (STREAM + "<stream:error><see-other-host xmlns='urn:ietf:params:xml:ns:xmpp-streams'>"
     "evil.test</see-other-host></stream:error>", "redirects to evil.test"),
], ids=range(16))
def test_nonsense_ends_the_stream(probe, said, words):
    end = meet(probe, said_by(said), phase=5)
    assert end["case"] == "failed" and (words or "") in end["text"]


@pytest.mark.parametrize("said", [
    "<message><body>" + "x" * 10_000_000, "<message>" + "<a>" * 1000,
    "<message a='" + "y" * 10_000_000, "text", "<message>&nbsp;</message>", "</stream:stream",
])
def test_nonsense_behind_the_door(probe, said):
    end = meet(probe, online_then(said, hold=False), phase=5)
    assert end["case"] in ("failed", "lost")
    # Events have a way of their own.
    if not any(event["event"] == "online" for event in probe.seen):
        probe.wait("online")


def test_a_handshake_that_ends_anywhere(probe):
    """Cut after each byte, it is an end and no crash."""
    whole = STREAM + FEATURES
    seen = set()
    with contextlib.closing(Impostor(None)) as impostor:
        for count in range(len(whole)):
            impostor._play = said_by(whole[:count], hold=False)
            probe.connect(None, port=impostor.port, user=None, password=None)
            seen.add(probe.wait("end")["case"])
    assert seen == {"lost"}


@pytest.mark.parametrize("play, phase", [
    (said_by(), "opening"), (said_by(STREAM + FEATURES, drip=0.1), "opening"),
    (said_by(STREAM + FEATURES), "authenticating"),
    (said_by(STREAM + "<stream:features><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"
             "</stream:features>"), "encrypting"),
    (said_by(STREAM + "<stream:features><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"
             "</stream:features><proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"),
     "encrypting"),
], ids=["silent", "drip", "auth", "starttls", "handshake"])
def test_no_phase_takes_for_ever(probe, play, phase):
    end = meet(probe, play, phase=2)
    assert end["text"] == f"the server was silent ({phase})"


def test_a_drip_after_the_door_is_noticed(probe):
    end = meet(probe, online_then("<message><body>" + "x" * 1000, drip=0.05), **QUIET)
    assert end["text"] == "the server was silent (open)"


def test_what_follows_proceed_in_the_clear_is_no_servers(probe):
    for more in [" ", "<stream:features/>", "</stream:stream>"]:
        end = meet(probe, said_by(
            STREAM + "<stream:features><starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>"
            "</stream:features><proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>" + more))
        assert "bytes before TLS" in end["text"]


def test_a_server_that_does_not_read_is_given_up(probe):
    def play(connection):
        online_then(hold=False)(connection)
        time.sleep(30)
    with contextlib.closing(Impostor(play)) as impostor:
        probe.connect(None, port=impostor.port, user=None, password=None)
        probe.wait("online")
        message = f"<message xmlns='jabber:client' to='a@b'><body>{'z' * 60_000}</body></message>"
        for _ in range(300):
            probe.order("send", xml=[message])
        assert probe.wait("end")["case"] == "the server does not read"


def test_a_false_server_signature_is_found(probe):
    """A server that does not know the password cannot pretend to."""
    def play(connection):
        connection.recv(65536)
        connection.sendall((STREAM + FEATURES.replace("ANONYMOUS", "SCRAM-SHA-1")).encode())
        auth = connection.recv(65536).decode()
        first = base64.b64decode(auth.split(">")[1].split("<")[0]).decode()
        nonce = first.split("r=")[1]
        challenge = f"r={nonce}server,s={base64.b64encode(b'salt').decode()},i=4096"
        connection.sendall(f"<challenge {SASL}>{base64.b64encode(challenge.encode()).decode()}"
                           "</challenge>".encode())
        connection.recv(65536)
        verifier = base64.b64encode(b"v=" + base64.b64encode(b"x" * 20)).decode()
        connection.sendall(f"<success {SASL}>{verifier}</success>".encode())
        connection.recv(65536)
    with contextlib.closing(Impostor(play)) as impostor:
        probe.connect(None, port=impostor.port, plaintext="accepted")
        assert "it does not know the password" in probe.wait("end")["text"]
