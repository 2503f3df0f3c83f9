"""On a starved machine the API, the host's studio and the operator's page tell the same truth."""

import collections
import contextlib
import re
import time

import pytest
from test_admin import PASSWORD, log_in, set_password
from test_degradation import bot_of
from test_falling_behind import starved
from test_studio import Desk

from harness import hls, media, scene
from harness.recording import SMALL_LADDER
from harness.waiting import wait_for

SHARE = 1 / 20  # of a core
WANTED = 30  # pictures/s
WHOLE = 0.9  # of them count as all
LOOKED = 40  # s
# s by which a page may be behind: it asks every 3 s, and the machine is busy with the tests, too
LATE = 10
SOUND = 1024 / 48_000  # s, of one packet
ABOUT = 0.75  # pictures/s: a segment may have one more or less than its length says
TIMEOUT = 90  # s

Told = collections.namedtuple("Told", "rate wanted is_reduced is_thinned left_out")


def of_api(stream):
    lack = stream["degradation"]
    if lack is None:
        return Told(WANTED, WANTED, False, False, 0)
    thinned, left_out = lack["layers_thinned"] > 0, lack["videos_left_out"]
    is_reduced = lack["frame_rate"] < WANTED * WHOLE or thinned or left_out > 0
    return Told(round(lack["frame_rate"], 1), WANTED, is_reduced, thinned, left_out)


def of_words(is_reduced, words):
    """What a sentence says, which is the same in the studio and for the operator."""
    rate, wanted = re.search(r"([\d.]+) of ([\d.]+) pictures a second", words).groups()
    left_out = re.search(r"(\d+) videos? left out", words)
    return Told(float(rate), float(wanted), is_reduced, "even fewer in small sizes" in words,
                int(left_out[1]) if left_out else 0)


def of_studio(desk):
    # At once: the page may draw in between.
    head, words = desk.page.evaluate("""() => ["studio-health", "studio-health-text"].map(
      (name) => document.querySelector(`[data-testid=${name}]`).textContent)""")
    if head == "Live · all is well":
        rate = float(re.match(r"([\d.]+) pictures a second", words)[1])
        return Told(rate, WANTED, False, False, 0)
    assert head == "Live · reduced picture: this machine is busy"
    return of_words(True, words)


def of_operator(card):
    text = card.evaluate("(card) => card.innerText")
    rate, wanted = re.search(r"([\d.]+) of ([\d.]+) a second", text).groups()
    lack = re.search(r"Reduced picture, this machine is busy: .*", text)
    if lack is None:
        return Told(float(rate), float(wanted), False, False, 0)
    told = of_words(True, lack[0])
    assert (told.rate, told.wanted) == (float(rate), float(wanted)), text
    return told


class Witness:
    """What the API has said, and when."""

    def __init__(self, server, stream):
        self.server, self.stream, self.seen = server, stream, []

    def ask(self):
        self.seen.append((time.monotonic(), of_api(self.server.stream(self.stream))))
        return self.seen[-1][1]

    def recent(self):
        """What the API says, or did a moment ago: meanwhile it may have changed."""
        self.ask()
        since = time.monotonic() - LATE
        return [told for time, told in self.seen if time > since]


@pytest.fixture
def scene_of_three(server, binary, browser, enter, room, tmp_path):
    """The API's witness, the host's desk, the operator's card and the address of a stream."""
    assert set_password(binary, server, PASSWORD).returncode == 0
    with contextlib.ExitStack() as stack:
        host = enter("Hanna")
        wait_for("the host is counted", lambda: server.peer_count(room) == 1, TIMEOUT)
        scene.enter_in_order(
            server, room, [scene.Guest("ben"), scene.Guest("cleo")], tmp_path, stack)
        stream = server.start_stream(room, {"ladder": SMALL_LADDER})
        server.wait_for_status(stream["id"], "running", TIMEOUT)
        desk = Desk(host)
        desk.press("open-studio")
        desk.says("studio-health", "Live ·")
        context = browser.new_context()
        stack.callback(context.close)
        page = context.new_page()
        log_in(page, server, "#streams")
        card = page.locator(f"[data-stream='{stream['id']}']")
        card.wait_for()
        yield Witness(server, stream["id"]), desk, card, stream["playback"]["url"]


def real_rate(server, url):
    """Pictures a second in the newest segment, which lasts as long as its sound."""
    with hls.newest_segment(server.http, url) as segment:
        packets = list(media.packets(segment))
    sound = [packet.pts for packet in packets if packet.kind == "audio"]
    count = sum(packet.kind == "video" for packet in packets)
    return count / ((max(sound) - min(sound)) / 90_000 + SOUND)


def test_the_host_the_api_and_the_operator_are_told_the_same(server, scene_of_three):
    witness, desk, card, url = scene_of_three
    told = []

    def look():
        for name, one in ("studio", of_studio(desk)), ("operator", of_operator(card)):
            told.append((name, one))
            assert one in witness.recent(), (name, one, witness.seen[-30:])

    def agree(is_reduced):
        here = witness.ask()
        return here.is_reduced == is_reduced and here == of_studio(desk) == of_operator(card)

    wait_for("all say that all is well", lambda: agree(False), TIMEOUT)
    look()
    with starved(bot_of(server), SHARE):
        wait_for("all say that the picture is reduced", lambda: agree(True), TIMEOUT)
        end = time.monotonic() + LOOKED
        while time.monotonic() < end:
            look()
            real = real_rate(server, url)
            said = min(one.rate for one in witness.recent())
            print(f"{real:.1f} pictures a second, {said} by the API")
            assert said < real + ABOUT
            time.sleep(1)
    for name in ("studio", "operator"):
        rates = {one.rate for who, one in told if who == name and one.is_reduced}
        assert rates and max(rates) < WANTED * WHOLE, (name, rates)
