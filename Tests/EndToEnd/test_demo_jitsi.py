"""`make demo-jitsi`: the demo beside a Prosody of its own, and whom a client of Jitsi meets there."""

import contextlib
import json
import os
import re
import signal
import socket as sockets
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest
from websockets.sync.client import connect

from harness.jitsi_xml import CLIENT, NICK, find
from harness.jitsi_xml import FOCUS as FOCUS_PROTOCOL
from harness.server import REPOSITORY, environment
from harness.waiting import wait_for

TIMEOUT = 60
FRAMING = "urn:ietf:params:xml:ns:xmpp-framing"
DISCO = "http://jabber.org/protocol/disco#info"
SASL = "urn:ietf:params:xml:ns:xmpp-sasl"


class Demo:
    def __init__(self, binary, directory):
        self.output = directory / "output"
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [str(REPOSITORY / "deploy/demo-jitsi"), str(binary)], cwd="/", start_new_session=True,
                env=environment() | {
                    "ROOMCAST_OUTPUT_DIRECTORY": str(directory / "streams"),
                    "ROOMCAST_RECORDINGS_DIRECTORY": str(directory / "recordings")},
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)

    @property
    def text(self):
        return self.output.read_text()

    def says(self, words):
        assert self.process.poll() is None or words in self.text, self.text
        return words in self.text

    @property
    def options(self):
        return json.loads(re.search(r"\{.*?\n {9}\}", self.text, re.DOTALL).group())

    def close(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            # What it started has sessions of its own.
            own = self.process.pid
            for child in Path(f"/proc/{own}/task/{own}/children").read_text().split():
                os.kill(int(child), signal.SIGKILL)
            self.process.kill()
            raise


class Client:
    """XMPP over a WebSocket (RFC 7395), as browsers speak it."""

    def __init__(self, socket, domain):
        self.socket = socket
        self._open(domain)
        self.send(f"<auth xmlns='{SASL}' mechanism='ANONYMOUS'/>")
        assert self.hear().tag == f"{{{SASL}}}success"
        self._open(domain)
        self.ask("<bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>")

    def _open(self, domain):
        self.send(f"<open xmlns='{FRAMING}' to='{domain}' version='1.0'/>")
        assert self.hear().tag == f"{{{FRAMING}}}open"
        self.hear()  # features

    def send(self, text):
        self.socket.send(text)

    def hear(self):
        """The next stanza. Asked what it can do it says at once: nothing."""
        stanza = ElementTree.fromstring(self.socket.recv(TIMEOUT))
        if stanza.get("type") == "get":
            self.send(f"<iq xmlns='{CLIENT}' id='{stanza.get('id')}' type='result' "
                      f"to='{stanza.get('from')}'><query xmlns='{DISCO}'/></iq>")
        return stanza

    def ask(self, payload, to=""):
        target = to and f" to='{to}'"
        self.send(f"<iq xmlns='{CLIENT}' id='q' type='set'{target}>{payload}</iq>")
        while (answer := self.hear()).get("id") != "q":
            pass
        assert answer.get("type") == "result", ElementTree.tostring(answer)
        return answer


@pytest.fixture
def demo(binary, tmp_path):
    with contextlib.closing(Demo(binary, tmp_path)) as demo:
        wait_for("the demo says that the stream runs",
                 lambda: demo.says("The stream is running."), TIMEOUT)
        yield demo


def test_a_client_of_jitsi_meets_the_three(demo):
    options = demo.options
    hosts = options["hosts"]
    room = f"demo@{hosts['muc']}"
    with connect(options["serviceUrl"], subprotocols=["xmpp"]) as socket:
        client = Client(socket, hosts["domain"])
        client.send(f"<iq xmlns='{CLIENT}' id='d' type='get' to='{hosts['domain']}'>"
                    f"<query xmlns='{DISCO}'/></iq>")
        identities = {one.get("type"): one.get("name") for one in client.hear()[0]
                      if one.tag == f"{{{DISCO}}}identity"}
        assert identities["av_moderation"] == hosts["focus"]
        answer = client.ask(
            f"<conference xmlns='{FOCUS_PROTOCOL}' room='{room}' machine-uid='x'/>", hosts["focus"])
        assert answer[0].get("ready") == "true"
        client.send(f"<presence xmlns='{CLIENT}' to='{room}/1a2b3c4d'>"
                    "<x xmlns='http://jabber.org/protocol/muc'/></presence>")
        seen = set()

        def all_are_seen():
            shown = find(client.hear(), NICK, "nick")
            if shown is not None:
                seen.add(shown.text)
            return {"focus", "Ann", "Ben", "Cleo"} <= seen

        wait_for("all are seen", all_are_seen, TIMEOUT, interval=0)

    demo.close()
    assert demo.process.returncode == 0, demo.text
    ports = re.findall(r"//127\.0\.0\.1:(\d+)/(?:rooms/demo|xmpp-websocket)", demo.text)
    assert len(ports) == 2
    for port in ports:
        with pytest.raises(ConnectionRefusedError):
            sockets.create_connection(("127.0.0.1", int(port)), 5)
