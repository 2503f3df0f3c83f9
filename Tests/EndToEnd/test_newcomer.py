"""The first minutes with what the package installs: its settings, keys of its own, and no password."""

import secrets
import subprocess
import time

import pytest
from harness import newcomer
from harness.server import REPOSITORY, Server

SETTINGS_FILE = REPOSITORY / "deploy/roomcast.json"


class Installed(Server):
    """As the package leaves it, apart from its ports and directories."""

    def _settings(self, media_address):
        return {
            "ROOMCAST_HTTP_PORT": str(self.port),
            "ROOMCAST_UDP_PORT": str(self.media_port),
            "ROOMCAST_AUTH_ACCESS_KEY": secrets.token_hex(12),
            "ROOMCAST_AUTH_SECRET": secrets.token_hex(32),
            "ROOMCAST_OUTPUT_DIRECTORY": str(self.output),
            "ROOMCAST_RECORDINGS_DIRECTORY": str(self.recordings),
            "ROOMCAST_ADMIN_PASSWORD_FILE": str(self.directory / "admin-password"),
        }


@pytest.fixture
def installed(binary, tmp_path):
    server = Installed(tmp_path / "installed", command=(
        "serve", "--configuration", str(SETTINGS_FILE)))
    yield server
    assert server.stop() == 0, server.tail()


def test_a_newcomer_is_live_within_two_minutes(browser, installed, binary):
    began = time.monotonic()
    subprocess.run(
        [binary, "admin-password", "--configuration", str(SETTINGS_FILE)], check=True, text=True,
        env=installed.environment, input=f"{newcomer.PASSWORD}\n", capture_output=True)
    newcomer.goes_live_in_time(browser, installed.base, began)
