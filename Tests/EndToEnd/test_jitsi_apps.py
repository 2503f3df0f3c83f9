"""What Jitsi's apps find at the address of a meeting in a room of our own: their settings and the way to
Prosody, as `deploy/jitsi` has them."""

import contextlib
import re
import ssl
from urllib.parse import urlsplit

import pytest
from harness.jitsi_prosody import DOMAIN, beside_a_server
from harness.nginx import SITE, Nginx
from harness.server import REPOSITORY
from websockets.sync.client import connect

DEPLOY = REPOSITORY / "deploy"
FRAMING = f"<open xmlns='urn:ietf:params:xml:ns:xmpp-framing' to='{DOMAIN}' version='1.0'/>"
BOSH = (f"<body xmlns='http://jabber.org/protocol/httpbind' to='{DOMAIN}' rid='1' hold='1' wait='60' "
        "content='text/xml; charset=utf-8' ver='1.6' xmpp:version='1.0' xmlns:xmpp='urn:xmpp:xbosh'/>")


@pytest.fixture(scope="module")
def site(server, tmp_path_factory):
    """The site beside a Prosody."""
    with contextlib.ExitStack() as stack:
        prosody = stack.enter_context(beside_a_server())
        words = (DEPLOY / "jitsi/nginx.conf").read_text()
        for shipped, own in [("127.0.0.1:5280", f"127.0.0.1:{prosody.web_port}"),
                             ("/etc/roomcast/jitsi-config.js", str(DEPLOY / "jitsi/config.js"))]:
            assert shipped in words
            words = words.replace(shipped, own)
        place = "    limit_conn roomcast 1024;\n"
        text = SITE.read_text()
        assert place in text
        nginx = stack.enter_context(contextlib.closing(Nginx(
            tmp_path_factory.mktemp("site") / "nginx", server, text.replace(place, place + words))))
        checked = nginx.check()
        assert checked.returncode == 0 and "[warn]" not in checked.stderr, checked.stderr
        nginx.start()
        yield nginx


@pytest.fixture(scope="module")
def config(site, browser):
    answer = site.http.get("/config.js?room=daily")
    assert answer.status == 200 and answer.headers["content-type"] == "application/javascript"
    page = browser.new_page()
    # As those for phones do.
    yield page.evaluate(f"() => {{ {answer.body.decode()}\nreturn JSON.parse(JSON.stringify(config)); }}")
    page.close()


def test_its_names_are_those_of_the_other_files(config):
    prosody = (DEPLOY / "prosody-jitsi.cfg.lua").read_text()
    hosts = re.findall(r'^(?:VirtualHost|Component) "([^"]+)"', prosody, re.MULTILINE)
    assert config["hosts"] == {"domain": hosts[0], "muc": hosts[1], "focus": hosts[3]}
    assert config["hiddenDomain"] == hosts[4]
    name, = re.findall(r"server_name (\S+);", SITE.read_text())
    assert config["websocket"] == f"wss://{name}/xmpp-websocket"
    assert config["bosh"] == f"https://{name}/http-bind"


def test_media_pass_through_the_server_unencrypted_for_it(config):
    assert config["p2p"] == {"enabled": False} and config["e2ee"] == {"disabled": True}


def test_it_leads_to_prosody(config, site):
    trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    place = urlsplit(config["websocket"])
    with connect(f"wss://127.0.0.1:{site.port}{place.path}?room=daily", ssl=trusting,
                 server_hostname=place.hostname, subprotocols=["xmpp"]) as socket:
        assert socket.subprotocol == "xmpp"
        socket.send(FRAMING)
        assert socket.recv(30).startswith("<open ")
        assert "ANONYMOUS" in socket.recv(30)
    answer = site.http.post(f"{urlsplit(config['bosh']).path}?room=daily", body=BOSH.encode(),
                            headers={"Content-Type": "text/xml; charset=utf-8"})
    assert answer.status == 200 and b"ANONYMOUS" in answer.body
