"""Players that nobody here wrote play the streams, on air and recorded."""

import itertools
from concurrent.futures import ThreadPoolExecutor

import pytest

from harness.assets import SHORT_SEGMENTS, TIMEOUT, directory, kill, segments, start, writer
from harness.players import PLAYERS, play
from harness.publisher import Publisher
from harness.server import REPOSITORY

SETTINGS = SHORT_SEGMENTS
RATE_MINIMUM = 5  # pictures a second, of a bot that lacks CPU
LENGTH = 12  # s that each plays


def check(what, played, seconds):
    assert played.complaints == [], (what, played)
    assert played.pictures >= RATE_MINIMUM * seconds, (what, played)
    assert played.sound >= 0.9 * seconds, (what, played)


@pytest.fixture
def playing(tmp_path):
    """`playing(pairs, seconds)`: what each player rendered of its address, all at the same time."""
    pool = ThreadPoolExecutor(2 * len(PLAYERS))
    folders = (tmp_path / f"player-{number}" for number in itertools.count())

    def begin(pairs, seconds):
        return {pair: pool.submit(play, *pair, seconds, next(folders)) for pair in pairs}

    yield begin
    pool.shutdown()


# With low latency only the fragments differ: what is beside them, and recorded, is the same.
@pytest.mark.parametrize("options, urls", [
    ({"container": "both"}, ["url", "cmaf_url"]), ({"low_latency": True}, ["cmaf_url"])],
    ids=["both containers", "low latency"])
def test_they_play_on_when_a_bot_dies_and_play_the_recording(server, room, playing, options, urls):
    with Publisher(server, room, REPOSITORY / "fixtures/media/ann.webm"):
        stream = start(server, room, recording={"hls_vod": True}, **options)
        segments(server, stream, 4)
        playback = stream["playback"]
        # VLC 3 stops at a discontinuity in fragmented MP4, whatever its times and its header
        # (docs/WATCHING.md).
        to_death = [("vlc", playback["cmaf_url"])]
        beyond = [(player, playback[url]) for player in PLAYERS for url in urls
                  if (player, playback[url]) not in to_death]
        for what, one in playing(to_death, 4).items():
            check(what, one.result(), 4)
        played = playing(beyond, LENGTH)
        count = segments(server, stream, 11)
        kill(writer(directory(server, stream)))
        segments(server, stream, count + 4)
        for what, one in played.items():
            check(what, one.result(), LENGTH)
        server.stop_stream(room)
    server.wait_for_status(stream["id"], "completed", 2 * TIMEOUT)
    [vod] = server.manage("GET", f"/recording-assets?room_id={room}").json["data"]
    link = server.manage("GET", f"/recording-assets/{vod['id']}/presigned-url").json
    assert vod["duration"] > LENGTH
    recorded = [(player, link["playback_url"]) for player in PLAYERS if "url" in urls]
    for what, one in playing(recorded, LENGTH - 1).items():
        check(what, one.result(), LENGTH - 1)
