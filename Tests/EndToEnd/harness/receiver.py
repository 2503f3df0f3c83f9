"""Somebody who wants to be told: an HTTP server that keeps every webhook it accepted."""

import hashlib
import hmac
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRET = "a secret that the receiver of webhooks has too"


class Receiver:
    """`answer(event)` gives the status to answer with; everything but 200 is no acceptance."""

    def __init__(self, answer=lambda event: 200):
        self.answer = answer
        self.accepted = []
        self.attempts = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                event = json.loads(body)
                receiver.check(self.headers, body)
                status = receiver.answer(event)
                receiver.attempts.append(event)
                if status == 200:
                    receiver.accepted.append(event)
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.errors = []
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/hooks"
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def check(self, headers, body):
        stamp = headers["X-Roomcast-Timestamp"]
        signed = hmac.new(SECRET.encode(), f"{stamp}.".encode() + body, hashlib.sha256)
        if headers["X-Roomcast-Signature"] != f"v1={signed.hexdigest()}":
            self.errors.append("wrong signature")
        if abs(int(stamp) - time.time()) > 60:
            self.errors.append("wrong time")

    @property
    def settings(self):
        return {"ROOMCAST_WEBHOOKS_URL": self.url, "ROOMCAST_WEBHOOKS_SECRET": SECRET}

    def types(self, stream_id):
        return [event["type"] for event in self.accepted
                if event["data"].get("beam_id") == stream_id]

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
        assert self.errors == []
