"""What `deploy/package` makes is clean: the package for Debian 12, and the tarball.

Of the tests' own binary, or as users get it, from `make test-package` (ROOMCAST_PACKAGES)."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from harness.server import REPOSITORY

# Of the build of the tests: its path to the toolchain, and what is left out to be quick.
OF_THE_TESTS = ("custom-library-search-path,uses-no-compression-for-control-tarball,"
                "uses-no-compression-for-data-tarball")


@pytest.fixture(scope="module")
def packages(binary, tmp_path_factory):
    """The folder of the packages, and the complaints that they may have."""
    if folder := os.environ.get("ROOMCAST_PACKAGES"):
        return Path(folder), ""
    folder = tmp_path_factory.mktemp("packages")
    quick = {"DEB_BUILD_OPTIONS": "noautodbgsym", "DPKG_DEB_COMPRESSOR_TYPE": "none"}
    variables = {name: value for name, value in os.environ.items() if name != "MAKEFLAGS"}
    subprocess.run(
        [str(REPOSITORY / "deploy/package"), str(binary), str(folder)], env=variables | quick,
        check=True)
    return folder, OF_THE_TESTS


def only(folder, pattern):
    found = list(folder.glob(pattern))
    assert len(found) == 1, found
    return found[0]


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_the_package_is_clean(packages):
    folder, suppressed = packages
    checked = subprocess.run(
        ["lintian", "--allow-root", "--fail-on", "error,warning", "--suppress-tags", suppressed,
         *map(str, folder.glob("*.deb"))], capture_output=True, text=True)
    assert checked.returncode == 0 and not checked.stdout, checked.stdout + checked.stderr


def test_the_tarball_has_the_packages_binary_without_symbols(packages, tmp_path):
    folder, _ = packages
    subprocess.run(["dpkg-deb", "--extract", str(only(folder, "roomcast_*.deb")),
                    str(tmp_path / "package")], check=True)
    (tmp_path / "tarball").mkdir()
    tarball = next(path for path in folder.glob("roomcast-*.tar.gz") if "symbols" not in path.name)
    subprocess.run(["tar", "--directory", str(tmp_path / "tarball"), "--strip-components", "1",
                    "-xzf", str(tarball)], check=True)
    packaged = tmp_path / "package/usr/lib/roomcast/roomcast"
    assert packaged.read_bytes() == (tmp_path / "tarball/bin/roomcast").read_bytes()
    sections = output("readelf", "--section-headers", "--wide", str(packaged))
    assert ".symtab" not in sections and ".debug_info" not in sections
    assert output(str(tmp_path / "tarball/bin/roomcast"), "--version").strip() in tarball.name


def test_its_last_words_name_three_steps(packages):
    """Once the server runs, and only at the first installation."""
    script = output("dpkg-deb", "--info", str(only(packages[0], "roomcast_*.deb")), "postinst")
    words = script.index("Three steps to go live")
    assert script.index("deb-systemd-invoke start") < words
    settings = json.loads((REPOSITORY / "deploy/roomcast.json").read_text())
    for step in ["1. ", "roomcast admin-password --configuration /etc/roomcast/roomcast.json",
                 f"2. Log in at http://localhost:{settings['http']['port']}/admin",
                 "3. Make a room"]:
        words = script.index(step, words)
