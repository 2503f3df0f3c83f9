"""The metrics for a monitoring system."""

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
