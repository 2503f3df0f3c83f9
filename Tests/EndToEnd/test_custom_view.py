"""Streams whose picture is a page of the web, shown by a browser."""

import contextlib
import os
import signal
import socket
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest
from harness import hls, media, tokens
from harness.caster import LADDER, TIMEOUT, serve, start, stop
from harness.push_servers import certificate
from harness.publisher import Publisher
from harness.server import REPOSITORY, free_media_port, free_port
from harness.waiting import wait_for
from harness.web_pages import WebPages

RED, BLUE = (200, 30, 30), (30, 30, 200)
ANN = (176, 58, 58)
# The browser's user may not write to a directory of the tests' own.
PROFILE_PLACES = {tempfile.gettempdir(), "/tmp", "/dev/shm"}


@pytest.fixture(scope="module")
def pages():
    with contextlib.closing(WebPages()) as pages:
        yield pages


@pytest.fixture(scope="module")
def secure(tmp_path_factory):
    _, context = certificate(tmp_path_factory.mktemp("secure"), "localhost")
    with contextlib.closing(WebPages(context)) as pages:
        yield pages


@pytest.fixture(scope="module")
def caster(binary, pages, secure, tmp_path_factory):
    old = profiles()
    port = free_port(socket.SOCK_STREAM)
    # Its own pages too, for views of its rooms.
    caster = serve(tmp_path_factory, f"{pages.name},{secure.name},127.0.0.1:{port}", port)
    yield caster
    assert caster.stop() == 0, caster.tail()
    wait_for("no browser is left", lambda: not browsers_of(caster), 60)
    wait_for("no profile is left", lambda: not profiles() - old, 60)


@pytest.fixture(scope="module")
def wary(binary, caster, pages, tmp_path_factory):
    """A server whose guard lets the pages pass, but whose browser takes them for strangers': for
    the browser this entry means names, and they have an address."""
    wary = serve(tmp_path_factory, "*.0.0.1:" + pages.name.rpartition(":")[2], maximum=5, cores=1)
    yield wary
    assert wary.stop() == 0, wary.tail()


@pytest.fixture(scope="module")
def doomed(wary, pages):
    """Streams of pages that never start. Each is given a minute, so they have it beside the tests
    of others."""
    return {page: start(wary, f"doomed-{page}", f"{pages.base}/{page}?key=secret")
            for page in ("broken", "silent", "endless")}


def profiles():
    return {name for directory in PROFILE_PLACES
            for name in os.listdir(directory) if name.startswith("roomcast-page-")}


def age(path):
    """In s; of what is gone it is without end."""
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return float("inf")


def below(server):
    """The processes that it and theirs have started, with their words."""
    words, parents = {}, {}
    for process in map(int, filter(str.isdigit, os.listdir("/proc"))):
        with contextlib.suppress(OSError):
            words[process] = words_of(process)
            stat = open(f"/proc/{process}/stat").read()
            parents[process] = int(stat.rpartition(")")[2].split()[1])

    def is_below(process):
        while process in parents:
            if process == server.process.pid:
                return True
            process = parents[process]
        return False

    return {process: words[process] for process in parents if is_below(process)}


def browsers_of(server):
    return [process for process, words in below(server).items()
            if b"--headless=new" in words and any(b"roomcast-page-" in word for word in words)]


def taken_by(server):
    """Files of a download, where its browsers could have put them."""
    places = {Path(one, name) for one in PROFILE_PLACES for name in os.listdir(one)
              if name.startswith("roomcast-page-")}
    for browser in browsers_of(server):
        with contextlib.suppress(OSError):
            places.add(Path(os.readlink(f"/proc/{browser}/cwd")) / "Downloads")
    places |= {server.directory, Path.home() / "Downloads"}
    return [path for place in places for path in place.rglob("*roomcast-taken*")]


def processor_time(server):
    """Of all its processes, in s."""
    ticks = 0
    for process in (server.process.pid, *below(server)):
        with contextlib.suppress(OSError):
            fields = open(f"/proc/{process}/stat").read().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def words_of(process):
    with contextlib.suppress(OSError):
        return open(f"/proc/{process}/cmdline", "rb").read().split(b"\0")
    return []


def picture_of(caster, stream, directory):
    """The median colour of the latest segment, and how loud it is."""
    layer = hls.Stream(caster.http, stream["playback"]["url"], directory).layers[0]
    segment = layer.playlist.segments[-1].path
    frames = media.frames(segment)
    return np.median(frames[-1].reshape(-1, 3), axis=0), np.abs(media.sound(segment)).max()


