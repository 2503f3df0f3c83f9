"""Debian's coturn, with a secret and without users, as docs/OPERATING.md sets it up."""

import base64
import hashlib
import hmac
import socket
import subprocess
import time
from pathlib import Path

from .server import free_port
from .waiting import wait_for

EXECUTABLE = "/usr/bin/turnserver"
START_TIMEOUT = 60  # s
SECRET = "a secret of the relay and the server"


class Relay:
    """On loopback, to which it relays only with permission."""

    def __init__(self, directory):
        self.port = free_port(socket.SOCK_STREAM)
        self.log = Path(directory) / "relay.log"
        self._file = self.log.open("ab")
        self.process = subprocess.Popen(
            [EXECUTABLE, "-n", "--listening-ip=127.0.0.1", "--relay-ip=127.0.0.1",
             f"--listening-port={self.port}", "--no-tls", "--no-dtls", "--no-cli",
             "--allow-loopback-peers", "--denied-peer-ip=0.0.0.0-255.255.255.255",
             "--allowed-peer-ip=127.0.0.1", "--use-auth-secret", f"--static-auth-secret={SECRET}",
             "--realm=roomcast.test", f"--userdb={directory}/turndb",
             f"--pidfile={directory}/relay.pid", "--log-file=stdout", "--verbose"],
            cwd=directory, stdin=subprocess.DEVNULL, stdout=self._file, stderr=subprocess.STDOUT)
        try:
            wait_for("the relay answers", self._is_up, START_TIMEOUT)
        except BaseException:
            self.close()
            raise

    @property
    def urls(self):
        return [f"turn:127.0.0.1:{self.port}?transport={protocol}" for protocol in ("udp", "tcp")]

    @property
    def settings(self):
        return {"ROOMCAST_TURN_URLS": ",".join(self.urls), "ROOMCAST_TURN_SECRET": SECRET}

    def _is_up(self):
        assert self.process.poll() is None, self.log.read_text()
        try:
            socket.create_connection(("127.0.0.1", self.port), 5).close()
            return True
        except OSError:
            return False

    def close(self):
        self.process.terminate()
        self.process.wait(START_TIMEOUT)
        self._file.close()


def credential(seconds):
    """What the relay takes for so many seconds from now, as a browser writes it."""
    username = f"{int(time.time()) + seconds}:p1"
    code = hmac.new(SECRET.encode(), username.encode(), hashlib.sha1).digest()
    return {"username": username, "credential": base64.b64encode(code).decode()}
