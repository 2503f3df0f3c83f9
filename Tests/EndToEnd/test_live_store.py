"""A live stream is uploaded to an S3 store while it is on air, and no playlist there names a missing file."""

import collections
import os
import random
import time
import urllib.request
from urllib.parse import urljoin

import pytest

from harness import assets, hls
from harness.server import Server
from harness.store import ENCRYPTION, PREFIX, Store
from harness.waiting import wait_for

TIMEOUT = 60  # s
SEED = 20_261_122
# As in test_object_storage.py: many attempts in a short time.
AWAY = float(os.environ.get("ROOMCAST_STORE_AWAY_SECONDS", "6"))
KEPT = 20  # s from the end of a stream until it goes; its copy is checked before
SEGMENT = {"ROOMCAST_STREAM_SEGMENT_SECONDS": "1"}


@pytest.fixture
def store(moto):
    store = Store(moto)
    watch(store)
    yield store
    store.close()


def watch(store):
    """Every playlist is checked on arrival: the files that it names must exist already."""
    def check(request):
        if request.method != "PUT" or not request.path.endswith(".m3u8"):
            return
        folder = request.path.rpartition("/")[0]
        there = {one.path for one in store.done("PUT")}
        for line in request.body.decode().splitlines():
            if line and not line.startswith("#") and f"{folder}/{line}" not in there:
                store.errors.append(f"{request.path} names {line}")

    store.forwarded = check


def settings(store, **more):
    names = {"LIVE": "true", "LIVE_URL": store.public} | more
    return store.settings | SEGMENT | {
        f"ROOMCAST_RECORDINGS_STORE_{name}": text for name, text in names.items()}


def fetch(url):
    with urllib.request.urlopen(url, timeout=30) as answer:
        return answer.read(), {name.lower(): value for name, value in answer.headers.items()}


def copy(server, stream):
    return server.stream(stream["id"])["live_upload"] or {}


def cut(server, stream):
    """Segments of the best layer on the disk."""
    playlist = assets.directory(server, stream) / "stream_0" / "stream.m3u8"
    return len(hls.parse_media(playlist.read_text()).segments)


def key(stream, name):
    return f"{PREFIX}/live/{stream['room_id']}/{stream['id']}/{name}"


def check_copy(server, moto, stream):
    """It equals the bots' files, byte for byte, and each segment decodes."""
    folder = assets.directory(server, stream)
    for name in "master.m3u8", "stream_0/stream.m3u8", "stream_1/stream.m3u8":
        assert moto.object(key(stream, name)) == (folder / name).read_bytes(), name
    playlists = {}
    for layer in "stream_0", "stream_1":
        playlist = hls.parse_media(moto.object(key(stream, f"{layer}/stream.m3u8")).decode())
        assert playlist.is_ended
        for one in playlist.segments:
            assert (moto.object(key(stream, f"{layer}/{one.uri}"))
                    == (folder / layer / one.uri).read_bytes())
            assets.decode(folder / layer / one.uri)
        playlists[layer] = playlist
    return playlists


def wait_for_copy(server, stream):
    wait_for("the copy is complete", lambda: copy(server, stream).get("complete"), TIMEOUT)


def test_viewers_can_be_sent_to_the_store_from_the_first_moment(
        binary, moto, receiver, tmp_path):
    store = Store(moto, encryption={ENCRYPTION: "AES256"})
    watch(store)
    # Nothing is sent twice just because a busy machine takes its time to answer.
    server = Server(tmp_path, settings=settings(store, ENCRYPTION="AES256", TIMEOUT_SECONDS="20")
                    | receiver.settings)
    try:
        stream = server.start_stream("on-air", {"ladder": assets.LADDER})
        url = stream["playback"]["url"]
        assert url == f"{store.public}/live/on-air/{stream['id']}/master.m3u8"
        server.wait_for_status(stream["id"], "running", TIMEOUT)
        # Once the stream is reported as running, its files are in the store.
        master, headers = fetch(url)
        assert headers["content-type"] == "application/vnd.apple.mpegurl"
        assert headers["cache-control"] == "public, max-age=60"
        assert copy(server, stream)["playable"]
        for variant in [line for line in master.decode().splitlines() if line[:1] != "#"]:
            text, headers = fetch(urljoin(url, variant))
            assert headers["content-type"] == "application/vnd.apple.mpegurl"
            assert headers["cache-control"] == "public, max-age=0"
            first = hls.parse_media(text.decode()).segments[0].uri
            _, headers = fetch(urljoin(urljoin(url, variant), first))
            assert headers["content-type"] == "video/mp2t"
            assert headers["cache-control"] == "public, max-age=31536000, immutable"
        wait_for("it follows", lambda: len(hls.parse_media(
            moto.object(key(stream, "stream_0/stream.m3u8")).decode()).segments) >= 4, TIMEOUT)
        wait_for("webhooks", lambda: receiver.types(stream["id"]), TIMEOUT)
        [started] = [one for one in receiver.accepted if one["type"] == "hls.started.success"]
        assert started["data"]["url"] == url
        server.stop_stream("on-air")
        server.wait_for_status(stream["id"], "completed", TIMEOUT)
        wait_for_copy(server, stream)
        check_copy(server, moto, stream)
        assets.decode(url)
        # Each file was sent once.
        sent = collections.Counter(
            one.path for one in store.done("PUT") if one.path.endswith(".ts"))
        assert set(sent.values()) == {1}
        assert moto.head(key(stream, "stream_0/segment_000000.ts"))[ENCRYPTION] == "AES256"
        # The server has it too.
        assert server.http.get(
            f"/hls/on-air/{stream['id']}/stream_0/segment_000000.ts").status == 200
    finally:
        assert server.stop() == 0
        store.close()