def assert_shows(caster, stream, colour, tmp_path_factory, has_sound=True):
    def shows():
        found, loud = picture_of(caster, stream, tmp_path_factory.mktemp("look"))
        is_heard = loud > 0.02 or not has_sound
        return np.abs(found - colour).max() < 40 and is_heard

    wait_for(f"the stream is {colour}", shows, TIMEOUT)


def evidence(caster, stream, name):
    return caster.http.request(
        "GET", f"/v2/live-streams/{stream['id']}/page/{name}", token=tokens.management_token())


def console(caster, stream):
    return evidence(caster, stream, "console").body.decode()


def failed(caster, stream):
    return caster.wait_for_status(stream["id"], "failed", TIMEOUT)["stop_reason"]


def test_variants_are_pages_of_their_own_beside_the_room(
        caster, pages, room, doomed, tmp_path_factory):
    streams = caster.manage("POST", f"/live-streams/room/{room}/start", {
        "ladder": LADDER,
        "variants": [
            {"meeting_url": f"{pages.base}/red?key=secret", "metadata": "red"},
            {"meeting_url": f"{pages.base}/blue", "metadata": "blue"},
            {"metadata": "room"},
        ]}).json["variants"]
    red, blue, default = (caster.stream(one["id"]) for one in streams)
    assert red["meeting_url"] == f"{pages.base}/red", "nobody is shown a key in the query"
    for stream in (red, blue):
        caster.wait_for_status(stream["id"], "running", TIMEOUT)
    assert_shows(caster, red, RED, tmp_path_factory)
    assert_shows(caster, blue, BLUE, tmp_path_factory)
    stop(caster, room, red, blue)
    assert "secret" not in caster.log.read_text()
    for name in ("console", "screenshot"):
        path = f"/v2/live-streams/{red['id']}/page/{name}"
        assert caster.http.get(path).status == 401
        guest = tokens.room_token(room, user="ann", role="host")
        assert caster.http.request("GET", path, token=guest).status in (401, 403)
    picture = evidence(caster, red, "screenshot")
    assert picture.status == 200 and picture.body[:2] == b"\xff\xd8"


def test_the_rooms_own_page_is_a_view_without_controls(caster, room, tmp_path_factory):
    """A hidden peer whom nobody sees: the token's role makes it one."""
    with Publisher(caster, room, REPOSITORY / "fixtures/media/ann.webm", "Ann"):
        token = tokens.room_token(room, user="view", role="__internal_recorder")
        url = f"{caster.base}/rooms/{room}?view=grid&auth_token={token}"
        stream = start(caster, room, url)
        assert stream["meeting_url"] == f"{caster.base}/rooms/{room}"
        caster.wait_for_status(stream["id"], "running", TIMEOUT)
        assert_shows(caster, stream, ANN, tmp_path_factory)
        peers = caster.manage("GET", f"/active-rooms/{room}/peers").json["peers"]
        assert [peer["name"] for peer in peers.values()] == ["Ann"]
        assert token not in console(caster, stream) + caster.log.read_text()
        stop(caster, room, stream)


def test_a_view_has_nothing_to_press(caster, browser, room):
    token = tokens.room_token(room, user="view", role="__internal_recorder")
    with Publisher(caster, room, REPOSITORY / "fixtures/media/ann.webm", "Ann"), \
            contextlib.closing(browser.new_page()) as page:
        page.goto(f"{caster.base}/rooms/{room}?view=grid&auth_token={token}")
        page.locator("video:visible").first.wait_for()
        for role in ("button", "textbox", "combobox", "link", "group", "dialog"):
            assert page.get_by_role(role).count() == 0, role


def test_a_view_shows_nothing_before_its_script_runs(browser, server, room):
    """Its stream would begin with a form."""
    with contextlib.closing(browser.new_page()) as page:
        held = []
        page.route("**/assets/room/room.js", lambda route: held.append(route))
        page.goto(f"{server.base}/rooms/{room}?view=grid", wait_until="commit")
        page.locator("#farewell").wait_for(state="attached")
        assert page.locator("body").inner_text() == ""
        assert page.locator("video:visible").count() == 0


def test_a_view_that_may_not_join_ends_its_stream(caster, room):
    url = f"{caster.base}/rooms/{room}?view=grid&auth_token=none"
    stream = start(caster, room, url)
    wait_for("the stream has ended", lambda: caster.manage(
        "GET", f"/live-streams/{stream['id']}").json["status"] in ("completed", "failed"), TIMEOUT)


