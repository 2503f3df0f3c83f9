"""A small HTTP client that can be given another way to connect (see `namespace`)."""

import http.client
import json
import socket
from dataclasses import dataclass
from urllib.parse import urlsplit


def path_of(url):
    """A client's requests to a server."""
    return urlsplit(url).path


@dataclass
class Response:
    status: int
    headers: dict
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


class Client:
    """`connect(host, port)` returns a connected socket."""

    def __init__(self, host, port, connect=None):
        self.host = host
        self.port = port
        self.connect = connect or (lambda host, port: socket.create_connection((host, port), 60))

    def request(self, method, path, body=None, token=None, headers=None):
        """`body`: bytes as they are, anything else as JSON. `path`: sent as it is."""
        fields = dict(headers or {})
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            fields.setdefault("Content-Type", "application/json")
        if token is not None:
            fields["Authorization"] = f"Bearer {token}"
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        connection.sock = self.connect(self.host, self.port)
        connection.sock.settimeout(connection.timeout)
        try:
            connection.request(method, path, body=body, headers=fields)
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        return Response(answer.status, {k.lower(): v for k, v in answer.getheaders()}, content)

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def post(self, path, **options):
        return self.request("POST", path, **options)
