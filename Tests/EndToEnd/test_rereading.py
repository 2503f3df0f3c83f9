"""Settings that change while the server runs: on SIGHUP, and when a file has changed."""

import contextlib
import hashlib
import json
import signal
import socket
import ssl
import subprocess

import pytest

from harness import assets, tokens
from harness.assets import TIMEOUT
from harness.server import Server
from harness.signalling import Peer
from harness.waiting import wait_for

OTHER_SECRET = "another-secret-of-more-than-32-bytes!"
# From the file, which changes, and not from the environment, which cannot.
FROM_FILE = {"ROOMCAST_AUTH_ACCESS_KEY": "", "ROOMCAST_AUTH_SECRET": ""}


def write(path, text):
    """As editors and certbot do: a new file in the old one's place."""
    new = path.with_suffix(".new")
    new.write_text(text)
    new.replace(path)


class Files:
    """The settings file of a server, its policy and its certificate."""

    def __init__(self, folder):
        self.settings, self.policy = folder / "roomcast.json", folder / "policy.json"
        self.certificate, self.key = folder / "certificate.pem", folder / "key.pem"
        self.values = {
            "auth": {"accessKey": tokens.ACCESS_KEY, "secret": tokens.SECRET},
            "policy": {"file": str(self.policy)}}
        self.write_policy("host", "guest", "viewer")
        self.write()

    def write(self, **changes):
        self.values |= changes
        write(self.settings, json.dumps(self.values, indent=2))

    def write_policy(self, *roles):
        write(self.policy, json.dumps({"roles": {role: {} for role in roles}}))

    def certify(self):
        """Makes a certificate; returns its digest."""
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-days", "5", "-keyout", str(self.key), "-out", str(self.certificate),
             "-subj", "/CN=localhost"], check=True, capture_output=True)
        der = ssl.PEM_cert_to_DER_cert(self.certificate.read_text())
        return hashlib.sha256(der).hexdigest()


@pytest.fixture
def files(tmp_path):
    return Files(tmp_path)


@pytest.fixture
def start(binary, tmp_path, files):
    servers = []

    def start(**options):
        settings = assets.SHORT_SEGMENTS | FROM_FILE | options.pop("settings", {})
        servers.append(Server(
            tmp_path / "server", settings=settings,
            command=("serve", "--configuration", str(files.settings)), **options))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


def logged(server, words, times=1):
    return wait_for(
        f"the log says {words!r}", lambda: server.log.read_text().count(words) >= times, TIMEOUT)


def is_accepted(server, secret):
    token = tokens.management_token(secret=secret)
    return server.http.get("/v2/rooms", token=token).status == 200


def test_a_signal_has_the_settings_read_again_and_ends_nothing(start, files, room):
    server = start()
    with contextlib.closing(Peer(server, room, "Ann", "host")) as ann:
        assert "result" in ann.join()
        stream = server.start_stream(room)
        server.wait_for_status(stream["id"], "running", TIMEOUT)
        files.write_policy("host", "guest", "lecturer")
        files.write(auth={"accessKey": tokens.ACCESS_KEY, "secret": OTHER_SECRET},
                    log={"level": "debug"}, http={"connectionsMaximum": 4000})
        server.process.send_signal(signal.SIGHUP)
        logged(server, "the settings have been read again")
        assert is_accepted(server, OTHER_SECRET) and not is_accepted(server, tokens.SECRET)
        logged(server, "level=debug")
        logged(server, "settings=http.connectionsMaximum")
        # The member and the stream go on: their rooms keep what they were opened with.
        count = assets.segments(server, stream, 2)
        assets.segments(server, stream, count + 2)
        assert ann.is_alive()
        other = tokens.room_token(f"{room}-2", role="lecturer", secret=OTHER_SECRET)
        assert set(server.http.get("/api/config").json["roles"]) == {"host", "guest", "lecturer"}
        with contextlib.closing(Peer(server, f"{room}-2", "Bo", token=other)) as bo:
            assert "result" in bo.join()
    assert server.stop() == 0


def test_mistakes_leave_everything_as_it_was(start, files):
    server = start()
    files.policy.write_text('{"roles": {}}')
    files.write(auth={"accessKey": tokens.ACCESS_KEY, "secret": OTHER_SECRET})
    server.process.send_signal(signal.SIGHUP)
    logged(server, "the settings are wrong, so those from before stay in force")
    assert f"{files.policy}" in server.log.read_text()
    assert is_accepted(server, tokens.SECRET) and not is_accepted(server, OTHER_SECRET)
    files.settings.write_text('{"http": {"port": "x"}}')
    server.process.send_signal(signal.SIGHUP)
    logged(server, "http.port must be a whole number", times=1)
    assert server.stop() == 0


def test_a_changed_file_needs_no_signal(start, files):
    server = start()
    files.write(auth={"accessKey": tokens.ACCESS_KEY, "secret": OTHER_SECRET})
    logged(server, "because=\"a file has changed\"")
    assert is_accepted(server, OTHER_SECRET) and not is_accepted(server, tokens.SECRET)


def test_a_renewed_certificate_is_used_by_the_next_connection(start, files):
    first = files.certify()
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE

    class Secure:
        prefix = []

        @staticmethod
        def connect(host, port):
            return context.wrap_socket(socket.create_connection((host, port), TIMEOUT))

    server = start(namespace=Secure, settings={
        "ROOMCAST_HTTP_PUBLIC_URL": "https://localhost",
        "ROOMCAST_HTTP_CERTIFICATE_FILE": str(files.certificate),
        "ROOMCAST_HTTP_PRIVATE_KEY_FILE": str(files.key)})

    def presented(connection):
        return hashlib.sha256(connection.getpeercert(binary_form=True)).hexdigest()

    with Secure.connect(server.host, server.port) as early:
        assert presented(early) == first
        second = files.certify()

        def is_new():
            with Secure.connect(server.host, server.port) as connection:
                return presented(connection) == second

        wait_for("the new certificate is presented", is_new, TIMEOUT)
        assert server.http.get("/health").status == 200
        early.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert b" 200 " in early.recv(4096)
    # The key of another certificate: the server keeps the good pair.
    files.key.write_text(files.certificate.read_text())
    logged(server, "the settings are wrong, so those from before stay in force")
    assert is_new()
