"""What an operator types besides `serve`."""

import base64
import json
import re
import subprocess

import pytest

from harness import tokens
from harness.server import environment

# What a server with webhooks, a relay and a store has in its file; their secrets are elsewhere.
FILE = {
    "webhooks": {"url": "https://example.org/hooks"},
    "turn": {"urls": ["turn:relay.example.org"]},
}
KEY = {"ROOMCAST_AUTH_ACCESS_KEY": tokens.ACCESS_KEY, "ROOMCAST_AUTH_SECRET": tokens.SECRET}


@pytest.fixture
def roomcast(binary, tmp_path):
    """`roomcast("token", "management", variables={})`: how it ended. `{}` in an argument is the
    settings' file."""
    file = tmp_path / "roomcast.json"
    directories = {"output": {"directory": str(tmp_path / "streams")},
                   "recordings": {"directory": str(tmp_path / "recordings"),
                                  "store": {"bucket": "recordings"}}}
    file.write_text(json.dumps(FILE | directories))

    def roomcast(*arguments, variables=None):
        return subprocess.run(
            [str(binary), *(argument.format(file) for argument in arguments)],
            env=environment() | (variables or {}), capture_output=True, text=True, timeout=20)

    return roomcast


def claims(token):
    body = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))


def test_a_token_needs_no_secret_but_its_own(roomcast):
    done = roomcast("token", "management", "--configuration", "{}", variables=KEY)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert claims(done.stdout)["access_key"] == tokens.ACCESS_KEY


def test_a_token_of_the_development_key_is_not_taken_for_another(roomcast):
    done = roomcast("token", "management", "--configuration", "{}")
    assert done.returncode == 0
    assert claims(done.stdout)["access_key"] == "roomcast-development"
    assert "signed with the development key" in done.stderr


def test_reindex_needs_no_secret(roomcast):
    done = roomcast("reindex", "--configuration", "{}")
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert done.stdout == "0 streams, 0 assets\n"


def test_the_version_is_told_everywhere(roomcast, server):
    done = roomcast("--version")
    assert done.returncode == 0
    assert re.fullmatch(r"\d+\.\d+\.\d+(-\w+)?\n", done.stdout), done.stdout
    version = done.stdout.strip()
    assert server.http.get("/health").json == {"status": "ok", "version": version}
    assert f"version={version}" in server.log.read_text()
