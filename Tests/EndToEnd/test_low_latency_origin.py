"""Low-latency HLS as the origin serves it, of a real bot: by the rules of draft-pantos-hls-rfc8216bis,
past a bot's death, in hls.js, and through nginx and Varnish."""

import concurrent.futures
import subprocess
import time

import pytest

from harness import low_latency, tokens
from harness.assets import TIMEOUT, directory, kill, start, writer
from harness.following import follow, made
from harness.hls_js import is_beyond
from harness.http import Client, path_of
from harness.low_latency import parse
from harness.nginx import SITE, Nginx
from harness.varnish import Varnish
from harness.waiting import wait_for

WATCHED = 12  # s without a death
DEATH_WATCHED = 25  # s with one
VIEWERS = 50


@pytest.fixture(scope="module")
def stream(server):
    """A stream on air, and its layers' playlists."""
    name = "low-latency"
    one = start(server, name, low_latency=True)
    folder = directory(server, one)
    beside = (folder / "cmaf.m3u8").exists()
    base = path_of(one["playback"]["url"]).rsplit("/", 1)[0]
    layers = sorted(folder.glob("cmaf_*" if beside else "stream_*"))
    paths = [f"{base}/{layer.name}/stream.m3u8" for layer in layers]
    wait_for("parts are listed", lambda: all(
        "PRELOAD-HINT" in server.http.get(path).body.decode() for path in paths), TIMEOUT)
    yield one, folder, paths
    server.stop_stream(name)


def test_every_reload_obeys_the_rules(server, stream):
    _, _, paths = stream
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for watch, waits in pool.map(
                lambda path: follow(server, path, WATCHED, len(paths) - 1), paths):
            assert watch.faults == []
            assert watch.unkept == 0 and watch.steps_back == 0
            # As often as parts come, and no more: some may come two at once.
            parts = made(watch)
            assert parts > WATCHED / watch.whole.part_target / 2, "the stream itself goes on"
            assert 0.8 * parts - 2 < len(waits) < 1.2 * parts + 2


def test_the_whole_playlist_and_its_deltas_say_the_same(server, stream):
    _, _, paths = stream
    watch, _ = follow(server, paths[0], 3, len(paths) - 1)
    whole = parse(server.http.get(paths[0]).body.decode())
    known = {one.number: one.lasting for one in watch.whole.segments}
    assert all(known.get(one.number, one.lasting) == one.lasting for one in whole.segments)


@pytest.mark.parametrize("query", [
    "_HLS_msn=9999", "_HLS_msn=-1", "_HLS_msn=one", "_HLS_part=0", "_HLS_skip=no"])
def test_nonsense_is_refused_at_once(server, stream, query):
    answer = server.http.get(f"{stream[2][0]}?{query}")
    assert answer.status == 400 and answer.headers["access-control-allow-origin"] == "*"


def test_the_hinted_part_comes_when_it_is_made(server, stream):
    path = stream[2][0]
    folder = path.rsplit("/", 1)[0]
    for _ in range(6):
        hint = parse(server.http.get(path).body.decode()).hints[0]["URI"]
        answer = server.http.get(f"{folder}/{hint}")
        assert answer.status == 200 and answer.body[4:8] in (b"moof", b"styp", b"prft", b"emsg")
        again = server.http.get(f"{folder}/{hint}", headers={"Range": "bytes=4-7"})
        assert again.status == 206 and again.body == answer.body[4:8]
    assert server.http.get(f"{folder}/part_99999_0.m4s").status == 404


def test_many_wait_for_one_part(server, stream):
    path = stream[2][0]
    newest = parse(server.http.get(path).body.decode())
    number, part = newest.newest
    with concurrent.futures.ThreadPoolExecutor(VIEWERS) as pool:
        answers = list(pool.map(lambda _: server.http.get(
            f"{path}?_HLS_msn={number + 1}&_HLS_part=0"), range(VIEWERS)))
    assert {one.status for one in answers} == {200}
    assert all(parse(one.body.decode()).has(number + 1, 0) for one in answers)


def test_segments_and_their_parts_have_the_same_media(server, stream):
    path = stream[2][0]
    folder = path.rsplit("/", 1)[0]
    segment = parse(server.http.get(path).body.decode()).segments[-1]
    assert segment.parts
    whole = server.http.get(f"{folder}/{segment.uri}").body
    parts = b"".join(server.http.get(f"{folder}/{one.uri}").body for one in segment.parts)
    media = [sum(size for kind, size in low_latency.boxes(one) if kind == b"mdat")
             for one in (whole, parts)]
    # Only the boxes' own bytes differ.
    assert abs(media[0] - media[1]) <= 8 * len(segment.parts)


def test_through_nginx(server, stream, tmp_path):
    nginx = Nginx(tmp_path / "nginx", server)
    nginx.start()
    try:
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for watch, waits in pool.map(
                    lambda _: follow(nginx, stream[2][0], 6, len(stream[2]) - 1), range(8)):
                assert watch.faults == []
                assert len(waits) > max(1, 0.8 * made(watch) - 2), "parts are waited for"
        path = stream[2][0]
        hint = parse(nginx.http.get(path).body.decode()).hints[0]["URI"]
        part = nginx.http.get(f"{path.rsplit('/', 1)[0]}/{hint}")
        assert part.status == 200
        assert nginx.http.get(f"{path.rsplit('/', 1)[0]}/part_99999_0.m4s").status == 404
        # A player's requests wait beside one another on one connection of HTTP/2.
        number = parse(nginx.http.get(path).body.decode()).next + 1
        address = f"https://127.0.0.1:{nginx.port}{path}"
        done = subprocess.run(
            ["curl", "-sSk", "--http2", "--parallel", "-w", "%{http_version} %{http_code}\n",
             "-o", tmp_path / "now", address,
             "-o", tmp_path / "later", f"{address}?_HLS_msn={number}&_HLS_part=0"],
            check=True, capture_output=True, text=True, timeout=TIMEOUT)
        assert done.stdout == "2 200\n2 200\n"
        assert parse((tmp_path / "later").read_text()).has(number, 0)
    finally:
        nginx.close()


