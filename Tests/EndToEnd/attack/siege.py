"""A server with a healthy stream on air while strangers send what nobody should.

    python -m attack.siege --seconds 3600 [--seed N]

Ends with a status other than 0 at the first crash, at an answer of 5xx, where a ping of another room
took too long, a picture was left out, or memory went beyond its bound; and says which.
"""

import argparse
import contextlib
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from harness import assets
from harness.fault import Fault
from harness.publisher import Publisher
from harness.server import REPOSITORY, Server

from .strangers import FAMILIES

ROOM = "healthy"
PING_MAXIMUM = 100  # ms
MANY_PINGS = 1000  # of fewer, the 99th percentile is no more than the worst ones
# ms, for the slowest ping while other tests share the machine.
SHARED_WORST_MAXIMUM = 1000
SERVER_MEMORY_MAXIMUM = 400 << 20  # bytes
BOT_MEMORY_MAXIMUM = 400 << 20
LOOK_INTERVAL = 1  # s
END_TIMEOUT = 60  # s
CRASH = re.compile(r"signal (4|6|7|8|11)\b|Fatal error|crashed", re.IGNORECASE)
CLIP = REPOSITORY / "fixtures/media/ann.webm"


class Siege:
    def __init__(self, directory, seed, seconds, families=FAMILIES, worst_maximum=PING_MAXIMUM):
        self.directory, self.seed, self.seconds = Path(directory), seed, seconds
        self.families = list(families)
        self.worst_maximum = worst_maximum  # ms
        self.most = {"server": 0, "bot": 0}  # bytes
        self.figures = {"seed": seed, "seconds": seconds}

    def run(self):
        """The figures; raises Fault."""
        settings = assets.SHORT_SEGMENTS | {"ROOMCAST_STREAM_MAXIMUM": "1"}
        self.server = Server(self.directory, settings=settings)
        try:
            with Publisher(self.server, ROOM, CLIP), contextlib.ExitStack() as stack:
                stream = assets.start(self.server, ROOM)
                self.attack(stream, stack)
                self.judge_stream(stream)
            if self.server.stop() != 0:
                raise Fault(f"the server ended with {self.server.process.returncode}")
        finally:
            self.server.stop()
        if crash := CRASH.search(self.server.log.read_text(errors="replace")):
            raise Fault(f"{crash.group()} in {self.server.log}")
        return self.figures

    def attack(self, stream, stack):
        pinger = self.start(stack, "attack.pinger", stdin=subprocess.PIPE)
        strangers = [self.start(stack, "attack.strangers", family, self.server.host,
                                self.server.port, self.server.media_port, self.seed, self.seconds,
                                ends_address=False) for family in self.families]
        while any(one.poll() is None for one in strangers):
            time.sleep(LOOK_INTERVAL)
            self.look(stream)
        told = [json.loads(one.communicate(timeout=END_TIMEOUT)[0] or "{}") for one in strangers]
        pings = json.loads(pinger.communicate(timeout=END_TIMEOUT)[0] or "{}")
        self.figures |= {"attempts": {one.get("family"): one.get("attempts") for one in told},
                         "pings": pings,
                         "memory_mib": {who: most >> 20 for who, most in self.most.items()}}
        print(json.dumps(self.figures), flush=True)
        if any(one.returncode for one in [*strangers, pinger]):
            raise Fault(f"an attacker or the pinger ended early: {told}, {pings}")
        if faults := [fault for one in told for fault in one["faults"]]:
            raise Fault("answers that a server must not give:\n" + "\n".join(faults))
        usual = pings["p99_ms" if pings["pings"] >= MANY_PINGS else "p95_ms"]
        if usual > PING_MAXIMUM or pings["worst_ms"] > self.worst_maximum:
            raise Fault(f"a ping of another room took too long: {pings}")

    def start(self, stack, module, *arguments, ends_address=True, **options):
        arguments = [str(one) for one in arguments]
        if ends_address:
            arguments += [self.server.host, str(self.server.port)]
        log = stack.enter_context((self.directory / f"{module}-{len(arguments)}.log").open("ab"))
        process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments], text=True, stdout=subprocess.PIPE,
            stderr=log, env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}, **options)
        stack.callback(process.wait)
        stack.callback(process.kill)
        return process

    def look(self, stream):
        if self.server.process.poll() is not None:
            raise Fault(f"the server died with {self.server.process.returncode}:\n"
                        f"{self.server.tail()}")
        bot = assets.writer(assets.directory(self.server, stream))
        for who, process in [("server", self.server.process.pid), ("bot", bot)]:
            self.most[who] = max(self.most[who], memory(process))
        for who, bound in [("server", SERVER_MEMORY_MAXIMUM), ("bot", BOT_MEMORY_MAXIMUM)]:
            if self.most[who] > bound:
                raise Fault(f"the {who} has {self.most[who] >> 20} MiB")

    def judge_stream(self, stream):
        metrics = self.server.metrics()
        if metrics["roomcast_bot_restarts_total"]:
            raise Fault("the stream's bot died")
        if metrics["roomcast_picture_adaptations_total"]:
            raise Fault("pictures of the healthy stream were left out")
        folder = assets.directory(self.server, stream)
        self.server.stop_stream(ROOM)
        self.server.wait_for_status(stream["id"], "completed", END_TIMEOUT)
        for layer in range(len(assets.LADDER)):
            found = assets.published(folder, layer)
            if any(one.is_discontinuity for one in found):
                raise Fault(f"a discontinuity in layer {layer}")
            if {one.duration for one in found[:-1]} != {1.0}:
                raise Fault(f"uneven segments in layer {layer}")
            # As one file: one segment alone lacks data that the previous segment announced.
            whole = self.directory / f"layer_{layer}.ts"
            whole.write_bytes(b"".join(
                (folder / f"stream_{layer}" / one.uri).read_bytes() for one in found))
            assets.decode(whole)
            steps = {after - before for before, after in itertools.pairwise(pictures(whole))}
            if steps != {3000}:
                raise Fault(f"pictures are missing in layer {layer}: steps of {sorted(steps)}")


def memory(process):
    """A process' memory in bytes; 0 once it has ended."""
    with contextlib.suppress(OSError, TypeError):
        found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
        return int(found.group(1)) << 10 if found else 0
    return 0


def pictures(path):
    """The presentation times of a file's pictures, in ticks of 90 kHz."""
    lines = assets.probe(path, "-select_streams", "v", "-show_entries", "packet=pts")
    return sorted(int(line.strip(",")) for line in lines if line.strip(","))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    arguments = parser.parse_args()
    directory = tempfile.mkdtemp(prefix="roomcast-attack-")
    print(f"seed {arguments.seed}, files in {directory}", flush=True)
    begin = time.monotonic()
    try:
        figures = Siege(directory, arguments.seed, arguments.seconds).run()
    except AssertionError as fault:
        print(f"FAULT with seed {arguments.seed} after {time.monotonic() - begin:.0f} s: {fault}",
              file=sys.stderr)
        return 1
    print(json.dumps(figures | {"faults": 0}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
