"""A recorder whom no media can reach must not stream a slate and call it a success."""

from harness.namespace import Namespace
from harness.server import Server

# Six bots that wait 8 s each, and some.
FAILURE_TIMEOUT = 300  # s


def test_a_stream_that_no_media_reach_fails_and_says_so(binary, tmp_path):
    namespace = Namespace()
    try:
        # All UDP, including to this machine itself: otherwise the `local` rule comes first.
        for rule in ("add pref 5 ipproto udp blackhole", "add pref 10 lookup local", "del pref 0"):
            namespace.run(f"ip rule {rule}")
        server = Server(tmp_path, namespace=namespace)
        try:
            stream = server.start_stream("deaf")
            record = server.wait_for_status(stream["id"], "failed", FAILURE_TIMEOUT)
            assert "no media path to the server" in record["stop_reason"], record
            assert record["started_at"] is None, "nobody was told that it runs"
        finally:
            server.stop()
    finally:
        namespace.close()
