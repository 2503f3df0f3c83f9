"""Where a process' CPU time goes, by `perf record`.

The whole machine is sampled and the process is picked out afterwards: a counter that belongs to a
process is started and stopped whenever one of its threads is, which in a virtual machine costs so
much that the bot had a quarter of the CPU less."""

import re
import shutil
import subprocess

# Samples a second: one for each 5 ms of CPU.
RATE = 199
# What decodes, encodes, or is mathematics that only the AAC encoder calls.
CODECS = ("libx264", "libavcodec", "libvpx", "libopus", "libdav1d", "libm.so")
# What a library that is no codec does; the rest is told by its own name.
PARTS = [
    ("libyuv", "composing and scaling"),
    ("libswresample", "sound's formats"),
    ("roomcast", "Roomcast's own code"),
    ("libswift", "Swift's runtime"),
    ("libFoundation", "Foundation"),
    ("libdispatch", "Dispatch"),
    ("libav", "multiplexing and buffers"),
    ("libsrtp", "SRTP and its ciphers"),
    # Debian's libsrtp has its ciphers from NSS.
    ("libsoftokn", "SRTP and its ciphers"),
    ("libfreebl", "SRTP and its ciphers"),
    ("libnss", "SRTP and its ciphers"),
    ("libcrypto", "SRTP and its ciphers"),
    ("libc.so", "C library"),
    ("[kernel", "kernel"),
]


def sampler(directory):
    """For `stream_a_room`: samples from the stream's start to its end. Gives the shares, or nil
    where `perf` is not there or not allowed."""
    path = directory / "perf.data"

    def begin(pid):
        if not shutil.which("perf"):
            return None
        process = subprocess.Popen(
            ["perf", "record", "-q", "-e", "cpu-clock", "-F", str(RATE), "-a", "-o", path],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def finish():
            process.terminate()
            process.wait()
            return read(path, pid)

        return finish

    return begin


def read(path, pid):
    # By thread as well: sorted by library alone, perf takes some for one that are not.
    report = subprocess.run(
        ["perf", "report", "-i", path, "--stdio", "--sort", "comm,dso", "-q", "--pid", str(pid),
         "--percentage", "relative"],
        capture_output=True, text=True)
    found = re.findall(r"^\s*([\d.]+)%.*\s(\S+)\s*$", report.stdout, re.M)
    if report.returncode != 0 or not found:
        return None
    shares = {"codecs": 0.0}
    for percent, library in found:
        name = part(library)
        shares[name] = shares.get(name, 0.0) + float(percent) / 100
    return dict(sorted(shares.items(), key=lambda share: -share[1]))


def part(library):
    if library.startswith(CODECS):
        return "codecs"
    for prefix, name in PARTS:
        if library.startswith(prefix):
            return name
    return "others"


def outside_codecs(shares):
    return 1 - shares["codecs"] / sum(shares.values())
