#!/usr/bin/env python3
"""Stands for a program that recognizes speech: it tells of everything that is loud.

    listener.py LOG [LINES]: prints a line for each 0.3 s of sound of a speaker, notes what it is told
    in the file, and dies after so many lines if it is the first one that writes there."""

import json
import math
import os
import struct
import sys

HEADER = struct.Struct("<4sIqI")
ENOUGH = 9_600  # bytes: three beeps of our clips
LOUD = 300  # of 32768


def loudness(sound):
    samples = struct.unpack(f"<{len(sound) // 2}h", sound)
    return math.sqrt(sum(value * value for value in samples) / max(1, len(samples)))


def main(log, lines=None):
    names, heard, starts, said = {}, {}, {}, 0

    def note(**fields):
        log.write(json.dumps({"process": os.getpid()} | fields) + "\n")
        log.flush()

    is_first = log.tell() == 0
    note(started=True)
    while len(header := sys.stdin.buffer.read(HEADER.size)) == HEADER.size:
        kind, speaker, time, count = HEADER.unpack(header)
        payload = sys.stdin.buffer.read(count)
        if kind == b"SPKR":
            names[speaker] = json.loads(payload)
            note(speaker=speaker, **names[speaker])
        elif kind == b"DONE":
            note(gone=speaker)
        elif loudness(payload) >= LOUD:
            starts.setdefault(speaker, time)
            heard[speaker] = heard.get(speaker, 0) + count
            if heard[speaker] < ENOUGH:
                continue
            heard[speaker] = 0
            said += 1
            # Noise that a library may print is no line of ours.
            print("loading…")
            print(json.dumps({"speaker": speaker, "text": f"{names[speaker]['peer_name']} says {said}",
                              "start_ms": starts.pop(speaker), "end_ms": time + 100}), flush=True)
            if is_first and lines is not None and said >= lines:
                os._exit(3)
    note(ended=True)


if __name__ == "__main__":
    with open(sys.argv[1], "a") as file:
        main(file, int(sys.argv[2]) if len(sys.argv) > 2 else None)
