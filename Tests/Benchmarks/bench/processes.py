"""CPU and memory of processes, as the kernel counts them."""

import contextlib
import os
import pathlib
import re
import subprocess
import threading
import time

from .job import STEP_SECONDS_MAXIMUM, Unfit

TICKS = os.sysconf("SC_CLK_TCK")


def until(what, probe, interval=0.05, maximum=STEP_SECONDS_MAXIMUM):
    """Calls `probe` until it gives something, and gives that."""
    deadline = time.monotonic() + maximum
    while time.monotonic() < deadline:
        found = probe()
        if found:
            return found
        time.sleep(interval)
    raise Unfit(f"{what} did not happen within {maximum} s")


def fields(pid):
    """/proc/PID/stat after the name, which is in parentheses and may hold anything."""
    return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def cpu_seconds(pid):
    """Of a living process itself, and of its children that have ended."""
    stat = fields(pid)
    return sum(map(int, stat[11:13])) / TICKS, sum(map(int, stat[13:15])) / TICKS


def status(pid, key):
    """A number of /proc/PID/status, 0 once the process is gone."""
    with contextlib.suppress(OSError):
        text = pathlib.Path(f"/proc/{pid}/status").read_text()
        found = re.search(rf"^{key}:\s+(\d+)", text, re.M)
        return int(found[1]) if found else 0
    return 0


def peak_megabytes(pid):
    """The largest resident size so far, in MB of 1,000,000 bytes."""
    return status(pid, "VmHWM") * 1024 / 1e6


def children(pid):
    with contextlib.suppress(OSError):
        for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
            yield from map(int, (task / "children").read_text().split())


def tree(pid):
    """A process and all that descend from it."""
    yield pid
    for child in children(pid):
        yield from tree(child)


def child(pid, word):
    """The process that `pid` started with `word` among its arguments."""
    for number in children(pid):
        with contextlib.suppress(OSError):
            arguments = pathlib.Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")
            if word.encode() in arguments:
                return number
    return None


def spawn(command, log, **options):
    """Starts a process in a session of its own: an interrupt is for the script that ends it."""
    return subprocess.Popen(
        list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=log.open("w"), start_new_session=True, **options)


def end(process, seconds=20):
    if process.poll() is None:
        process.terminate()
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def timed(command, **options):
    """Runs a command to its end. Gives user plus system seconds and peak MB of it alone."""
    process = subprocess.Popen(
        list(map(str, command)), stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, **options)
    complaint = process.stderr.read().decode(errors="replace")
    _, code, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(code)
    if process.returncode != 0:
        raise Unfit(f"{command[0]} failed:\n{complaint[-2000:]}")
    return {
        "cpu": usage.ru_utime + usage.ru_stime,
        "resident": usage.ru_maxrss * 1024 / 1e6,
    }


class TreeMeter:
    """CPU and memory of several process trees together, from `start` to `stop`.

    For a process whose parent did not wait for it, the last sample counts."""

    def __init__(self, roots, interval=0.5):
        self.roots, self.interval = roots, interval
        self.seen, self.first, self.resident = {}, {}, 0.0
        self.ended = threading.Event()

    def sample(self):
        resident = 0
        for root in self.roots:
            for pid in list(tree(root)):
                with contextlib.suppress(OSError):
                    stat = fields(pid)
                    # Include the start time, because process ids are reused.
                    key = (pid, stat[19])
                    self.seen[key] = sum(map(int, stat[11:13])) / TICKS
                    shares = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
                    resident += int(re.search(r"^Pss:\s+(\d+)", shares, re.M)[1])
        self.resident = max(self.resident, resident * 1024 / 1e6)

    def start(self):
        self.sample()
        self.first, self.resident = dict(self.seen), 0.0
        self.thread = threading.Thread(target=self.watch, daemon=True)
        self.thread.start()

    def watch(self):
        while not self.ended.wait(self.interval):
            self.sample()

    def stop(self):
        self.ended.set()
        self.thread.join()
        self.sample()
        return {
            "cpu": sum(self.seen.values()) - sum(self.first.values()),
            "resident": self.resident,
        }
