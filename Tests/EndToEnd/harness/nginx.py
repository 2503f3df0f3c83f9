"""nginx with the site that is shipped, on ports and in directories of its own."""

import os
import socket
import ssl
import subprocess

from .http import Client
from .server import REPOSITORY, free_port
from .waiting import wait_for

EXECUTABLE = "/usr/sbin/nginx"
SITE = REPOSITORY / "deploy/nginx.conf"
START_TIMEOUT = 60  # s
STOP_TIMEOUT = 60  # s


class Nginx:
    """`site` is the text of the site, with its own paths and ports."""

    def __init__(self, directory, server, site=None):
        directory.mkdir(parents=True)
        self.port = free_port(socket.SOCK_STREAM)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
             "-subj", "/CN=rooms.example.test", "-keyout", str(directory / "privkey.pem"),
             "-out", str(directory / "fullchain.pem")], check=True, capture_output=True)
        text = site or SITE.read_text()
        for shipped, own in [
            ("/var/lib/roomcast/streams", str(server.output)),
            ("127.0.0.1:8080", f"{server.host}:{server.port}"),
            ("/etc/ssl/roomcast", str(directory)),
            ("/var/log/nginx/roomcast.log", str(directory / "access.log")),
            ("/var/cache/nginx/roomcast", str(directory / "cache")),
            ("listen 443", f"listen 127.0.0.1:{self.port}"),
            ("listen [::]:443", f"listen unix:{directory}/six.sock"),
        ]:
            assert shipped in text, f"the site has no {shipped}"
            text = text.replace(shipped, own)
        self.log = directory / "error.log"
        self.access_log = directory / "access.log"
        configuration = directory / "nginx.conf"
        configuration.write_text(
            f"daemon off;\npid {directory}/nginx.pid;\nerror_log {self.log};\n"
            + ("user root;\n" if os.geteuid() == 0 else "")
            + "worker_processes 1;\nevents { worker_connections 256; }\nhttp {\n"
            + "".join(f"{kind}_temp_path {directory}/{kind};\n"
                      for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
            + text + "\n}\n")
        self._command = [EXECUTABLE, "-p", str(directory), "-e", str(self.log),
                         "-c", str(configuration)]
        self.http = Client("127.0.0.1", self.port, self.connect)
        self.process = None

    def check(self):
        """`nginx -t`: its messages about the configuration, and whether it is valid."""
        return subprocess.run([*self._command, "-t"], capture_output=True, text=True)

    def start(self):
        self.process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL)
        wait_for("nginx listens", self._is_up, START_TIMEOUT)

    def _is_up(self):
        assert self.process.poll() is None, self.log.read_text()
        try:
            self.connect("127.0.0.1", self.port).close()
            return True
        except OSError:
            return False

    @staticmethod
    def connect(host, port):
        context = ssl.create_default_context()
        # Its certificate is made for this run.
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context.wrap_socket(socket.create_connection((host, port), 10))

    def close(self):
        if self.process is None or self.process.poll() is not None:
            return
        self.process.terminate()
        try:
            self.process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
