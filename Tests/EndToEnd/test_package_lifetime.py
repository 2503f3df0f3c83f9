"""The package that users get is installed, upgraded, removed and purged as Debian's policy has it, in a
Debian 12 of its own where systemd runs it. `make test-package` makes it, and names its folder in
ROOMCAST_PACKAGES."""

import json
import os
import re
import shlex
import subprocess
import time
from pathlib import Path

import pytest

from harness import chromium, newcomer
from harness.debian import Debian
from harness.server import REPOSITORY
from harness.waiting import wait_for

START_TIMEOUT = 60  # s
PASSWORD_COMMAND = "roomcast admin-password --configuration /etc/roomcast/roomcast.json"


def only(pattern):
    found = list(Path(os.environ["ROOMCAST_PACKAGES"]).glob(pattern))
    assert len(found) == 1, found
    return found[0]


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_its_symbols_are_beside_it(tmp_path):
    for pattern, name in [("roomcast_*.deb", "package"), ("roomcast-dbgsym_*.deb", "symbols")]:
        subprocess.run(["dpkg-deb", "--extract", str(only(pattern)), str(tmp_path / name)],
                       check=True)
    packaged = tmp_path / "package/usr/lib/roomcast/roomcast"
    link = output("readelf", "--string-dump=.gnu_debuglink", str(packaged))
    build = re.search("Build ID: ([0-9a-f]+)", output("readelf", "--notes", str(packaged))).group(1)
    symbols = tmp_path / f"symbols/usr/lib/debug/.build-id/{build[:2]}/{build[2:]}.debug"
    assert symbols.name in link
    assert ".debug_info" in output("readelf", "--section-headers", "--wide", str(symbols))


def test_swifts_libraries_are_in_it(tmp_path):
    subprocess.run(["dpkg-deb", "--extract", str(only("roomcast_*.deb")), str(tmp_path)],
                   check=True)
    dynamic = output(
        "readelf", "--dynamic", "--wide", str(tmp_path / "usr/lib/roomcast/roomcast"))
    assert "libc.so.6" in dynamic
    assert "RUNPATH" not in dynamic and "RPATH" not in dynamic and "libswift" not in dynamic


def newer(package, folder):
    """The same package with a higher version."""
    subprocess.run(["dpkg-deb", "--raw-extract", str(package), str(folder / "newer")], check=True)
    control = folder / "newer/DEBIAN/control"
    control.write_text(re.sub("(?m)^Version: .*", r"\g<0>+next", control.read_text()))
    target = folder / "packages/newer.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Znone", "--build", str(folder / "newer"),
                    str(target)], check=True, stdout=subprocess.DEVNULL)


@pytest.fixture(scope="module")
def debian(tmp_path_factory):
    """A Debian that has no network, but all that the package depends on."""
    directory = tmp_path_factory.mktemp("debian")
    (directory / "packages").mkdir()
    package = only("roomcast_*.deb")
    (directory / "packages/roomcast.deb").write_bytes(package.read_bytes())
    newer(package, directory)
    debian = Debian(directory, {
        "/packages": directory / "packages", "/media": REPOSITORY / "fixtures/media"})
    try:
        debian.download("/packages/roomcast.deb")
        debian.boot()
        yield debian
    finally:
        debian.close()


def health(debian, port=8080):
    text = debian.run(f"curl --silent --fail http://127.0.0.1:{port}/health", check=False)
    return json.loads(text)["status"] if text else None


def with_secrets(command):
    return f"set -a; . /etc/roomcast/secrets; {command}"


def api(debian, method, path, body=None):
    token = debian.run(with_secrets("roomcast token management"))
    data = f"--header 'Content-Type: application/json' --data {shlex.quote(json.dumps(body))}"
    return json.loads(debian.run(
        f"curl --silent --fail --request {method} --header 'Authorization: Bearer {token}' "
        f"{data if body is not None else ''} http://127.0.0.1:8080{path}"))


def test_it_is_installed_and_serves_at_once(debian):
    said = debian.install("/packages/roomcast.deb")
    wait_for("the server answers", lambda: health(debian) == "ok", START_TIMEOUT)
    # Its last words are the three steps that the next test takes.
    first, second, third = re.findall(r"(?m)^  \d\. (.*(?:\n   .*)?)", said)[-3:]
    assert PASSWORD_COMMAND in first and "http://localhost:8080/admin" in second
    assert "Make a room" in third
    assert debian.run("systemctl is-active roomcast") == "active"
    assert debian.run("systemctl is-enabled roomcast") == "enabled"
    assert debian.run("systemctl is-system-running") == "running"
    process = debian.run("systemctl show --property MainPID --value roomcast")
    assert "Uid:\t{0}\t{0}\t{0}".format(debian.run("id -u roomcast")) in debian.run(
        f"cat /proc/{process}/status")
    assert debian.run("stat -c '%U %G %a' /etc/roomcast/secrets") == "root root 600"
    assert debian.run("stat -c '%U %G %a' /var/lib/roomcast") == "roomcast roomcast 750"
    assert debian.run("getent passwd roomcast").endswith(":/var/lib/roomcast:/usr/sbin/nologin")
    # Where it writes, another user may not look.
    assert debian.run("ls /var/lib/roomcast", check=False, user="nobody") == ""


