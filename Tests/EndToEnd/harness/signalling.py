"""A bare client of the room protocol, for input that a browser would never send."""

import json
import time
import uuid
from urllib.parse import urlencode

import websockets.exceptions
import websockets.sync.client

from . import tokens

TIMEOUT = 60  # s

# The publish connection's first offer, as a browser makes it: only the data channel.
DATA_CHANNEL_OFFER = "\r\n".join([
    "v=0",
    "o=- 4611731400430051336 2 IN IP4 127.0.0.1",
    "s=-",
    "t=0 0",
    "a=group:BUNDLE 0",
    "a=extmap-allow-mixed",
    "a=msid-semantic: WMS",
    "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
    "c=IN IP4 0.0.0.0",
    "a=ice-ufrag:tEsT",
    "a=ice-pwd:0123456789abcdef01234567",
    "a=ice-options:trickle",
    "a=fingerprint:sha-256 " + ":".join(["A5"] * 32),
    "a=setup:actpass",
    "a=mid:0",
    "a=sctp-port:5000",
    "a=max-message-size:262144",
    "",
])


class Peer:
    """One socket. Notifications are kept in the order they came."""

    def __init__(self, server, room, name, role="guest", peer_id=None, token=None,
                 connection=None):
        self.server = server
        self.name = name
        self.peer_id = peer_id or str(uuid.uuid4())
        self.token = token or tokens.room_token(room, user=name.lower(), role=role)
        self.notifications = []
        query = urlencode({
            "peer": self.peer_id,
            "token": self.token,
            "user_agent_v2": "os:linux,sdk:test",
            "protocol_version": "2.5",
            "protocol_spec": "20250115",
        })
        self.socket = websockets.sync.client.connect(
            f"ws://{server.host}:{server.port}/ws?{query}", max_size=None, open_timeout=TIMEOUT,
            # The server may be in a namespace.
            sock=connection or server.http.connect(server.host, server.port),
            max_queue=None,  # a reader that is busy elsewhere is no slow one
            legacy=True,  # closed by `close`, not by a block
        )

    def send(self, text):
        self.socket.send(text)

    def notify(self, method, params):
        self.send(json.dumps({"method": method, "params": params}))

    def call(self, method, params=None):
        """The whole answer: with `result` or with `error`."""
        identifier = str(uuid.uuid4())
        self.send(json.dumps(
            {"method": method, "params": params or {}, "id": identifier, "jsonrpc": "2.0"}
        ))
        return self._until(lambda message: message.get("id") == identifier, f"answer to {method}")

    def join(self, **changes):
        """Joins with a data channel only; waits for the policy first, as clients do."""
        self.wait_for("on-policy-change")
        params = {
            "name": self.name,
            "data": "",
            "disableVidAutoSub": True,
            "server_sub_degrade": False,
            "simulcast": False,
            "onDemandTracks": False,
            "offer": {"type": "offer", "sdp": DATA_CHANNEL_OFFER},
        }
        return self.call("join", params | changes)

    def join_without_media(self):
        """As a client does whose role neither publishes nor receives."""
        self.wait_for("on-policy-change")
        return self.call("join", {"name": self.name, "data": ""})

    def wait_for(self, method, accept=lambda params: True, timeout=TIMEOUT):
        """The first notification, also of those that came already, that `accept` takes."""

        def matches(message):
            return message.get("method") == method and accept(message.get("params", {}))

        for message in self.notifications:
            if matches(message):
                return message["params"]
        return self._until(matches, method, timeout)["params"]

    def drain(self, seconds):
        """Reads the frames that arrive within this many seconds."""
        try:
            self._until(lambda message: False, "nothing", seconds)
        except TimeoutError:
            return

    def is_alive(self):
        try:
            return "result" in self.call("ping", {"timestamp": 1})
        except websockets.exceptions.ConnectionClosed:
            return False

    def leave(self):
        self.notify("leave", {"client_reason": "user request"})
        self.close()

    def close(self):
        self.socket.close()

    def _until(self, matches, what, timeout=TIMEOUT):
        deadline = time.monotonic() + timeout
        while True:
            remaining = deadline - time.monotonic()
            if remaining <= 0:
                raise TimeoutError(f"{self.name}: no {what} within {timeout} s")
            message = json.loads(self.socket.recv(timeout=remaining))
            if "method" in message:
                self.notifications.append(message)
            if matches(message):
                return message


def peers_in(params):
    """The peers of a `peer-list` by id."""
    return params["peers"]
