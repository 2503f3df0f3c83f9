"""The watch page at the other end of a network that becomes narrower, over TCP as it is."""

import contextlib

import pytest

from harness import chromium
from harness.link import Conditions
from harness.namespace import ADDRESS, Namespace
from harness.publisher import Publisher
from harness.road import SERVER, Road
from harness.scene import CLIPS
from harness.server import Server
from harness.waiting import wait_for
from harness.watching import TIMEOUT, InChromium, Watcher

# kbit/s: the better layer has 996, the other 364.
WIDE, NARROW = Conditions(rate=2700, delay=0.02), Conditions(rate=900, delay=0.02)
LONGEST = 2.0  # s
CAMERA_RATE = 10  # frames/s

# Keeps how long the picture stood for want of media, in s.
STALLS = """() => {
  window.stalls = [];
  const video = document.querySelector("video");
  video.addEventListener("waiting", () => {
    const begun = performance.now();
    video.requestVideoFrameCallback((now) => window.stalls.push((now - begun) / 1000));
  });
}"""


@pytest.fixture(scope="module")
def far():
    with contextlib.closing(Namespace()) as far:
        yield far


@pytest.fixture(scope="module")
def server(binary, namespace, tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("server"), namespace=namespace, media_address=ADDRESS,
                    settings={"ROOMCAST_HTTP_HOST": "0.0.0.0"})
    yield server
    assert server.stop() == 0, server.tail()


@pytest.fixture(scope="module")
def browser(playwright, far, tmp_path_factory):
    directory = tmp_path_factory.mktemp("chromium")
    with chromium.inside(playwright, far, directory, CAMERA_RATE) as browser:
        yield browser


@pytest.fixture
def road(namespace, far):
    with contextlib.closing(Road(namespace, far)) as road:
        yield road


def test_a_link_that_falls_to_a_third_costs_quality_and_no_long_stall(server, road, browser, room):
    road.become(down=WIDE, up=WIDE)
    with (Publisher(server, room, CLIPS / "ann.webm", name="Ann"),
          contextlib.closing(Watcher(InChromium(browser))) as watcher):
        wait_for("Ann is there", lambda: server.peer_count(room) == 1, TIMEOUT)
        stream = server.start_stream(room, {"container": "both", "low_latency": True})
        server.wait_for_status(stream["id"], "running", TIMEOUT)
        watcher.watch(f"http://{SERVER}:{server.port}/watch/{room}")
        watcher.wait_until("the better layer is shown", lambda state: state["width"] == 640,
                           2 * TIMEOUT)
        watcher.evaluate(STALLS)
        road.become(down=NARROW, up=NARROW)
        watcher.wait_until("the other one is shown", lambda state: state["width"] == 320)
        watcher.wait_for_playback(10)
        stalls = watcher.evaluate("() => window.stalls")
        print(f"stalls: {stalls} s")
        assert all(stall < LONGEST for stall in stalls), stalls
        road.become(down=WIDE, up=WIDE)
        watcher.wait_until("the better layer is back", lambda state: state["width"] == 640,
                           2 * TIMEOUT)
        server.stop_stream(room)
