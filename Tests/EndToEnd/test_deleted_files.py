"""A catalogue and directories that are deleted, renamed or replaced while the server runs: it
reports that it is not ready, which directory and why, and starts nothing that would be lost."""

import hashlib
import os
import shutil
import subprocess
import sys
import uuid

import pytest

from harness import tokens
from harness.server import Server
from harness.waiting import wait_for

TIMEOUT = 60  # s


@pytest.fixture
def server(binary, tmp_path):
    server = Server(tmp_path)
    yield server
    assert server.process.poll() is None, f"the server died:\n{server.tail()}"
    server.stop()


def readiness(server):
    answer = server.http.get("/ready")
    return answer.status, answer.json["reasons"]


def lines(server, message):
    return [line for line in server.log.read_text().splitlines() if message in line]


def start(server):
    return server.manage("POST", "/live-streams/room/demo/start", {})


def test_a_catalogue_that_is_deleted(server):
    catalogue = server.recordings / "catalogue.sqlite"
    assert readiness(server) == (200, [])
    catalogue.rename(catalogue.with_suffix(".away"))
    wait_for("it is not ready", lambda: readiness(server)[0] == 503, TIMEOUT)
    assert readiness(server)[1] == ["the catalogue's file was deleted"]
    wait_for("the log says which", lambda: lines(server, "a file of the server is gone"), TIMEOUT)
    (line,) = lines(server, "a file of the server is gone")
    assert f"path={catalogue}" in line and "found=deleted" in line, line
    # The server starts nothing that would be lost.
    assert start(server).status == 503
    assert server.manage("POST", "/rooms", {"name": "lost"}).status == 503
    answer = server.http.get(
        "/init?peer_id=p1", token=tokens.room_token(f"new-{uuid.uuid4().hex[:8]}"))
    assert answer.status == 503, answer
    # Everything is fine again once the catalogue is back.
    catalogue.with_suffix(".away").rename(catalogue)
    wait_for("it is ready", lambda: readiness(server) == (200, []), TIMEOUT)
    wait_for("the log says so", lambda: lines(server, "a file of the server is back"), TIMEOUT)
    assert server.manage("POST", "/rooms", {"name": "found"}).status == 200


@pytest.mark.parametrize("name", ["output", "recordings"])
def test_a_directory_that_is_replaced(server, name):
    directory = getattr(server, name)
    shutil.rmtree(directory)
    wait_for("it is not ready", lambda: readiness(server)[0] == 503, TIMEOUT)
    directory.mkdir()
    wait_for("the log says which",
             lambda: any(f"path={directory} " in line or line.endswith(f"path={directory}")
                         for line in lines(server, "found=\"replaced by another\"")), TIMEOUT)
    reasons = readiness(server)
    assert reasons[0] == 503
    assert "a directory of streams or recordings was deleted or replaced" in reasons[1]
    assert start(server).status == 503
    # The server has created nothing there.
    assert list(directory.iterdir()) == []


def second_server(server, binary):
    """Where it listens does not matter: it shares the directories."""
    ports = {"ROOMCAST_HTTP_PORT": "0", "ROOMCAST_UDP_PORT": "0"}
    return subprocess.Popen([str(binary), "serve"], env=server.environment | ports,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def test_directories_that_are_replaced_still_belong_to_their_server(server, binary, tmp_path):
    for directory in (server.output, server.recordings):
        shutil.rmtree(directory)
        directory.mkdir()
    # Under an alias, too.
    alias = tmp_path / "alias"
    alias.symlink_to(server.output)
    server.environment |= {"ROOMCAST_OUTPUT_DIRECTORY": str(alias)}
    second = second_server(server, binary)
    try:
        _, error = second.communicate(timeout=TIMEOUT)
    finally:
        second.kill()
    assert second.returncode != 0
    assert f"{alias} is in use by another server" in error
    assert list(server.recordings.iterdir()) == []


def listens(second):
    """Whether it gets so far."""
    try:
        return any("listening" in line for line in second.stderr)
    finally:
        second.terminate()
        second.wait(TIMEOUT)
        second.stderr.close()


def test_a_directory_is_free_once_its_server_is_killed(binary, tmp_path):
    server = Server(tmp_path)
    server.process.kill()
    server.process.wait()
    assert listens(second_server(server, binary))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_a_name_that_a_stranger_took_keeps_no_server_from_starting(server, binary, tmp_path):
    directory = tmp_path / "new"
    directory.mkdir()
    name = hashlib.sha256(str(directory.resolve()).encode()).hexdigest()
    program = ("import socket, sys; s = socket.socket(socket.AF_UNIX); "
               f"s.bind('\\0roomcast-{name}'); s.listen(1); print(flush=True); sys.stdin.read()")
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, user=65534, group=65534) as stranger:
        stranger.stdout.readline()
        server.environment |= {"ROOMCAST_OUTPUT_DIRECTORY": str(directory),
                               "ROOMCAST_RECORDINGS_DIRECTORY": str(tmp_path / "kept")}
        assert listens(second_server(server, binary))
        stranger.stdin.close()
