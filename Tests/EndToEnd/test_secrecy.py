"""The server's secrecy: no log contains tokens or secrets, and its files are readable by its own
group at most, whatever the umask it was started with."""

import os
import re

import pytest

from harness import tokens
from harness.receiver import SECRET
from harness.server import Server
from harness.signalling import Peer

# Three parts of base64url, of which the first two are JSON objects.
TOKEN = re.compile(r"\bey[A-Za-z0-9_-]{8,}\.ey[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}")


@pytest.fixture
def lived(binary, receiver, room, tmp_path):
    """A server that has streamed and recorded a room, and refused a client."""
    before = os.umask(0)
    try:
        server = Server(tmp_path, settings=receiver.settings | {"ROOMCAST_LOG_LEVEL": "trace"})
    finally:
        os.umask(before)
    try:
        peer = Peer(server, room, "Ann", role="host")
        assert "result" in peer.join()
        server.http.post(f"/api/rooms/{room}/token", body={"role": "guest"})
        wrong = tokens.room_token(room, secret="another secret of more than 32 bytes")
        for path in [f"/init?peer_id=p2&token={wrong}", f"/ws?peer=p2&token={wrong}"]:
            assert server.http.get(path, token=wrong).status in (400, 401)
        stream = server.start_stream(room, {"recording": {"single_file_per_layer": True}})
        server.wait_for_status(stream["id"], "running", 90)
        peer.close()
        server.stop_stream(room)
        server.wait_for_status(stream["id"], "completed", 60)
    finally:
        assert server.stop() == 0, server.tail()
    return server


def test_secrets_stay_with_the_server(lived):
    log = lived.log.read_text()
    assert "level=trace" in log or "level=debug" in log
    assert not TOKEN.findall(log)
    assert tokens.SECRET not in log and SECRET not in log
    written = [path for root in (lived.output, lived.recordings) for path in root.rglob("*")]
    assert len(written) > 10
    for path in written:
        assert path.lstat().st_mode & 0o027 == 0, f"{path}: {path.lstat().st_mode:o}"
        if path.is_file():
            assert tokens.SECRET.encode() not in path.read_bytes(), path
