"""Requests that the API's description allows, and some that it does not, made by schemathesis for a
server with a room, a stream, a recording and more in it. No answer may be a failure of the server's,
each has to be one that the description knows, and what it forbids has to be refused.

Ends with a status other than 0 at a fault; what was seen is on standard output.
"""

import argparse
import contextlib
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from harness import assets, tokens  # noqa: E402
from harness.receiver import Receiver  # noqa: E402
from harness.server import Server  # noqa: E402
from harness.signalling import Peer  # noqa: E402
from harness.waiting import wait_for  # noqa: E402

HERE = Path(__file__).parent
TIMEOUT = 60  # s
ROOM = "fuzz-room"
# Each costs a recorder.
SETTINGS = {"ROOMCAST_STREAM_MAXIMUM": "2", "ROOMCAST_STREAM_LADDER": "320x180@150+64"}
# Of what one request may delete for good.
SEVERAL = 6


class World:
    """A server with one of everything, and the ids of that by the names of the paths' parameters."""

    def __init__(self, directory, stack):
        receiver = Receiver()
        stack.callback(receiver.close)
        self.server = Server(
            directory, settings=receiver.settings | assets.SHORT_SEGMENTS | SETTINGS)
        stack.callback(self.stop)
        self.peer = Peer(self.server, ROOM, "Ann", role="host")
        stack.callback(self.peer.close)
        assert "result" in self.peer.join()
        recording = self._recorded()
        calls = [self._call() for _ in range(SEVERAL)]
        self.known = {
            "room": [ROOM, ROOM, *(self._made("/rooms", name=f"fuzz-{number}")["id"]
                                   for number in range(SEVERAL)), *calls],
            "stream": [recording, self.server.start_stream(ROOM)["id"]],
            "recording": [recording],
            "asset": [one["id"] for one in self._listed("recording-assets")],
            "template": [self._made("/templates", name=f"fuzz-{number}")["id"]
                         for number in range(SEVERAL)],
            "role": ["host", "guest", "viewer"],
            "peer": [self.peer.peer_id],
            "session": [one["id"] for one in self._listed("sessions")],
            "event": [one["id"] for one in self._listed("analytics/webhooks")],
            "invitation": [self._made(f"/group-calls/{room}/invitations", user_id="ben",
                                      role="guest")["invitation_id"] for room in calls],
        }
        assert all(self.known.values()), self.known

    def _made(self, path, **body):
        answer = self.server.manage("POST", path, body)
        assert answer.status == 200, answer
        return answer.json

    def _listed(self, path):
        return self.server.manage("GET", f"/{path}").json["data"]

    def _call(self):
        return self._made("/group-calls", type="small_room_for_video")["room_id"]

    def _recorded(self):
        stream = assets.start(self.server, ROOM, ladder=assets.LADDER[1:])
        assets.segments(self.server, stream, 1)
        self.server.stop_stream(ROOM)
        self.server.wait_for_status(stream["id"], "completed", TIMEOUT)
        wait_for("it is told", lambda: self._listed("analytics/webhooks"), TIMEOUT)
        return stream["id"]

    def stop(self):
        is_alive = self.server.process.poll() is None
        status = self.server.stop()
        assert is_alive and status == 0, self.server.tail()


# A fault that the description has no word about. What the words of a value say beyond its schema, and
# its limits, are another matter: which of the two is wrong is to be looked into.
FAULTS = ("not_a_server_error,status_code_conformance,content_type_conformance,"
          "response_headers_conformance,response_schema_conformance,allow_header_conformance")


def run(directory, seed, examples, phases, checks=None, output=None):
    """schemathesis' verdict, for so many random requests for each call; it writes to `output`."""
    directory = Path(directory)
    with contextlib.ExitStack() as stack:
        world = World(directory / "server", stack)
        return subprocess.run(
            [sys.executable, "-m", "schemathesis.cli", "--config-file",
             str(HERE / "schemathesis.toml"), "run", f"{world.server.base}/openapi.yaml",
             "--header", f"Authorization: Bearer {tokens.management_token()}",
             "--phases", phases, *(["--checks", checks] if checks else []),
             "--max-examples", str(examples), "--seed", str(seed), "--no-color"],
            cwd=directory, stdout=output, stderr=subprocess.STDOUT,
            env=os.environ | {"API_FUZZING_KNOWN": json.dumps(world.known),
                              "PYTHONPATH": str(HERE), "PYTHONWARNINGS": "ignore"}).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=50)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 31))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    with tempfile.TemporaryDirectory() as directory:
        return run(directory, arguments.seed, arguments.examples,
                   "examples,coverage,fuzzing,stateful")


if __name__ == "__main__":
    sys.exit(main())
