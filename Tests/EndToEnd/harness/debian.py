"""A Debian 12 of its own, with systemd, for what is installed and removed there.

Its files come from where this machine's apt gets them; then systemd-nspawn boots it, without a network.
Its processes end with it, as it is a process of ours.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from harness.waiting import wait_for

PROGRAMS = ["mmdebstrap", "systemd-nspawn", "nsenter"]
CLEAN = ["env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8",
         "DEBIAN_FRONTEND=noninteractive"]


def sources():
    """This machine's, of Debian alone."""
    lines = subprocess.run(
        ["apt-get", "indextargets", "--format", "deb $(REPO_URI) $(CODENAME) $(COMPONENT)",
         "Created-By: Packages", "Origin: Debian"],
        check=True, capture_output=True, text=True).stdout
    return sorted(set(lines.splitlines()))


class Debian:
    """`shared`: folders of ours that it sees, by the names that they have there."""

    def __init__(self, directory, shared):
        missing = [name for name in PROGRAMS if not shutil.which(name)]
        if os.geteuid() != 0 or missing:
            pytest.skip(f"a Debian of its own takes root and {', '.join(PROGRAMS)}")
        self.root = directory / "debian"
        self._log = directory / "boot.log"
        self._machine = None
        self._nspawn = [
            "systemd-nspawn", "--quiet", "--directory", str(self.root), "--register=no",
            "--keep-unit", *[f"--bind-ro={path}:{name}" for name, path in shared.items()]]
        subprocess.run(
            ["mmdebstrap", "--quiet", "--variant=minbase", "--include=systemd,systemd-sysv,curl",
             "bookworm", str(self.root), *sources()], check=True)

    def download(self, *packages):
        """The packages that these depend on, for when there is no network."""
        for command in [["update"], ["install", "--download-only", *packages]]:
            subprocess.run(
                [*self._nspawn, "--as-pid2", *CLEAN, "apt-get", "--quiet=2", "--yes",
                 "--no-install-recommends", *command],
                check=True, stdin=subprocess.DEVNULL, capture_output=True)

    def boot(self):
        with self._log.open("wb") as log:
            self._machine = subprocess.Popen(
                [*self._nspawn, "--private-network", "--boot"], stdin=subprocess.DEVNULL,
                stdout=log, stderr=subprocess.STDOUT)
        wait_for("Debian is up", lambda: self._first() and self.run(
            "systemctl is-system-running", check=False) == "running", 60)

    def _first(self):
        """Its process 1."""
        assert self._machine.poll() is None, self._log.read_text()
        task = Path(f"/proc/{self._machine.pid}/task/{self._machine.pid}/children")
        return task.read_text().strip()

    def run(self, command, check=True, user="root"):
        """What the shell command prints there; what it says on standard error if it fails."""
        result = subprocess.run(
            ["nsenter", "--target", self._first(), "--all", *CLEAN,
             "setpriv", "--reuid", user, "--regid", user, "--init-groups", "sh", "-c", command],
            stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert not check or result.returncode == 0, (command, result.stdout, result.stderr)
        return result.stdout.strip()

    @property
    def prefix(self):
        """Of a command line: a program of this machine in the network there."""
        return ["nsenter", "--target", self._first(), "--net"]

    def install(self, *packages):
        """What is said meanwhile."""
        return self.run(f"apt-get --quiet=2 --yes --no-install-recommends install {' '.join(packages)}")

    def start(self, command):
        """A process there, which ends with its handle, nsenter, and with the machine."""
        return subprocess.Popen(
            ["nsenter", "--target", self._first(), "--all", *CLEAN,
             "setpriv", "--pdeathsig", "KILL", "sh", "-c", f"exec {command}"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def close(self):
        if self._machine is not None:
            self._machine.terminate()
            self._machine.wait(120)
        # Half a gigabyte, which pytest would keep for a while.
        shutil.rmtree(self.root, ignore_errors=True)
