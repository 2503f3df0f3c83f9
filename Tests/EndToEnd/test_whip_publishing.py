"""`roomcast publish --whip`: to a server that nobody of us wrote, and to our own."""

import contextlib

import numpy as np
import pytest
from harness import media, tokens
from harness.publisher import Publisher
from harness.stranger import Stranger, is_near
from harness.whip_sink import Sink

RED = (200, 30, 30)
TOKEN = "letmein.0"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """A red wall and a tone."""
    path = tmp_path_factory.mktemp("media") / "red.webm"
    media.run("ffmpeg", "-v", "error", "-f", "lavfi", "-i", "color=0xc81e1e:s=320x180:r=10:d=5",
              "-f", "lavfi", "-i", "sine=frequency=600:duration=5", "-c:v", "libvpx", "-g", "10",
              "-c:a", "libopus", str(path))
    return path


def test_a_file_is_published_to_a_strangers_server(server, room, file):
    with contextlib.closing(Sink()) as sink:
        options = ["--whip", f"{sink.base}/moved", "--token", TOKEN]
        with Publisher(server, room, file, options=options) as publisher:
            assert is_near(sink.wait_for_frames("video", 10).last, RED)
            assert np.abs(sink.wait_for_frames("audio", 50).last).max() > 0.02
            assert publisher.close() == 0
        live = [("POST", "/live", TOKEN)]
        moved = [("POST", "/moved", TOKEN)]
        # The first offer is put off; the next one begins at the endpoint again.
        assert sink.asked == [*moved, *live, *moved, *live, ("DELETE", "/sessions/1", TOKEN)]


def test_a_file_is_published_into_our_own_room(server, room, stack, file):
    ann = stack.enter_context(Stranger(server, room, "Ann"))
    ann.join()
    token = tokens.room_token(room, user="camera")
    options = ["--whip", f"{server.base}/whip/{room}?name=Camera", "--token", token]
    publisher = stack.enter_context(Publisher(server, room, file, options=options))
    told = ann.told("on-track-add", lambda params: params["peer"]["info"]["name"] == "Camera")
    tracks = {track["type"]: identifier for identifier, track in told["tracks"].items()}
    assert is_near(ann.wait_for_frames(tracks["video"], 10).last, RED)
    assert np.abs(ann.wait_for_frames(tracks["audio"], 50).last).max() > 0.02
    assert publisher.close() == 0
    ann.told("on-peer-leave", lambda peer: peer["peer_id"] == told["peer"]["peer_id"])
