"""Makes a recorded stream of any length without waiting, by repeating its segments.

A finisher trusts only the logs, so these list the repetitions: each line gets a new segment number,
place in the run and origin of timestamps, and so a new checksum.
"""

import os
import re
import zlib

TICKS = 90_000  # a second, of timestamps, which have 33 bits
SAMPLES = 48_000  # a second


def lengthen(source, target, layers, seconds):
    """Writes the stream of `layers` layers; returns the bytes of its segments."""
    total = 0
    for layer in range(layers):
        (target / f"stream_{layer}").mkdir(parents=True)
        total += lengthen_layer(
            source / f"stream_{layer}", target / f"stream_{layer}", seconds)
    (target / "master.m3u8").write_bytes((source / "master.m3u8").read_bytes())
    return total


def lengthen_layer(source, target, seconds):
    lines = whole_segments(source)
    period = sum(frames(line) for line in lines)
    rate = int(field(lines[0], "rate"))
    total = 0
    with (target / "segments.log").open("w") as log:
        for number in range(seconds * rate // frames(lines[0])):
            line = lines[number % len(lines)]
            line = moved(line, number, number // len(lines) * period, rate)
            log.write(f"{line} *{zlib.crc32(line.encode()):08x}\n")
            name = f"segment_{int(lines[number % len(lines)].split()[0]):06d}.ts"
            # Separate files, so that reading them reads as many bytes as for a real hour.
            content = (source / name).read_bytes()
            (target / f"segment_{number:06d}.ts").write_bytes(content)
            total += len(content)
    return total


def whole_segments(directory):
    lines = [line.rsplit(" *", 1)[0] for line in
             (directory / "segments.log").read_text().splitlines()]
    length = frames(lines[0])
    return [line for line in lines if frames(line) == length]


def moved(line, number, shift, rate):
    line = re.sub(r"^\d+", str(number), line)
    line = replaced(line, "first", lambda first: first + shift)
    line = replaced(line, "origin", lambda origin: (origin - shift * TICKS // rate) % (1 << 33))
    return re.sub(r"(?<= sound=2/3/2@)-?\d+",
                  lambda found: str(int(found[0]) + shift * SAMPLES // rate), line)


def replaced(line, name, change):
    return re.sub(rf"(?<= {name}=)-?\d+", lambda found: str(change(int(found[0]))), line)


def field(line, name):
    return re.search(rf" {name}=(\S+)", line)[1]


def frames(line):
    return int(field(line, "frames"))


def written_and_read(process):
    """The bytes that a process has written and read so far, whether from disk or memory; None once
    it has ended."""
    try:
        with open(f"/proc/{process.pid}/io", encoding="ascii") as file:
            fields = dict(line.split(": ") for line in file.read().splitlines())
    except OSError:
        return None
    if not os.path.exists(f"/proc/{process.pid}/exe"):
        return None
    return int(fields["wchar"]), int(fields["rchar"])
