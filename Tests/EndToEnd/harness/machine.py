"""The CPU time that the host of a virtual machine withholds.

Either the host runs another machine meanwhile, which is `steal` in proc(5), or another machine uses
the other half of the same core, which nothing reports: every instruction takes up to twice as long.
In both cases nothing on this machine can be on time, and no time-out means anything. Load made on
the machine itself does not count: the product has to cope with that.
"""

import collections
import math
import os
import statistics
import threading
import time

INTERVAL = 0.25  # s between two looks
PIECE = 2.0  # s over which a share is taken
TICKS = os.sysconf("SC_CLK_TCK")
CORES = os.cpu_count() or 1
# A core this much slower than usual is shared; caches filled by others, and our own work on the
# core's other half, cost less.
SLOW = 0.55
# s. The usual speed is the median over this time: neither one fast look nor one slow second moves
# it.
USUAL = 300


def stolen():
    """Seconds that the host has taken so far, of all cores together."""
    with open("/proc/stat") as file:
        # "cpu", user, nice, system, idle, iowait, irq, softirq, steal, …
        return int(file.readline().split()[8]) / TICKS


def clock():
    """Seconds that pass only as far as the machine has its CPU; time-outs are counted in these."""
    return time.monotonic() - stolen() / CORES


def effort():
    """CPU seconds that a small piece of work takes, regardless of other work on this machine."""
    best = math.inf
    for _ in range(3):
        begin = time.thread_time()
        for _ in range(20_000):
            pass
        best = min(best, time.thread_time() - begin)
    return best


class Watch:
    """Remembers when the host kept back how much."""

    def __init__(self, effort, stolen, time=time.monotonic):
        self._effort, self._stolen, self._time = effort, stolen, time
        self._efforts = collections.deque([effort()], maxlen=int(USUAL / INTERVAL))
        self._slowed = 0.0  # s, of all cores together
        self._samples = [(time(), stolen())]
        self._lock = threading.Lock()

    def start(self):
        """Looks regularly from now on."""
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        while True:
            time.sleep(INTERVAL)
            self.look()

    def look(self):
        latest = self._effort()
        with self._lock:
            self._efforts.append(latest)
            speed = statistics.median(self._efforts) / latest
            now, taken = self._time(), self._stolen()
            before, kept = self._samples[-1]
            if speed < SLOW:
                had = (now - before) * CORES - (taken + self._slowed - kept)
                self._slowed += max(had, 0) * (1 - speed)
            self._samples.append((now, taken + self._slowed))

    def worst(self, begin, end, piece=None):
        """The largest share of the machine, 0 to 1, withheld over a piece of time, of PIECE seconds
        by default."""
        piece = piece or PIECE
        self.look()
        samples = [one for one in self._samples if begin - piece <= one[0] <= end + piece]
        worst, first = 0.0, 0
        for last, (at, taken) in enumerate(samples):
            while first + 1 < last and at - samples[first + 1][0] >= piece:
                first += 1
            length = at - samples[first][0]
            if length >= piece:
                worst = max(worst, (taken - samples[first][1]) / length / CORES)
        return worst

    def wait_for_calm(self, share, timeout):
        """Waits until the host has left the machine alone for a while, or for `timeout` seconds.
        Returns the time waited, in seconds."""
        begin = since = time.monotonic()
        while time.monotonic() - begin < timeout:
            time.sleep(2 * PIECE)
            if self.worst(since, time.monotonic()) < share:
                break
            since = time.monotonic()
        return time.monotonic() - begin
