#!/usr/bin/env python3
"""Puts a room on air for some seconds, recorded, and downloads the MP4 as soon as it is ready.

    record.py ROOM [SECONDS]

The room's people meet at http://localhost:8080/rooms/ROOM. README.md beside this file lists the
variables that it reads, and the settings that the server needs. Standard library only.
"""

import base64
import hashlib
import hmac
import json
import os
import queue
import shutil
import sys
import threading
import time
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, HTTPServer

SERVER = os.environ.get("SERVER", "http://localhost:8080")
LISTEN = os.environ.get("LISTEN", "127.0.0.1:9000")
ACCESS_KEY = os.environ["ROOMCAST_AUTH_ACCESS_KEY"]
SECRET = os.environ["ROOMCAST_AUTH_SECRET"].encode()
WEBHOOK_SECRET = os.environ["ROOMCAST_WEBHOOKS_SECRET"].encode()


# A management token: a JWT with these claims, signed with HS256.

def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def management_token():
    now = int(time.time())
    claims = {"access_key": ACCESS_KEY, "type": "management", "version": 2,
              "iat": now, "nbf": now, "exp": now + 3600, "jti": str(uuid.uuid4())}
    parts = [json.dumps(part).encode() for part in ({"alg": "HS256", "typ": "JWT"}, claims)]
    text = b".".join(map(base64url, parts))
    return (text + b"." + base64url(hmac.digest(SECRET, text, "sha256"))).decode()


def post(path, body=None):
    request = urllib.request.Request(
        SERVER + path, json.dumps(body or {}).encode(), {
            "Authorization": f"Bearer {management_token()}", "Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


# The receiver of webhooks: whatever the server has signed comes into the queue.

events = queue.Queue()


def is_authentic(headers, body):
    stamp = headers.get("X-Roomcast-Timestamp", "")
    expected = hmac.new(WEBHOOK_SECRET, stamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    given = headers.get("X-Roomcast-Signature", "")
    # Somebody who has seen an old event cannot send it again.
    return hmac.compare_digest(given, f"v1={expected}") and abs(time.time() - int(stamp)) < 300


class Hooks(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        is_ours = is_authentic(self.headers, body)
        self.send_response(200 if is_ours else 403)
        self.send_header("Content-Length", "0")
        self.end_headers()
        if is_ours:
            events.put(json.loads(body))

    def log_message(self, *_):
        pass


def wait_for(kind, stream):
    """The data of the stream's event of this kind."""
    while True:
        event = events.get(timeout=300)
        if event["data"].get("beam_id") != stream:
            continue
        if event["type"] == kind:
            return event["data"]
        if event["type"] == "hls.failure":
            sys.exit(f"The stream failed: {event['data']['error_message']}")


def main(name, seconds=10):
    host, port = LISTEN.split(":")
    receiver = HTTPServer((host, int(port)), Hooks)
    threading.Thread(target=receiver.serve_forever, daemon=True).start()

    room = post("/v2/rooms", {"name": name, "webhook": {"url": f"http://{LISTEN}/"}})["id"]
    stream = post(f"/v2/live-streams/room/{room}/start",
                  {"recording": {"single_file_per_layer": True}})["id"]
    print("On air:", wait_for("hls.started.success", stream)["url"], flush=True)
    time.sleep(float(seconds))
    post(f"/v2/live-streams/{stream}/stop")
    print("Stopped. The MP4 is being made.", flush=True)

    recorded = wait_for("hls.recording.success", stream)
    file = recorded["recording_single_files"][0]
    # The link needs no token, and is valid for a week.
    with urllib.request.urlopen(file["recording_presigned_url"]) as video, \
            open(f"{name}.mp4", "wb") as copy:
        shutil.copyfileobj(video, copy)
    print(f"Downloaded {name}.mp4, {recorded['duration']} s.")


if __name__ == "__main__":
    main(*sys.argv[1:])
