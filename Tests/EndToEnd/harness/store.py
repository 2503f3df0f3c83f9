"""An S3 store: moto's server, a real program, behind a proxy that checks every signature and
injects faults."""

import base64
import hashlib
import http.client
import os
import re
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from urllib.parse import parse_qs, quote, urlsplit

from botocore.auth import S3SigV4Auth, S3SigV4QueryAuth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from .local_server import Handler, LocalServer
from .server import free_port
from .waiting import wait_for

BUCKET = "recordings"
PREFIX = "roomcast/test"
REGION = "eu-central-1"
KEY, SECRET = "AKIATESTKEY", "the secret of the store/of the tests"
# The request with an object's first byte states its encryption; S3 refuses it in other requests.
ENCRYPTION = "x-amz-server-side-encryption"
START_TIMEOUT = 60  # s: it imports a lot


@dataclass
class Request:
    method: str
    path: str  # without the bucket
    query: dict
    status: int = 0  # what the client was answered; 0 for nothing
    headers: dict = field(default_factory=dict)  # names in small letters
    body: bytes = b""
    when: float = field(default_factory=time.monotonic)

    @property
    def part(self):
        return int(self.query["partNumber"][0]) if "partNumber" in self.query else None

    @property
    def begins_object(self):
        """CreateMultipartUpload or PutObject."""
        return ("uploads" in self.query and self.method == "POST"
                or self.method == "PUT" and not self.query)


class Moto:
    """Has one bucket. It keeps everything in memory."""

    def __init__(self, log):
        self.port = free_port(socket.SOCK_STREAM)
        self._log = open(log, "ab")
        self.process = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self.port)],
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=subprocess.STDOUT,
            env=os.environ | {"MOTO_S3_DEFAULT_KEY_BUFFER_SIZE": str(64 << 20)})
        try:
            wait_for("the store answers", self._is_up, START_TIMEOUT)
        except BaseException:
            self.close()
            raise

    def _is_up(self):
        try:
            return self.ask("PUT", "", body=(
                b"<CreateBucketConfiguration><LocationConstraint>" + REGION.encode()
                + b"</LocationConstraint></CreateBucketConfiguration>"))[0] in (200, 409)
        except OSError:
            return False

    def ask(self, method, key, query="", body=None):
        """Directly, past the proxy: (status, headers, body)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, f"/{BUCKET}/{quote(key)}{query}", body=body, headers={
                # So that moto knows the region; it ignores the rest.
                "Authorization": f"AWS4-HMAC-SHA256 Credential={KEY}/20260101/{REGION}"
                                 "/s3/aws4_request, SignedHeaders=host, Signature=0"})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    def keys(self):
        return re.findall(r"<Key>([^<]+)</Key>", self.ask("GET", "", "?list-type=2")[2].decode())

    def uploads(self):
        """That were begun and not ended."""
        return re.findall(r"<UploadId>([^<]+)<", self.ask("GET", "", "?uploads")[2].decode())

    def object(self, key):
        status, headers, body = self.ask("GET", key)
        assert status == 200, (key, status, body[:500])
        return body

    def head(self, key):
        """The object's headers, names in small letters."""
        status, headers, _ = self.ask("HEAD", key)
        assert status == 200, (key, status)
        return {name.lower(): value for name, value in headers.items()}

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(30)
        self._log.close()