def test_what_does_not_fit_is_refused(caster, pages, server, room):
    def answer(body, one=caster):
        return one.manage("POST", f"/live-streams/room/{room}/start", body)

    off = answer({"meeting_url": f"{pages.base}/red"}, server)
    assert off.status == 400 and "customView.enabled" in off.json["details"][0]
    for url in ("ftp://example.org/", "https://user@example.org/", "https://[::1]/", "file:///etc"):
        assert answer({"meeting_url": url}).status == 400, url
    signal = answer({"await_start_signal": True})
    assert signal.status == 400 and "await_start_signal" in signal.json["message"]
    variants = [{"meeting_url": f"{pages.base}/red", "metadata": str(n)} for n in range(4)]
    many = answer({"variants": variants})
    assert many.status == 503 and "0 of 3" in many.json["details"][0], many


def test_a_still_page_costs_little_and_streams_on(caster, pages, room, tmp_path_factory):
    stream = start(caster, room, f"{pages.base}/still")
    caster.wait_for_status(stream["id"], "running", TIMEOUT)
    assert_shows(caster, stream, RED, tmp_path_factory, has_sound=False)
    before, began = processor_time(caster), time.monotonic()
    time.sleep(3)
    # A tenth of a core was measured for browser, bot and server.
    cores = (processor_time(caster) - before) / (time.monotonic() - began)
    assert cores < 0.5, f"{cores:.2f} cores for a page that does not change"
    stop(caster, room, stream)
    file = hls.Stream(
        caster.http, stream["playback"]["url"], tmp_path_factory.mktemp("still")).top.file
    times = [one.pts for one in media.packets(file) if one.kind == "video"]
    steps = np.diff(sorted(times))
    assert len(steps) > 60 and np.abs(steps - 3000).max() <= 1, "30 pictures/s, in units of 1/90000"


def test_a_page_that_wants_much_of_a_user_is_streamed_without(
        caster, pages, room, tmp_path_factory):
    """It alerts, asks for a camera, and opens windows of another colour."""
    stream = start(caster, room, f"{pages.base}/wants")
    caster.wait_for_status(stream["id"], "running", TIMEOUT)
    for line in ("look at me", "refused: ", "opened", "no screen: NotAllowedError", "no place: 1",
                 "notifications: denied", "no clipboard: NotAllowedError"):
        wait_for(f"its console tells '{line}'",
                 lambda line=line: line in console(caster, stream), TIMEOUT)
    assert_shows(caster, stream, RED, tmp_path_factory)
    assert "/roomcast-taken.bin" in pages.asked
    assert not taken_by(caster), "what it has downloaded"
    stop(caster, room, stream)


def test_nothing_of_a_page_passes_the_guard_by(wary, pages, room):
    with contextlib.ExitStack() as stack:
        datagrams = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        port = free_media_port()
        datagrams.bind(("127.0.0.1", port))
        listener = stack.enter_context(socket.create_server(("127.0.0.1", port)))
        elsewhere = stack.enter_context(socket.create_server(("127.0.0.2", port)))
        stream = start(wary, room, f"{pages.base}/sneak?{port}")
        wary.wait_for_status(stream["id"], "running", TIMEOUT)
        wait_for("it has tried", lambda: "candidates " in console(wary, stream), TIMEOUT)
        told = console(wary, stream)
        assert "candidates 0,0, window null" in told, told
        assert "parts fetch error,img error,script error,socket error" in told, told
        for one in (datagrams, listener, elsewhere):
            one.setblocking(False)
        with pytest.raises(BlockingIOError):
            datagrams.recv(2048)
        for one in (listener, elsewhere):
            with pytest.raises(BlockingIOError):
                one.accept()
        stop(wary, room, stream)


def test_a_listed_page_may_use_webrtc(caster, pages, room):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
        datagrams.bind(("127.0.0.1", 0))
        datagrams.settimeout(TIMEOUT)
        port = datagrams.getsockname()[1]
        stream = start(caster, room, f"{pages.base}/sneak?{port}")
        assert datagrams.recv(2048), "so the test above would see a datagram"
        caster.wait_for_status(stream["id"], "running", TIMEOUT)
        stop(caster, room, stream)


def test_what_a_page_says_harms_nobody(caster, pages, room):
    stream = start(caster, room, f"{pages.base}/storm?key=secret")
    caster.wait_for_status(stream["id"], "running", TIMEOUT)
    wait_for("the rest is read", lambda: "after the storm" in console(caster, stream), TIMEOUT)
    assert len(console(caster, stream)) < 100_000
    assert caster.stream(stream["id"])["bot_restarts"] == 0
    stop(caster, room, stream)


