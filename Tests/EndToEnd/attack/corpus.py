"""Honest clients' data, to be damaged; and the worst valid data."""

import json
import struct
import uuid
import zlib

from harness.signalling import DATA_CHANNEL_OFFER

STUN_COOKIE = 0x2112A442
AUDIO = "\r\n".join([
    "m=audio 9 UDP/TLS/RTP/SAVPF 111 63", "c=IN IP4 0.0.0.0", "a=rtcp:9 IN IP4 0.0.0.0",
    "a=ice-ufrag:tEsT", "a=ice-pwd:0123456789abcdef01234567",
    "a=fingerprint:sha-256 " + ":".join(["A5"] * 32), "a=setup:actpass", "a=mid:1",
    "a=extmap:1 urn:ietf:params:rtp-hdrext:ssrc-audio-level", "a=sendonly",
    "a=msid:stream-one track-one", "a=rtcp-mux", "a=rtpmap:111 opus/48000/2",
    "a=fmtp:111 minptime=10;useinbandfec=1", "a=rtpmap:63 red/48000/2", "a=fmtp:63 111/111",
    "a=ssrc:1234 cname:abc", ""])
VIDEO = "\r\n".join([
    "m=video 9 UDP/TLS/RTP/SAVPF 96 97 102", "c=IN IP4 0.0.0.0", "a=ice-ufrag:tEsT",
    "a=ice-pwd:0123456789abcdef01234567", "a=fingerprint:sha-256 " + ":".join(["A5"] * 32),
    "a=setup:actpass", "a=mid:2", "a=sendonly", "a=msid:stream-one track-two", "a=rtcp-mux",
    "a=rtpmap:96 VP8/90000", "a=rtcp-fb:96 nack pli", "a=rtpmap:97 rtx/90000", "a=fmtp:97 apt=96",
    "a=rtpmap:102 H264/90000", "a=fmtp:102 packetization-mode=1;profile-level-id=42e01f",
    "a=rid:f send", "a=rid:h send", "a=simulcast:send f;h", ""])
OFFER = DATA_CHANNEL_OFFER.replace("BUNDLE 0", "BUNDLE 0 1 2") + AUDIO + VIDEO
TRACKS = {"track-one": {"track_id": "track-one", "stream_id": "stream-one", "type": "audio",
                        "source": "regular", "description": "", "mute": False}}


def frame(method, params, is_call=True):
    found = {"method": method, "params": params}
    return found | ({"id": str(uuid.uuid4()), "jsonrpc": "2.0"} if is_call else {})


def frames():
    """One of each kind of request in a room."""
    return [
        frame("join", {"name": "Mallory", "data": "", "offer": {"type": "offer", "sdp": OFFER}}),
        frame("offer", {"desc": {"type": "offer", "sdp": OFFER}, "tracks": TRACKS}),
        frame("answer", {"desc": {"type": "answer", "sdp": OFFER}}, False),
        frame("trickle", {"target": 0, "candidate": {
            "candidate": "candidate:1 1 udp 2122260223 127.0.0.1 54321 typ host",
            "sdpMid": "0", "sdpMLineIndex": 0, "usernameFragment": "tEsT"}}, False),
        frame("track-update", {"tracks": {"track-one": {"mute": True}}}, False),
        frame("broadcast", {"info": {"message": "hello", "type": "chat"}, "roles": ["host"]}),
        frame("peer-update", {"name": "Mallory", "data": "{}"}),
        frame("set-metadata", {"key": "k", "data": {"a": [1, 2]}, "if_change_version": 0}),
        frame("get-metadata", {"key": "k"}),
        frame("listen-metadata-change", {"keys": ["k"]}),
        frame("find-peer", {"role": "host", "limit": 10}),
        frame("peer-name-search", {"query": "ma", "limit": 10, "offset": 0}),
        frame("group-join", {"name": "_handraise"}),
        frame("role-change-request", {"requested_for": "x", "role": "host", "force": True}),
        frame("poll-create", {"poll": {"title": "t", "type": "poll", "duration": 10}}),
        frame("poll-questions-set", {"poll_id": "p", "questions": []}),
        frame("hls-start", {"variants": [{"meeting_url": "https://example.org", "metadata": ""}]}),
        frame("hls-timed-metadata", {"metadata_objs": [{"payload": "x", "duration": 1}]}),
        frame("ping", {"timestamp": 1}),
        frame("analytics", {"events": [{}]}, False),
    ]


