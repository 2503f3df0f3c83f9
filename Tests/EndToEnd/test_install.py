"""`make install`: what is installed runs on a machine that has no toolchain."""

import os
import subprocess

import pytest

from harness.server import REPOSITORY, Server
from harness.small_disk import SmallDisks


@pytest.fixture
def installed(binary, tmp_path):
    """The binary below its own /usr/local, from a repository's build."""
    if binary != REPOSITORY / ".build/release/roomcast":
        pytest.skip("`make install` takes what `make build` made")
    subprocess.run(["make", "install", f"DESTDIR={tmp_path / 'root'}"], cwd=REPOSITORY, check=True,
                   stdout=subprocess.DEVNULL)
    return tmp_path / "root/usr/local/bin/roomcast"


def toolchain(binary):
    """The directories of Swift's runtime that the binary finds by itself."""
    lines = subprocess.run(["ldd", str(binary)], check=True, capture_output=True, text=True).stdout
    paths = [line.split()[2] for line in lines.splitlines() if "/swift/linux/" in line]
    assert paths
    return {os.path.dirname(path) for path in paths}


def test_what_is_installed_runs_without_the_toolchain(installed, binary, tmp_path):
    # An empty disk on each hides what is there.
    disks = SmallDisks({directory: 4096 for directory in toolchain(binary)})
    try:
        missing = subprocess.run([*disks.prefix, str(binary), "--help"], capture_output=True)
        assert missing.returncode == 127, "the toolchain is not hidden"
        server = Server(tmp_path / "server", namespace=disks, binary=installed)
        try:
            page = server.http.get("/")
            assert page.status == 200 and b"<html" in page.body
            # It starts itself.
            stream = server.start_stream("installed")
            server.wait_for_status(stream["id"], "running", 20)
        finally:
            assert server.stop() == 0, server.tail()
    finally:
        disks.close()
