"""Whose doing it was that a bot died stands in the stream's state, its record and the log."""

import json
import os
import signal

import pytest

from harness import assets
from harness.assets import TIMEOUT
from harness.server import Server
from harness.waiting import wait_for


@pytest.fixture
def server(binary, tmp_path):
    server = Server(tmp_path, settings=assets.SHORT_SEGMENTS)
    yield server
    assert server.process.poll() is None, f"the server died:\n{server.tail()}"
    assert server.stop() == 0, server.tail()


def test_a_bot_that_somebody_kills(server, room):
    stream = assets.start(server, room)
    folder = assets.directory(server, stream)
    assets.segments(server, stream, 2)
    assert server.stream(stream["id"])["process_deaths"] == []
    os.kill(assets.writer(folder), signal.SIGKILL)
    (death,) = wait_for(
        "its death is told", lambda: server.stream(stream["id"])["process_deaths"], TIMEOUT)
    assert death["at"].endswith("Z")
    assert death | {"at": ""} == {
        "process": "bot", "cause": "outside", "signal": 9, "status": None, "message": None,
        "at": ""}

    def kept():
        details = json.loads(json.loads((folder / "stream.json").read_text())["details"])
        return [one["cause"] for one in details.get("process_deaths", [])]

    # It is written down after it is told.
    wait_for("its record has it", lambda: kept() == ["outside"], TIMEOUT)
    lines = [line for line in server.log.read_text().splitlines() if "bot died" in line]
    assert len(lines) == 1 and "cause=outside" in lines[0] and "signal=9" in lines[0], lines
    server.wait_for_status(stream["id"], "running", TIMEOUT)
    server.stop_stream(room)
    # It is kept with the stream's end.
    done = server.wait_for_status(stream["id"], "completed", TIMEOUT)
    assert done["process_deaths"] == [death]
