"""One publisher that runs longer than any test waits: GStreamer, whose ICE agent sends no request
while media flows.

It starts with the first test aside, and the last one checks it (harness/lanes.py), so that no test
has to wait for it.
"""

import tempfile
import time
from pathlib import Path

import pytest

from . import gstreamer
from .lanes import LAST
from .server import Server
from .stranger import Stranger

SECONDS = 300
RUNNING = pytest.StashKey()


class LongPublishing:
    """A server, a publisher and a viewer."""

    def __init__(self):
        self._parts = []
        self._directory = tempfile.TemporaryDirectory()
        try:
            self.server = self._keep(Server(Path(self._directory.name)), Server.stop)
            self.publisher = self._keep(
                gstreamer.Publisher(self.server, "long", "GStreamer",
                                    gstreamer.pipeline("VP8", (30, 30, 200), 860)),
                gstreamer.Publisher.close)
            self.viewer = self._keep(
                Stranger(self.server, "long", "Eve", role="viewer"), Stranger.close)
            self.viewer.join()
        except BaseException:
            self.close()
            raise
        self._begin = time.monotonic()

    def _keep(self, part, close):
        self._parts.append((close, part))
        return part

    @property
    def seconds(self):
        return time.monotonic() - self._begin

    def close(self):
        while self._parts:
            close, part = self._parts.pop()
            close(part)
        self._directory.cleanup()


def begin(session):
    """Begins, where the session has the test that looks at it."""
    stash = session.config.stash
    if RUNNING in stash or all(item.path.stem != LAST for item in session.items):
        return
    try:
        stash[RUNNING] = LongPublishing()
        session.config.add_cleanup(stash[RUNNING].close)
    except Exception as error:  # noqa: BLE001  of that test, and not of the one that happens to be first
        stash[RUNNING] = error
