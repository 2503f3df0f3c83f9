"""Captions from a program that recognizes speech: who spoke, when, and past its death."""

import ctypes
import json
import os
import re
import subprocess
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness import hls, listener
from harness.assets import SHORT_SEGMENTS, TIMEOUT, directory, manifest, start
from harness.publisher import Publisher
from harness.scene import CLIPS
from harness.server import Server
from harness.waiting import wait_for

PROGRAM = Path(listener.__file__)
PYTHON = "/usr/bin/python3"
# The program dies once, after this many lines.
LINES = 3
CAPTIONS = {"languages": [{"code": "en", "name": "English"}, {"code": "de", "name": "Deutsch"}]}


@pytest.fixture
def heard():
    """Where the program notes what it is told; it may be another user."""
    with tempfile.TemporaryDirectory() as directory:
        Path(directory).chmod(0o777)
        log = Path(directory, "heard.jsonl")
        log.touch()
        log.chmod(0o666)
        yield log


@pytest.fixture
def listening(binary, tmp_path, heard):
    """A server whose streams are listened to."""
    command = f"{PYTHON},{PROGRAM},{heard},{LINES}"
    server = Server(tmp_path / "server", settings=SHORT_SEGMENTS | {
        "ROOMCAST_CAPTIONS_STT_COMMAND": command})
    yield server
    assert server.stop() == 0, server.tail()


def notes(heard):
    return [json.loads(line) for line in heard.read_text().splitlines()]


def said(folder):
    """Speaker and text of each caption that is on air."""
    found = []
    playlist = folder / "captions_en/stream.m3u8"
    for one in hls.parse_media(playlist.read_text()).segments if playlist.exists() else []:
        text = (folder / "captions_en" / one.uri).read_text()
        found += [pair for pair in re.findall(r"<v (.+?)>(.+?)</v>", text) if pair not in found]
    return found


def test_words_are_captions_of_who_spoke_past_the_death_of_the_program(listening, heard, room):
    server = listening
    with Publisher(server, room, CLIPS / "ann.webm", name="Ann & co"), \
            Publisher(server, room, CLIPS / "ben.webm", name="Ben"):
        begin = time.time() * 1000
        stream = start(server, room, recording={"hls_vod": True}, captions=CAPTIONS)
        folder = directory(server, stream)
        wait_for("both are heard, after a death of the program", lambda: (
            {name for name, _ in said(folder)} == {"Ann &amp; co", "Ben"}
            and len({one["process"] for one in notes(heard)}) >= 2
            and len(said(folder)) > LINES), 6 * TIMEOUT)
        assert all(text.startswith(f"{name} says ") for name, text in said(folder))
        # The one that was started again was told who is there.
        processes = [one["process"] for one in notes(heard) if "started" in one]
        names = {one["peer_name"] for one in notes(heard)
                 if one["process"] == processes[1] and "speaker" in one}
        assert names == {"Ann & co", "Ben"}
        server.stop_stream(room)
        server.wait_for_status(stream["id"], "completed", 2 * TIMEOUT)
    # A word may be said between the wish that the stream end and its end.
    end = time.time() * 1000
    # What it heard was on the stream's clock.
    lines = [json.loads(line.rsplit(" *", 1)[0])
             for line in (folder / "captions.log").read_text().splitlines()]
    assert len(lines) > LINES
    for one in lines:
        assert one["language"] == "en" and one["peer_id"]
        assert begin - 2000 <= one["start_ms"] < one["end_ms"] <= end + 1000, one
        # Their clips are silent most of the time.
        assert one["end_ms"] - one["start_ms"] < 20_000
    text = next(one for one in manifest(server, stream)["assets"]
                if one["id"].endswith("-transcript-en-json"))
    transcript = json.loads((server.recordings / text["path"]).read_text())["transcript"]
    assert {one["peer_name"] for one in transcript} == {"Ann & co", "Ben"}
    # Neither the program nor its keeper is left.
    for process in {one["process"] for one in notes(heard)}:
        wait_for(f"{process} is gone", lambda process=process: not Path(f"/proc/{process}").exists(),
                 TIMEOUT)


def test_a_stream_without_its_language_is_not_listened_to(listening, heard, room):
    server = listening
    with Publisher(server, room, CLIPS / "ann.webm", name="Ann"):
        stream = start(server, room, captions={"languages": [{"code": "de"}]})
        playlist = directory(server, stream) / "captions_de/stream.m3u8"
        wait_for("some segments", lambda: playlist.exists() and len(
            hls.parse_media(playlist.read_text()).segments) > 3, 2 * TIMEOUT)
        server.stop_stream(room)
        server.wait_for_status(stream["id"], "completed", 2 * TIMEOUT)
    assert notes(heard) == []


def test_a_program_that_cannot_be_started_costs_no_stream(binary, tmp_path, room):
    server = Server(tmp_path, settings=SHORT_SEGMENTS | {
        "ROOMCAST_CAPTIONS_STT_COMMAND": "/nowhere/at/all", "ROOMCAST_CAPTIONS_LANGUAGES": "en"})
    try:
        stream = start(server, room)
        folder = directory(server, stream)
        wait_for("the reason is logged",
                 lambda: "/nowhere/at/all" in server.log.read_text(), 2 * TIMEOUT)
        answer = server.manage("POST", f"/live-streams/{stream['id']}/captions",
                               {"captions": [{"text": "typed"}]})
        assert answer.status == 200
        wait_for("captions by the API are shown", lambda: any(
            "typed" in one.read_text() for one in (folder / "captions_en").glob("*.vtt")),
            2 * TIMEOUT)
        server.stop_stream(room)
        server.wait_for_status(stream["id"], "completed", 2 * TIMEOUT)
    finally:
        server.stop()


@contextmanager
def keeper(binary, *command, user=None, prepare=None):
    """A program's keeper without a bot."""
    options = ["--user", user] if user else []
    process = subprocess.Popen(
        [binary, "speech", *options, "--", *command], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True, preexec_fn=prepare)
    # A line that does not come must not hold up the tests: the end of the output is read instead.
    watch = threading.Timer(TIMEOUT, process.kill)
    watch.start()
    try:
        yield process
    finally:
        watch.cancel()
        process.stdin.close()
        process.wait(TIMEOUT)
        process.stdout.close()


def test_a_program_that_closes_its_output_and_stays_is_killed(binary):
    stubborn = "import signal, os, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); " \
        "os.close(1); time.sleep(600)"
    with keeper(binary, PYTHON, "-c", stubborn) as process:
        assert "died of signal 9; it is started again in 1 s" in process.stdout.readline()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_no_program_is_started_by_root_that_cannot_become_the_user(binary, tmp_path):
    # setgid and setuid are not allowed any more: PR_CAPBSET_DROP.
    def lose():
        for capability in (6, 7):
            ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)

    trace = tmp_path / "trace"
    with keeper(binary, "/bin/sh", "-c", f"id -u > {trace}; sleep 600", user="65534:65534",
                prepare=lose) as process:
        lines = process.stdout.read()
        assert process.wait(TIMEOUT) == 1
    assert "the program would run as root" in lines and not trace.exists()
