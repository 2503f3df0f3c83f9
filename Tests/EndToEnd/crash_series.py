"""`kill -9` at random moments of streams' lives, again and again, with a seed: nothing that was
recorded may be lost, every stream comes to its end, and that is told exactly once.

Ends with a status other than 0 at the first loss, and leaves the directory to be looked at.
"""

import argparse
import collections
import itertools
import json
import random
import re
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from harness import assets  # noqa: E402
from harness.fault import Fault  # noqa: E402
from harness.receiver import Receiver  # noqa: E402
from harness.server import Server  # noqa: E402
from harness.waiting import wait_for  # noqa: E402

PHASES = ["starting", "running", "stopping", "post_processing"]
VICTIMS = ["writer", "server", "both"]
# How long after the beginning of a phase, in seconds: beyond its end at times.
MOMENTS = {"starting": 1.5, "running": 3.0, "stopping": 0.4, "post_processing": 0.03}
FINISHER_TIMEOUT = 30  # s, until one has the directory's lock; it is gone a moment later
LOOKS = 100  # at the lock, for one at the stream's state
END_TIMEOUT = 90  # s
# Attempts for one phase and victim that was gone each time: then the moment is not the reason.
TRIES_MAXIMUM = 12
TERMINAL = {"hls.stopped.success", "hls.failure"}


class Loss(Fault):
    """Something recorded that is gone, or an end that was told twice."""


class Series:
    def __init__(self, directory, seed):
        self.directory = Path(directory)
        self.random = random.Random(seed)
        self.receiver = Receiver()
        self.settings = self.receiver.settings | assets.SHORT_SEGMENTS
        self.server = Server(self.directory, settings=self.settings)
        self.outcomes = collections.Counter()
        self.hits = collections.Counter()  # by (phase, victim)

    def close(self):
        self.server.stop()
        self.receiver.close()

    def round(self, number, phase, victim):
        room = f"crash-{number}"
        stream = self.server.start_stream(
            room, {"ladder": assets.LADDER, "recording": assets.BOTH})
        folder = assets.directory(self.server, stream)
        self.reach(phase, room, stream)
        time.sleep(self.random.uniform(0, MOMENTS[phase]))
        # The segments that viewers can have at this moment.
        published = [[one.uri for one in assets.published(folder, layer)]
                     for layer in range(len(assets.LADDER))]
        hit = self.strike(victim, folder)
        if not self.is_up():
            self.server = Server(self.directory, settings=self.settings)
        elif phase in ("starting", "running"):
            self.goes_on(stream, folder, published)
            self.server.stop_stream(room)
        end = self.ended(stream)
        self.judge(stream, end, folder, published)
        self.outcomes[end["status"]] += 1
        self.hits[phase, victim] += hit
        print(f"{number:4} {phase:15} {victim:6} {'hit' if hit else 'late':4} "
              f"{end['status']:9} {end['stop_reason']}", flush=True)

    def reach(self, phase, room, stream):
        if phase == "starting":
            return
        self.server.wait_for_status(stream["id"], "running", assets.TIMEOUT)
        if phase == "running":
            return
        time.sleep(self.random.uniform(0.5, 2.5))
        self.server.stop_stream(room)
        if phase == "post_processing":
            wait_for("post-processing", lambda: self.server.stream(stream["id"])["status"] in
                     ("post_processing", "completed"), assets.TIMEOUT, interval=0.005)
            folder = assets.directory(self.server, stream)
            deadline = time.monotonic() + FINISHER_TIMEOUT
            for look in itertools.count(1):
                if assets.writer(folder) is not None or time.monotonic() > deadline:
                    break
                if look % LOOKS == 0 and self.server.stream(stream["id"])["status"] == "completed":
                    break  # it came and went
                time.sleep(0.001)

    def strike(self, victim, folder):
        hit = False
        if victim in ("server", "both"):
            self.server.kill()
            hit = True
        if victim in ("writer", "both"):
            process = assets.writer(folder)
            hit = bool(process) and assets.kill(process) or hit
        return hit

    def is_up(self):
        return self.server.process.poll() is None

    def goes_on(self, stream, folder, published):
        """The live stream survives its bot: one discontinuity, no gap in the numbers."""
        self.server.wait_for_status(stream["id"], "running", 3 * assets.TIMEOUT)
        assets.segments(self.server, stream, len(published[0]) + 2)
        segments = assets.published(folder)
        names = [one.uri for one in segments]
        if names != [f"segment_{index:06d}.ts" for index in range(len(names))]:
            raise Loss(f"a gap in the playlist: {names}")
        if sum(one.is_discontinuity for one in segments) > 1:
            raise Loss(f"more than one discontinuity: {segments}")

    def ended(self, stream):
        def found():
            record = self.server.stream(stream["id"])
            return record["status"] in ("completed", "failed") and record

        return wait_for("a final state", found, END_TIMEOUT)

    def judge(self, stream, end, folder, published):
        logs = [self.logged(folder, layer) for layer in range(len(assets.LADDER))]
        for layer, names in enumerate(published):
            missing = set(names) - {one["name"] for one in logs[layer].values()}
            if missing:
                raise Loss(f"layer {layer} published {missing}, which is not recorded")
        common = logs[0].keys() & logs[1].keys()
        if common:
            seconds = assets.check_assets(self.server, stream, self.directory / "unpacked")
            expected = sum(logs[0][key]["frames"] / logs[0][key]["rate"] for key in common)
            if abs(seconds - expected) > 0.04:
                raise Loss(f"{seconds} s are in the assets, {expected} s were recorded")
            if len(end["recording_assets"]) != 3:
                raise Loss(f"the API shows {end['recording_assets']}")
        elif end["recording_assets"]:
            raise Loss(f"assets of nothing: {end['recording_assets']}")
        self.judge_events(stream, end, bool(common))

    def judge_events(self, stream, end, has_assets):
        def told():
            events = self.receiver.events(stream["id"])
            kinds = {one["type"] for one in events}
            is_whole = kinds & TERMINAL and ("hls.recording.success" in kinds or not has_assets)
            return is_whole and events

        events = wait_for("the end is told", told, assets.TIMEOUT)
        # Deliveries in flight when the server died may come twice, under the same id.
        by_type = collections.defaultdict(set)
        for event in events:
            by_type[event["type"]].add(event["id"])
        ends = [one for kind in TERMINAL for one in by_type[kind]]
        if len(ends) != 1 or any(len(ids) > 1 for ids in by_type.values()):
            raise Loss(f"told more than once: {dict(by_type)}")
        is_stopped = "hls.stopped.success" in by_type and by_type["hls.stopped.success"]
        if is_stopped and end["status"] != "completed":
            raise Loss(f"{end['status']} was told as {dict(by_type)}")

    @staticmethod
    def logged(folder, layer):
        """The segments that the bots recorded, by their contents."""
        log = folder / f"stream_{layer}" / "segments.log"
        found = {}
        text = log.read_bytes().decode(errors="replace") if log.exists() else ""
        for line in text.splitlines():
            fields = dict(re.findall(r"(\w+)=(\S+)", line))
            if not re.search(r" \*[0-9a-f]{8}$", line):
                continue
            found[fields["run"], fields["first"]] = {
                "name": f"segment_{int(line.split()[0]):06d}.ts",
                "frames": int(fields["frames"]), "rate": int(fields["rate"]),
            }
        return found


