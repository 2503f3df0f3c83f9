"""`make install`: the installed program runs on a machine without the toolchain."""

import json
import os
import socket
import subprocess
import tempfile
from pathlib import Path

import pytest

from harness import server
from harness.server import REPOSITORY, Server, free_media_port, free_port
from harness.small_disk import SmallDisks


@pytest.fixture(scope="module")
def open_directory():
    """One that all users of the machine can read, unlike those of pytest."""
    with tempfile.TemporaryDirectory(prefix="roomcast-installed-") as directory:
        Path(directory).chmod(0o755)
        yield Path(directory)


@pytest.fixture(scope="module")
def installed(binary, open_directory):
    """The binary below its own /usr/local. Users install another build of it (`make release`)."""
    root = open_directory / "root"
    root.mkdir(mode=0o755)
    # Without the variables of the `make` that runs the tests.
    variables = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    subprocess.run(
        ["make", "install", f"RELEASE={binary}", f"DESTDIR={root}", "PREFIX=/usr/local"],
        cwd=REPOSITORY, env=variables, umask=0o077, check=True, stdout=subprocess.DEVNULL)
    return root / "usr/local/bin/roomcast"


def test_what_is_installed_is_readable_whatever_the_umask(installed):
    prefix = installed.parents[1]
    for path in [prefix, *prefix.rglob("*")]:
        needed = 0o755 if path.is_dir() else 0o644
        assert path.stat().st_mode & needed == needed, path
    found = {path.name for path in (prefix / "share/roomcast").iterdir()}
    assert found == {
        "roomcast.service", "roomcast.json", "nginx.conf", "varnish.vcl", "prosody-jitsi.cfg.lua",
        "90-roomcast.conf", "grafana.json", "prometheus-alerts.yml", "people", "prosody",
        "jitsi"}


def sections(file):
    return subprocess.run(["readelf", "--section-headers", "--wide", str(file)], check=True,
                          capture_output=True, text=True).stdout


def test_its_symbols_are_beside_it(installed):
    program = installed.resolve()
    assert ".debug_info" not in sections(program) and ".symtab" not in sections(program)
    # Behind the name is a checksum, which may be no text.
    link = subprocess.run(["readelf", "--string-dump=.gnu_debuglink", str(program)], check=True,
                          capture_output=True, text=True, errors="replace").stdout
    symbols = program.parent / ".debug/roomcast.debug"
    assert symbols.name in link and ".debug_info" in sections(symbols)


def toolchain(binary):
    """The directories of Swift's runtime that the binary finds by itself."""
    lines = subprocess.run(["ldd", str(binary)], check=True, capture_output=True, text=True).stdout
    paths = [line.split()[2] for line in lines.splitlines() if "/swift/linux/" in line]
    assert paths
    return {os.path.dirname(path) for path in paths}


def test_what_is_installed_runs_without_the_toolchain(installed, binary, tmp_path):
    # An empty disk on each directory hides its contents.
    disks = SmallDisks({directory: 4096 for directory in toolchain(binary)})
    try:
        missing = subprocess.run([*disks.prefix, str(binary), "--help"], capture_output=True)
        assert missing.returncode == 127, "the toolchain is not hidden"
        server = Server(tmp_path / "server", namespace=disks, binary=installed)
        try:
            page = server.http.get("/")
            assert page.status == 200 and b"<html" in page.body
            # The server starts its own binary.
            stream = server.start_stream("installed")
            server.wait_for_status(stream["id"], "running", 90)
        finally:
            assert server.stop() == 0, server.tail()
    finally:
        disks.close()


AS_NOBODY = ["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups"]


@pytest.mark.parametrize("is_writable", [True, False], ids=["own", "read-only"])
def test_the_installed_demo_works_in_any_directory(installed, open_directory, is_writable):
    """With the people and the slides that are installed, not those beside the sources; for an
    ordinary user, since root may write anywhere."""
    place, scratch = (open_directory / f"{name}-{is_writable}" for name in ("place", "scratch"))
    for directory, mode in [(place, 0o777 if is_writable else 0o555), (scratch, 0o777)]:
        directory.mkdir()
        directory.chmod(mode)
    demo = subprocess.run(
        [*(AS_NOBODY if os.geteuid() == 0 else []), str(installed), "demo", "4"], cwd=place,
        env=server.environment() | {
            "TMPDIR": str(scratch), "ROOMCAST_HTTP_PORT": str(free_port(socket.SOCK_STREAM)),
            "ROOMCAST_UDP_PORT": str(free_media_port())},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=180)
    assert demo.returncode == 0, demo.stderr[-3000:]
    result = json.loads(demo.stdout.splitlines()[-1])
    assert {tile["peer"] for tile in result["tiles"]} == {"Ann", "Ben", "Cleo"}
    # Ann shares her slides beside her face.
    assert [tile["peer"] for tile in result["tiles"]].count("Ann") == 2
    files = Path(result["directory"])
    assert files.is_relative_to(place if is_writable else scratch), files
    assert (files / "master.m3u8").is_file()
