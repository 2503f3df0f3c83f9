"""Recordings of single tracks: each file plays, and their index lines them up."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import time
import zipfile

import avsync
import numpy as np
import pytest
from harness import assets, media
from harness.assets import kill, writer
from harness.http import path_of
from harness.scene import CLIPS, Guest, enter, present
from harness.waiting import wait_for

TIMEOUT = 90  # s
# A−V of a publisher's two files on the common clock, in seconds.
IN_TIME = 0.045


def manage(server, method, path, body=None, status=200):
    answer = server.manage(method, path, body)
    assert answer.status == status, answer
    return answer.json


def start(server, room, **tracks):
    recording = manage(server, "POST", f"/recordings/room/{room}/start",
                       {"tracks": {"composite": False} | tracks})
    server.wait_for_status(recording["id"], "running", TIMEOUT, kind="recordings")
    return recording


def stop(server, room, recording):
    manage(server, "POST", f"/recordings/room/{room}/stop")
    return server.wait_for_status(recording["id"], "completed", TIMEOUT, kind="recordings")


def log(server, recording):
    """What the bot has noted so far: one entry after the other, by kind."""
    path = assets.directory(server, recording) / "tracks/tracks.log"
    lines = path.read_text().splitlines() if path.exists() else []
    return [json.loads(line[: line.rindex(" *")]) for line in lines]


def wait_for_parts(server, recording, count):
    """Waits until so many files have been begun."""
    return wait_for(f"{count} files", lambda: sum("part" in one for one in log(server, recording))
                    >= count, TIMEOUT)


def files(server, recording):
    """The index, and the path of each of its files by (peer's name, type)."""
    made = {one["id"]: one for one in recording["recording_assets"]}
    index = server.recordings / made[f"{recording['id']}-tracks"]["path"]
    document = json.loads(index.read_text())
    found = {}
    for track in document["tracks"]:
        for file in track["files"]:
            asset = made[file["asset_id"]]
            path = server.recordings / asset["path"]
            assert asset["type"] == "track" and path.stat().st_size == asset["size"] == file["bytes"]
            assert asset["metadata"]["track"]["peer_name"] == track["peer"]["name"]
            assert asset["metadata"]["track"]["start_ms"] == file["start_ms"]
            plays(path, file)
            found.setdefault((track["peer"]["name"], track["type"]), []).append((path, file))
    return document, found


def plays(path, file):
    """Players and their tools find nothing wrong with it."""
    assets.decode(path)
    lasts = float(assets.probe(path, "-show_entries", "format=duration")[0])
    assert abs(lasts - file["duration_ms"] / 1000) < 0.03, (path, lasts, file)
    if path.suffix == ".ogg" and shutil.which("opusinfo"):
        said = subprocess.run(["opusinfo", str(path)], capture_output=True, text=True)
        assert said.returncode == 0 and "WARNING" not in said.stdout + said.stderr, said
    if path.suffix == ".webm" and shutil.which("mkvinfo"):
        said = media.run("mkvinfo", str(path)).decode()
        assert "Cues" in said and "Error" not in said, said


def together(found, name, folder):
    """A peer's picture and sound, placed as the index says, and measured."""
    inputs = []
    for kind in "video", "audio":
        for path, file in found[name, kind][:1]:
            inputs += ["-itsoffset", str(file["start_ms"] / 1000), "-i", str(path)]
    result = folder / f"{name}.mkv"
    media.run("ffmpeg", "-v", "error", "-y", *inputs, "-map", "0:v", "-map", "1:a", "-c", "copy",
              "-avoid_negative_ts", "disabled", str(result))
    return avsync.measure(result).publishers[name]


def compositions(server, recording, document):
    """The files of several tracks: paths and entries of the index, by peer's name or type."""
    made = {one["id"]: one for one in recording["recording_assets"]}
    found = {}
    for entry in document["compositions"]:
        asset = made[entry["asset_id"]]
        path = server.recordings / asset["path"]
        assert asset["type"] == entry["type"]
        assert path.stat().st_size == asset["size"] == entry["bytes"]
        plays(path, entry)
        if entry["type"] == "stream":
            peer = asset["metadata"]["peer"]
            assert peer["peer_name"] == entry["peer"]["name"]
            assert peer["start_ms"] == entry["start_ms"]
        found[entry["peer"]["name"] if "peer" in entry else entry["type"]] = path, entry
    return found


def samples(path, channels):
    """Its samples as they are, by channel."""
    raw = media.run("ffmpeg", "-v", "error", "-i", str(path), "-f", "f32le", "-")
    return np.frombuffer(raw, np.float32).reshape(-1, channels).T


def h264(folder, clip):
    path = folder / f"{clip}.mkv"
    media.run("ffmpeg", "-v", "error", "-y", "-i", str(CLIPS / f"{clip}.webm"), "-c:v", "libx264",
              "-preset", "ultrafast", "-tune", "zerolatency", "-bf", "0", "-g", "30",
              "-c:a", "copy", str(path))
    return path


@pytest.fixture(scope="module")
def taken(server, tmp_path_factory):
    """A room of three, recorded as tracks: Ann in VP8, who mutes and unmutes both; Ben in H.264;
    Cleo, who comes late."""
    folder = tmp_path_factory.mktemp("tracks")
    room = "three"
    clock = "--by-the-clock "
    with contextlib.ExitStack() as stack:
        enter(server, room, Guest("ann", clock + "--at 8:mute-video --at 8:mute-audio "
                                  "--at 11:unmute-video --at 11:unmute-audio"), folder, stack)
        enter(server, room, Guest(h264(folder, "ben"), clock), folder, stack)
        wait_for("both are there", lambda: server.peer_count(room) == 2, TIMEOUT)
        recording = start(server, room, zip=True, per_peer=True, mix={
            "format": "flac", "sample_rate": 48000, "dual_channel": True, "left": "ann"})
        wait_for_parts(server, recording, 4)
        began = time.monotonic()
        time.sleep(3)
        enter(server, room, Guest("cleo", clock), folder, stack)
        wait_for_parts(server, recording, 6)
        time.sleep(max(0, began + 14 - time.monotonic()))
        done = stop(server, room, recording)
    return done, *files(server, done)


def test_each_track_has_a_file_as_it_came(taken):
    done, index, found = taken
    codecs = {key: [file["codec"] for _, file in parts] for key, parts in found.items()}
    assert codecs == {
        ("ann", "audio"): ["opus"], ("ann", "video"): ["vp8"], ("ben", "audio"): ["opus"],
        ("ben", "video"): ["h264"], ("cleo", "audio"): ["opus"], ("cleo", "video"): ["vp8"]}
    for (_, kind), [(path, file)] in found.items():
        described = media.streams(path)[kind]
        assert described["codec_name"] == file["codec"]
        if kind == "video":
            assert (file["width"], file["height"]) == (640, 360)
            assert (described["width"], described["height"]) == (640, 360)
    assert {path.suffix for parts in found.values() for path, _ in parts} == {
        ".ogg", ".webm", ".mp4"}
    assert done["asset_types"] == ["track", "stream", "audio-mix", "track-index", "individual"]
    # Nothing was composed.
    assert index["stream_id"] == done["id"] and index["room_id"] == "three"


def test_the_index_lines_up_sound_and_picture(taken, tmp_path):
    _, _, found = taken
    beeps = {}
    for name in "ann", "ben", "cleo":
        measured = together(found, name, tmp_path)
        _, offsets = measured.pairs()
        assert len(offsets) >= 5, (name, offsets)
        assert np.percentile(np.abs(offsets), 90, method="lower") <= IN_TIME, (name, offsets)
        # The file begins with whichever of the two is first.
        begin = min(found[name, kind][0][1]["start_ms"] for kind in ("audio", "video"))
        beeps[name] = np.array(measured.beeps) + begin / 1000
    # Clips of one length show the same moment by the wall clock; Ben's is not of that length.
    apart = beeps["cleo"] - np.median(np.mod(beeps["ann"], 1))
    assert np.median(np.abs(apart - np.round(apart))) <= 0.1, beeps


def test_a_muted_track_keeps_its_time(taken):
    _, index, found = taken
    muted = {track["type"]: track["mutes"] for track in index["tracks"]
             if track["peer"]["name"] == "ann"}
    for kind in "audio", "video":
        [mute] = muted[kind]
        assert 2000 <= mute["to_ms"] - mute["from_ms"] <= 5000, mute
        [(_, file)] = found["ann", kind]
        [gap] = [one for one in file["gaps"] if one["to_ms"] - one["from_ms"] > 1500]
        assert abs(gap["from_ms"] + file["start_ms"] - mute["from_ms"]) < 500
        assert gap["reason"] == "silence"
        # As long as the one that was not muted.
        [(_, other)] = found["ben", kind]
        assert abs(file["start_ms"] + file["duration_ms"]
                   - other["start_ms"] - other["duration_ms"]) < 700
    [(path, file)] = found["ann", "audio"]
    levels = media.loudness(media.sound(path))
    beeps = media.onsets(levels, 0.02, 0.02)
    steps = np.diff(beeps)
    assert steps.max() > 2.5 and np.abs(steps - np.round(steps)).max() < 0.05, beeps


def test_a_peer_has_its_picture_and_its_sound_in_one_file(server, taken):
    done, index, found = taken
    movies = compositions(server, done, index)
    assert set(movies) == {"ann", "ben", "cleo", "audio-mix"}
    for name in "ann", "ben", "cleo":
        path, entry = movies[name]
        described = media.streams(path)
        assert {kind: one["codec_name"] for kind, one in described.items()} == {
            "video": "h264", "audio": "aac"}
        assert path.suffix == ".mp4"
        # Only what the sender encoded as H.264 stays as it is.
        assert entry["video_copied"] == (name == "ben")
        tracks = [found[name, kind][0][1] for kind in ("audio", "video")]
        assert entry["start_ms"] == min(one["start_ms"] for one in tracks)
        ends = max(one["start_ms"] + one["duration_ms"] for one in tracks)
        assert abs(entry["start_ms"] + entry["duration_ms"] - ends) <= 1
        _, offsets = avsync.measure(path).publishers[name].pairs()
        assert len(offsets) >= 5, (name, offsets)
        assert np.percentile(np.abs(offsets), 90, method="lower") <= IN_TIME, (name, offsets)


def test_a_movie_is_silent_and_still_while_its_peer_is_muted(server, taken):
    done, index, found = taken
    path, entry = compositions(server, done, index)["ann"]
    levels = {track["type"]: track["mutes"][0] for track in index["tracks"]
              if track["peer"]["name"] == "ann"}
    begin, end = (levels["audio"][key] - entry["start_ms"] for key in ("from_ms", "to_ms"))
    left = samples(path, 2)[0]
    quiet = left[(begin + 300) * 48:(end - 100) * 48]
    assert np.abs(quiet).max() < 0.001 < np.abs(left).max()
    times = [float(one) for one in assets.probe(
        path, "-select_streams", "v", "-show_entries", "packet=pts_time")]
    steps = np.diff(sorted(times))
    assert 2 < steps.max() < 5 and np.median(steps) < 0.06
    # What follows is not shifted.
    beeps = media.onsets(media.loudness(media.sound(path)), 0.02, 0.02)
    steps = np.diff(beeps)
    assert steps.max() > 2.5 and np.abs(steps - np.round(steps)).max() < 0.05, beeps


def test_a_mix_has_one_speaker_on_the_left(server, taken):
    done, index, found = taken
    path, entry = compositions(server, done, index)["audio-mix"]
    [described] = media.streams(path).values()
    assert (described["codec_name"], described["sample_rate"], described["channels"]) == (
        "flac", "48000", 2)
    [ann] = {track["peer"]["id"] for track in index["tracks"] if track["peer"]["name"] == "ann"}
    assert entry["left"] == [ann] and entry["start_ms"] == 0
    left, right = samples(path, 2)
    assert abs(len(left) / 48 - entry["duration_ms"]) < 1
    [(track, file)] = found["ann", "audio"]
    alone = samples(track, media.streams(track)["audio"]["channels"]).mean(axis=0)
    begin = file["start_ms"] * 48
    part = left[begin:begin + len(alone)]
    count = min(len(part), len(alone), 48000 * 5)
    # The same sound at the same time, but for the limiter.
    spectrum = np.fft.rfft(part[:count], 2 * count) * np.conj(np.fft.rfft(alone[:count], 2 * count))
    lag = int(np.argmax(np.fft.irfft(spectrum)))
    lag -= 2 * count if lag > count else 0
    assert abs(lag) <= 48, lag
    begin += lag
    assert np.corrcoef(left[begin:begin + count], alone[:count])[0, 1] > 0.95
    assert np.abs(left[:max(0, begin - 480)]).max(initial=0) < 0.001
    # Two others are on the right, while Ann is muted too.
    [mute] = next(track["mutes"] for track in index["tracks"]
                  if track["peer"]["name"] == "ann" and track["type"] == "audio")
    quiet = slice((mute["from_ms"] + 300) * 48, (mute["to_ms"] - 100) * 48)
    assert np.abs(left[quiet]).max() < 0.001 < np.abs(right[quiet]).max()


def test_who_comes_late_begins_late(taken):
    _, index, found = taken
    for kind in "audio", "video":
        [(_, file)] = found["cleo", kind]
        assert file["start_ms"] >= 2500, file
        assert index["duration_ms"] - file["start_ms"] - file["duration_ms"] < 1000


def test_the_archive_has_all_of_it(server, taken):
    done, index, found = taken
    [individual] = [one for one in done["recording_assets"] if one["type"] == "individual"]
    link = manage(server, "GET", f"/recording-assets/{individual['id']}/presigned-url")
    path = server.recordings / individual["path"]
    assert server.http.get(path_of(link["url"])).body == path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert json.loads(archive.read("tracks.json")) == index
        names = {path.name for parts in found.values() for path, _ in parts}
        names |= {one["name"] for one in index["compositions"]}
        assert set(archive.namelist()) == names | {"tracks.json"}


# Loads a file, seeks to its middle and plays on: its length and where it then is.
PLAYED = """(url) => new Promise((resolve, reject) => {
  const video = document.createElement("video");
  Object.assign(video, { src: url, muted: true,
    onerror: () => reject(new Error(video.error.message)),
    onloadedmetadata: () => { video.currentTime = video.duration / 2; },
    onseeked: () => video.play(),
    ontimeupdate: () => video.currentTime > video.duration / 2 + 0.3 &&
      resolve({ duration: video.duration, width: video.videoWidth }) });
  document.body.append(video);
})"""


def test_a_browser_plays_the_files(server, taken, browser):
    done, _, found = taken
    page = browser.new_page()
    page.goto(server.base)
    made = {one["path"]: one["id"] for one in done["recording_assets"]}
    for name, kind in ("ann", "video"), ("cleo", "video"), ("ann", "audio"):
        [(path, file)] = found[name, kind]
        asset = made[str(path.relative_to(server.recordings))]
        link = manage(server, "GET", f"/recording-assets/{asset}/presigned-url")
        played = page.evaluate(PLAYED, path_of(link["url"]))
        assert abs(played["duration"] - file["duration_ms"] / 1000) < 0.1, (name, kind, played)
        assert played["width"] == file.get("width", 0)
    page.close()


def test_a_killed_bot_costs_two_seconds_at_most(server, room, tmp_path):
    with present(server, room, [Guest("ann"), Guest(h264(tmp_path, "ben"))], tmp_path):
        recording = start(server, room, roles=["host"], sources=["regular"], audio="webm",
                          per_peer=True, mix={"format": "wav"})
        wait_for_parts(server, recording, 4)
        time.sleep(5)
        killed = time.time()
        kill(writer(assets.directory(server, recording)))
        wait_for_parts(server, recording, 8)
        time.sleep(4)
        done = stop(server, room, recording)
    index, found = files(server, done)
    for key, parts in found.items():
        assert len(parts) == 2, (key, parts)
        first, second = (file for _, file in parts)
        end = index["started_at_unix_ms"] + first["start_ms"] + first["duration_ms"]
        assert killed * 1000 - end <= 2000, (key, killed, end)
        assert second["start_ms"] >= first["start_ms"] + first["duration_ms"]
        assert second["container"] == {"audio": "webm"}.get(key[1], first["container"])
    for name in "ann", "ben":
        _, offsets = together(found, name, tmp_path).pairs()
        assert len(offsets) >= 2 and np.median(np.abs(offsets)) <= IN_TIME, (name, offsets)
    made = compositions(server, done, index)
    for name in "ann", "ben":
        path, entry = made[name]
        files_of = [file for key, parts in found.items() if key[0] == name for _, file in parts]
        assert entry["start_ms"] == min(file["start_ms"] for file in files_of)
        _, offsets = avsync.measure(path).publishers[name].pairs()
        assert len(offsets) >= 5, (name, offsets)
        assert np.percentile(np.abs(offsets), 80, method="lower") <= IN_TIME, (name, offsets)
    path, entry = made["audio-mix"]
    [described] = media.streams(path).values()
    assert (described["codec_name"], described["sample_rate"], described["channels"]) == (
        "pcm_s16le", "16000", 1)
    assert abs(samples(path, 1).shape[1] / 16 - entry["duration_ms"]) < 1


def test_a_recorder_that_stands_still_for_a_while_goes_on(server, room, tmp_path):
    """As on a starved machine: all that has waited is read at once, seconds late."""
    with present(server, room, [Guest("ann", "--by-the-clock")], tmp_path):
        recording = start(server, room)
        wait_for_parts(server, recording, 2)
        time.sleep(3)
        bot = writer(assets.directory(server, recording))
        began = time.monotonic()
        os.kill(bot, signal.SIGSTOP)
        time.sleep(7)
        os.kill(bot, signal.SIGCONT)
        away = time.monotonic() - began
        time.sleep(4)
        done = stop(server, room, recording)
    assert done["process_deaths"] == []
    index, found = files(server, done)
    # No track has begun anew, and what came afterwards is where it belongs.
    assert [len(parts) for parts in found.values()] == [1, 1], index
    for [(_, file)] in found.values():
        assert away + 6 < file["duration_ms"] / 1000 < away + 11, (away, file)
    _, offsets = together(found, "ann", tmp_path).pairs()
    assert len(offsets) >= 4 and np.median(np.abs(offsets)) <= IN_TIME, offsets


def test_tracks_are_recorded_beside_a_stream(server, room, tmp_path):
    with present(server, room, [Guest("ann"), Guest("cleo")], tmp_path):
        stream = server.start_stream(room, {
            "ladder": assets.LADDER[1:],
            "recording": {"single_file_per_layer": True, "tracks": {"peers": ["cleo"]}}})
        server.wait_for_status(stream["id"], "running", TIMEOUT)
        wait_for_parts(server, stream, 2)
        # A second request for other tracks would not get them.
        refused = server.manage("POST", f"/live-streams/room/{room}/start",
                                {"recording": {"tracks": True}})
        assert refused.status == 409, refused
        time.sleep(4)
        server.stop_stream(room)
        done = server.wait_for_status(stream["id"], "completed", TIMEOUT)
    found = files(server, done)[1]
    assert set(found) == {("cleo", "audio"), ("cleo", "video")}
    types = [one["type"] for one in done["recording_assets"]]
    assert sorted(types) == ["room-composite", "track", "track", "track-index"]


@pytest.mark.parametrize("tracks, reason", [
    ({"peers": []}, "peers are 1 to 100"), ({"sources": ["camera"]}, "sources are regular"),
    ({"mix": {"format": "mp3"}}, "mix"), ({"mix": {"format": "wav", "rate": 1}}, "mix.rate"),
    ({"mix": {"format": "wav", "sample_rate": 44100}}, "16000 or 48000"),
    ({"mix": {"format": "wav", "left": "ann"}}, "dual_channel"),
    ({"peer": ["ann"]}, "did you mean peers?"), ({"audio": "mp3"}, "audio"), (7, "tracks")])
def test_bad_options_are_refused(server, room, tracks, reason):
    answer = server.manage("POST", f"/recordings/room/{room}/start", {"tracks": tracks})
    assert answer.status == 400 and reason in json.dumps(answer.json), answer
