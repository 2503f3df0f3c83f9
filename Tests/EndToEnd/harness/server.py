"""The real binary, on ports of its own and with a directory of its own."""

import itertools
import os
import signal
import socket
import subprocess
from pathlib import Path

from . import tokens
from .fault import Fault
from .http import Client
from .waiting import wait_for

REPOSITORY = Path(__file__).resolve().parents[3]
BINARY = Path(os.environ.get("ROOMCAST_BINARY", REPOSITORY / ".build/release/roomcast"))

START_TIMEOUT = 60  # s
STOP_TIMEOUT = 60  # s


# Below the ephemeral ports of Linux (ip_local_port_range), so that a free port stays free until its
# server has it. Each worker has its own range, starting at a random place.
_lane = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % 4
_ports = itertools.cycle(range(20_000 + _lane * 3_000, 23_000 + _lane * 3_000))
for _ in range(os.getpid() % 3_000):
    next(_ports)


def free_port(*kinds):
    """One that is free for sockets of all these kinds, which last was in use long ago."""
    for port in _ports:
        try:
            for kind in kinds:
                with socket.socket(socket.AF_INET, kind) as probe:
                    probe.bind(("127.0.0.1", port))
            return port
        except OSError:
            continue


def free_media_port():
    """One that is free for UDP and for TCP: media has both."""
    return free_port(socket.SOCK_DGRAM, socket.SOCK_STREAM)


def environment():
    """Our environment without the variables meant for the tests: the server warns about variables
    that look like its settings but are not."""
    return {name: value for name, value in os.environ.items() if not name.startswith("ROOMCAST_")}


_running = set()


def deaths():
    """Servers that ended though no test ended them."""
    return [one for one in _running if one.process.poll() is not None]


class Server:
    """`roomcast serve`, or another `command`. With a namespace, of networks or of disks, it runs
    inside; its media is at `media_address`. `log_file` is a log to use instead of its own."""

    def __init__(self, directory, namespace=None, media_address="127.0.0.1", settings=None,
                 log_file=None, binary=BINARY, port=None, command=("serve",)):
        self.directory = Path(directory)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.output = self.directory / "output"
        self.recordings = self.directory / "recordings"
        self.log = self.directory / "server.log"
        self.port = port or free_port(socket.SOCK_STREAM)
        self.media_port = free_media_port()
        self.host = "127.0.0.1"
        self.base = f"http://{self.host}:{self.port}"
        connect = getattr(namespace, "connect", None)
        self.http = Client(self.host, self.port, connect)
        self.media_address = media_address
        self.settings = self._settings(media_address) | (settings or {})
        self.environment = environment() | self.settings
        # The prefix of a command line that runs it in the server's namespace.
        self.prefix = namespace.prefix if namespace else []
        self._file = self.log.open("ab")
        self.process = subprocess.Popen(
            [*self.prefix, str(binary), *command],
            cwd=self.directory,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=log_file or self._file,
            stderr=subprocess.STDOUT,
        )
        _running.add(self)
        try:
            wait_for("the server answers", self._is_up, START_TIMEOUT)
        except BaseException:
            self.stop()
            raise

    def _settings(self, media_address):
        return {
            "ROOMCAST_HTTP_HOST": self.host,
            "ROOMCAST_HTTP_PORT": str(self.port),
            "ROOMCAST_UDP_HOST": media_address,
            "ROOMCAST_UDP_PORT": str(self.media_port),
            "ROOMCAST_UDP_ADVERTISED_ADDRESSES": media_address,
            "ROOMCAST_AUTH_ACCESS_KEY": tokens.ACCESS_KEY,
            "ROOMCAST_AUTH_SECRET": tokens.SECRET,
            "ROOMCAST_OUTPUT_DIRECTORY": str(self.output),
            "ROOMCAST_RECORDINGS_DIRECTORY": str(self.recordings),
            "ROOMCAST_PAGES_OPEN_TOKENS": "true",
            "ROOMCAST_PAGES_LIST_ROOMS": "true",
            # Bare sockets are silent while a test does something else.
            "ROOMCAST_ROOMS_SILENCE_SECONDS": "300",
            # The cores are shared with the browsers; the test of the demo encodes with the defaults.
            "ROOMCAST_STREAM_PRESET": "ultrafast",
            "ROOMCAST_STREAM_LADDER": "640x360@900+96,320x180@300+64",
        }

    def _is_up(self):
        if self.process.poll() is not None:
            raise Fault(f"the server ended with {self.process.returncode}:\n{self.tail()}")
        try:
            return self.http.get("/health").status == 200
        except OSError:
            return False

    def tail(self, lines=40):
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

    def stop(self):
        """Ends the server as an operator would; returns its exit status."""
        _running.discard(self)
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(STOP_TIMEOUT)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._file.close()
        return self.process.returncode

    def kill(self):
        """`kill -9`: the next server finds the directory as it was at that moment."""
        _running.discard(self)
        self.process.kill()
        self.process.wait()
        self._file.close()

    def reindex(self, loses_catalogue=True):
        """`roomcast reindex` on the directory of a server that has ended; returns its output."""
        if loses_catalogue:
            for file in self.recordings.glob("catalogue.sqlite*"):
                file.unlink()
        done = subprocess.run([str(BINARY), "reindex"], env=self.environment, check=True,
                              capture_output=True, text=True)
        assert done.stderr == ""
        return done.stdout

    # The control API, as used by a customer's server.

    def manage(self, method, path, body=None):
        return self.http.request(method, f"/v2{path}", body=body, token=tokens.management_token())

    def start_stream(self, room, body=None):
        answer = self.manage("POST", f"/live-streams/room/{room}/start", body or {})
        assert answer.status == 200, answer
        return answer.json

    def stop_stream(self, room):
        answer = self.manage("POST", f"/live-streams/room/{room}/stop")
        assert answer.status == 200, answer
        return answer.json["data"]

    def stream(self, stream_id, kind="live-streams"):
        """Its record; `kind` is `recordings` for one without a live stream."""
        answer = self.manage("GET", f"/{kind}/{stream_id}")
        assert answer.status == 200, answer
        return answer.json

    def wait_for_status(self, stream_id, status, timeout, kind="live-streams"):
        def reached():
            found = self.stream(stream_id, kind)
            assert found["status"] != "failed" or status == "failed", found
            return found["status"] == status and found

        return wait_for(f"the stream is {status}", reached, timeout)

    def pause_recording(self, stream_id):
        return self._set_recording(stream_id, "pause")

    def resume_recording(self, stream_id):
        return self._set_recording(stream_id, "resume")

    def _set_recording(self, stream_id, action):
        answer = self.manage("POST", f"/live-streams/{stream_id}/{action}-recording")
        assert answer.status == 200, answer
        assert answer.json["recording_paused"] == (action == "pause")
        return answer.json

    def metrics(self):
        """Each figure by its name and labels, as the text has them."""
        answer = self.http.get("/metrics", token=tokens.management_token())
        assert answer.status == 200
        lines = [line for line in answer.body.decode().splitlines() if not line.startswith("#")]
        return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}

    def wait_for_peer_count(self, room, count, timeout):
        """The list of rooms is a moment old."""
        wait_for(f"{count} are in the room", lambda: self.peer_count(room) == count, timeout)

    def peer_count(self, room):
        rooms = {one["id"]: one for one in self.http.get("/api/rooms").json}
        return rooms[room]["peer_count"] if room in rooms else 0