def test_a_page_starts_when_it_says_so_in_each_layer(caster, pages, room, tmp_path):
    stream = start(caster, room, f"{pages.base}/signal", await_start_signal=True,
                   ladder=[*LADDER, {"width": 320, "height": 180, "videoBitrate": 200,
                                     "audioBitrate": 64}])
    caster.wait_for_status(stream["id"], "running", TIMEOUT)
    lines = console(caster, stream).splitlines()
    told = [n for n, line in enumerate(lines) if "START_RECORDING" in line]
    shown = [n for n, line in enumerate(lines) if " shown " in line]
    assert told and shown and told[0] < shown[0], lines
    stop(caster, room, stream)
    layers = hls.Stream(caster.http, stream["playback"]["url"], tmp_path).layers
    for layer, size in zip(layers, ((640, 360), (320, 180)), strict=True):
        video = media.streams(layer.file)["video"]
        assert (video["width"], video["height"]) == size
        shown = np.median(media.frames(layer.file)[-1].reshape(-1, 3), axis=0)
        assert np.abs(shown - RED).max() < 40, (size, shown)
        assert np.abs(media.sound(layer.file)).max() > 0.02


def test_a_page_ends_its_stream(caster, pages, room):
    """By a word, and by closing."""
    streams = {page: start(caster, f"{room}-{page}", f"{pages.base}/{page}")
               for page in ("ends", "closes")}
    for page, stream in streams.items():
        caster.wait_for_status(stream["id"], "running", TIMEOUT)
        pages.let(page)
    for stream in streams.values():
        ended = caster.wait_for_status(stream["id"], "completed", TIMEOUT)
        assert ended["stop_reason"] == "room ended"


def renderers(server):
    """Its browsers' processes with pages' code, the largest first."""
    found = []
    for process, words in below(server).items():
        with contextlib.suppress(OSError):
            if any(b"--type=renderer" in word for word in words):
                size = int(open(f"/proc/{process}/statm").read().split()[1])
                found.append((size, process))
    return [process for _, process in sorted(found, reverse=True)]


def bot_of(stream):
    for process in filter(str.isdigit, os.listdir("/proc")):
        words = words_of(process)
        if b"bot" in words[1:2] and any(stream["id"].encode() in word for word in words):
            return int(process)


def keeper_of(browser):
    """The process that has started it."""
    while words_of(browser)[1:2] != [b"browser"]:
        stat = open(f"/proc/{browser}/stat").read()
        browser = int(stat.rpartition(")")[2].split()[1])
    return browser


def assert_goes_on(caster, stream, tmp_path_factory):
    url = stream["playback"]["url"]
    before = hls.segment_count(caster.http, url)
    wait_for("it goes on", lambda: hls.segment_count(caster.http, url) > before + 2, TIMEOUT)
    assert_shows(caster, stream, RED, tmp_path_factory)


def assert_ends_whole(caster, stream, tmp_path_factory, deaths=1):
    stop(caster, stream["room_id"], stream)
    url = stream["playback"]["url"]
    playlist = hls.Stream(caster.http, url, tmp_path_factory.mktemp("all")).top.playlist
    assert sum(one.is_discontinuity for one in playlist.segments) <= deaths


def test_a_page_that_falls_over_is_loaded_anew(caster, pages, room, tmp_path_factory):
    # It shows a room, and nobody is there: what it leaves out it would leave out for the others.
    other = caster.start_stream(f"{room}-other", {"ladder": LADDER, "segment_seconds": 1})
    streams = {page: start(caster, f"{room}-{page}", f"{pages.base}/{page}")
               for page in ("large", "hang")}
    for stream in (*streams.values(), other):
        caster.wait_for_status(stream["id"], "running", TIMEOUT)
    loads = {page: pages.asked.count(f"/{page}") for page in streams}
    # As a bug in the browser would; the others' tabs are small ones.
    os.kill(renderers(caster)[0], signal.SIGKILL)
    pages.let("hang")
    for page, stream in streams.items():
        wait_for("it is loaded anew",
                 lambda page=page: pages.asked.count(f"/{page}") > loads[page], TIMEOUT)
        assert caster.stream(stream["id"])["bot_restarts"] == 0
        assert_goes_on(caster, stream, tmp_path_factory)
    for stream in streams.values():
        assert_ends_whole(caster, stream, tmp_path_factory)
    undisturbed = caster.stream(other["id"])
    assert undisturbed["bot_restarts"] == 0 and undisturbed["tracks_left_out"] == []
    assert_ends_whole(caster, other, tmp_path_factory, deaths=0)


