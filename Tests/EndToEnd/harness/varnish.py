"""Varnish with the configuration that is shipped, on a port and in a directory of its own."""

import shutil
import socket
import subprocess
import tempfile

from .http import Client
from .nginx import STOP_TIMEOUT
from .server import REPOSITORY, free_port
from .waiting import wait_for

EXECUTABLE = "/usr/sbin/varnishd"
CONFIGURATION = REPOSITORY / "deploy/varnish.vcl"
START_TIMEOUT = 60  # s: it compiles its configuration


class Varnish:
    def __init__(self, server):
        # The paths of its sockets must be short.
        self.directory = tempfile.mkdtemp(prefix="varnish-")
        self.port = free_port(socket.SOCK_STREAM)
        text = CONFIGURATION.read_text()
        for shipped, own in [('"127.0.0.1"', f'"{server.host}"'), ('"8080"', f'"{server.port}"')]:
            assert text.count(shipped) == 1, shipped
            text = text.replace(shipped, own)
        configuration = f"{self.directory}/test.vcl"
        with open(configuration, "w") as file:
            file.write(text)
        self.log = open(f"{self.directory}/log", "w+")
        self.process = subprocess.Popen(
            [EXECUTABLE, "-F", "-j", "none", "-T", "none", "-n", f"{self.directory}/work",
             "-a", f"127.0.0.1:{self.port}", "-f", configuration, "-s", "malloc,64m",
             "-p", "vsl_space=4m"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT)
        self.http = Client("127.0.0.1", self.port)

    def start(self):
        wait_for("Varnish listens", self._is_up, START_TIMEOUT)

    def _is_up(self):
        if self.process.poll() is not None:
            self.log.seek(0)
            raise AssertionError(self.log.read())
        try:
            socket.create_connection(("127.0.0.1", self.port), 5).close()
            return True
        except OSError:
            return False

    def passed_on(self):
        """How many requests it has sent to the server."""
        done = subprocess.run(
            ["varnishstat", "-n", f"{self.directory}/work", "-1", "-f", "MAIN.backend_req"],
            check=True, capture_output=True, text=True)
        return int(done.stdout.split()[1])

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        shutil.rmtree(self.directory, ignore_errors=True)
