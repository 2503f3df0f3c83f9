"""The pages' files as an origin, without the server."""

import socket
import subprocess
import sys

from harness.server import REPOSITORY, free_port
from harness.waiting import wait_for

WEB = REPOSITORY / "Sources/HTTP/ControlAPI/Web"
BLANK = "/assets/"  # a list of files, on the modules' origin


class Web:
    def __init__(self):
        port = free_port(socket.SOCK_STREAM)
        self._server = subprocess.Popen(
            [sys.executable, "-m", "http.server", "--bind", "127.0.0.1",
             "--directory", str(WEB), str(port)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.blank = f"http://127.0.0.1:{port}{BLANK}"

        def answers():
            try:
                socket.create_connection(("127.0.0.1", port), 5).close()
            except OSError:
                return False
            return True

        wait_for("the files are served", answers, 60)

    def close(self):
        self._server.terminate()
        self._server.wait()
