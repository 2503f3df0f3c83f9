"""The pages' files as an origin, without the server."""

import socket
import subprocess
import sys

from harness.server import REPOSITORY, free_port
from harness.waiting import wait_for

WEB = REPOSITORY / "Sources/HTTP/ControlAPI/Web"
BLANK = "/assets/"  # a list of files, on the modules' origin


class Web:
    """Serves them in Firefox' namespace, if it has one, and, at the same port, outside."""

    def __init__(self, namespace):
        port = free_port(socket.SOCK_STREAM)
        command = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1",
                   "--directory", str(WEB), str(port)]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        places = [[], namespace.prefix] if namespace.prefix else [[]]
        self.servers = [subprocess.Popen([*prefix, *command], **quiet) for prefix in places]
        self.blank = f"http://127.0.0.1:{port}{BLANK}"

        def answers(connect):
            try:
                connect("127.0.0.1", port).close()
            except OSError:
                return False
            return True

        for connect in (lambda *address: socket.create_connection(address, 5), namespace.connect):
            wait_for("the files are served", lambda connect=connect: answers(connect), 60)

    def close(self):
        for server in self.servers:
            server.terminate()
            server.wait()
