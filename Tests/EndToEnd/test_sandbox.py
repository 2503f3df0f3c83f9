"""What bots and finishers may do to the machine, and what is shown of the server's keys."""

import re
from pathlib import Path

from harness import tokens
from harness.assets import BOTH, LADDER, SHORT_SEGMENTS, TIMEOUT, directory, segments, writer
from harness.server import Server

CREDENTIALS = "somebody-elses-credentials"


def status_of_threads(process):
    for task in Path(f"/proc/{process}/task").iterdir():
        text = (task / "status").read_text()
        yield dict(re.findall(r"^(\w+):\s*(\S*)", text, re.MULTILINE))


def environment_of(process):
    return Path(f"/proc/{process}/environ").read_bytes()


def test_a_bot_is_confined_and_sees_no_secrets(binary, room, tmp_path, monkeypatch):
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", CREDENTIALS)
    server = Server(
        tmp_path, binary=binary,
        settings=SHORT_SEGMENTS | {"ROOMCAST_RECORDINGS_THUMBNAILS": '{"sprite": true}'})
    try:
        stream = server.start_stream(room, {"ladder": LADDER, "recording": BOTH})
        server.wait_for_status(stream["id"], "running", TIMEOUT)
        bot = writer(directory(server, stream))
        threads = list(status_of_threads(bot))
        # They could tell the kernel their names.
        comms = {one.read_text().strip() for one in Path(f"/proc/{bot}/task").glob("*/comm")}
        assert {"director", "layer 0", "layer 1"} <= comms, comms
        for thread in threads:
            assert thread["NoNewPrivs"] == "1" and thread["Seccomp"] == "2", thread["Name"]
            # CAP_DAC_OVERRIDE and CAP_FOWNER, where the server is root.
            assert int(thread["CapEff"], 16) & ~0b1010 == 0, thread["Name"]
        shown = environment_of(bot)
        assert CREDENTIALS.encode() not in shown and b"AWS_" not in shown
        assert b"eyJ" not in shown  # a token, as every JWT begins
        limits = Path(f"/proc/{bot}/limits").read_text()
        assert re.search(r"Max core file size +0 +0 ", limits)
        assert tokens.SECRET.encode() not in environment_of(server.process.pid)

        segments(server, stream, 3)
        server.stop_stream(room)
        done = server.wait_for_status(stream["id"], "completed", 4 * TIMEOUT)
        assert {one["type"] for one in done["recording_assets"]}, done
    finally:
        assert server.stop() == 0
    log = server.log.read_text()
    missing = [line for line in log.splitlines() if "a wall of the sandbox is missing" in line]
    # An older kernel's Landlock knows less, which is said.
    assert all("Landlock is of version" in line for line in missing), missing
