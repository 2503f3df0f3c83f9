"""Starts and stops that meet each other."""

import concurrent.futures
import time
from pathlib import Path

import numpy as np
import pytest

from harness.assets import BOTH, LADDER, TIMEOUT, check_assets, directory, segments, start
from harness.server import Server
from harness.waiting import wait_for

BODY = {"ladder": LADDER, "recording": BOTH}


@pytest.fixture
def server(binary, receiver, tmp_path):
    server = Server(tmp_path / "server", settings=receiver.settings)
    yield server
    assert server.stop() == 0, server.tail()


def processes(of):
    """Those that were started for a directory."""
    found = []
    for one in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if str(of).encode() in one.read_bytes():
                found.append(one.parent.name)
        except OSError:
            continue  # it has just ended
    return found


def test_a_stop_during_the_start_leaves_the_record_and_one_event(server, receiver, room):
    # At every step of a bot's start: its process, its pipeline, its connection, its room.
    for number, moment in enumerate(np.arange(0, 0.4, 0.04)):
        recording = (None, BOTH)[number % 2]
        stream = server.start_stream(room, {"ladder": LADDER, "recording": recording})
        time.sleep(moment)
        server.stop_stream(room)
        done = server.wait_for_status(stream["id"], "completed", TIMEOUT)
        assert done["started_at"] is None and done["recording_assets"] is None
        assert done["stopped_at"] is not None
        folder = directory(server, stream)
        assert processes(folder) == []
        assert [one.name for one in folder.iterdir()] == ["stream.json"]
        wait_for("it is told", lambda: receiver.types(stream["id"]), TIMEOUT)
    wait_for("nothing is left to be told", lambda: not server.manage(
        "GET", "/analytics/webhooks?status=pending").json["data"], TIMEOUT)
    told = [event for event in receiver.accepted if event["data"]["room_id"] == room]
    assert {event["type"] for event in told} == {"hls.failure"}
    assert {event["data"]["error_type"] for event in told} == {"BEAM_STOPPED"}
    assert len({event["data"]["beam_id"] for event in told}) == len(told) == 10
    assert list(server.recordings.glob(f"hls/{room}/*/*")) == []


def test_a_start_during_the_stop_is_a_stream_of_its_own(server, receiver, room, tmp_path):
    first = start(server, room)
    segments(server, first, 2)
    server.stop_stream(room)
    second = server.start_stream(room, BODY)
    assert second["id"] != first["id"] and second["status"] == "starting"
    server.wait_for_status(second["id"], "running", TIMEOUT)
    server.wait_for_status(first["id"], "completed", TIMEOUT)
    segments(server, second, 2)
    server.stop_stream(room)
    server.wait_for_status(second["id"], "completed", TIMEOUT)
    for stream in first, second:
        assert check_assets(server, stream, tmp_path) >= 4
        wait_for("its end is told", lambda one=stream: receiver.types(one["id"]) == [
            "hls.started.success", "hls.stopped.success", "hls.recording.success"], TIMEOUT)


def test_ten_starts_at_once_are_one_stream_and_ten_equal_answers(server, room):
    with concurrent.futures.ThreadPoolExecutor(10) as pool:
        starts = [pool.submit(server.start_stream, room, BODY) for _ in range(10)]
        answers = [one.result() for one in starts]
    for one in answers:
        one.pop("warnings", None)  # which are the first one's: nobody had made the room
    assert all(one == answers[0] for one in answers), answers
    listed = server.manage("GET", f"/live-streams?room_id={room}").json["data"]
    assert [one["id"] for one in listed] == [answers[0]["id"]]
    server.wait_for_status(answers[0]["id"], "running", TIMEOUT)
    assert len(processes(directory(server, answers[0]))) == 1
    server.stop_stream(room)
    server.wait_for_status(answers[0]["id"], "completed", TIMEOUT)
