"""The files in `deploy/` work: the nginx site in front of a server, the unit, the settings and all
names in them."""

import base64
import contextlib
import hashlib
import hmac
import json
import re
import shutil
import socket
import subprocess
import time
import types
from urllib.parse import urlencode

import pytest

from harness import tokens
from harness.http import Client
from harness.nginx import SITE, Nginx
from harness.prosody import Prosody
from harness.server import REPOSITORY, Server, environment, free_media_port, free_port
from harness.waiting import wait_for

DEPLOY = REPOSITORY / "deploy"
START_TIMEOUT = 60  # s


@pytest.fixture(scope="module")
def nginx(server, tmp_path_factory):
    nginx = Nginx(tmp_path_factory.mktemp("site") / "nginx", server)
    checked = nginx.check()
    assert checked.returncode == 0, checked.stderr
    assert "[warn]" not in checked.stderr and "[emerg]" not in checked.stderr, checked.stderr
    nginx.start()
    yield nginx
    nginx.close()


def write(server, path, text="x"):
    file = server.output / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def test_a_site_that_is_wrong_is_found(server, tmp_path):
    text = SITE.read_text().replace("proxy_buffering off;", "proxy_bufering off;")
    checked = Nginx(tmp_path / "nginx", server, text).check()
    assert checked.returncode != 0 and "proxy_bufering" in checked.stderr


def test_the_api_is_passed_on(nginx):
    assert nginx.http.get("/health").json["status"] == "ok"
    token = tokens.management_token()
    rooms = nginx.http.get("/v2/rooms", token=token)
    assert rooms.status == 200
    assert nginx.http.get("/v2/rooms").status == 401