def test_a_browser_does_not_outlive_its_keeper_nor_its_bot(caster, pages, room, tmp_path_factory):
    old, profiles_before = set(browsers_of(caster)), profiles()

    def its():
        return set(browsers_of(caster)) - old

    stream = start(caster, room, f"{pages.base}/red")
    caster.wait_for_status(stream["id"], "running", TIMEOUT)
    first = its()
    [profile] = profiles() - profiles_before
    left = next(Path(one, profile) for one in PROFILE_PLACES if Path(one, profile).exists())
    os.kill(keeper_of(min(first)), signal.SIGKILL)
    wait_for("its browser is gone", lambda: not any(words_of(one) for one in first), 60)
    wait_for("there is another", its, TIMEOUT)
    assert_goes_on(caster, stream, tmp_path_factory)
    # From ten seconds on the next keeper removes what is left of one. The second one may have.
    wait_for("it is old enough", lambda: age(left) > 11, 60)
    second, restarts = its(), caster.stream(stream["id"])["bot_restarts"]
    os.kill(bot_of(stream), signal.SIGKILL)
    wait_for("its browser is gone", lambda: not second & its(), 60)
    wait_for("there is another", its, TIMEOUT)
    wait_for("it runs again",
             lambda: caster.stream(stream["id"])["bot_restarts"] == restarts + 1, TIMEOUT)
    assert_goes_on(caster, stream, tmp_path_factory)
    assert not left.exists()
    assert_ends_whole(caster, stream, tmp_path_factory, deaths=2)


def test_a_page_that_cannot_be_shown_fails_with_what_was_seen(caster, pages, room):
    streams = {words: start(caster, f"{room}-{number}", f"{pages.base}/{page}")
               for number, (page, words) in enumerate([
                   ("404", ("HTTP 404",)),
                   ("to?http://127.0.0.2/", ("127.0.0.2", "customView.hosts does not list it"))])}
    for words, stream in streams.items():
        reason = failed(caster, stream)
        assert all(word in reason for word in words), reason
        assert evidence(caster, stream, "console").status == 200
    wait_for("their browsers are gone", lambda: not browsers_of(caster), 60)


def test_the_servers_own_api_is_out_of_reach(wary, pages, room):
    own = f"http://{wary.host}:{wary.port}/v2/live-streams"
    stream = start(wary, room, f"{pages.base}/to?{own}")
    reason = failed(wary, stream)
    assert f"{wary.host}:{wary.port}" in reason and "customView.hosts" in reason, reason


def test_a_browser_has_as_many_cores_as_the_settings_say(wary, pages, room):
    stream = start(wary, room, f"{pages.base}/blue")
    wary.wait_for_status(stream["id"], "running", TIMEOUT)
    browsers = browsers_of(wary)
    cores = [len(os.sched_getaffinity(browser)) for browser in browsers]
    assert cores and set(cores) == {1}
    for browser in browsers:
        status = dict(line.split(":\t", 1) for line in open(f"/proc/{browser}/status"))
        assert status["NoNewPrivs"].strip() == "1"
        assert os.getuid() != 0 or "0" not in status["Uid"].split()
        assert os.getpgid(browser) not in (os.getpgid(wary.process.pid), os.getpgid(0))
    stop(wary, room, stream)


def test_a_page_that_takes_too_much_memory_is_ended(caster, pages, room):
    stream = start(caster, room, f"{pages.base}/greedy")
    reason = failed(caster, stream)
    assert "customView.memoryMaximum" in reason, reason
    assert caster.http.get("/health").status == 200


@pytest.mark.parametrize("page, words", [
    ("broken", ["HTTP 200", "blank", "undefinedFunction is not defined"]),
    ("silent", ["no answer from its server"]),
    ("endless", ["HTTP 200", "blank"]),
])
def test_a_page_that_never_starts_is_loaded_anew_once_and_fails(wary, pages, doomed, page, words):
    reason = failed(wary, doomed[page])
    for word in ["did not start within 30 s, twice", *words]:
        assert word in reason, reason
    assert pages.asked.count(f"/{page}?key=secret") == 2
    assert "secret" not in reason + console(wary, doomed[page]) + wary.log.read_text()


def test_a_certificate_that_is_not_valid_is_not_accepted(caster, secure, room):
    reason = failed(caster, start(caster, room, f"{secure.base}/red"))
    assert "net::ERR_CERT_" in reason, reason
    assert not secure.asked