def run(rounds, seed, directory):
    """Runs `rounds` rounds, and more until each kind of kill has hit a living process once, if all
    kinds had a turn. Returns the closed series."""
    series = Series(directory, seed)
    kinds = [(phase, victim) for phase in PHASES for victim in VICTIMS]
    numbers = itertools.count()
    try:
        for turn in range(rounds):
            if turn % len(kinds) == 0:
                series.random.shuffle(kinds)
            series.round(next(numbers), *kinds[turn % len(kinds)])
        for kind in kinds[:rounds]:
            tries = 0
            while not series.hits[kind]:
                tries += 1
                if tries > TRIES_MAXIMUM:
                    raise Fault(f"{kind} came late {tries} times")
                series.round(next(numbers), *kind)
    except AssertionError as error:
        raise type(error)(f"seed {seed}: {error}") from error
    finally:
        series.close()
    return series


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    arguments = parser.parse_args()
    directory = tempfile.mkdtemp(prefix="roomcast-crashes-")
    print(f"seed {arguments.seed}, files in {directory}", flush=True)
    started = time.monotonic()
    try:
        series = run(arguments.rounds, arguments.seed, directory)
    except AssertionError as loss:
        print(f"LOSS with {loss}", file=sys.stderr)
        return 1
    print(json.dumps({"rounds": series.outcomes.total(), "seed": arguments.seed, "losses": 0,
                      "hits": series.hits.total(), "outcomes": dict(series.outcomes),
                      "seconds": round(time.monotonic() - started)}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