def upgrade(path):
    return (f"GET {path} HTTP/1.1\r\nHost: rooms.example.test\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            "Sec-WebSocket-Version: 13\r\n\r\n").encode()


def test_openvidus_socket_is_passed_on(nginx, room):
    with nginx.connect("127.0.0.1", nginx.port) as connection, connection.makefile("rb") as file:
        connection.sendall(upgrade(f"/openvidu?sessionId={room}"))
        assert file.readline().startswith(b"HTTP/1.1 101 ")


def test_the_socket_is_passed_on_and_its_token_is_in_no_log(nginx, room):
    query = urlencode({"peer": "p1", "token": tokens.room_token(room)})
    with nginx.connect("127.0.0.1", nginx.port) as connection, connection.makefile("rb") as file:
        connection.sendall(upgrade(f"/ws?{query}"))
        assert file.readline().startswith(b"HTTP/1.1 101 ")
        while file.readline() != b"\r\n":
            pass
        # The room's first message: a text frame.
        assert file.read(1) == b"\x81"
    wait_for("the line of the socket", lambda: "/ws" in nginx.access_log.read_text(), 60)
    signature = tokens.room_token(room).split(".")[-1]
    for log in [nginx.access_log, nginx.log]:
        assert "token=" not in log.read_text() and signature not in log.read_text()


def test_streams_are_served_from_the_disk(server, nginx, room):
    write(server, f"{room}/s1/master.m3u8", "#EXTM3U\n")
    write(server, f"{room}/s1/stream_0/segment_000001.ts", "0123456789")
    playlist = nginx.http.get(f"/hls/{room}/s1/master.m3u8")
    assert playlist.status == 200 and playlist.body == b"#EXTM3U\n"
    assert playlist.headers["content-type"] == "application/vnd.apple.mpegurl"
    assert playlist.headers["cache-control"] == "no-cache"
    path = f"/hls/{room}/s1/stream_0/segment_000001.ts"
    part = nginx.http.get(path, headers={"Range": "bytes=2-4"})
    assert part.status == 206 and part.body == b"234"
    assert part.headers["access-control-allow-origin"] == "*"
    assert "immutable" in part.headers["cache-control"]
    # The first request from another site's page.
    asked = nginx.http.request("OPTIONS", path, headers={
        "Origin": "https://player.example", "Access-Control-Request-Method": "GET",
        "Access-Control-Request-Headers": "range"})
    assert asked.status == 204
    assert "Range" in asked.headers["access-control-allow-headers"]


def test_media_playlists_come_from_roomcast_and_without_it_from_the_disk(
        server, nginx, room, tmp_path):
    file = f"{room}/s1/stream_0/stream.m3u8"
    write(server, file, "#EXTM3U\n")
    write(server, f"{room}/s1/stream_0/segment_000001.m4s", "0123456789")
    playlist = nginx.http.get(f"/hls/{file}?_HLS_msn=1")
    assert playlist.status == 200 and playlist.body == b"#EXTM3U\n"
    assert playlist.headers["x-content-type-options"] == "nosniff"
    # What is not there may be a part that is coming, which only Roomcast knows.
    missing = nginx.http.get(f"/hls/{room}/s1/stream_0/part_000002_0.m4s")
    assert missing.status == 404 and missing.headers["access-control-allow-origin"] == "*"
    away = types.SimpleNamespace(
        output=server.output, host="127.0.0.1", port=free_port(socket.SOCK_STREAM))
    alone = Nginx(tmp_path / "nginx", away)
    alone.start()
    try:
        playlist = alone.http.get(f"/hls/{file}?_HLS_msn=1")
        assert playlist.status == 200 and playlist.body == b"#EXTM3U\n"
        assert playlist.headers["cache-control"] == "no-cache"
        segment = alone.http.get(f"/hls/{room}/s1/stream_0/segment_000001.m4s")
        assert segment.status == 200 and segment.body == b"0123456789"
    finally:
        alone.close()


@pytest.mark.parametrize("path", [
    ".secret.m3u8", ".secret.ts", ".hidden/s1/a.m3u8", ".hidden/s1/a.ts", "ROOM/.s1/a.m3u8",
    "ROOM/.s1/a.ts", "ROOM/s1/.a.ts", "ROOM/s1/.b/a.m3u8", "ROOM/s1/chat.csv",
    "ROOM/s1/stream.json", "%2Esecret.ts", "ROOM/%2Es1/a.ts", "x/..%2F.secret.ts", "//.secret.ts",
    "ROOM/s1/link.ts", "ROOM/linked/a.ts",
])
def test_nothing_else_of_the_directory_is_served(server, nginx, room, path, tmp_path):
    for name in [".secret.m3u8", ".secret.ts", ".hidden/s1/a.m3u8", ".hidden/s1/a.ts",
                 f"{room}/.s1/a.m3u8", f"{room}/.s1/a.ts", f"{room}/s1/.a.ts",
                 f"{room}/s1/.b/a.m3u8", f"{room}/s1/chat.csv", f"{room}/s1/stream.json"]:
        write(server, name, "secret")
    (tmp_path / "a.ts").write_text("secret")
    (server.output / room / "s1/link.ts").symlink_to(tmp_path / "a.ts")
    (server.output / room / "linked").symlink_to(tmp_path)
    answer = nginx.http.get(f"/hls/{path.replace('ROOM', room)}")
    assert answer.status in (400, 403, 404), answer.status
    assert b"secret" not in answer.body


def playback_link(stream, expiry):
    """What Roomcast signs an address with: HMAC-SHA256 by a key of HKDF (RFC 5869) without a salt."""
    def code(key, message):
        return hmac.new(key, message, hashlib.sha256).digest()

    key = code(code(bytes(32), tokens.SECRET.encode()), b"roomcast playback addresses v1\x01")
    signature = base64.urlsafe_b64encode(code(key, f"{stream}\n{expiry}".encode())).rstrip(b"=")
    return f"{stream}.{expiry}.{signature.decode()}"


def test_streams_whose_address_is_signed_are_served_by_it_alone(server, nginx, room):
    write(server, f"{room}/.s2/master.m3u8", "#EXTM3U\n")
    write(server, f"{room}/.s2/stream_0/segment_000001.ts", "segment")
    now = int(time.time())
    for link, status in [
        (playback_link("s2", now + 600), 200), (playback_link("s2", now - 1), 403),
        (playback_link("s2", now + 600)[:-4] + "AAAA", 403), ("s2", 404), (".s2", 404),
    ]:
        for name in ["master.m3u8", "stream_0/segment_000001.ts"]:
            assert nginx.http.get(f"/hls/{room}/{link}/{name}").status == status, (link, name)
    assert f"{room}/s2." not in nginx.access_log.read_text()


def verified(unit, tmp_path):
    file = tmp_path / "roomcast.service"
    # The binary is not installed here, and its path is not under test.
    file.write_text(unit.replace("/usr/local/bin/roomcast", "/bin/true"))
    result = subprocess.run(["systemd-analyze", "verify", "--man=no", str(file)],
                            capture_output=True, text=True)
    return result.returncode, (result.stdout + result.stderr).strip()


def test_the_unit_is_one(tmp_path):
    text = (DEPLOY / "roomcast.service").read_text()
    assert verified(text, tmp_path) == (0, "")
    # Proof that the check reports an unknown name.
    _, complaint = verified(text.replace("ProtectClock=", "ProtectClok="), tmp_path)
    assert "ProtectClok" in complaint


def test_the_settings_are_loaded(binary, tmp_path):
    """By a server that listens elsewhere than the file says."""
    port = free_port(socket.SOCK_STREAM)
    own = {
        "ROOMCAST_HTTP_PORT": str(port), "ROOMCAST_UDP_HOST": "127.0.0.1",
        "ROOMCAST_UDP_PORT": str(free_media_port()),
        "ROOMCAST_OUTPUT_DIRECTORY": str(tmp_path / "streams"),
        "ROOMCAST_RECORDINGS_DIRECTORY": str(tmp_path / "recordings"),
        "ROOMCAST_AUTH_ACCESS_KEY": tokens.ACCESS_KEY, "ROOMCAST_AUTH_SECRET": tokens.SECRET,
    }
    log = tmp_path / "log"
    with log.open("wb") as file:
        server = subprocess.Popen(
            [str(binary), "serve", "--configuration", str(DEPLOY / "roomcast.json")],
            cwd=tmp_path, env=environment() | own, stdin=subprocess.DEVNULL, stdout=file,
            stderr=subprocess.STDOUT)
    try:
        client = Client("127.0.0.1", port)

        def endpoint():
            assert server.poll() is None, log.read_text()
            try:
                return client.get("/init?peer_id=p1", token=tokens.room_token("demo")).json
            except OSError:
                return None

        told = wait_for("the server answers", endpoint, START_TIMEOUT)
        # As in the file, which names no address that nobody has.
        assert told["endpoint"].startswith(f"ws://127.0.0.1:{port}/ws")
    finally:
        server.terminate()
        assert server.wait(60) == 0, log.read_text()
    assert all(json.loads(line) for line in log.read_text().splitlines())


class ShippedProsody(Prosody):
    """It has our module beside its configuration, where its user may read it."""

    def _configure(self, hosts, *others):
        modules = self.directory / "modules"
        shutil.copytree(DEPLOY / "prosody", modules)
        place = "/usr/local/share/roomcast/prosody"
        assert place in hosts
        super()._configure(hosts.replace(place, str(modules)), *others)


def test_prosody_with_its_settings_takes_the_focus(tmp_path):
    port = free_port(socket.SOCK_STREAM)
    text = (DEPLOY / "prosody-jitsi.cfg.lua").read_text()
    assert "5347" in text and "http_ports = { 5280 }" in text
    # Its ports are the tests' own.
    text = text.replace("5347", str(port)).replace("http_ports = { 5280 }", "")
    focus = {"server": f"127.0.0.1:{port}", "component": "focus.meet.example.org",
             "rooms": "conference.meet.example.org", "recorders": "recorder.meet.example.org",
             "secret": re.search('component_secret = "(.+)"', text).group(1)}
    with contextlib.closing(ShippedProsody({}, text, main="meet.example.org")) as prosody:
        prosody.start()
        server = Server(
            tmp_path, settings={"ROOMCAST_JITSI_FOCUS": json.dumps(focus)})
        try:
            wait_for("focus and recorders are there", lambda: prosody.log.read_text().count(
                "External component successfully authenticated") == 2, START_TIMEOUT)
            # Where clients come in.
            web = Client("127.0.0.1", prosody.web_port)
            assert web.get("/xmpp-websocket").status == 200
            assert "Unable to load" not in prosody.log.read_text()
        finally:
            assert server.stop() == 0, server.tail()


def test_all_that_is_named_is_a_setting():
    """The Dockerfile's and the unit's variables, and the kernel settings."""
    known = set(re.findall(r"`(ROOMCAST_[A-Z_]+)`",
                           (REPOSITORY / "docs/CONFIGURATION.md").read_text()))
    for name in ["Dockerfile", "roomcast.service", "debian/roomcast.postinst"]:
        named = set(re.findall(r"ROOMCAST_[A-Z_]+", (DEPLOY / name).read_text()))
        assert named and named <= known, named - known
    lines = (DEPLOY / "90-roomcast.conf").read_text().splitlines()
    settings = [line for line in lines if line and not line.startswith("#")]
    assert settings
    for line in settings:
        assert re.fullmatch(r"net\.core\.[rw]mem_max = [1-9][0-9]*", line), line