def worst_frames():
    """Whole, well-formed and as dear as may be."""
    def text(method, body):
        return f'{{"method":"{method}","id":"1","jsonrpc":"2.0","params":{body}}}'

    def nested(depth, length):
        one = "[" * depth + "]" * depth
        return "[" + ",".join([one] * max(1, length // len(one))) + "]"

    sections = (AUDIO + VIDEO) * 150
    candidates = "a=candidate:1 1 udp 2122260223 127.0.0.1 54321 typ host\r\n" * 4000
    for length in (100_000, 250_000, 1_000_000):
        yield text("broadcast", f'{{"info":{{"message":{nested(50, length)},"type":"chat"}}}}')
        yield text("set-metadata", f'{{"key":"k","data":{nested(12, length)}}}')
        yield text("set-metadata", f'{{"key":"k","data":{nested(60, length)}}}')
        yield text("set-metadata", '{"key":"k","data":' + "[" * length)
        yield text("set-metadata", '{"key":"k","data":{' + ",".join(
            f'"{index}":{index}' for index in range(length // 12)) + "}}")
        yield text("broadcast", '{"info":{"message":"' + "\\u00e9" * (length // 6) + '"}}')
        yield text("broadcast", '{"info":{"message":' + "9" * length + "}}")
    yield json.dumps(frame("offer", {"desc": {"type": "offer", "sdp": OFFER + sections}}))
    yield json.dumps(frame("offer", {"desc": {"type": "offer", "sdp": OFFER + candidates}}))
    yield json.dumps(frame("find-peer", {"peers": [str(index) for index in range(20_000)]}))


REQUESTS = [
    b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET /api/rooms HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n\r\n",
    b"HEAD /watch.html HTTP/1.1\r\nHost: 127.0.0.1\r\nRange: bytes=0-10\r\n\r\n",
    b"GET /streams/../../etc/passwd HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET /streams/%2e%2e/%00/x.m3u8?a=b HTTP/1.1\r\nHost: 127.0.0.1\r\nIf-None-Match: \"x\"\r\n\r\n",
    b"POST /v2/token HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    b"Content-Length: 32\r\n\r\n{\"code\":\"abc-def\",\"user_id\":\"m\"}",
    b"POST /v2/rooms HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"5\r\n{\"a\":\r\n1\r\n1\r\n1\r\n}\r\n0\r\n\r\n",
    b"OPTIONS /v2/rooms HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: https://example.org\r\n"
    b"Access-Control-Request-Method: POST\r\n\r\n",
    b"GET /ws?peer=x&token=y HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n"
    b"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
]
WORST_REQUESTS = [
    b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"X-A: b\r\n" * 20_000 + b"\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: " + b"b" * 500_000 + b"\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nRange: bytes=" + b"0-1," * 20_000 + b"2-3\r\n\r\n",
    b"POST /v2/token HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 999999999999\r\n\r\n{",
    b"POST /v2/token HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"
    + b"1\r\n[\r\n" * 50_000 + b"0\r\n\r\n",
    REQUESTS[0] * 2_000,
]
# Method, path and body of the control API, for a management token.
CALLS = [
    ("POST", "/v2/rooms", {"name": "attacked", "description": "d", "template_id": "default"}),
    ("POST", "/v2/rooms/attacked", {"enabled": True}),
    ("POST", "/v2/templates", {"name": "t", "roles": {"guest": {
        "name": "guest", "publishParams": {"allowed": ["audio"], "audio": {"bitRate": 32}},
        "subscribeParams": {"subscribeToRoles": ["guest"]}, "permissions": {}, "priority": 1}}}),
    ("POST", "/v2/live-streams/room/healthy/stop-nothing", {"a": 1}),
    ("PATCH", "/v2/live-streams/none", {"layout": {"mode": "grid"}}),
    ("POST", "/v2/live-streams/none/timed-metadata", {"payload": "x", "duration": 1}),
    ("POST", "/v2/active-rooms/none/send-message", {"message": "x", "type": "chat"}),
    ("POST", "/v2/recordings/room/none/start", {"layers": [], "audio_only": "x"}),
    ("POST", "/v2/room-codes/room/attacked", {}),
    ("GET", "/v2/recording-assets?limit=10&start=x", None),
]


def stun(random):
    """A binding request with a user name and an unchecked integrity."""
    def attribute(kind, value):
        return struct.pack("!HH", kind, len(value)) + value + bytes(-len(value) % 4)

    body = (attribute(0x0006, b"abcd:tEsT") + attribute(0x0024, b"\x6e\x7f\x1e\xff")
            + attribute(0x802A, random.randbytes(8)) + attribute(0x0025, b"")
            + attribute(0x0008, random.randbytes(20)))
    head = struct.pack("!HHI", 1, len(body) + 8, STUN_COOKIE) + random.randbytes(12)
    checksum = zlib.crc32(head + body) ^ 0x5354554E
    return head + body + attribute(0x8028, struct.pack("!I", checksum))


def client_hello(random):
    """A DTLS 1.2 ClientHello (RFC 6347 sect. 4.2) with use_srtp (RFC 5764)."""
    suites = struct.pack("!HHHH", 0xC02B, 0xC02F, 0xC009, 0xC013)
    extensions = (struct.pack("!HHH", 14, 5, 2) + b"\x00\x01\x00"
                  + struct.pack("!HHHHH", 10, 6, 4, 0x001D, 0x0017)
                  + struct.pack("!HHHHH", 13, 6, 4, 0x0403, 0x0804))
    body = (b"\xfe\xfd" + random.randbytes(32) + b"\x00\x00" + struct.pack("!H", len(suites))
            + suites + b"\x01\x00" + struct.pack("!H", len(extensions)) + extensions)
    size = len(body).to_bytes(3, "big")
    handshake = b"\x01" + size + b"\x00\x00" + b"\x00\x00\x00" + size + body
    return b"\x16\xfe\xff\x00\x00" + bytes(6) + struct.pack("!H", len(handshake)) + handshake


def rtp(random):
    return (struct.pack("!BBHII", 0x90, 96, random.randrange(1 << 16), random.randrange(1 << 32),
                        1234) + b"\xbe\xde\x00\x01\x10\x80\x00\x00" + random.randbytes(200))


def rtcp(random):
    """A compound packet: sender report, source description, NACK, PLI and transport feedback."""
    report = struct.pack("!BBHIIIIII", 0x80, 200, 6, 1234, 3900000000, 0, 0, 10, 1000)
    names = struct.pack("!BBHIBB", 0x81, 202, 2, 1234, 1, 1) + b"a\x00"
    nack = struct.pack("!BBHIIHH", 0x81, 205, 3, 1234, 5678, random.randrange(1 << 16), 0xFFFF)
    pli = struct.pack("!BBHII", 0x81, 206, 2, 1234, 5678)
    feedback = struct.pack("!BBHIIHHIHH", 0x8F, 205, 5, 1234, 5678, 1, 8, 1 << 8, 0x2008, 0)
    return report + names + nack + pli + feedback


def sender_reports(source, count=40):
    """As many as a datagram holds, all of one source."""
    return b"".join(struct.pack("!BBH4sIIIII", 0x80, 200, 6, source, 3900000000, 0, index, 10, 1000)
                    for index in range(count))


def sctp(random):
    """INIT, DATA and a stream reset (RFC 9260, RFC 6525); the checksum is wrong, so that the
    association's own gate reads it."""
    head = struct.pack("!HHII", 5000, 5000, random.randrange(1 << 32), 0)
    init = struct.pack("!BBHIIHHI", 1, 0, 20, 1, 1 << 20, 1024, 1024, 1)
    data = struct.pack("!BBHIHHI", 0, 3, 20, 1, 0, 0, 50) + b"abcd"
    reset = struct.pack("!BBHHHIII", 130, 0, 20, 13, 16, 1, 1, 1)
    return head + random.choice([init, data, reset, init + data, data * 20])
