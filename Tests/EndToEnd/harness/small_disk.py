"""Disks of a few megabytes that only one server sees, for tests to fill up.

A separate process holds a mount namespace with a tmpfs on each directory; servers run inside by its
`prefix`, and the tests look in through /proc. The namespace lives as long as that process, so there
is nothing to clean up. Only root may mount without a separate user namespace, in which a server
could not keep its capabilities apart from the tests'.
"""

import os
import subprocess
from pathlib import Path

import pytest

HOLD = """
for each in "$@"; do mount -t tmpfs -o size="${each%%:*}" tmpfs "${each#*:}" || exit 1; done
echo ready
exec cat
"""
BALLAST = "ballast"
PAGE = 4096  # bytes of the disk


class SmallDisks:
    """`disks`: a size in bytes for each directory; the directories are made."""

    def __init__(self, disks):
        if os.geteuid() != 0:
            pytest.skip("a disk to be filled up has to be mounted, which takes root")
        for directory in disks:
            Path(directory).mkdir(parents=True, exist_ok=True)
        self._holder = subprocess.Popen(
            ["unshare", "--mount", "--propagation", "private", "sh", "-c", HOLD, "hold",
             *[f"{size}:{directory}" for directory, size in disks.items()]],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if self._holder.stdout.readline() != b"ready\n":
            self.close()
            pytest.skip("nothing can be mounted here, even as root")

    @property
    def prefix(self):
        """The prefix of a command line that runs it where the disks are."""
        return ["nsenter", "--target", str(self._holder.pid), "--mount", "--"]

    def path(self, path):
        """The same file, as it is seen from outside."""
        return Path(f"/proc/{self._holder.pid}/root{path}")

    def fill(self, directory, leaving=0):
        """Leaves so many bytes, rounded down to whole pages."""
        with (self.path(directory) / BALLAST).open("ab", buffering=0) as file:
            page = bytes(PAGE)
            try:
                while file.write(page):
                    pass
            except OSError as error:
                assert error.errno == 28, error  # ENOSPC
            file.truncate(max(0, file.tell() - leaving))

    def is_filled(self, directory):
        return (self.path(directory) / BALLAST).exists()

    def make_room(self, directory):
        (self.path(directory) / BALLAST).unlink()

    def close(self):
        self._holder.stdin.close()  # it reads the end and goes
        self._holder.stdout.close()
        self._holder.wait()