def test_whatever_the_store_and_the_bot_do_the_copy_comes_to_be_what_was_on_air(
        binary, moto, store, tmp_path):
    chance = random.Random(SEED)
    seen = collections.Counter()
    kinds = [403, 500, 503, "slow", "cut", "lost", "half"]

    def fault(request):
        if request.method != "PUT" or all(seen[kind] >= 2 for kind in kinds):
            return None
        if chance.random() < 0.4:
            return None
        kind = min(kinds, key=lambda kind: (seen[kind], chance.random()))
        seen[kind] += 1
        return kind

    store.fault = fault
    server = Server(tmp_path, settings=settings(store))
    try:
        stream = assets.start(server, "faults", recording=None)
        wait_for("each fault came twice", lambda: all(seen[kind] >= 2 for kind in kinds),
                 2 * TIMEOUT)
        before = cut(server, stream)
        # The store goes, and then the bot dies.
        store.go()
        assert assets.kill(assets.writer(assets.directory(server, stream)))
        time.sleep(AWAY)
        wait_for("it went on without the store", lambda: cut(server, stream) > before + 2,
                 TIMEOUT)
        away = copy(server, stream)
        assert away["failures"] > 0 and away["segments_waiting"] > 0 and away["reason"]
        store.come()
        wait_for("it has caught up", lambda: copy(server, stream)["failures"] == 0
                 and copy(server, stream)["segments_waiting"] <= 1, TIMEOUT)
        assert server.stream(stream["id"])["status"] == "running"
        server.stop_stream("faults")
        server.wait_for_status(stream["id"], "completed", TIMEOUT)
        wait_for_copy(server, stream)
        playlists = check_copy(server, moto, stream)
        assert sum(one.is_discontinuity for one in playlists["stream_0"].segments) == 1
    finally:
        assert server.stop() == 0
    assert "live stream not stored yet" in server.log.read_text()
    assert "live stream is stored again" in server.log.read_text()


def test_a_server_that_was_killed_leaves_no_copy_without_its_end(
        binary, moto, store, tmp_path):
    server = Server(tmp_path, settings=settings(store))
    stream = assets.start(server, "killed", recording=None)
    wait_for("some of it is there", lambda: copy(server, stream)["segments_stored"] >= 2, TIMEOUT)
    store.go()
    before = cut(server, stream)
    wait_for("there is more", lambda: cut(server, stream) >= before + 2, TIMEOUT)
    server.process.kill()
    server.process.wait()
    server.stop()
    sent = {one.path for one in store.done("PUT") if one.path.endswith(".ts")}
    before = len(store.requests)
    store.come()
    server = Server(tmp_path, settings=settings(store))
    try:
        wait_for_copy(server, stream)
        check_copy(server, moto, stream)
        told = copy(server, stream)
    finally:
        assert server.stop() == 0
    server = Server(tmp_path, settings=settings(store))
    try:
        assert told["playable"]
        wait_for("the next one knows it too", lambda: copy(server, stream) == told, TIMEOUT)
    finally:
        assert server.stop() == 0
    again = {one.path for one in store.requests[before:] if one.path in sent}
    assert len(again) <= 2, "at most what was on its way is sent once more"


def test_a_window_moves_in_the_store_and_all_goes_when_its_time_is_over(
        binary, moto, store, tmp_path):
    window = {"ROOMCAST_STREAM_PLAYLIST": "live", "ROOMCAST_STREAM_PLAYLIST_WINDOW": "3",
              "ROOMCAST_RECORDINGS_KEEP_DAYS": f"{KEPT / 86_400:.6f}"}
    server = Server(tmp_path, settings=settings(store) | window)

    def there():
        return {one for one in moto.keys() if one.startswith(key(stream, ""))}

    try:
        stream = assets.start(server, "window", recording=None)
        wait_for("the first segment left", lambda: key(
            stream, "stream_0/segment_000000.ts") not in there() and len(there()) > 4, TIMEOUT)
        text = moto.object(key(stream, "stream_0/stream.m3u8")).decode()
        assert hls.parse_media(text).segments[0].uri > "segment_000005.ts"
        server.stop_stream("window")
        server.wait_for_status(stream["id"], "completed", TIMEOUT)
        wait_for_copy(server, stream)
        check_copy(server, moto, stream)
        wait_for("its time is over", lambda: not there(), KEPT + TIMEOUT)
        wait_for("nothing is known of it", lambda: not list(
            (server.recordings / "live").glob("*/*")), TIMEOUT)
        assert copy(server, stream) == {}
    finally:
        assert server.stop() == 0


def test_a_stream_runs_though_the_store_is_away_from_its_start(binary, moto, store, tmp_path):
    store.go()
    server = Server(tmp_path, settings=settings(store))
    try:
        stream = server.start_stream("away", {"ladder": assets.LADDER})
        server.wait_for_status(stream["id"], "running", TIMEOUT)
        assert not copy(server, stream)["playable"]
        store.come()
        wait_for("it can be played", lambda: copy(server, stream)["playable"], TIMEOUT)
        # A stopped server uploads the end before it exits.
    finally:
        assert server.stop() == 0
    playlist = hls.parse_media(moto.object(key(stream, "stream_0/stream.m3u8")).decode())
    assert playlist.is_ended