class Store:
    """The store that the server is told to use. `fault(request)` decides the fate of each request:
    None, a status to answer with, alone or with the store's code and message, or

    "slow": the request is not read, "cut": the connection is closed in the middle of the body,
    "lost": the request is executed but not answered, "half": half of the answer is sent.
    """

    def __init__(self, moto, token=None, encryption=()):
        """With temporary credentials every request has to carry their token, signed like the rest.
        `encryption`: the headers that the first request of an object must have, and no other
        request may have."""
        self.moto = moto
        self.token = token
        self.encryption = dict(encryption)
        self.fault = lambda request: None
        self.requests = []
        self.errors = []
        self.watch = lambda request: None
        self.forwarded = lambda request: None  # with its body, before the store has it
        self.port = free_port(socket.SOCK_STREAM)
        self.url = f"http://127.0.0.1:{self.port}"
        # Publicly readable without a signature, as from a CDN in front of the bucket.
        self.public = f"{self.url}/public/{PREFIX}"
        self._server = None
        self._closing = threading.Event()
        self._connections = set()
        self.come()

    @property
    def settings(self):
        names = {
            "BUCKET": BUCKET, "PREFIX": PREFIX, "REGION": REGION, "ENDPOINT": self.url,
            "ACCESS_KEY_ID": KEY, "SECRET_ACCESS_KEY": SECRET, "PART_MEBIBYTES": "5",
            "RETRY_MAXIMUM_SECONDS": "0.3", "TIMEOUT_SECONDS": "2",
        }
        if self.token:
            names["SESSION_TOKEN"] = self.token
        return {f"ROOMCAST_RECORDINGS_STORE_{name}": text for name, text in names.items()}

    def come(self):
        self._closing.clear()
        self._server = LocalServer(self._handler(), self.port)

    def go(self):
        """Away: connections are refused from now on, and those that there are end."""
        if self._server:
            self._closing.set()
            self._server.close()
            for connection in list(self._connections):
                self._hang_up(connection)
            self._server = None

    def close(self):
        self.go()
        assert not self.errors, self.errors

    def done(self, method, part=None):
        return [one for one in self.requests if one.method == method and one.status // 100 == 2
                and (part is None or one.part == part)]

    def _handler(self):
        store = self

        class Requests(Handler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                store._handle(self)

            do_PUT = do_POST = do_HEAD = do_DELETE = do_GET

            def setup(self):
                super().setup()
                store._connections.add(self)

            def finish(self):
                store._connections.discard(self)
                try:
                    super().finish()
                except OSError:  # it was hung up
                    pass

        return Requests

    def _handle(self, handler):
        url = urlsplit(handler.path)
        if url.path.startswith("/public/"):
            status, headers, body = self.moto.ask(
                handler.command, url.path.removeprefix("/public/"))
            return self._answer(handler, Request(handler.command, url.path, {}), status, headers,
                                body)
        request = Request(handler.command, url.path.removeprefix(f"/{BUCKET}/"),
                          parse_qs(url.query, keep_blank_values=True),
                          headers={k.lower(): v for k, v in handler.headers.items()})
        self.watch(request)
        self.requests.append(request)
        length = int(handler.headers.get("Content-Length") or 0)
        fault = self.fault(request)
        if fault == "slow":
            self._closing.wait(20)
            return self._hang_up(handler)
        if fault == "cut":
            handler.rfile.read(length // 2)
            return self._hang_up(handler)
        body = handler.rfile.read(length)
        if len(body) < length:  # the server was killed
            return self._hang_up(handler)
        if isinstance(fault, (int, tuple)):
            fault, *words = fault if isinstance(fault, tuple) else (fault,)
            code, message = words or (
                {403: "AccessDenied", 500: "InternalError", 503: "SlowDown"}[fault], "no")
            text = b"" if handler.command == "HEAD" else (
                f"<Error><Code>{code}</Code><Message>{message}</Message></Error>".encode())
            return self._answer(handler, request, fault, {}, text)
        self._check(handler, request, body)
        if request.path.endswith(".m3u8"):
            request.body = body
        self.forwarded(request)
        status, headers, answer = self._forward(handler, body)
        if fault == "lost":
            return self._hang_up(handler)
        if fault == "half":
            handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n<half>")
            return self._hang_up(handler)
        self._answer(handler, request, status, headers, answer)

    def _forward(self, handler, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.moto.port, timeout=60)
        try:
            connection.request(handler.command, handler.path, body=body,
                               headers=dict(handler.headers.items()))
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()
        finally:
            connection.close()

    @staticmethod
    def _hang_up(handler):
        handler.close_connection = True
        try:
            handler.connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass

    @staticmethod
    def _answer(handler, request, status, headers, body):
        request.status = status
        handler.send_response_only(status)
        names = {"content-length", "connection", "transfer-encoding"}
        length = str(len(body))
        if handler.command == "HEAD":
            length = {k.lower(): v for k, v in headers.items()}.get("content-length", "0")
        for name, value in headers.items():
            if name.lower() not in names:
                handler.send_header(name, value)
        handler.send_header("Content-Length", length)
        handler.end_headers()
        if handler.command != "HEAD":
            try:
                handler.wfile.write(body)
            except OSError:
                pass

    def _check(self, handler, request, body):
        """The signature, by another implementation of it; and what it says of the body."""
        headers = handler.headers
        if "X-Amz-Signature=" in handler.path:
            if not self._is_presigned(handler):
                self.errors.append(f"wrong signature in {handler.path}")
            if request.query.get("X-Amz-Security-Token", [None]) != [self.token]:
                self.errors.append(f"wrong token in {handler.path}")
            return
        if headers.get("x-amz-security-token") != self.token:
            self.errors.append(f"wrong token of {handler.command} {handler.path}")
        wanted = self.encryption if request.begins_object else {}
        given = {k: v for k, v in request.headers.items() if k.startswith(ENCRYPTION)}
        if given != wanted:
            self.errors.append(f"{handler.command} {handler.path} has {given}, not {wanted}")
        given = re.fullmatch(
            r"AWS4-HMAC-SHA256 Credential=[^,]+,SignedHeaders=([^,]+),Signature=(\w+)",
            headers.get("Authorization", ""))
        if not given:
            self.errors.append(f"{handler.command} {handler.path} is not signed")
            return
        names = given[1].split(";")
        # Headers beginning with x-amz- count only if they are signed.
        for name in request.headers.keys() - set(names):
            if name.startswith("x-amz-"):
                self.errors.append(f"{name} of {handler.command} {handler.path} is not signed")
        request = AWSRequest(handler.command, f"{self.url}{handler.path}", headers={
            name: headers[name] for name in names})
        request.context["timestamp"] = headers["x-amz-date"]
        signer = S3SigV4Auth(Credentials(KEY, SECRET), "s3", REGION)
        text = signer.string_to_sign(request, signer.canonical_request(request))
        if signer.signature(text, request) != given[2]:
            self.errors.append(f"wrong signature of {handler.command} {handler.path}")
        if headers["x-amz-content-sha256"] != hashlib.sha256(body).hexdigest():
            self.errors.append(f"wrong digest of {handler.command} {handler.path}")
        checksum = headers.get("x-amz-checksum-sha256")
        if checksum and base64.b64decode(checksum) != hashlib.sha256(body).digest():
            self.errors.append(f"wrong checksum of {handler.command} {handler.path}")

    def _is_presigned(self, handler):
        path, signature = re.subn(r"&X-Amz-Signature=\w+", "", handler.path)[0], re.search(
            r"&X-Amz-Signature=(\w+)", handler.path)[1]
        request = AWSRequest("GET", f"{self.url}{path}", headers={"host": handler.headers["Host"]})
        query = parse_qs(urlsplit(handler.path).query)
        request.context["timestamp"] = query["X-Amz-Date"][0]
        signer = S3SigV4QueryAuth(Credentials(KEY, SECRET), "s3", REGION)
        text = signer.string_to_sign(request, signer.canonical_request(request))
        return signer.signature(text, request) == signature
