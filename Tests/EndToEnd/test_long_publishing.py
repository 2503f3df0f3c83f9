"""A publisher is not cut off, regardless of duration and of its ICE agent's behaviour."""

import pytest
from harness import long_publishing
from harness.waiting import wait_for

GAP_MAXIMUM = 10  # s without a picture
MORE = 30  # pictures: three seconds of them


@pytest.fixture
def running(request):
    running = request.config.stash[long_publishing.RUNNING]
    if isinstance(running, Exception):
        raise running
    yield running
    running.close()


def test_gstreamer_publishes_for_five_minutes(running):
    seconds = long_publishing.SECONDS
    wait_for("the minutes pass", lambda: running.seconds > seconds, seconds + 1, interval=1)
    assert running.publisher.is_there()
    [video] = [one for one, track in running.publisher.tracks.items() if track["type"] == "video"]
    before = running.viewer.frames(video)
    received = running.viewer.wait_for_frames(video, before + MORE)
    assert received.longest_gap < GAP_MAXIMUM
    states = [one["state"] for one in running.publisher.states]
    assert states[-1] in ("connected", "completed"), states
    log = running.server.log.read_text()
    assert "state=failed" not in log and "state=disconnected" not in log, running.server.tail()
