"""Fixtures of the end-to-end tests. Everything that is started here is ended here, by its id."""

import contextlib
import os
import sys
import uuid
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "AVSync"))

from harness import (  # noqa: E402
    chromium,
    hls_js,
    lanes,
    long_publishing,
    priority,
    signalling,
    watching,
)
from harness.fault import Fault  # noqa: E402
from harness.firefox import Firefox  # noqa: E402
from harness.lanes import Lanes, Turns, is_aside  # noqa: E402
from harness.namespace import ADDRESS, Namespace  # noqa: E402
from harness.receiver import Receiver  # noqa: E402
from harness.room_world import World  # noqa: E402
from harness.seeds import Seeds  # noqa: E402
from harness.server import BINARY, Server  # noqa: E402
from harness.skips import Skips  # noqa: E402
from harness.starvation import (  # noqa: E402, F401
    Account,
    pytest_fixture_setup,
    pytest_runtest_makereport,
    pytest_runtest_protocol,
)
from harness.store import Moto  # noqa: E402
from harness.web import Web  # noqa: E402


def pytest_xdist_make_scheduler(config, log):
    return Lanes(config, log)


def pytest_configure(config):
    is_worker = hasattr(config, "workerinput")  # else the process that reports
    for plugin in [Turns()] if is_worker else [Account(), Seeds(), Skips()]:
        config.pluginmanager.register(plugin)


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: lanes.order(item.path.stem))


def pytest_report_header(config):
    return f"roomcast: {BINARY}"


def pytest_runtest_setup(item):
    # A worker is a separate process only if there are several lanes.
    if "PYTEST_XDIST_WORKER" in os.environ and is_aside(item.path.stem):
        priority.give_way()
    if item.path.stem == lanes.first_aside(other.path.stem for other in item.session.items):
        long_publishing.begin(item.session)


@pytest.fixture(scope="session")
def binary():
    """The release binary. That it is missing is a failure: a skipped test proves nothing."""
    assert os.access(BINARY, os.X_OK), f"{BINARY} is missing: make build"
    return BINARY


@pytest.fixture(scope="module")
def server(request, binary, tmp_path_factory):
    """One server for the tests of a module, which use separate rooms; the module may define
    SETTINGS for it."""
    settings = getattr(request.module, "SETTINGS", None)
    server = Server(tmp_path_factory.mktemp("server"), settings=settings)
    yield server
    if server.process.poll() is not None:
        raise Fault(f"the server died:\n{server.tail()}")
    assert server.stop() == 0, server.tail()


@pytest.fixture
def stack():
    """What a test enters, left in the opposite order."""
    with contextlib.ExitStack() as stack:
        yield stack


@pytest.fixture
def receiver():
    """Whom servers tell that are given its settings."""
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture(scope="module")
def moto(tmp_path_factory):
    """An S3 server, without rules of its own."""
    moto = Moto(tmp_path_factory.mktemp("moto") / "moto.log")
    yield moto
    moto.close()


@pytest.fixture
def room():
    return f"room-{uuid.uuid4().hex[:12]}"


@pytest.fixture(scope="session")
def playwright():
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def chromiums(playwright):
    """`chromiums(rate)`: one with such a camera, for all modules of a worker."""
    found = {}
    with contextlib.ExitStack() as stack:
        def launched(rate):
            if rate not in found or not found[rate].is_connected():
                found[rate] = stack.enter_context(chromium.launched(playwright, rate))
            return found[rate]

        yield launched


@pytest.fixture(scope="module")
def browser(request, chromiums):
    """A Chromium without pages for the tests of a module, which may name its camera's
    CAMERA_RATE."""
    browser = chromiums(getattr(request.module, "CAMERA_RATE", 30))
    yield browser
    for context in browser.contexts:
        context.close()


@pytest.fixture(scope="module")
def hls_js_site():
    with contextlib.closing(hls_js.Site()) as site:
        yield site


@pytest.fixture
def viewer(browser, hls_js_site):
    """A page with hls.js in Chromium."""
    with contextlib.closing(hls_js.Viewer(browser, hls_js_site)) as viewer:
        yield viewer


@pytest.fixture
def enter(server, browser, room):
    """`enter("Ann")`: a person on the room page, who leaves at the end of the test."""
    people = []

    def enter(name, role="host", **options):
        people.append(chromium.Participant(browser, server, room, name, role, **options))
        return people[-1]

    yield enter
    for person in people:
        person.close()
    for person in people:
        if person.errors:
            raise Fault(f"errors on the page of {person.name}: {person.errors}")


@pytest.fixture
def connect(server, room):
    """`connect("Ann")`: a bare socket in the room."""
    peers = []

    def connect(name, **options):
        peers.append(signalling.Peer(server, options.pop("room", room), name, **options))
        return peers[-1]

    yield connect
    for peer in peers:
        peer.close()


@pytest.fixture(scope="module")
def namespace():
    """For one module only, since a failure may leave it unusable: it is recreated with the module's
    other fixtures (harness/starvation.py)."""
    namespace = Namespace()
    yield namespace
    namespace.close()


@pytest.fixture(scope="module")
def namespace_server(binary, namespace, tmp_path_factory):
    directory = tmp_path_factory.mktemp("namespace-server")
    server = Server(directory, namespace=namespace, media_address=ADDRESS)
    yield server
    assert server.stop() == 0, server.tail()


@pytest.fixture(scope="module")
def firefox(namespace):
    firefox = Firefox(namespace)
    yield firefox
    firefox.close()


@pytest.fixture(scope="session")
def firefox_outside():
    """In this machine's own network, for all modules of a worker whose pages send no media."""
    with contextlib.closing(watching.firefox_outside()) as firefox:
        yield firefox


@pytest.fixture(scope="session")
def web():
    with contextlib.closing(Web()) as web:
        yield web


@pytest.fixture(params=["chromium", "firefox"], scope="module")
def page(request, web):
    """An empty page in one of the browsers, which can import the pages' modules."""
    if request.param == "firefox":
        firefox = request.getfixturevalue("firefox_outside")
        firefox.navigate(web.blank)
        firefox.take_keyboard()  # elements of a page without it are not told that they have the focus
        yield firefox
        firefox.navigate("about:blank")
        return
    context = request.getfixturevalue("browser").new_context()
    page = context.new_page()
    page.goto(web.blank)
    yield page
    context.close()


@pytest.fixture
def in_chromium(server, browser, room):
    """Chromium alone, for behaviour that depends on the style sheets, not on the browser."""
    world = World(server, room, browser, is_firefox=False)
    yield world
    world.close()


@pytest.fixture(params=["chromium", "firefox"])
def world(request, room):
    """A room, its page in one of the browsers, and others in it; gone when the test is."""
    is_firefox = request.param == "firefox"
    server = request.getfixturevalue("namespace_server" if is_firefox else "server")
    browser = request.getfixturevalue("firefox" if is_firefox else "browser")
    world = World(server, room, browser, is_firefox)
    yield world
    world.close()
