"""A webhook receiver: an HTTP server that keeps every webhook it accepted."""

import hashlib
import hmac
import json
import time
from datetime import datetime

from .local_server import Handler, LocalServer

SECRET = "a secret that the receiver of webhooks has too"


class Receiver(LocalServer):
    """`answer(event)` gives the status to answer with; everything but 200 is no acceptance."""

    def __init__(self):
        self.answer = lambda event: 200
        self.accepted = []
        self.attempts = []
        self.errors = []
        receiver = self

        class Hooks(Handler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                event = json.loads(body)
                receiver.check(self.headers, body)
                status = receiver.answer(event)
                receiver.attempts.append(event)
                if status == 200:
                    receiver.accepted.append(event)
                self.answer(status)

        super().__init__(Hooks)

    def check(self, headers, body):
        stamp = headers["X-Roomcast-Timestamp"]
        signed = hmac.new(SECRET.encode(), f"{stamp}.".encode() + body, hashlib.sha256)
        if headers["X-Roomcast-Signature"] != f"v1={signed.hexdigest()}":
            self.errors.append("wrong signature")
        if abs(int(stamp) - time.time()) > 60:
            self.errors.append("wrong time")

    @property
    def settings(self):
        return {"ROOMCAST_WEBHOOKS_URL": f"{self.base}/hooks", "ROOMCAST_WEBHOOKS_SECRET": SECRET}

    def events(self, stream_id):
        """The events of a stream, in order of arrival."""
        return [event for event in self.accepted if event["data"].get("beam_id") == stream_id]

    def types(self, stream_id):
        return [event["type"] for event in self.events(stream_id)]

    def close(self):
        super().close()
        assert not self.errors, self.errors


def seconds_on_air(ended):
    """How long a stream or recording was live, by the data of the event that tells of its end.

    A stream is live from its first published segments, which are longer or shorter than asked for
    where the machine is busy: their number does not say how many seconds these were."""
    began, end = (datetime.fromisoformat(ended[key]) for key in ("started_at", "stopped_at"))
    seconds = (end - began).total_seconds()
    assert abs(ended["duration"] - seconds) <= 1, ended
    return seconds
