"""Debian's Prosody as Jitsi sets it up: accounts, guests, a hidden domain, rooms, WebSockets."""

import datetime
import ipaddress
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from .server import free_port
from .waiting import wait_for

EXECUTABLE = "/usr/bin/prosody"
START_TIMEOUT = 60  # s
STOP_TIMEOUT = 60  # s

ACCOUNTS = {"auth.test": {"jibri": "pass word ü", "focus": "focus"},
            "plain.test": {"jibri": "secret"},
            "strong.test": {"jibri": "secret"},
            "hidden.test": {"recorder": "secret"},
            "other.test": {"jibri": "secret"},
            "bare.test": {"jibri": "secret"}}

NAMES = ("auth.test", "hidden.test", "strong.test", "plain.test", "guests.test", "127.0.0.1")

# What is the same wherever it listens.
HOSTS = """
VirtualHost "auth.test" ssl = own
VirtualHost "hidden.test" ssl = own
VirtualHost "strong.test" ssl = own
    password_hash = "SHA-256"
VirtualHost "plain.test" ssl = own
    disable_sasl_mechanisms = { "SCRAM-SHA-1", "SCRAM-SHA-1-PLUS" }
VirtualHost "guests.test" ssl = own
    authentication = "anonymous"
VirtualHost "other.test" ssl = others
VirtualHost "bare.test"
    modules_disabled = { "tls" }
Component "muc.test" "muc"
    restrict_room_creation = false
"""


class Authority:
    """Signs the certificates of servers; `file` proves it."""

    def __init__(self, directory):
        self.directory = Path(directory)
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Tests")])
        self.file = self.directory / "authority.pem"
        self._write(self.file, self._signed(self._name, self._key, [], True))

    def identity(self, *names):
        """The files of a certificate for those names, and of its key."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, names[0])])
        certificate = self.directory / f"{names[0]}.pem"
        self._write(certificate, self._signed(subject, key, names, False))
        secret = self.directory / f"{names[0]}.key"
        secret.write_bytes(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption()))
        return certificate, secret

    def _signed(self, subject, key, names, is_authority):
        now = datetime.datetime.now(datetime.UTC)
        builder = (x509.CertificateBuilder().subject_name(subject).issuer_name(self._name)
                   .public_key(key.public_key()).serial_number(x509.random_serial_number())
                   .not_valid_before(now - datetime.timedelta(days=1))
                   .not_valid_after(now + datetime.timedelta(days=2))
                   .add_extension(x509.BasicConstraints(is_authority, None), critical=True))
        if names:
            builder = builder.add_extension(
                x509.SubjectAlternativeName([_general(name) for name in names]), critical=False)
        return builder.sign(self._key, hashes.SHA256())

    @staticmethod
    def _write(file, certificate):
        file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))


def _general(name):
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


class Prosody:
    """On loopback. As root it runs as its package's user: it refuses to be root. `names` are those
    that its certificate is for, and `main` the host that WebSockets lead to. In a namespace its
    clients have all addresses, and it is that one's root."""

    def __init__(self, accounts=ACCOUNTS, hosts=HOSTS, names=NAMES, main="guests.test", more="",
                 namespace=None):
        self._namespace = namespace
        self.directory = Path(tempfile.mkdtemp(prefix="prosody-"))
        self.authority = Authority(self.directory)
        self.port = free_port(socket.SOCK_STREAM)
        self.web_port = free_port(socket.SOCK_STREAM)
        self.secure_web_port = free_port(socket.SOCK_STREAM)
        self.log = self.directory / "prosody.log"
        self._configure(hosts, names, main, more)
        for host, users in accounts.items():
            folder = self.directory / "data" / host.replace(".", "%2e") / "accounts"
            folder.mkdir(parents=True)
            for user, password in users.items():
                (folder / f"{user}.dat").write_text(f'return {{ password = "{password}" }};')
        if self._has_user:
            for path in [self.directory, *self.directory.rglob("*")]:
                shutil.chown(path, "prosody", "prosody")
        self.process = None
        self._output = (self.directory / "output").open("ab")

    @property
    def _has_user(self):
        return os.geteuid() == 0 and not self._namespace

    def _configure(self, hosts, names, main, more):
        addresses = '"0.0.0.0"' if self._namespace else '"127.0.0.1"'
        own = self.authority.identity(*names)
        others = self.authority.identity("elsewhere.test")
        pair = 'local {} = {{ certificate = "{}"; key = "{}" }}\n'
        (self.directory / "prosody.cfg.lua").write_text(
            pair.format("own", *own) + pair.format("others", *others) + f"""
            pidfile = "{self.directory}/prosody.pid"
            data_path = "{self.directory}/data"
            log = {{ debug = "{self.log}" }}
            interfaces = {{ {addresses} }}
            run_as_root = {str(bool(self._namespace)).lower()}
            c2s_ports = {{ {self.port} }}
            c2s_require_encryption = false
            allow_unencrypted_plain_auth = true
            http_interfaces = {{ "127.0.0.1" }}
            http_ports = {{ {self.web_port} }}
            https_interfaces = {{ "127.0.0.1" }}
            https_ports = {{ {self.secure_web_port} }}
            https_ssl = own
            http_default_host = "{main}"
            authentication = "internal_hashed"
            modules_enabled = {{ "saslauth", "tls", "disco", "ping", "smacks", "websocket", "bosh" }}
            modules_disabled = {{ "s2s" }}
            smacks_hibernation_time = 60
            """ + more + hosts)

    def start(self):
        user = ({"user": "prosody", "group": "prosody", "extra_groups": []}
                if self._has_user else {})
        prefix = self._namespace.prefix if self._namespace else []
        self.process = subprocess.Popen(
            [*prefix, EXECUTABLE, "--config", str(self.directory / "prosody.cfg.lua"), "-F"],
            cwd=self.directory, stdin=subprocess.DEVNULL, stdout=self._output,
            stderr=subprocess.STDOUT, **user)
        wait_for("Prosody listens", self._is_up, START_TIMEOUT)

    def _is_up(self):
        assert self.process.poll() is None, (self.directory / "output").read_text()
        connect = self._namespace.connect if self._namespace else (
            lambda *place: socket.create_connection(place, 5))
        try:
            for port in [self.port, self.web_port, self.secure_web_port]:
                connect("127.0.0.1", port).close()
            return True
        except OSError:
            return False

    def reload(self):
        self.process.send_signal(signal.SIGHUP)

    def freeze(self):
        """It keeps its connections, and does nothing."""
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self):
        self.process.send_signal(signal.SIGCONT)

    def stop(self):
        if self.process is None or self.process.poll() is not None:
            return
        self.thaw()
        self.process.terminate()
        try:
            self.process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def close(self):
        self.stop()
        self._output.close()
        shutil.rmtree(self.directory, ignore_errors=True)
