"""The rights of bots and finishers on the machine, and the secrecy of the server's keys."""

import contextlib
import os
import pwd
import re
from pathlib import Path

import pytest

from harness import tokens
from harness.assets import BOTH, LADDER, SHORT_SEGMENTS, TIMEOUT, directory, segments, writer
from harness.server import Server

CREDENTIALS = "somebody-elses-credentials"


def threads_of(process, file):
    """A file of each thread, but of those that end meanwhile."""
    for task in Path(f"/proc/{process}/task").iterdir():
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            yield (task / file).read_text()


def status_of_threads(process):
    for text in threads_of(process, "status"):
        yield dict(re.findall(r"^(\w+):\s*(\S*)", text, re.MULTILINE))


def user_of(process):
    """Its user, its group and its other groups."""
    text = Path(f"/proc/{process}/status").read_text()
    found = dict(re.findall(r"^(\w+):[ \t]*(.*)$", text, re.MULTILINE))
    users, groups = ({int(one) for one in found[name].split()} for name in ("Uid", "Gid"))
    return users, groups, found["Groups"].split()


def limits_of(process):
    """Its soft and its hard limit of each resource; infinite where there is none."""
    text = Path(f"/proc/{process}/limits").read_text()
    found = re.findall(r"^Max (.+?) {2,}(\S+) +(\S+)", text, re.MULTILINE)
    return {name: [float(one.replace("unlimited", "inf")) for one in both]
            for name, *both in found}


def environment_of(process):
    return Path(f"/proc/{process}/environ").read_bytes()


def test_a_bot_is_confined_and_sees_no_secrets(binary, room, tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", CREDENTIALS)
    server = Server(
        tmp_path, binary=binary,
        settings=SHORT_SEGMENTS | {"ROOMCAST_RECORDINGS_THUMBNAILS": '{"enabled": true}'})
    try:
        stream = server.start_stream(room, {"ladder": LADDER, "recording": BOTH})
        server.wait_for_status(stream["id"], "running", TIMEOUT)
        bot = writer(directory(server, stream))
        threads = list(status_of_threads(bot))
        # The threads could set their names in the kernel.
        comms = {one.strip() for one in threads_of(bot, "comm")}
        assert {"director", "layer 0", "layer 1"} <= comms, comms
        for thread in threads:
            assert thread["NoNewPrivs"] == "1" and thread["Seccomp"] == "2", thread["Name"]
            # CAP_DAC_OVERRIDE and CAP_FOWNER, where the server is root.
            assert int(thread["CapEff"], 16) & ~0b1010 == 0, thread["Name"]
        if os.geteuid() == 0:
            nobody = pwd.getpwnam("nobody")
            assert user_of(bot) == ({nobody.pw_uid}, {nobody.pw_gid}, [])
            assert user_of(server.process.pid)[0] == {0}
        shown = environment_of(bot)
        assert CREDENTIALS.encode() not in shown and b"AWS_" not in shown
        assert b"eyJ" not in shown  # a token, as every JWT begins
        limits = limits_of(bot)
        assert limits["core file size"] == [0, 0]
        for name, most in [("data size", 8 << 30), ("processes", 16384), ("open files", 1024)]:
            assert 0 < limits[name][0] <= limits[name][1] <= most, (name, limits[name])
        assert tokens.SECRET.encode() not in environment_of(server.process.pid)

        segments(server, stream, 3)
        server.stop_stream(room)
        done = server.wait_for_status(stream["id"], "completed", 4 * TIMEOUT)
        assert {one["type"] for one in done["recording_assets"]}, done
        if os.geteuid() == 0:
            # The finisher's files belong to its own user too.
            movies = list(server.recordings.rglob("*.mp4"))
            assert movies and {one.stat().st_uid for one in movies} == {nobody.pw_uid}
    finally:
        assert server.stop() == 0
    log = server.log.read_text()
    missing = [line for line in log.splitlines() if "a wall of the sandbox is missing" in line]
    # An older kernel's Landlock can do less, which the log states.
    assert all("Landlock is of version" in line for line in missing), missing


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has bots of another user")
def test_bots_are_whom_the_settings_say(binary, room, tmp_path):
    server = Server(tmp_path, binary=binary, settings=SHORT_SEGMENTS | {"ROOMCAST_BOTS_USER": "root"})
    try:
        stream = server.start_stream(room, {"ladder": LADDER})
        server.wait_for_status(stream["id"], "running", TIMEOUT)
        assert user_of(writer(directory(server, stream)))[0] == {0}
    finally:
        assert server.stop() == 0
