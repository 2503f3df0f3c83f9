"""The examples in the documents work: each `curl` command is run as it stands there, one after the
other, against a server, and the JSON below it shows what comes."""

import json
import os
import re
import subprocess
from dataclasses import dataclass

import pytest
import yaml
from aiortc import RTCPeerConnection

from harness import pictures, tokens
from harness.cases import case
from harness.own_loop import OnItsOwnLoop
from harness.server import REPOSITORY
from harness.waiting import wait_for

OPENVIDU_SECRET = "a-secret-of-application-servers"
SETTINGS = {
    "ROOMCAST_OPENVIDU_SECRET": OPENVIDU_SECRET,
    # A watermark comes from there.
    "ROOMCAST_PICTURES_HOSTS": "example.org"}
TIMEOUT = 60  # s
# What stands in the documents in place of what is known only once a server runs.
SERVERS = ["http://localhost:8080", "http://127.0.0.1:8080", "https://live.example.org"]
STREAM, CODE = "01a1fb8e853800000079f306", "wpi-sjbt-wer"
DOCUMENTS = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$(\n*)", re.MULTILINE | re.DOTALL)
# A command goes on in lines that are indented, or that end its body.
COMMAND = re.compile(r"^curl .*\n(?:[ }].*\n)*", re.MULTILINE)


@dataclass
class Example:
    line: int
    command: str
    shown: str | None  # the JSON below it


def examples(text):
    """The commands of a document. The JSON that follows a block shows its last one's answer."""
    blocks = list(BLOCK.finditer(text))
    for block, after in zip(blocks, [*blocks[1:], None]):
        if block[1] != "sh":
            continue
        commands = list(COMMAND.finditer(block[2]))
        follows = after and after[1] == "json" and after.start() == block.end()
        for command in commands:
            line = text.count("\n", 0, block.start(2) + command.start()) + 1
            is_last = command is commands[-1]
            yield Example(line, command[0], after[2] if follows and is_last else None)


def keys(shown):
    """The names at the top of JSON in which dots stand for what is left out."""
    strings = r'"(?:[^"\\]|\\.)*"'
    whole = re.sub(rf"({strings})|,?\s*…", lambda found: found[1] or "", shown)
    return set(json.loads(whole))


def name(document):
    return str(document.relative_to(REPOSITORY))


COMMANDS = {document: list(examples(document.read_text())) for document in DOCUMENTS}


class Reader:
    """Somebody who tries what the documents say."""

    def __init__(self, server, folder):
        self.server = server
        self.folder = folder
        self.stream = None
        (folder / ".curlrc").write_text('silent\nshow-error\nwrite-out = "\\n%{http_code}"\n')
        (folder / "logo.png").write_bytes(pictures.solid("red"))
        with Offer() as offer:
            (folder / "offer.sdp").write_text(offer.sdp)

    def run(self, command):
        """The status and the text of the answer."""
        done = subprocess.run(
            ["bash", "-c", self._here(command)], cwd=self.folder, capture_output=True, text=True,
            timeout=TIMEOUT, env=os.environ | {
                "CURL_HOME": str(self.folder), "SECRET": OPENVIDU_SECRET,
                "token": tokens.management_token(), "room_token": tokens.room_token("stand-up"),
                "TOKEN": tokens.room_token("demo")})
        assert done.returncode == 0, done.stderr
        text, _, status = done.stdout.rpartition("\n")
        if "/start" in command and status == "200":
            self.stream = json.loads(text)["id"]
        return int(status), text

    def _here(self, command):
        for server in SERVERS:
            command = command.replace(server, self.server.base)
        if STREAM in command:
            self.server.wait_for_status(self.stream, "running", TIMEOUT)
            command = command.replace(STREAM, self.stream)
        if CODE in command:
            room = self.server.manage("POST", "/rooms", {}).json["id"]
            code = self.server.manage("POST", f"/room-codes/room/{room}/role/host").json["code"]
            command = command.replace(CODE, code)
        return command

    def stop_streams(self):
        """What one document has started is nothing to the next one."""
        for kind in ("live-streams", "recordings"):
            stopped = self.server.manage("POST", f"/{kind}/room/stand-up/stop")
            for stream in stopped.json.get("data", []):
                wait_for("it has ended", lambda: self._has_ended(kind, stream["id"]), TIMEOUT)

    def _has_ended(self, kind, stream):
        return self.server.stream(stream, kind)["status"] in ("completed", "failed")


class Offer(OnItsOwnLoop):
    """That of somebody who sends sound."""

    def __init__(self):
        self._begin(self._offer())

    async def _offer(self):
        self._connection = RTCPeerConnection()
        self._connection.addTransceiver("audio", direction="sendonly")
        await self._connection.setLocalDescription(await self._connection.createOffer())
        self.sdp = self._connection.localDescription.sdp

    async def _close(self):
        await self._connection.close()


@pytest.fixture
def reader(server, tmp_path):
    reader = Reader(server, tmp_path)
    yield reader
    reader.stop_streams()


@pytest.mark.parametrize(
    "document", [one for one, found in COMMANDS.items() if found], ids=name)
def test_the_examples_of_a_document_work(reader, document):
    for example in COMMANDS[document]:
        with case(f"{name(document)}:{example.line}"):
            status, text = reader.run(example.command)
            assert 200 <= status < 300, text
            if example.shown:
                assert keys(example.shown) - set(json.loads(text)) == set(), text


def test_the_examples_are_found():
    counts = {name(document): len(found) for document, found in COMMANDS.items()}
    assert sum(counts.values()) >= 18 and counts["README.md"] == 2
    assert all(counts[f"docs/{one}.md"] > 0 for one in ("CAPTIONS", "OPENVIDU", "WHIP"))
    shown = [one for found in COMMANDS.values() for one in found if one.shown]
    assert len(shown) >= 7
    [body] = [one.command for found in COMMANDS.values() for one in found
              if '"name": "lecture"' in one.command]
    assert body.endswith("}' http://localhost:8080/v2/templates\n")
    assert keys('{"a": "b…", "c": {"d": 1, …}, "e": {…}, …}\n') == {"a", "c", "e"}


def test_both_forms_of_the_description_say_the_same(server):
    described = server.http.get("/openapi.yaml").body
    read = server.http.get("/openapi.json")
    assert read.headers["content-type"] == "application/json"
    assert read.json == yaml.safe_load(described)
    # People read the fields in this order.
    start = list(read.json["components"]["schemas"]["LiveStreamStart"]["properties"])
    assert start[:2] == ["meeting_url", "metadata"]
