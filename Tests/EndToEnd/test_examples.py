"""The examples of docs/examples: each records a room and downloads the file."""

import http.client
import json
import os
import socket
import subprocess
import sys
import time

import pytest

from harness import tokens
from harness.assets import SHORT_SEGMENTS, TIMEOUT, decode, probe
from harness.http import path_of
from harness.publisher import Publisher
from harness.receiver import SECRET
from harness.scene import CLIPS
from harness.server import REPOSITORY, free_port
from harness.waiting import wait_for

EXAMPLES = REPOSITORY / "docs/examples"
# Rooms have webhooks of their own only where the server has one.
SETTINGS = SHORT_SEGMENTS | {
    "ROOMCAST_WEBHOOKS_URL": "http://127.0.0.1:9/", "ROOMCAST_WEBHOOKS_SECRET": SECRET,
    "ROOMCAST_WEBHOOKS_ALLOW_PRIVATE": "true"}
LANGUAGES = ["sh", "py", "swift"]
SECONDS = 3


class Example:
    """One of them, for a room with somebody in it."""

    def __init__(self, server, command, language, folder, binary):
        self.name = f"example-{language}"
        self.folder = folder
        self.listen = f"127.0.0.1:{free_port(socket.SOCK_STREAM)}"
        self.publisher = Publisher(server, self.name, CLIPS / "ann.webm")
        # Otherwise the example would make a room of that name, and she another one.
        wait_for("Ann is there", lambda: server.peer_count(self.name) == 1, TIMEOUT)
        environment = {
            "SERVER": server.base, "LISTEN": self.listen, "ROOMCAST": str(binary),
            "ROOMCAST_AUTH_ACCESS_KEY": tokens.ACCESS_KEY, "ROOMCAST_AUTH_SECRET": tokens.SECRET,
            "ROOMCAST_WEBHOOKS_SECRET": SECRET}
        self.process = subprocess.Popen(
            [*command, self.name, str(SECONDS)], cwd=folder, env=os.environ | environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.forged = None

    def wait_until_on_air(self):
        self.said = self.process.stdout.readline()
        assert "On air: " in self.said, self.said + self.process.stdout.read()
        assert f"/hls/{self.name}/" in self.said

    def forge(self):
        """Tells it, as somebody without the secret, that another file is the recording."""
        stream = path_of(self.said.removeprefix("On air: ")).split("/")[-2]
        file = {"recording_presigned_url": "http://127.0.0.1:9/", "duration": 1}
        body = json.dumps({"type": "hls.recording.success", "data": {
            "beam_id": stream, "recording_single_files": [file]}})
        # It may have no time to answer now.
        self.forged = http.client.HTTPConnection(*self.listen.split(":"))
        self.forged.request("POST", "/", body, {
            "X-Roomcast-Timestamp": str(int(time.time())), "X-Roomcast-Signature": f"v1={'0' * 64}"})

    def finish(self):
        rest, _ = self.process.communicate(timeout=2 * TIMEOUT)
        self.said += rest

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.forged:
            self.forged.close()
        self.publisher.close()


@pytest.fixture(scope="module")
def examples(server, binary, tmp_path_factory):
    """All of them, which ran at the same time."""
    program = tmp_path_factory.mktemp("swift") / "record"
    subprocess.run(["swiftc", EXAMPLES / "record.swift", "-o", program], check=True)
    commands = {"sh": ["bash", str(EXAMPLES / "record.sh")],
                "py": [sys.executable, str(EXAMPLES / "record.py")], "swift": [str(program)]}
    begun = {}
    try:
        for language in LANGUAGES:
            folder = tmp_path_factory.mktemp(language)
            begun[language] = Example(server, commands[language], language, folder, binary)
        for step in (Example.wait_until_on_air, Example.forge, Example.finish):
            for example in begun.values():
                step(example)
        yield begun
    finally:
        for example in begun.values():
            example.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_example_records_a_room_and_downloads_the_file(examples, language):
    example = examples[language]
    assert example.process.returncode == 0, example.said
    assert f"Downloaded {example.name}.mp4" in example.said
    file = example.folder / f"{example.name}.mp4"
    decode(file)
    kinds = probe(file, "-show_entries", "stream=codec_type")
    assert sorted(kind.strip(",") for kind in kinds) == ["audio", "video"]
    [duration] = probe(file, "-show_entries", "format=duration")
    assert float(duration) >= SECONDS - 1
