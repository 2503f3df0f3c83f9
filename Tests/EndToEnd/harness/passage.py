"""A bad network in user space, since not every kernel has one (tc-netem): a process of its own that
takes packets, and forwards them through two links. This is what controls one, and what it does
whatever its packets are (udp_proxy.py, tun_bridge.py).

The process reads lines of JSON from its standard input, `{"down": …, "up": …}` with all Conditions of
each, and answers `ready` once they apply, and also when it starts.
"""

import json
import selectors
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

from .link import Conditions, Link

FOLDER = Path(__file__).parents[1]  # in which this package is found
IDLE = 1.0  # s
END_TIMEOUT = 60  # s


class Passage:
    """All that goes this way shares its capacity, like a household's line."""

    def __init__(self, module, *arguments, prefix=(), descriptors=()):
        """`module` is the one whose process forwards; it inherits the descriptors."""
        self._process = subprocess.Popen(
            [*prefix, sys.executable, "-m", f"{__package__}.{module}", *map(str, arguments)],
            cwd=FOLDER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            pass_fds=descriptors)
        self._await_answer()

    def become(self, down=Conditions(), up=Conditions()):
        """The conditions from the server and to it, from when this returns."""
        self._process.stdin.write(json.dumps({"down": asdict(down), "up": asdict(up)}) + "\n")
        self._process.stdin.flush()
        self._await_answer()

    def _await_answer(self):
        answer = self._process.stdout.readline()
        assert answer == "ready\n", f"{self._process.args} has ended, said {answer!r}"

    def close(self):
        self._process.stdin.close()  # it reads the end and goes
        self._process.stdout.close()
        try:
            self._process.wait(END_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class Forwarder:
    """In the process. Who derives from it registers what is to be called when packets arrive, which
    then gives them to the links."""

    def __init__(self, seed, headers):
        """`headers`: bytes that each packet has on the way beside those that are forwarded."""
        self.links = {"up": Link(seed, headers), "down": Link(seed + 1, headers)}
        self.selector = selectors.DefaultSelector()
        self.selector.register(sys.stdin, selectors.EVENT_READ, None)

    def run(self):
        print("ready", flush=True)
        while True:
            due = [link.work(time.monotonic()) for link in self.links.values()]
            next_due = min((one for one in due if one is not None), default=None)
            wait = IDLE if next_due is None else max(0.0, next_due - time.monotonic())
            for key, _ in self.selector.select(wait):
                if key.data:
                    key.data()
                elif not self._obey(sys.stdin.readline()):
                    return

    def _obey(self, line):
        if line:
            for name, conditions in json.loads(line).items():
                self.links[name].conditions = Conditions(**conditions)
            print("ready", flush=True)
        return line
