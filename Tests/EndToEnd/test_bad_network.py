"""Bad networks with a real browser: media beyond the capacity of its path, or beyond its role's
limit, is forwarded in a lower layer, and every peer learns the connection quality. A recorder whom
no media can reach must not stream a slate and call it a success."""

import contextlib
import itertools
import json
from types import SimpleNamespace

import pytest

from harness import chromium, media, scene
from harness.link import Conditions
from harness.namespace import ADDRESS, Namespace
from harness.publisher import Publisher
from harness.server import Server
from harness.waiting import wait_for
from harness.way import Way

CAMERA_RATE = 10  # frames/s
LINE = "10.96.0.1"
ENTRANCE = 90  # s
# s until the server reduces something; and until everything is back, since the server looks for
# more room ever more rarely where there was none.
WORSE, BETTER = 60, 120
# Width, height and kbit/s of the layers in which Ann sends her video.
FORMS = [(640, 360, 900), (320, 180, 300), (160, 90, 100)]
NARROW = 300  # kbit/s: the poorest form and the sound, and not the next better one
LOSS = 0.15
MAXIMUM = 500  # kbit/s: the middle form and the sound
FRAMES = 60  # two seconds of them
PERIOD = 5  # s
DEAF_TIMEOUT = 300  # s: six bots that wait 8 s each, and some
POLICY = {"roles": {
    "host": {"publishParams": {"allowed": ["audio", "video"]},
             "subscribeParams": {"subscribeToRoles": ["host"]}},
    "viewer": {"subscribeParams": {"subscribeToRoles": ["host"]}},
    "capped": {"subscribeParams": {"subscribeToRoles": ["host"], "maxSubsBitRate": MAXIMUM}},
    "careful": {"subscribeParams": {
        "subscribeToRoles": ["host"],
        "subscribeDegradation": {"packetLossThreshold": 100 * LOSS / 3}}},
}}


@pytest.fixture(scope="module")
def server(binary, namespace, tmp_path_factory):
    directory = tmp_path_factory.mktemp("server")
    policy = directory / "policy.json"
    policy.write_text(json.dumps(POLICY))
    server = Server(directory, namespace=namespace, media_address=ADDRESS, settings={
        "ROOMCAST_POLICY_FILE": str(policy),
        "ROOMCAST_TCP_PORT": "0",  # or who is badly reached by UDP would go there
    })
    yield server
    assert server.stop() == 0, server.tail()


@pytest.fixture(scope="module")
def browser(playwright, namespace, tmp_path_factory):
    directory = tmp_path_factory.mktemp("chromium")
    with chromium.inside(playwright, namespace, directory, CAMERA_RATE) as browser:
        yield browser


@pytest.fixture(scope="module")
def line(server):
    line = Way(server, LINE)
    yield line
    line.close()


@pytest.fixture
def way(line):
    """As good as any, for as long as the test leaves it so."""
    line.become()
    return line


@pytest.fixture(scope="module")
def forms(tmp_path_factory):
    """A clip in its FORMS, with as much movement as takes their bit rates."""
    folder = tmp_path_factory.mktemp("forms")
    paths = []
    for width, height, rate in FORMS:
        paths.append(folder / f"ann-{width}.webm")
        sound = ["-an"] if len(paths) > 1 else ["-c:a", "copy"]
        media.run("ffmpeg", "-v", "error", "-y", "-i", str(scene.CLIPS / "ann.webm"), "-t", "8",
                  "-vf", f"scale={width}:{height},noise=alls=40:allf=t", "-c:v", "libvpx",
                  "-deadline", "realtime", "-cpu-used", "8", "-lag-in-frames", "0",
                  "-auto-alt-ref", "0", "-b:v", f"{rate}k", "-minrate", f"{rate}k",
                  "-maxrate", f"{rate}k", "-bufsize", f"{rate // 2}k", "-g", "30", *sound,
                  str(paths[-1]))
    return paths