def watch_by(many, proxy, stream):
    """Viewers behind a proxy, all of the same playlist: how often they have reloaded it."""
    with concurrent.futures.ThreadPoolExecutor(many) as pool:
        watched = list(pool.map(
            lambda _: follow(proxy, stream[2][0], 6, len(stream[2]) - 1), range(many)))
    assert all(watch.faults == [] for watch, _ in watched)
    return sum(len(waits) for _, waits in watched)


def test_nginx_makes_one_request_of_many(server, stream, tmp_path):
    """With the lines of its site that are comments: at its own pace, but nothing wrong."""
    site = SITE.read_text().replace("#~ ", "").replace(
        '"$http_user_agent"', "[$upstream_cache_status]")
    nginx = Nginx(tmp_path / "nginx", server, site)
    nginx.start()
    try:
        reloads = watch_by(8, nginx, stream)
        wait_for("the log has all", lambda: (
            nginx.access_log.read_text().count("/stream.m3u8 ") >= reloads), TIMEOUT)
        log = nginx.access_log.read_text()
        passed = log.count("[MISS]") + log.count("[EXPIRED]")
        assert 0 < passed <= reloads / 3, (passed, reloads)
        path = stream[2][0]
        hint = parse(nginx.http.get(path).body.decode()).hints[0]["URI"]
        assert nginx.http.get(f"{path.rsplit('/', 1)[0]}/{hint}").status == 200
    finally:
        nginx.close()


@pytest.fixture
def varnish(server):
    varnish = Varnish(server)
    try:
        varnish.start()
        yield varnish
    finally:
        varnish.close()


def test_varnish_makes_one_request_of_many(server, stream, varnish):
    before = varnish.passed_on()
    reloads = watch_by(8, varnish, stream)
    passed = varnish.passed_on() - before
    # As often as parts come, and no more.
    assert reloads > 8 * 6 and passed <= reloads / 3, (passed, reloads)


def test_many_wait_for_one_part_at_varnish(server, stream, varnish):
    """In the same moment, by playlist and by file."""
    path = stream[2][0]
    folder = path.rsplit("/", 1)[0]
    newest = parse(varnish.http.get(path).body.decode())
    number, _ = newest.newest
    wishes = [f"{path}?_HLS_msn={number + 1}&_HLS_part=0",
              f"{folder}/{newest.hints[0]['URI']}"]
    before = varnish.passed_on()
    with concurrent.futures.ThreadPoolExecutor(VIEWERS) as pool:
        answers = list(pool.map(
            lambda index: varnish.http.get(wishes[index % 2]), range(VIEWERS)))
    assert {one.status for one in answers} == {200}
    assert varnish.passed_on() - before == 2
    assert all(parse(one.body.decode()).has(number + 1, 0) for one in answers[::2])
    assert len({one.body for one in answers[1::2]}) == 1
    part = varnish.http.get(wishes[1], headers={"Range": "bytes=4-7"})
    assert part.status == 206 and part.body == answers[1].body[4:8]


def test_varnish_passes_on_what_is_refused_and_all_that_is_no_stream(server, stream, varnish):
    path = stream[2][0]
    for query, status in [("_HLS_msn=9999", 400), ("_HLS_part=0", 400)]:
        answer = varnish.http.get(f"{path}?{query}")
        assert answer.status == status and answer.headers["access-control-allow-origin"] == "*"
    assert varnish.http.get(f"{path.rsplit('/', 1)[0]}/part_99999_0.m4s").status == 404
    assert varnish.http.get("/v2/rooms").status == 401
    assert varnish.http.get("/v2/rooms", token=tokens.management_token()).status == 200
    # Without what a player adds for itself, it is the same playlist.
    varnish.http.get(f"{path}?session=1")
    before = varnish.passed_on()
    for session in range(20):
        assert varnish.http.get(f"{path}?session={session}").status == 200
    assert varnish.passed_on() - before < 20


def test_a_dead_bot_costs_a_discontinuity(server, stream, viewer):
    one, folder, paths = stream
    viewer.play(one["playback"].get("cmaf_url") or one["playback"]["url"])
    wait_for("playback begins", lambda: viewer.state()["time"] > 0, TIMEOUT)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        watched = [pool.submit(follow, server, path, DEATH_WATCHED, len(paths) - 1)
                   for path in paths]
        time.sleep(3)
        kill(writer(folder))
        layer = folder / paths[0].split("/")[-2]
        wait_for("what comes behind the discontinuity is shown",
                 lambda: is_beyond(viewer, layer), 2 * TIMEOUT)
        begin = viewer.state()["time"]
        wait_for("playback goes on", lambda: viewer.state()["time"] > begin + 3, 2 * TIMEOUT)
        for future in watched:
            watch, _ = future.result()
            assert watch.faults == []
            # What the dead bot had begun, once.
            assert watch.unkept <= 1 and watch.steps_back <= 1
            assert sum(one.discontinuities for one in watch.known.values()) <= 1


def test_the_end_answers_who_waits(server, stream):
    path = stream[2][0]
    number = parse(server.http.get(path).body.decode()).next + 1
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(
            Client(server.host, server.port).get, f"{path}?_HLS_msn={number}")
        server.stop_stream("low-latency")
        answer = waiting.result(TIMEOUT)
    assert answer.status == 200 and b"#EXT-X-ENDLIST" in answer.body
