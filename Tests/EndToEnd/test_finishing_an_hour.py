"""The assets of a one-hour stream of two layers are there within 15 s of its end."""

import json
import os
import socket
import subprocess
import time

from harness import assets, long_stream
from harness.server import REPOSITORY, environment, free_media_port, free_port
from harness.waiting import wait_for

SECONDS = 3600
READY_MAXIMUM = 15  # s
LADDER = "1280x720@2000+96,640x360@600+64"


def test_an_hour_is_finished_in_time_and_each_byte_moved_twice_at_most(binary, tmp_path):
    stream = demo(binary, tmp_path)
    hour = tmp_path / "hour"
    size = long_stream.lengthen(stream, hour, 2, SECONDS)
    assert size > 500e6, "as large as an hour of real pictures"
    record = json.loads((stream / "stream.json").read_text())
    record |= {"id": "hour", "asset_directory": "hls/demo/2026-01-01/1"}
    (hour / "stream.json").write_text(json.dumps(record))
    os.sync()
    began = time.monotonic()
    process = subprocess.Popen(
        [str(binary), "finish", "--recordings", str(tmp_path / "made"), str(hour)],
        stdout=subprocess.PIPE, text=True)
    written = read = 0

    def has_ended():
        nonlocal written, read
        written, read = long_stream.written_and_read(process) or (written, read)
        return process.poll() is not None

    try:
        wait_for("it has ended", has_ended, 10 * READY_MAXIMUM, interval=0.01)
    finally:
        process.kill()
    took = time.monotonic() - began
    last = json.loads(process.stdout.read().splitlines()[-1])
    process.stdout.close()
    assert process.returncode == 0 and last == {"assets": 3, "event": "finished"}
    assert took < READY_MAXIMUM
    # Logs, boxes and headers take less than a twentieth.
    assert size < read < 2.05 * size and size < written < 2.05 * size
    movies = sorted((tmp_path / "made").rglob("*.mp4"))
    for movie in movies:
        [duration] = assets.probe(movie, "-show_entries", "format=duration")
        assert abs(float(duration) - SECONDS) < 1 / 30
    manifest = json.loads(next((tmp_path / "made").rglob("manifest.json")).read_text())
    for made in manifest["assets"]:
        pictures = made["thumbnails"]
        assert [one["offset"] for one in pictures["thumbnails"]] == [2]
        assert pictures["sprite"]["count"] == 225
    print(f"\n{size / 1e6:.0f} MB finished in {took:.1f} s, "
          f"{read / size:.2f} times read and {written / size:.2f} times written")


def demo(binary, directory):
    """A recorded stream of real pictures."""
    output = directory / "streams"
    variables = environment() | {
        "ROOMCAST_HTTP_PORT": str(free_port(socket.SOCK_STREAM)),
        "ROOMCAST_UDP_PORT": str(free_media_port()),
        "ROOMCAST_OUTPUT_DIRECTORY": str(output),
        "ROOMCAST_RECORDINGS_DIRECTORY": str(directory / "recordings"),
        "ROOMCAST_STREAM_LADDER": LADDER,
        # Not measured here.
        "ROOMCAST_STREAM_PRESET": "superfast",
    }
    done = subprocess.run([str(binary), "demo", "--record", "14"], env=variables,
                          cwd=REPOSITORY, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-3000:]
    [stream] = (output / "demo").iterdir()
    return stream
