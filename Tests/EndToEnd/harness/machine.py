"""What the host of a virtual machine takes of its CPU time: `steal` in proc(5).

While the host runs somebody else, nothing on this machine can be in time, and no time-out means
anything. Load that is made on the machine itself is not counted: to stand that is the product's task.
"""

import os
import threading
import time

INTERVAL = 0.5  # s between two looks
PIECE = 2.0  # s over which a share is taken
TICKS = os.sysconf("SC_CLK_TCK")
CORES = os.cpu_count() or 1


def stolen():
    """Seconds that the host has taken so far, of all cores together."""
    with open("/proc/stat") as file:
        # "cpu", user, nice, system, idle, iowait, irq, softirq, steal, …
        return int(file.readline().split()[8]) / TICKS


def clock():
    """Seconds that go by only as far as the machine has its CPU: what time-outs are counted in."""
    return time.monotonic() - stolen() / CORES


class Watch:
    """Remembers when the host took how much."""

    def __init__(self):
        self._samples = [(time.monotonic(), stolen())]
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        while True:
            time.sleep(INTERVAL)
            self._samples.append((time.monotonic(), stolen()))

    def worst(self, begin, end):
        """The largest share of the machine, 0 to 1, that was taken over PIECE seconds in a time."""
        self._samples.append((time.monotonic(), stolen()))
        samples = [one for one in self._samples if begin - PIECE <= one[0] <= end + PIECE]
        worst, first = 0.0, 0
        for last, (at, taken) in enumerate(samples):
            while first + 1 < last and at - samples[first + 1][0] >= PIECE:
                first += 1
            length = at - samples[first][0]
            if length >= PIECE:
                worst = max(worst, (taken - samples[first][1]) / length / CORES)
        return worst

    def wait_for_calm(self, share, timeout):
        """Waits until the host has let the machine alone for a while, or for so many seconds.
        Returns how long that was, in seconds."""
        begin = since = time.monotonic()
        while time.monotonic() - begin < timeout:
            time.sleep(2 * PIECE)
            if self.worst(since, time.monotonic()) < share:
                break
            since = time.monotonic()
        return time.monotonic() - begin
