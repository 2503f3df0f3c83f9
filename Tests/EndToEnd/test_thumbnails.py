"""Pictures of recordings: thumbnails at their offsets, and the sheet for scrubbing."""

import re

import numpy as np

from harness import assets, media
from harness.http import path_of
from harness.scene import people
from harness.server import Server
from harness.waiting import wait_for


def picture(server, url, path):
    """A JPEG by its link, as rows of RGB."""
    answer = server.http.get(path_of(url))
    assert answer.status == 200 and answer.headers["content-type"] == "image/jpeg"
    path.write_bytes(answer.body)
    found = media.streams(path)["video"]
    data = media.run("ffmpeg", "-v", "error", "-xerror", "-i", str(path), "-pix_fmt", "rgb24",
                     "-f", "rawvideo", "-")
    return np.frombuffer(data, np.uint8).reshape(found["height"], found["width"], 3)


def frame(movie, seconds, width, height):
    """The movie's picture at a time."""
    data = media.run(
        "ffmpeg", "-v", "error", "-ss", str(seconds), "-i", str(movie), "-frames:v", "1",
        "-vf", f"scale={width}:{height}:flags=area", "-pix_fmt", "rgb24", "-f", "rawvideo", "-")
    return np.frombuffer(data, np.uint8).reshape(height, width, 3)


def is_alike(one, other):
    return np.abs(one.astype(int) - other).mean() < 6


def test_a_recording_has_its_thumbnails_and_a_sheet_for_scrubbing(
        binary, receiver, room, tmp_path):
    server = Server(tmp_path / "server", settings=receiver.settings)
    try:
        wish = {"width": 240, "offsets": [0, 4, 3600]}
        refused = server.manage("POST", f"/live-streams/room/{room}/start",
                                {"recording": {"thumbnails": wish | {"width": 5}}})
        assert refused.status == 400 and refused.json["details"] == [
            "width is 0 or 16 to 1920 pixels"]
        count = 4
        with people(server, room, ("ann", "ben"), tmp_path):
            stream = assets.start(server, room, recording=assets.BOTH | {"thumbnails": wish})
            assets.segments(server, stream, count)
            server.stop_stream(room)
        done = server.wait_for_status(stream["id"], "completed", assets.TIMEOUT)
        movies = {one["metadata"]["layer"]: one for one in done["recording_assets"]
                  if one["type"] == "room-composite"}
        top = movies["0"]
        movie = server.recordings / top["path"]
        assert [one["offset"] for one in top["thumbnail_images"]] == [0, 4]
        assert top["thumbnails"] == [one["path"] for one in top["thumbnail_images"]]
        links = server.manage("GET", f"/recording-assets/{top['id']}/presigned-url").json
        shown = [picture(server, url, tmp_path / f"thumbnail-{index}.jpg")
                 for index, url in enumerate(links["thumbnail_urls"])]
        assert all(one.shape == (136, 240, 3) for one in shown)
        for one, offset in zip(shown, (0, 4)):
            assert is_alike(one, frame(movie, offset, 240, 136)), offset
        sheet = picture(server, links["sprite_url"], tmp_path / "sprite.jpg")
        cues = server.http.get(path_of(links["sprite_vtt_url"])).body.decode()
        places = re.findall(
            r"(\d\d):(\d\d):(\d\d\.\d{3}) --> .*\n.*#xywh=(\d+),(\d+),(\d+),(\d+)", cues)
        assert cues.startswith("WEBVTT\n\n") and len(places) == top["sprite"]["count"] >= count
        for hours, minutes, seconds, *place in places:
            x, y, width, height = map(int, place)
            begin = int(hours) * 3600 + int(minutes) * 60 + float(seconds)
            tile = sheet[y:y + height, x:x + width]
            assert is_alike(tile, frame(movie, begin, width, height)), begin
        # Whoever learns of the recording also learns of its pictures.
        wait_for("it is told", lambda: "hls.recording.success" in receiver.types(stream["id"]),
                 assets.TIMEOUT)
        [told] = [event["data"]["recording_thumbnails"] for event in receiver.events(stream["id"])
                  if event["type"] == "hls.recording.success"]
        assert [(one["offset"], one["width"], one["height"]) for one in told] == [
            (0, 240, 136), (4, 240, 136)]
        for one, expected in zip(told, shown):
            again = picture(server, one["url"], tmp_path / "told.jpg")
            assert np.array_equal(again, expected)
            assert (server.recordings / one["location"]).exists()
        listed = server.manage("GET", "/recording-assets").json
    finally:
        assert server.stop() == 0
    # They survive a lost catalogue, too.
    server.reindex()
    server = Server(tmp_path / "server", settings=receiver.settings)
    try:
        assert server.manage("GET", "/recording-assets").json == listed
    finally:
        assert server.stop() == 0
