"""A server with few file descriptors: it starts with lower limits, a client that takes all
connections ends nobody else's, and if there are too few it says so and does not start."""

import contextlib
import os
import re
import resource
import socket
import subprocess

import pytest

from harness import priority
from harness.server import BINARY, Server, environment
from harness.waiting import wait_for

TIMEOUT = 90  # s
REQUEST = b"GET /health HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"


class Limited:
    """Programs run here have this limit of file descriptors."""

    def __init__(self, limit):
        self.prefix = ["prlimit", f"--nofile={limit}:{limit}", "--"]


@contextlib.contextmanager
def busy_cores():
    """Programs that use all CPU: then the server's own runtime manages its threads, for which it
    opens files. Other tests have priority."""
    spin = priority.script(["nice", "-n", "14", "sh", "-c", "while :; do :; done"], niceness=19)
    spinning = [subprocess.Popen(["sh", "-c", spin], start_new_session=True) for _ in range(4)]
    try:
        yield
    finally:
        for one in spinning:
            one.kill()
            one.wait()


def figures(server):
    line = next(line for line in server.log.read_text().splitlines() if "reserve=" in line)
    return {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)(?= |$)", line)}


def knock(port):
    """A connection that says nothing."""
    one = socket.socket()
    one.setblocking(False)
    one.connect_ex(("127.0.0.1", port))
    return one


def open_files(server):
    return int(server.metrics()["process_open_fds"])


@pytest.mark.parametrize("limit", [256, 1024])
def test_whoever_takes_all_connections_ends_nobody(binary, tmp_path, limit):
    # The test itself opens this many connections.
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    server = Server(tmp_path, namespace=Limited(limit))
    known = figures(server)
    assert known["limit"] == limit and known["http_connections"] < limit / 2, known
    # Before any client connects: its own open files are no more than its estimate.
    assert open_files(server) <= known["own"] + 4
    directory = f"/proc/{server.process.pid}/fd"
    most = 0
    with busy_cores(), contextlib.ExitStack() as idle:
        for port in (server.port, server.media_port):
            for _ in range(limit):
                idle.callback(knock(port).close)

        def taken():
            nonlocal most
            assert server.process.poll() is None, server.tail()
            most = max(most, len(list_files(directory)))
            # The media port has fewer unknown senders than the maximum of links.
            return most >= known["own"] / 2 + known["http_connections"]

        wait_for("all connections are taken", taken, TIMEOUT)
        idle.close()
        wait_for("somebody else has a turn", lambda: answered(server), TIMEOUT)
        assert most <= limit - known["reserve"], most
    stream = server.start_stream("demo")
    server.wait_for_status(stream["id"], "running", TIMEOUT)
    assert server.stop() == 0, server.tail()


def list_files(directory):
    return os.listdir(directory) if os.path.exists(directory) else []


def answered(server):
    try:
        with socket.create_connection((server.host, server.port), TIMEOUT) as one:
            one.sendall(REQUEST)
            return one.recv(64).startswith(b"HTTP/1.1 200 ")
    except OSError:
        return False


def test_too_few_are_refused_with_the_figures(binary, tmp_path):
    done = subprocess.run(
        [*Limited(64).prefix, str(BINARY), "serve"], cwd=tmp_path, capture_output=True, text=True,
        env=environment() | {"ROOMCAST_HTTP_PORT": "0", "ROOMCAST_UDP_PORT": "0"}, timeout=TIMEOUT)
    assert done.returncode == 1, done
    assert "the limit of 64 file descriptors is too low" in done.stderr, done.stderr
    # Nothing has been started.
    assert list(tmp_path.iterdir()) == []
