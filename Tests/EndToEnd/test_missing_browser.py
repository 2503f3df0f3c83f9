"""A machine without Chromium on which pages are to be streamed, and one that loses it."""

import contextlib
import json
import os
import subprocess

import pytest
from harness.server import Server, environment

HOLD = """
until [ "$word" = gone ]; do echo ready; read -r word || exit; done
mount -t tmpfs tmpfs /usr/lib/chromium && for one in "$@"; do mount --bind /dev/null "$one"; done
echo $?
exec cat
"""
# Where Roomcast looks for one.
PROGRAMS = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome-stable"]
PAGES = {"ROOMCAST_CUSTOM_VIEW_ENABLED": "true"}
TIMEOUT = 60  # s


class Machine:
    """A mount namespace in which Chromium can be removed."""

    def __init__(self):
        self._holder = subprocess.Popen(
            ["unshare", "--mount", "--propagation", "private", "sh", "-c", HOLD, "hold",
             *[one for one in PROGRAMS if os.path.exists(one)]],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._holder.stdout.readline() == "ready\n"
        self.prefix = ["nsenter", "--target", str(self._holder.pid), "--mount", "--"]

    def remove_chromium(self):
        self._holder.stdin.write("gone\n")
        self._holder.stdin.flush()
        assert self._holder.stdout.readline() == "0\n"

    def close(self):
        self._holder.stdin.close()
        self._holder.stdout.close()
        self._holder.wait()


@pytest.fixture
def machine():
    if os.geteuid() != 0:
        pytest.skip("a program can be hidden from others by root only")
    with contextlib.closing(Machine()) as machine:
        yield machine


@pytest.fixture
def lack(machine):
    """What is said at the start, once Chromium is gone."""
    machine.remove_chromium()
    return ("ROOMCAST_CUSTOM_VIEW_ENABLED: customView.enabled is not valid: this machine has no "
            "Chromium; install Debian's package chromium (make install-custom-view) (found: true)")


def run(machine, binary, tmp_path, *arguments):
    variables = PAGES | {"ROOMCAST_HTTP_PORT": "0", "ROOMCAST_UDP_PORT": "0"}
    return subprocess.run(
        [*machine.prefix, str(binary), *arguments, "--directory", str(tmp_path)],
        env=environment() | variables, capture_output=True, text=True, timeout=TIMEOUT)


def test_without_chromium_the_server_does_not_start_and_says_why(
        machine, lack, binary, tmp_path):
    done = run(machine, binary, tmp_path, "serve")
    assert done.returncode == 1 and f"Error: {lack}\n" in done.stderr, done.stderr
    checked = run(machine, binary, tmp_path, "check", "--json")
    wrong = [line for line in json.loads(checked.stdout) if line["verdict"] == "wrong"]
    assert checked.returncode == 1
    assert wrong == [{"verdict": "wrong", "subject": "settings", "text": lack}]


def test_a_page_is_refused_once_chromium_is_gone(machine, binary, tmp_path, stack):
    server = Server(tmp_path / "server", namespace=machine, settings=PAGES)
    stack.callback(server.stop)
    machine.remove_chromium()
    path = "/live-streams/room/demo/start"
    refused = server.manage("POST", path, {"meeting_url": "https://example.org/"})
    assert (refused.status, refused.json["message"]) == (503, "no browser for custom views")
    assert refused.json["details"] == [
        "no_browser: this machine has no Chromium any more, which shows pages"]
    # The room itself needs none.
    assert server.manage("POST", path, {}).status == 200
