"""A server of Roomcast with participants and streams, in a directory of its own."""

import contextlib
import json
import re
import statistics
import subprocess
import time
import urllib.request
from datetime import datetime

from .job import FRAME_RATE, LADDER, SEGMENT_SECONDS, STEP_SECONDS_MAXIMUM, Unfit
from .processes import child, cpu_seconds, end, peak_megabytes, spawn, until

NAMES = ["Ann", "Ben", "Cleo", "Dan"]
SETTLING_SECONDS = 1


# The other contenders draw no names, and are compared with the bare pictures.
BARE = {"names": False, "speaker_border": False}


class Roomcast:
    """`layout` is that of its streams: {} is what a room shows by default. `settings` are more of
    the server's."""

    def __init__(
            self, binary, directory, preset="balanced", layout=BARE, ladder=LADDER, settings=None):
        self.binary, self.directory, self.ladder = binary, directory, ladder
        settings = settings or {}
        directory.mkdir(parents=True, exist_ok=True)
        self.log = directory / "server.log"
        self.configuration = directory / "settings.json"
        self.processes = []
        self.configuration.write_text(
            json.dumps(
                {
                    "http": {"port": 0},
                    "udp": {"host": "127.0.0.1", "port": 0},
                    "output": {"directory": str(directory / "streams")},
                    "log": {"format": "json"},
                    **settings,
                    "stream": {
                        "ladder": [f"{w}x{h}@{video}+{audio}" for w, h, video, audio in ladder],
                        "frameRate": FRAME_RATE,
                        "segmentSeconds": SEGMENT_SECONDS,
                        # As the others; what both cost is measured by `outputs`.
                        "container": "ts",
                        "preset": preset,
                        "layout": layout,
                        "maximum": 1000,
                        "pushHosts": ["127.0.0.1"],
                        **settings.get("stream", {}),
                    },
                }
            )
        )
        self.server = self.spawn("serve", "--configuration", self.configuration, log=self.log)
        self.endpoint = until("the server's start", self.listening)
        self.token = self.run("token", "management", "--configuration", self.configuration)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in reversed(self.processes):
            end(process)

    def spawn(self, *arguments, log):
        process = spawn([self.binary, *arguments], log)
        self.processes.append(process)
        return process

    def run(self, *arguments):
        return subprocess.run(
            [self.binary, *map(str, arguments)], check=True, capture_output=True, text=True
        ).stdout.strip()

    def listening(self):
        if self.server.poll() is not None:
            raise Unfit(f"the server ended:\n{self.log.read_text()}")
        found = re.search(r'"message":"listening".*"url":"([^"]+)"', self.log.read_text())
        return found and found[1]

    def publish(self, room, clips):
        """Participants of a room, one for each clip. Returns when all have been there a while."""
        logs = []
        for name, clip in zip(NAMES, clips):
            token = self.run(
                "token", "room", "--configuration", self.configuration, "--user", name, room)
            logs.append(self.directory / f"{room}-{name}.log")
            self.spawn(
                "publish", "--endpoint", self.endpoint, "--token", token, "--name", name, clip,
                log=logs[-1])
        for log in logs:
            until(f"an arrival ({log.name})", lambda: "message=published" in log.read_text())
        # Participants request key frames from one another, which a publisher sends only so often.
        time.sleep(SETTLING_SECONDS)

    def call(self, method, path, body=None):
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(
            self.endpoint + path, method=method, data=data,
            headers={
                "Authorization": f"Bearer {self.token}", "Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=STEP_SECONDS_MAXIMUM) as response:
            return json.load(response)

    def start(self, room, body=None):
        return self.call("POST", f"/v2/live-streams/room/{room}/start", body)["id"]

    def stop(self, identifier):
        self.call("POST", f"/v2/live-streams/{identifier}/stop")

    def has(self, identifier, state):
        stream = self.call("GET", f"/v2/live-streams/{identifier}")
        if stream["status"] == "failed":
            raise Unfit(f"the stream failed: {stream['stop_reason']}\n{self.log.read_text()}")
        return stream["status"] == state

    def bot(self):
        return until("the bot", lambda: child(self.server.pid, "bot"))

    def playlists(self, room, identifier):
        directory = self.directory / "streams" / room / identifier
        return [directory / f"stream_{n}" / "stream.m3u8" for n in range(len(self.ladder))]

    def edge(self, room, identifier):
        """The number of the newest segment that a player of the first layer finds, and the time
        when its first picture was captured, in seconds since the epoch."""
        address = f"{self.endpoint}/hls/{room}/{identifier}/stream_0/stream.m3u8"
        with urllib.request.urlopen(address, timeout=STEP_SECONDS_MAXIMUM) as response:
            dates = re.findall(
                r"^#EXT-X-PROGRAM-DATE-TIME:(.*)$", response.read().decode(), re.MULTILINE)
        return len(dates), datetime.fromisoformat(dates[-1]).timestamp()

    def shortages(self):
        """What the log says of pictures that were left out or came too late."""
        return re.findall(
            r'.*(?:adapted to the CPU|left out|incoming frames dropped).*', self.log.read_text())


def watch_edge(roomcast, identifier, seconds):
    """For each segment that appears meanwhile: how long ago its first picture was captured then."""
    end = time.monotonic() + seconds
    newest, _ = roomcast.edge("bench", identifier)
    edges = []
    while (rest := end - time.monotonic()) > 0:
        time.sleep(min(rest, 0.05))
        number, captured_at = roomcast.edge("bench", identifier)
        if number > newest:
            edges.append(time.time() - captured_at)
            newest = number
    return edges


def stream_a_room(roomcast, clips, seconds, sampler=None, body=None):
    """Streams a room for `seconds` seconds. Returns its figures and its files.

    `body` is that of the request. `sampler(pid)` is called with the bot's process id once the
    stream runs, and returns a function to call before the stream is stopped."""
    roomcast.publish("bench", clips)
    server = roomcast.server.pid
    server_before, children_before = cpu_seconds(server)
    asked = time.monotonic()
    identifier = roomcast.start("bench", body)
    until("the stream's start", lambda: roomcast.has(identifier, "running"), interval=0.02)
    start_ms = round((time.monotonic() - asked) * 1000)
    bot = roomcast.bot()
    finish = sampler(bot) if sampler else None
    # A running stream already has one segment.
    edges = watch_edge(roomcast, identifier, max(0, seconds - SEGMENT_SECONDS))
    sampled = finish() if finish else None
    resident = peak_megabytes(bot)
    stream = roomcast.call("GET", f"/v2/live-streams/{identifier}")
    roomcast.stop(identifier)
    bot_cpu = 0

    def is_completed():
        nonlocal resident, bot_cpu
        resident = max(resident, peak_megabytes(bot))
        with contextlib.suppress(OSError):
            bot_cpu = cpu_seconds(bot)[0]
        return roomcast.has(identifier, "completed")

    until("the stream's end", is_completed)
    # The kernel adds a child's time to its parent's once the parent has waited for it.
    server_after, children_after = cpu_seconds(server)
    return {
        "cpu": children_after - children_before,
        # Without the finisher.
        "bot_cpu": bot_cpu,
        "server": server_after - server_before,
        "resident": resident,
        "start_ms": start_ms,
        "edge_ms": round(statistics.median(edges) * 1000) if edges else None,
        "edge_ms_maximum": round(max(edges) * 1000) if edges else None,
        "shortages": len(roomcast.shortages()),
        "sampled": sampled,
        "outputs": stream.get("outputs", []),
        "layers": roomcast.playlists("bench", identifier),
    }
