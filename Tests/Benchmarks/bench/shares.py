"""Breaks down a process' CPU time, by `perf record`.

It samples the whole machine and filters for the process afterwards: a counter that belongs to a
process is started and stopped with each of its threads, which in a virtual machine costs so much
that the bot had a quarter of the CPU less.

An interrupt takes its time from the running process, mostly on behalf of another one: it counts for
the code that it interrupted, just as the CPU seconds count it for the process."""

import collections
import pathlib
import re
import shutil
import subprocess

# Samples a second: one for each 5 ms of CPU.
RATE = 199
# The first letters of the kernel's entry points for interrupts.
INTERRUPTS = ("asm_sysvec_", "asm_common_interrupt", "el0t_64_irq")
# Libraries that decode or encode, and the mathematics that only the AAC encoder calls.
CODECS = ("libx264", "libavcodec", "libvpx", "libopus", "libdav1d", "libm.so")
# The task of each library that is not a codec; the others appear under their own names.
PARTS = [
    ("libyuv", "composing and scaling"),
    ("libswresample", "sound's formats"),
    ("roomcast", "Roomcast's own code"),
    ("libswift", "Swift's runtime"),
    ("libFoundation", "Foundation"),
    ("libdispatch", "Dispatch"),
    ("libav", "multiplexing and buffers"),
    ("libsrtp", "SRTP and its ciphers"),
    # Debian's libsrtp takes its ciphers from NSS.
    ("libsoftokn", "SRTP and its ciphers"),
    ("libfreebl", "SRTP and its ciphers"),
    ("libnss", "SRTP and its ciphers"),
    ("libcrypto", "SRTP and its ciphers"),
    ("libc.so", "C library"),
    ("[kernel", "kernel"),
]


def sampler(directory):
    """For `stream_a_room`: samples from the stream's start to its end. Returns the shares, or None
    if `perf` is missing or not allowed."""
    path = directory / "perf.data"

    def begin(pid):
        if not shutil.which("perf"):
            return None
        process = subprocess.Popen(
            ["perf", "record", "-q", "-g", "-e", "cpu-clock", "-F", str(RATE), "-a", "-o", path],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def finish():
            process.terminate()
            process.wait()
            return read(path, pid)

        return finish

    return begin


def read(path, pid):
    script = subprocess.run(
        ["perf", "script", "-i", path, "--pid", str(pid), "--no-inline", "-F", "ip,sym,dso"],
        capture_output=True, text=True, errors="replace")
    shares = collections.Counter(codecs=0)
    for sample in script.stdout.split("\n\n"):
        frames = re.findall(r"^\s*[0-9a-f]+ (.*) \((.*)\)$", sample, re.MULTILINE)
        if frames:
            shares[part(library(frames))] += 1
    total = shares.total()
    if script.returncode != 0 or not total:
        return None
    return {name: count / total for name, count in shares.most_common()}


def library(frames):
    """Whose code ran, of the frames from the innermost out."""
    if any(symbol.startswith(INTERRUPTS) for symbol, _ in frames):
        frames = [frame for frame in frames if not frame[1].startswith("[kernel")] or frames
    return pathlib.PurePath(frames[0][1]).name


def part(library):
    if library.startswith(CODECS):
        return "codecs"
    for prefix, name in PARTS:
        if library.startswith(prefix):
            return name
    return "others"


def outside_codecs(shares):
    return 1 - shares["codecs"] / sum(shares.values())
