"""The server as a process among others: the ways it is ended, and the processes ended before it."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from harness import assets
from harness.assets import TIMEOUT
from harness.server import STOP_TIMEOUT, Server
from harness.terminal import Terminal
from harness.waiting import wait_for

SETTINGS = assets.SHORT_SEGMENTS


@pytest.fixture
def start(binary, tmp_path):
    """`start()`: a server that is gone when the test is."""
    servers = []

    def start(**options):
        servers.append(Server(tmp_path / str(len(servers)), **{"settings": SETTINGS} | options))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()


def full():
    return open("/dev/full", "wb")


def gone():
    """A pipe without a reader."""
    reader, writer = os.pipe()
    os.close(reader)
    return os.fdopen(writer, "wb")


@pytest.mark.parametrize("log", [full, gone])
def test_a_log_that_takes_no_line_ends_nobody(start, room, tmp_path, log):
    """Neither the server nor its bots and finishers, which write to it too."""
    with log() as file:
        server = start(log_file=file)
        stream = assets.start(server, room)
        assets.segments(server, stream, 2)
        server.stop_stream(room)
        server.wait_for_status(stream["id"], "completed", TIMEOUT)
        assets.check_assets(server, stream, tmp_path)
        assert server.metrics()["roomcast_bot_restarts_total"] == 0
        assert server.stop() == 0


def test_a_terminal_that_closes_stops_the_server_in_good_order(start, room):
    server = start(namespace=Terminal)
    stream = server.start_stream(room)
    server.wait_for_status(stream["id"], "running", TIMEOUT)
    bot = assets.writer(assets.directory(server, stream))
    # Every process started in the terminal gets the signal.
    os.kill(bot, signal.SIGHUP)
    server.process.send_signal(signal.SIGHUP)
    assert server.process.wait(STOP_TIMEOUT) == 0, server.tail()
    playlist = assets.directory(server, stream) / "stream_0" / "stream.m3u8"
    assert "#EXT-X-ENDLIST" in playlist.read_text()
    assert "reason=\"server shutdown\"" in server.log.read_text()


def test_who_wants_it_to_outlive_the_terminal_has_that(start, room):
    class NoHangUp:
        prefix = ["nohup"]

    server = start(namespace=NoHangUp)
    server.process.send_signal(signal.SIGHUP)
    stream = server.start_stream(room)
    server.wait_for_status(stream["id"], "running", TIMEOUT)
    os.kill(assets.writer(assets.directory(server, stream)), signal.SIGHUP)
    server.process.send_signal(signal.SIGHUP)
    assets.segments(server, stream, 3)
    assert server.stop() == 0


def score(process):
    return int(Path(f"/proc/{process}/oom_score_adj").read_text())


def test_the_kernel_ends_finishers_and_bots_before_the_server(start, room, binary, tmp_path):
    server = start()
    stream = server.start_stream(room)
    server.wait_for_status(stream["id"], "running", TIMEOUT)
    folder = assets.directory(server, stream)
    bot = assets.writer(folder)
    # It waits for the bot.
    finisher = subprocess.Popen(
        [str(binary), "finish", "--recordings", str(tmp_path), str(folder)],
        stdout=subprocess.DEVNULL)
    try:
        wait_for("the finisher says how it is to be treated",
                 lambda: score(finisher.pid) > score(bot), TIMEOUT)
        assert score(bot) > score(server.process.pid)
    finally:
        finisher.kill()
        finisher.wait()
