"""The metrics for a monitoring system."""

import contextlib
import socket
import subprocess

from harness import tokens
from harness.http import Client
from harness.server import Server, free_port
from harness.waiting import wait_for

TIMEOUT = 60  # s


def test_a_stream_is_in_the_metrics_of_the_server(server, room):
    before = server.metrics()
    stream = server.start_stream(room)
    server.wait_for_status(stream["id"], "running", TIMEOUT)
    found = server.metrics()
    assert found['roomcast_streams{status="running"}'] >= 1
    assert found["roomcast_stream_starts_total"] == before["roomcast_stream_starts_total"] + 1
    took = (found["roomcast_stream_start_seconds_total"]
            - before["roomcast_stream_start_seconds_total"])
    assert 1 < took < TIMEOUT
    # The recorder's two connections, and what goes to and fro on them.
    assert found["roomcast_media_connections"] >= 2
    for direction in ("received", "sent"):
        name = f'roomcast_media_datagrams_total{{direction="{direction}"}}'
        assert found[name] > before[name]
    assert found['roomcast_disk_free_bytes{directory="output"}'] > 0
    assert found["process_resident_memory_bytes"] > 10e6
    server.stop_stream(room)
    server.wait_for_status(stream["id"], "completed", TIMEOUT)
    ended = 'roomcast_streams_ended_total{status="completed"}'
    wait_for("it is counted as completed",
             lambda: server.metrics()[ended] > before[ended], TIMEOUT)


def test_an_address_of_their_own_needs_no_token_and_has_nothing_else(binary, tmp_path):
    port = free_port(socket.SOCK_STREAM)
    with contextlib.ExitStack() as ending:
        server = Server(tmp_path, settings={"ROOMCAST_METRICS_PORT": str(port)})
        ending.callback(server.stop)
        own = Client(server.host, port)
        answer = own.get("/metrics")
        assert answer.status == 200 and b"roomcast_streams_accepting 1" in answer.body
        for path in ("/", "/health", "/v2/rooms", "/assets/common/base.css"):
            assert own.get(path, token=tokens.management_token()).status == 404
        assert own.post("/metrics").status == 405
        assert server.http.get("/metrics").status == 401, "a token as ever, where all come"
        # A port that is taken is named.
        second = subprocess.run(
            [str(binary), "serve"], capture_output=True, text=True, timeout=TIMEOUT,
            cwd=tmp_path, env=server.environment | {
                "ROOMCAST_HTTP_PORT": "0", "ROOMCAST_UDP_PORT": "0",
                "ROOMCAST_OUTPUT_DIRECTORY": str(tmp_path / "o"),
                "ROOMCAST_RECORDINGS_DIRECTORY": str(tmp_path / "r")})
        assert second.returncode != 0
        assert f"ROOMCAST_METRICS_PORT: metrics.port is not valid: {port} on" in second.stderr