@pytest.fixture
def ann(server, room, forms):
    best, *others = forms
    layers = [option for path in others for option in ("--layer", str(path))]
    with Publisher(server, room, best, "Ann", layers) as publisher:
        wait_for("Ann is there", lambda: server.peer_count(room) == 1, ENTRANCE)
        yield publisher


@pytest.fixture(scope="module")
def deaf(binary, tmp_path_factory):
    """A server and its stream that no media reach. That takes six bots a minute to find out, which
    passes beside the tests of others."""
    with contextlib.closing(Namespace()) as namespace:
        # All UDP, including to this machine itself: otherwise the `local` rule comes first.
        for rule in ("add pref 5 ipproto udp blackhole", "add pref 10 lookup local", "del pref 0"):
            namespace.run(f"ip rule {rule}")
        server = Server(tmp_path_factory.mktemp("deaf"), namespace=namespace)
        yield server, server.start_stream("deaf")
        assert server.stop() == 0, server.tail()


def layers(person):
    """All that was said to the person of the layer of Ann's video."""
    return [track for notice in person.channel_notices("on-track-layer-update")
            for track in notice["tracks"].values()]


def received(person):
    """Ann's video as received: its width in pixels, the frames decoded so far, the latest
    notification about its layer; and bytes of all media and seconds, by the browser's count."""
    videos, sounds = person.inbound("video"), person.inbound("audio")
    layer = layers(person)[-1]
    return SimpleNamespace(
        width=videos[0]["frameWidth"], frames=videos[0]["framesDecoded"],
        current=layer["current_layer"], expected=layer["expected_layer"],
        is_degraded=layer["subscriber_degraded"],
        bytes=sum(one["bytesReceived"] for one in videos + sounds),
        time=videos[0]["timestamp"] / 1000)


def has_the_best(person):
    found = received(person)
    return (found.width, found.current, found.is_degraded) == (FORMS[0][0], "high", False)


def wait_for_the_best(person, timeout):
    person.wait_for_picture_of("Ann", ENTRANCE)
    wait_for(f"{person.name} is told of layers", lambda: layers(person), timeout)
    wait_for(f"{person.name} gets the best", lambda: has_the_best(person), timeout)


def wait_for_frames(person):
    """Two seconds of them more."""
    before = received(person).frames
    wait_for(f"{person.name} sees Ann go on",
             lambda: received(person).frames >= before + FRAMES, WORSE)


def wait_for_quality(person, others, is_so, timeout):
    """What the pages of the person and of others show of the person's way."""
    for page in (person, *others):
        wait_for(f"{page.name} is shown how {person.name} is reached",
                 lambda page=page: is_so(page.person(person.name)["quality"]), timeout)


def kilobits_per_second(person):
    """Over a while, of all media."""
    begin = received(person)

    def later():
        found = received(person)
        return found.time - begin.time >= PERIOD and found

    end = wait_for("it is measured", later, 10 * PERIOD)
    return (end.bytes - begin.bytes) * 8 / 1000 / (end.time - begin.time)


def was_always_reached_well(person):
    """As far as the person was told."""
    identifier = person.person(person.name)["id"]
    scores = [peer["downlink_score"]
              for notice in person.channel_notices("on-connection-quality-update")
              for peer in notice["peers"] if peer["peer_id"] == identifier]
    # Before the person has joined nothing comes through.
    scores = list(itertools.dropwhile(lambda score: score == 0, scores))
    return len(scores) > 0 and set(scores) == {5}


def is_best(quality):
    return quality == 5


