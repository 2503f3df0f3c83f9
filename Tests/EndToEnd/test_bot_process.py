"""`roomcast bot` alone, against servers with behaviour that ours shows only occasionally."""

import base64
import hashlib
import json
import socket
import struct
import subprocess

import pytest

from harness import tokens
from harness.server import environment
from harness.signalling import Peer

TIMEOUT = 60  # s
ACCEPT_SUFFIX = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # RFC 6455 sect. 1.3

CONFIGURATION = {
    "room_id": "eager", "stream_id": "stream", "segment_seconds": 2,
    "playlist": {"mode": "event"}, "layout": {}, "preset": "ultrafast",
    "encoder": "x264",
    "ladder": [{"width": 320, "height": 180, "frame_rate": 30, "video_bitrate": 200_000,
                "audio_bitrate": 64_000}],
}


@pytest.fixture
def listener():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(TIMEOUT)
        yield listener


@pytest.fixture
def bot(request, binary, listener, tmp_path):
    """With the changes to its configuration that a test may name."""
    configuration = tmp_path / "bot.json"
    configuration.write_text(json.dumps(CONFIGURATION | getattr(request, "param", {})))
    process = subprocess.Popen(
        [str(binary), "bot", "--endpoint", f"http://127.0.0.1:{listener.getsockname()[1]}",
         "--output", str(tmp_path / "output"), "--configuration", str(configuration)],
        env=environment() | {"ROOMCAST_BOT_TOKEN": tokens.room_token("eager")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    yield process
    process.kill()
    process.communicate()


def accept(listener):
    """The next request: its connection and its header fields, the request line under ''."""
    connection, _ = listener.accept()
    connection.settimeout(TIMEOUT)
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += connection.recv(1) or pytest.fail(f"the bot closed after {head!r}")
    first, *lines = head.decode().strip().split("\r\n")
    fields = dict(line.split(": ", 1) for line in lines)
    return connection, {"": first} | {name.lower(): value for name, value in fields.items()}


def answer_init(listener):
    connection, fields = accept(listener)
    assert fields[""].startswith("GET /init?peer_id=")
    body = json.dumps({"endpoint": f"ws://127.0.0.1:{listener.getsockname()[1]}/ws"})
    connection.sendall(
        f"HTTP/1.1 200 OK\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n{body}"
        .encode()
    )
    connection.close()


def upgrade(fields):
    digest = hashlib.sha1(fields["sec-websocket-key"].encode() + ACCEPT_SUFFIX).digest()
    return (
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n"
        f"Sec-WebSocket-Accept: {base64.b64encode(digest).decode()}\r\n\r\n"
    ).encode()


def frame(message):
    data = json.dumps(message).encode()
    assert 125 < len(data) < 65_536
    return struct.pack("!BBH", 0x81, 126, len(data)) + data


def receive(connection, count):
    data = b""
    while len(data) < count:
        data += connection.recv(count - len(data)) or pytest.fail("the bot closed its socket")
    return data


def read_message(connection):
    """One text frame of a client, which masks what it sends."""
    first, size = receive(connection, 2)
    assert first == 0x81 and size & 0x80
    size &= 0x7F
    if size == 126:
        size = struct.unpack("!H", receive(connection, 2))[0]
    mask = receive(connection, 4)
    return json.loads(bytes(byte ^ mask[index % 4]
                            for index, byte in enumerate(receive(connection, size))))


def test_a_bot_hears_a_server_that_speaks_in_one_packet_with_its_upgrade(server, listener, bot):
    known = Peer(server, "eager", "Ann")
    policy = known.wait_for("on-policy-change")
    known.close()

    answer_init(listener)
    connection, fields = accept(listener)
    assert fields[""].startswith("GET /ws?")
    connection.sendall(
        upgrade(fields) + frame({"jsonrpc": "2.0", "method": "on-policy-change", "params": policy})
    )
    # It also pings from the start.
    message = read_message(connection)
    while message["method"] == "ping":
        message = read_message(connection)
    assert message["method"] == "join"
    assert message["params"]["offer"]["sdp"].startswith("v=0")
    connection.close()


def test_a_bot_that_cannot_reach_its_server_says_so_and_ends(listener, bot):
    listener.close()
    # Its standard input stays open: end of input would itself be a reason to end.
    assert bot.wait(TIMEOUT) != 0
    report = json.loads(bot.stdout.read().strip().splitlines()[-1])
    assert report["event"] == "failed" and report["reason"]


@pytest.mark.parametrize("bot", [{"encoder": "none"}], indirect=True)
def test_a_bot_that_opens_no_encoder_says_so(bot):
    assert bot.wait(TIMEOUT) != 0
    report = json.loads(bot.stdout.read().strip().splitlines()[-1])
    # The name by which the server knows this failure (StreamFailure).
    assert report["event"] == "failed"
    assert report["reason"].startswith("the stream cannot be encoded: "), report
