"""One direction of a network, in user space: as narrow, long and lossy as is wished."""

import random
from collections import deque
from dataclasses import dataclass


@dataclass(frozen=True)
class Conditions:
    """Of one direction."""

    rate: float | None = None  # kbit/s at which datagrams leave; None: at once
    queue: float = 0.3  # s for which the last of the datagrams that wait has to, at that rate
    loss: float = 0.0  # share of datagrams, 0 to 1
    delay: float = 0.0  # s


class Link:
    """One direction: loss, then a bottleneck whose queue drops the latest packets, then delay."""

    def __init__(self, seed, headers=0):
        """`headers`: bytes that each datagram has on the way beside its own."""
        self.conditions = Conditions()
        self._headers = headers
        self._random = random.Random(seed)
        self._queue = deque()  # (when it came, datagram, how to send it)
        self._queued = 0  # bytes
        self._free_at = 0.0  # when the bottleneck has let its last datagram go
        self._travelling = deque()  # (when it arrives, datagram, how to send it)

    def take(self, datagram, send, now):
        conditions = self.conditions
        if self._random.random() < conditions.loss:
            return
        size = len(datagram) + self._headers
        if conditions.rate and self._duration(self._queued + size) > conditions.queue:
            return
        self._queue.append((now, datagram, send))
        self._queued += size
        self.work(now)

    def work(self, now):
        """Sends due packets, and returns when the next is due; None if none waits."""
        while self._queue and self._free_at <= now:
            came, datagram, send = self._queue.popleft()
            size = len(datagram) + self._headers
            self._queued -= size
            self._free_at = max(self._free_at, came) + self._duration(size)
            self._travelling.append((self._free_at + self.conditions.delay, datagram, send))
        while self._travelling and self._travelling[0][0] <= now:
            _, datagram, send = self._travelling.popleft()
            send(datagram)
        due = [self._travelling[0][0]] if self._travelling else []
        due += [self._free_at] if self._queue else []
        return min(due, default=None)

    def _duration(self, size):
        rate = self.conditions.rate
        return size * 8 / (rate * 1000) if rate else 0.0