def test_a_newcomer_is_live_within_two_minutes(debian, playwright, tmp_path):
    """A browser of this machine in the network of that one, which is its loopback alone."""
    began = time.monotonic()
    debian.run(f"echo '{newcomer.PASSWORD}' | {PASSWORD_COMMAND}")
    with chromium.inside(playwright, debian, tmp_path, 30, [chromium.LOOPBACK]) as browser:
        newcomer.goes_live_in_time(browser, "http://localhost:8080", began)
    [stream] = api(debian, "GET", "/v2/live-streams")["data"]
    assert stream["status"] == "running"
    api(debian, "POST", f"/v2/live-streams/{stream['id']}/stop")


def test_the_keys_are_its_own(debian):
    assert debian.run(
        "curl --silent --output /dev/null --write-out '%{http_code}' http://127.0.0.1:8080/v2/rooms"
    ) == "401"
    assert "data" in api(debian, "GET", "/v2/rooms")


def test_its_user_may_check_it(debian):
    debian.run("systemctl stop roomcast")
    checked = json.loads(debian.run(
        "cd /var/lib/roomcast; set -a; ROOMCAST_AUTH_ACCESS_KEY=key ROOMCAST_AUTH_SECRET="
        f"{'0' * 64} roomcast check --configuration /etc/roomcast/roomcast.json --json",
        user="roomcast"))
    assert checked
    debian.run("systemctl start roomcast")
    wait_for("the server answers", lambda: health(debian) == "ok", START_TIMEOUT)


def test_it_streams_and_records(debian):
    token = debian.run(with_secrets("roomcast token room stand-up"))
    people = [debian.start(f"roomcast publish --token {token} --name {name} /media/{name}.webm")
              for name in ["ann", "ben"]]
    try:
        api(debian, "POST", "/v2/live-streams/room/stand-up/start",
            {"recording": {"single_file_per_layer": True}})

        def status():
            return api(debian, "GET", "/v2/live-streams?room_id=stand-up")["data"][0]["status"]

        wait_for("the stream runs", lambda: status() == "running", 90)
        api(debian, "POST", "/v2/live-streams/room/stand-up/stop")
        wait_for("the recording is there", lambda: status() == "completed", 90)
    finally:
        for person in people:
            person.kill()
            person.wait()
    assert recordings(debian)


def recordings(debian):
    return debian.run("find /var/lib/roomcast/recordings -name '*.mp4' -exec md5sum {} + | sort")


def test_an_upgrade_keeps_changed_settings_keys_and_recordings(debian):
    secrets = debian.run("cat /etc/roomcast/secrets")
    before = recordings(debian)
    process = debian.run("systemctl show --property MainPID --value roomcast")
    debian.run("sed -i 's/8080/8090/' /etc/roomcast/roomcast.json")
    debian.install("/packages/newer.deb")
    assert debian.run("dpkg-query -W -f '${Version}' roomcast").endswith("+next")
    wait_for("the server answers", lambda: health(debian, 8090) == "ok", START_TIMEOUT)
    assert debian.run("systemctl show --property MainPID --value roomcast") != process
    assert debian.run("cat /etc/roomcast/secrets") == secrets
    assert recordings(debian) == before


def test_removal_keeps_settings_keys_and_recordings(debian):
    secrets = debian.run("cat /etc/roomcast/secrets")
    before = recordings(debian)
    debian.run("apt-get --quiet=2 --yes remove roomcast")
    assert debian.run("find /proc -maxdepth 1 -user roomcast 2>/dev/null", check=False) == ""
    assert debian.run("ls -d /usr/lib/roomcast /usr/bin/roomcast 2>/dev/null", check=False) == ""
    assert "8090" in debian.run("cat /etc/roomcast/roomcast.json")
    assert debian.run("cat /etc/roomcast/secrets") == secrets
    assert recordings(debian) == before
    assert debian.run("getent passwd roomcast")
    # It is there again as it was.
    debian.install("/packages/roomcast.deb")
    wait_for("the server answers", lambda: health(debian, 8090) == "ok", START_TIMEOUT)
    assert debian.run("cat /etc/roomcast/secrets") == secrets


def test_a_purge_leaves_recordings_alone(debian):
    before = recordings(debian)
    debian.run("apt-get --quiet=2 --yes purge roomcast")
    assert debian.run("ls -d /etc/roomcast 2>/dev/null", check=False) == ""
    assert debian.run("ls -d /lib/systemd/system/roomcast* /etc/systemd/system/*/roomcast* "
                      "2>/dev/null", check=False) == ""
    assert debian.run("dpkg-query -W -f '${db:Status-Abbrev}' roomcast", check=False) in ("", "un")
    assert recordings(debian) == before
    # Their owner has a name.
    assert debian.run("stat -c %U /var/lib/roomcast/recordings") == "roomcast"
    assert debian.run("systemctl is-system-running") == "running"


def test_a_purge_without_recordings_leaves_nothing(debian):
    debian.run("rm -r /var/lib/roomcast")
    debian.install("/packages/roomcast.deb")
    wait_for("the server answers", lambda: health(debian) == "ok", START_TIMEOUT)
    debian.run("apt-get --quiet=2 --yes purge roomcast")
    assert debian.run("find / -xdev -name '*roomcast*' -not -path '/proc/*' -not -path "
                      "'/var/lib/apt/*' -not -path '/packages/*' -not -path '/var/log/*'") == ""
