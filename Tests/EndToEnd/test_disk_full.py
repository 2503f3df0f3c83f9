"""A full disk: the stream on it fails with that reason, others continue, the written part decodes,
and what could not be created or recorded yet is created, recorded and reported once there is
room."""

import json

import pytest

from harness import assets, hls
from harness.assets import TIMEOUT
from harness.server import Server
from harness.small_disk import BALLAST, PAGE, SmallDisks
from harness.waiting import wait_for

FULL = "No space left on device"
MEGABYTE = 1 << 20
GIVING_UP = 180  # s: six bots may die
ATTEMPTS = 4  # of finishers, with a second, two and four between them
MOVIES = {"hls_vod": False, "single_file_per_layer": True}
ARCHIVE = {"hls_vod": True, "single_file_per_layer": False}


@pytest.fixture
def world(binary, receiver, tmp_path):
    """`world({directory: bytes})`: a server and its disks."""
    opened = []

    def world(disks):
        small = SmallDisks({tmp_path / name: size for name, size in disks.items()})
        opened.append(small)
        settings = receiver.settings | assets.SHORT_SEGMENTS
        server = Server(tmp_path, namespace=small, settings=settings)
        opened.append(server)
        # The files that the tests look at are on those disks.
        server.output = small.path(server.output)
        server.recordings = small.path(server.recordings)
        return server, small

    yield world
    for one in reversed(opened):
        one.stop() if isinstance(one, Server) else one.close()


def told(receiver, stream, *kinds):
    """The events of a stream: these, in this order and each once."""
    wait_for(f"{kinds} are told", lambda: kinds[-1] in receiver.types(stream["id"]), GIVING_UP)
    assert receiver.types(stream["id"]) == list(kinds)
    return {one["type"]: one["data"] for one in receiver.events(stream["id"])}


def goes_on(server, stream):
    """A stream elsewhere that is not touched by any of this; it ends here, in good order."""
    folder = assets.directory(server, stream)
    assets.segments(server, stream, len(assets.published(folder)) + 2)
    assert not any(one.is_discontinuity for one in assets.published(folder))
    server.stop_stream(stream["room_id"])
    server.wait_for_status(stream["id"], "completed", TIMEOUT)


def decodes(directory):
    """All segments of all layers, as a player gets them."""
    for playlist in directory.glob("stream_*/stream.m3u8"):
        segments = hls.parse_media(playlist.read_text()).segments
        assert segments
        for segment in segments:
            assets.decode(playlist.parent / segment.uri)
    assert not list(directory.rglob(".part-*")), "nothing half-written is left"


def test_a_disk_that_fills_with_segments_fails_that_stream(world, receiver, tmp_path):
    server, small = world({"output/small": MEGABYTE})
    other = assets.start(server, "large", recording=MOVIES)
    stream = assets.start(server, "small", recording=MOVIES)
    assets.segments(server, stream, 3)
    small.fill(tmp_path / "output/small")
    done = server.wait_for_status(stream["id"], "failed", GIVING_UP)
    assert FULL in done["stop_reason"], done
    goes_on(server, other)
    folder = assets.directory(server, stream)
    assert json.loads((folder / "stream.json").read_text())["end"]["code"] == "disk_full"
    decodes(folder)
    assert (folder / "stream_0/stream.m3u8").read_text().endswith("#EXT-X-ENDLIST\n")
    # The recorded part is in the assets, which are on another disk.
    for asset in assets.manifest(server, stream)["assets"]:
        assert asset["duration_ns"] >= 3e9
        assets.decode(server.recordings / asset["path"])
    data = told(receiver, stream, "hls.started.success", "hls.failure", "hls.recording.success")
    data = data["hls.failure"]
    assert data["error_type"] == "INTERNAL_ERROR" and FULL in data["error_message"]


