#!/usr/bin/env python3
"""Watches a low-latency stream of a real bot for minutes, by the rules of rfc8216bis, and kills its bot
halfway: each reload of each layer's playlist is checked, and each part and segment is fetched.

    validate_stream.py [--minutes 10]

What is wrong goes to standard output, with a line of JSON of what was seen. The exit status is 1 if
anything is. `make test` has a short form, test_validate_stream.py."""

import argparse
import concurrent.futures
import json
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "AVSync"))

from harness.assets import TIMEOUT, directory, kill, start, writer  # noqa: E402
from harness.following import follow, made  # noqa: E402
from harness.http import path_of  # noqa: E402
from harness.low_latency import boxes, parse  # noqa: E402
from harness.publisher import Publisher  # noqa: E402
from harness.scene import CLIPS  # noqa: E402
from harness.server import Server  # noqa: E402
from harness.waiting import wait_for  # noqa: E402

ROOM = "validated"
DEATHS = 1
# What a new bot needs to begin, and one that must leave a core to others.
GAP = 15  # s


def validate(server, seconds):
    """What is wrong, and what was seen, of a stream that this begins and ends."""
    with Publisher(server, ROOM, CLIPS / "ann.webm", name="Ann"):
        stream = start(server, ROOM, low_latency=True, recording=None)
        folder = directory(server, stream)
        base = path_of(stream["playback"]["cmaf_url"]).rsplit("/", 1)[0]
        paths = [f"{base}/{one.name}/stream.m3u8" for one in sorted(folder.glob("cmaf_[0-9]"))]
        wait_for("parts are listed", lambda: all(
            "PRELOAD-HINT" in server.http.get(path).body.decode() for path in paths), TIMEOUT)
        with concurrent.futures.ThreadPoolExecutor() as pool:
            followed = [pool.submit(follow, server, path, seconds, len(paths) - 1)
                        for path in paths]
            fetched = [pool.submit(fetch, server, path, seconds) for path in paths]
            time.sleep(seconds / 2)
            kill(writer(folder))
            layers = [one.result() for one in followed]
            pieces = [one.result() for one in fetched]
        wrong = [f"{path}: {fault}" for path, (watch, _), (_, faults) in zip(
            paths, layers, pieces, strict=True)
            for fault in [*watch.faults, *faults, *passed(watch, seconds)]]
        server.stop_stream(ROOM)
        server.wait_for_status(stream["id"], "completed", 2 * TIMEOUT)
    return wrong, [
        {"path": path, "reloads": len(waits), "parts": made(watch), "fetched": count,
         "hints_unkept": watch.unkept, "longest_wait": round(max(waits), 2)}
        for path, (watch, waits), (count, _) in zip(paths, layers, pieces, strict=True)]


def passed(watch, seconds):
    """What is wrong with how a stream went on past a death."""
    least = (seconds - GAP) / watch.whole.part_target * 0.8
    ruptures = sum(one.discontinuities for one in watch.known.values())
    return [text for holds, text in [
        (made(watch) >= least, f"{made(watch)} parts, at least {least:.0f} were due"),
        (ruptures == DEATHS, f"{ruptures} discontinuities"),
        (watch.unkept <= DEATHS, f"{watch.unkept} hints whose part did not come"),
        (watch.steps_back <= DEATHS, f"{watch.steps_back} steps back"),
    ] if not holds]


def fetch(server, path, seconds):
    """Gets each part and segment once; how many, and what is wrong with them."""
    folder, seen, faults = path.rsplit("/", 1)[0], set(), []
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        playlist = parse(server.http.get(path).body.decode())
        listed = [(one.uri, is_part) for segment in [*playlist.segments[-2:], playlist.open]
                  for one, is_part in [*((part, True) for part in segment.parts), (segment, False)]
                  if one.uri]
        for uri, is_part in listed:
            if uri in seen:
                continue
            seen.add(uri)
            answer = server.http.get(f"{folder}/{uri}")
            kinds = [kind for kind, _ in boxes(answer.body)]
            whole = sum(size for _, size in boxes(answer.body)) == len(answer.body)
            if answer.status != 200 or not whole or b"moof" not in kinds or b"mdat" not in kinds:
                faults.append(f"{uri}: {answer.status}, {kinds}")
        time.sleep(playlist.part_target)
    return len(seen), faults


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=10)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="roomcast-validated-") as name:
        server = Server(Path(name))
        try:
            wrong, seen = validate(server, 60 * options.minutes)
        finally:
            server.stop()
    print("\n".join(wrong) or "nothing is wrong")
    print(json.dumps({"minutes": options.minutes, "layers": seen}))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