def test_a_narrow_way_gets_a_poorer_form_and_a_wide_one_the_best_again(ann, enter, way, deaf):
    ben, cleo = enter("Ben", role="viewer", script=way.script), enter("Cleo", role="viewer")
    for person in (ben, cleo):
        wait_for_the_best(person, ENTRANCE)
    wait_for_quality(ben, [cleo], is_best, ENTRANCE)

    way.become(down=Conditions(rate=NARROW))

    def is_worse():
        found = received(ben)
        return (found.is_degraded and found.expected == "high" and found.current == "low"
                and found.width == FORMS[-1][0])

    wait_for("Ben gets the poorest form", is_worse, WORSE)
    wait_for_quality(ben, [cleo], lambda quality: quality <= 3, WORSE)
    wait_for_frames(ben)
    assert has_the_best(cleo)
    # The path can carry the poorest layer, whatever the search for its capacity does.
    assert "none" not in [layer["current_layer"] for layer in layers(ben)]

    way.become()
    wait_for_the_best(ben, BETTER)
    wait_for_quality(ben, [cleo], is_best, BETTER)
    wait_for_frames(ben)
    assert was_always_reached_well(cleo)


def test_a_way_that_loses_packets_is_told_of_and_carries_video(ann, enter, way):
    ben = enter("Ben", role="viewer", script=way.script)
    dora = enter("Dora", role="careful", script=way.script)
    cleo = enter("Cleo", role="viewer")
    for person in (ben, dora, cleo):
        wait_for_the_best(person, ENTRANCE)
    wait_for_quality(ben, [cleo], is_best, ENTRANCE)

    way.become(down=Conditions(loss=LOSS))
    wait_for("Dora's role leaves the video out",
             lambda: (received(dora).current, received(dora).is_degraded) == ("none", True), WORSE)
    for person in (ben, dora):
        wait_for_quality(person, [cleo], lambda quality: quality <= 2, WORSE)
    for _ in range(3):
        wait_for_frames(ben)
    # Retransmission repairs the losses: they alone are no reason to drop anything.
    assert "none" not in [layer["current_layer"] for layer in layers(ben)]
    assert has_the_best(cleo)

    way.become()
    wait_for("Dora gets a video again", lambda: received(dora).current != "none", BETTER)
    wait_for_frames(dora)
    assert was_always_reached_well(cleo)


def test_lost_sound_of_a_browser_is_sent_again(enter, way):
    ben, cleo = enter("Ben", script=way.script), enter("Cleo", role="viewer")
    cleo.wait_for_picture_of("Ben", ENTRANCE)
    way.become(up=Conditions(loss=LOSS))

    def repaired():
        return sum(one.get("retransmittedPacketsSent", 0) for one in ben.outbound("audio"))

    def heard():
        [sound] = cleo.inbound("audio")
        return sound["packetsReceived"], sound["packetsLost"]

    wait_for("the first is sent again", lambda: repaired() > 0, WORSE)
    before = heard()
    wait_for("thirty more are", lambda: repaired() > 30, WORSE)
    received, lost = (after - first for first, after in zip(before, heard()))
    assert lost <= 0.2 * LOSS * received, (received, lost)


def test_a_role_gets_no_more_than_it_may(ann, enter):
    ben, cleo = enter("Ben", role="capped"), enter("Cleo", role="viewer")
    wait_for_the_best(cleo, ENTRANCE)
    ben.wait_for_picture_of("Ann", ENTRANCE)
    wait_for("Ben is told of layers", lambda: layers(ben), ENTRANCE)

    def has_the_middle():
        found = received(ben)
        return (found.width, found.current, found.expected, found.is_degraded) == (
            FORMS[1][0], "medium", "high", True)

    wait_for("Ben gets the middle form", has_the_middle, WORSE)

    assert FORMS[-1][2] < kilobits_per_second(ben) < MAXIMUM
    assert kilobits_per_second(cleo) > MAXIMUM
    assert received(ben).width == FORMS[1][0] and has_the_best(cleo)
    # The path could carry more.
    assert was_always_reached_well(ben)


def test_a_stream_that_no_media_reach_fails_and_says_so(deaf):
    server, stream = deaf
    record = server.wait_for_status(stream["id"], "failed", DEAF_TIMEOUT)
    assert "no media path to the server" in record["stop_reason"], record
    assert record["started_at"] is None, "nobody was told that it runs"