@pytest.mark.parametrize(("kind", "wanted"), [("mp4", MOVIES), ("zip", ARCHIVE)])
def test_a_disk_that_fills_with_assets_is_waited_for(world, receiver, tmp_path, kind, wanted):
    server, small = world({"recordings/hls/small": 16 * MEGABYTE})
    directory = tmp_path / "recordings/hls/small"
    other = assets.start(server, "large", recording=MOVIES)
    stream = assets.start(server, "small", recording=wanted)
    assets.segments(server, stream, 5)
    # There is room for a beginning, but the finisher begins nothing.
    small.fill(directory, leaving=4 * PAGE)
    server.stop_stream("small")
    wait_for("an attempt fails", lambda: attempts(server, stream), TIMEOUT)
    if kind == "zip":
        # Room for twice the contents of the segments, but not for the overhead: the disk fills up
        # while the assets are written.
        folder = assets.directory(server, stream)
        weight = sum(one.stat().st_size for one in folder.glob("stream_*/segment_*.ts"))
        small.fill(directory, leaving=2 * weight + PAGE)
        wait_for("the disk is full amid the assets",
                 lambda: any("/vod/" in line for line in attempts(server, stream)), GIVING_UP)
        small.fill(directory, leaving=4 * PAGE)
    wait_for("it is tried again and again",
             lambda: len(attempts(server, stream)) >= ATTEMPTS, GIVING_UP)
    # The unfinished files do not get in the way of others.
    mine = server.recordings / "hls/small"
    assert [one.name for one in mine.rglob("*") if one.is_file()] == [BALLAST]
    waiting = server.stream(stream["id"])
    assert waiting["status"] == "post_processing" and waiting["stop_reason"] == "client request"
    assert FULL in waiting["post_processing_error"] and waiting["recording_assets"] is None
    assert receiver.types(stream["id"]) == ["hls.started.success"]
    goes_on(server, other)
    decodes(assets.directory(server, stream))
    small.make_room(directory)
    done = server.wait_for_status(stream["id"], "completed", 2 * GIVING_UP)
    assert done["stop_reason"] == "client request" and done["post_processing_error"] is None
    for asset in assets.manifest(server, stream)["assets"]:
        assert asset["status"] == "completed"
        if kind == "mp4":
            assets.decode(server.recordings / asset["path"])
    told(receiver, stream, "hls.started.success", "hls.stopped.success", "hls.recording.success")


def attempts(server, stream):
    """The log lines about failed finishers."""
    return [line for line in server.log.read_text().splitlines()
            if "finisher exited" in line and stream["id"] in line]


def test_commits_are_made_when_there_is_room_again(world, receiver, tmp_path):
    """The catalogue's disk is full over a whole stream's life: nothing is lost or told twice."""
    server, small = world({"recordings": 2 * MEGABYTE})
    small.fill(tmp_path / "recordings")
    stream = assets.start(server, "quiet", recording=None)
    assets.segments(server, stream, 2)
    server.stop_stream("quiet")
    wait_for("its end cannot be written", lambda: "bot exited" in server.log.read_text(), TIMEOUT)
    # Lists still work meanwhile, and report no end that a crash could take back.
    assert server.stream(stream["id"])["status"] == "stopping"
    assert server.manage("GET", "/live-streams?room_id=quiet").json["data"]
    assert server.manage("GET", "/recording-assets").status == 200
    assert receiver.accepted == []
    small.make_room(tmp_path / "recordings")
    done = server.wait_for_status(stream["id"], "completed", TIMEOUT)
    assert done["stop_reason"] == "client request"
    decodes(assets.directory(server, stream))
    told(receiver, stream, "hls.started.success", "hls.stopped.success")


def test_what_was_told_while_the_disk_was_full_is_not_told_again(world, receiver, tmp_path):
    server, small = world({"recordings": 2 * MEGABYTE})
    directory = tmp_path / "recordings"

    def answer(event):
        # The disk is full from the delivery of the first event.
        if not small.is_filled(directory):
            small.fill(directory)
        return 200

    receiver.answer = answer
    stream = assets.start(server, "quiet", recording=None)
    wait_for("it is told", lambda: receiver.types(stream["id"]), TIMEOUT)
    wait_for("that cannot be written down", lambda: "the outbox cannot be written"
             in server.log.read_text(), TIMEOUT)
    assets.segments(server, stream, 5)
    assert receiver.types(stream["id"]) == ["hls.started.success"]
    small.make_room(directory)
    receiver.answer = lambda event: 200
    server.stop_stream("quiet")
    server.wait_for_status(stream["id"], "completed", TIMEOUT)
    told(receiver, stream, "hls.started.success", "hls.stopped.success")
    wait_for("nothing is left to be told", lambda: server.manage(
        "GET", "/analytics/webhooks?status=pending").json["data"] == [], TIMEOUT)
