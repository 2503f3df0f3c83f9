"""Captions: on air in time, past the death of a bot, and in the recording."""

import json
import re
import subprocess
import time
import zipfile
from datetime import datetime

from harness import hls
from harness.assets import (
    BOTH,
    SHORT_SEGMENTS,
    TIMEOUT,
    directory,
    kill,
    manifest,
    segments,
    start,
    writer,
)
from harness.hls_js import faults
from harness.http import path_of
from harness.server import Server
from harness.waiting import wait_for

SETTINGS = SHORT_SEGMENTS
BEGUN = 6  # segments
LANGUAGES = [{"code": "en", "name": "English"}, {"code": "de", "name": "Deutsch"}]
CAPTIONS = {"languages": LANGUAGES}
# A mark that needs an escape in WebVTT, and letters of several bytes.
TEXT = "Überall <b>5 > 3</b> & „so“ --> 🎥\nzweite Zeile"
PLAIN = TEXT.replace("\n", " ")
FORMATS = {"txt", "srt", "vtt", "json"}


def say(server, stream, *captions, language="en"):
    answer = server.manage("POST", f"/live-streams/{stream['id']}/captions",
                           {"language": language, "captions": list(captions)})
    assert answer.status == 200, answer.body
    return answer.json


def milliseconds():
    return round(time.time() * 1000)


def playlist(folder, name):
    return hls.parse_media((folder / name / "stream.m3u8").read_text())


def shape(found):
    """All of a playlist that does not depend on its files' format."""
    tags = {name: value for name, value in found.tags.items() if name != "EXT-X-VERSION"}
    tags.pop("EXT-X-MAP", None)
    return tags, found.is_ended, [
        (one.uri.split(".")[0], one.duration, one.date, one.is_discontinuity)
        for one in found.segments]


def mirrors(folder, captions, layer):
    # The layer's playlist is written a moment earlier.
    return wait_for(f"{captions} is like {layer}",
                    lambda: shape(playlist(folder, captions)) == shape(playlist(folder, layer)),
                    TIMEOUT)


def seconds(text):
    hours, minutes, rest = text.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(rest)


def cues(path):
    """Times in seconds on the file's own clock, and texts, of a WebVTT file."""
    found = re.findall(r"^(\S+) --> (\S+)\n((?:.+\n)+)", path.read_text(), re.MULTILINE)
    return [(seconds(begin), seconds(end), text.strip()) for begin, end, text in found]


def holding(folder, name, word):
    """The segments that have this word, in order."""
    return [one for one in playlist(folder, name).segments
            if word in (folder / name / one.uri).read_text()]


def check_in_player(viewer, word, said, length):
    """Once the player has exactly one cue with the word, it is where it was said."""

    def known():
        state = viewer.captions()
        found = [one for one in state["cues"] if word in one["text"]]
        return state["playingDate"] and found and (state, found)

    state, found = wait_for("the cue is known", known, 2 * TIMEOUT)
    [cue] = found
    # What is on the player's clock between the picture of then and the one of now.
    place = state["time"] + said / 1000 - state["playingDate"]
    assert abs(cue["startTime"] - place) < 0.1, (cue, place)
    assert abs(cue["endTime"] - cue["startTime"] - length / 1000) < 0.01
    if viewer.captions()["time"] > cue["startTime"]:
        viewer.seek(cue["startTime"] - 0.5)  # it may have been known too late
    wait_for("the cue is shown", lambda: any(
        word in text for text in viewer.captions()["shown"]), 2 * TIMEOUT)


def test_a_caption_is_shown_when_it_was_said(server, room, viewer):
    stream = start(server, room, container="both", captions=CAPTIONS)
    assert stream["captions"] == CAPTIONS
    folder = directory(server, stream)
    segments(server, stream, BEGUN)
    for word, url in [("Überall", stream["playback"]["url"]),
                      ("Nochmals", stream["playback"]["cmaf_url"])]:
        viewer.play(url)
        wait_for("playback begins", lambda: viewer.state()["time"] > 0, TIMEOUT)
        assert viewer.captions()["languages"] == [["en", "English"], ["de", "Deutsch"]]
        viewer.show_captions(0)
        begin = milliseconds() + 1500
        say(server, stream,
            {"text": TEXT.replace("Überall", word), "start": begin, "end": begin + 2500, "speaker": "Ann <x>"})
        check_in_player(viewer, word, begin, 2500)
        assert faults(viewer) == []

    # In each segment that it touches, with the same times; nothing in the other language.
    for prefix in "", "cmaf_":
        first = f"{prefix}captions_en"
        touched = holding(folder, first, "zweite Zeile")
        assert len(touched) >= 3
        times = {cue for one in touched for cue in cues(folder / first / one.uri)
                 if "zweite Zeile" in cue[2]}
        assert len(times) == 2, times
        assert holding(folder, f"{prefix}captions_de", "-->") == []
        for code in "en", "de":
            mirrors(folder, f"{prefix}captions_{code}", f"{prefix or 'stream_'}0")
    text = (folder / "captions_en" / holding(folder, "captions_en", "berall")[0].uri).read_text()
    assert ("<v Ann &lt;x&gt;>Überall &lt;b&gt;5 &gt; 3&lt;/b&gt; &amp; „so“ --&gt; 🎥\n"
            "zweite Zeile</v>") in text

    # Late, even for a busy bot, so it is shown with the next segment for as long.
    late = milliseconds() - 9000
    say(server, stream, {"text": "zu spät", "start": -9000, "end": -8000}, language="de")
    [one] = wait_for("the late one is shown", lambda: holding(folder, "captions_de", "zu sp"),
                     TIMEOUT)[:1]
    assert datetime.fromisoformat(one.date).timestamp() * 1000 > late + 2000
    [(begin, end, _)] = cues(folder / "captions_de" / one.uri)
    assert abs(end - begin - 1) < 0.01
    local = re.search(r"LOCAL:(\S+)", (folder / "captions_de" / one.uri).read_text())
    assert abs(begin - seconds(local[1])) < 0.01

    server.stop_stream(room)
    server.wait_for_status(stream["id"], "completed", 2 * TIMEOUT)
    mirrors(folder, "captions_en", "stream_0")
    assert playlist(folder, "captions_en").is_ended


def test_what_is_wrong_is_refused(server, room):
    def refused(body, stream_id, status):
        answer = server.manage("POST", f"/live-streams/{stream_id}/captions", body)
        assert answer.status == status, answer.body
        return answer.json

    one = {"captions": [{"text": "a"}]}
    refused(one, "none", 404)
    early = server.start_stream(room, {"captions": CAPTIONS})
    refused(one | {"language": "en"}, early["id"], 409)
    server.wait_for_status(early["id"], "running", TIMEOUT)
    for body in one, one | {"language": "fr"}:
        assert refused(body, early["id"], 400)["details"] == ["language is one of en, de"]
    refused(one | {"language": "EN"}, early["id"], 200)
    refused({"language": "en", "captions": [{"text": "x" * 501}]}, early["id"], 400)
    flood = {"language": "en", "captions": [{"text": "a"}] * 100}
    answers = {server.manage("POST", f"/live-streams/{early['id']}/captions", flood).status
               for _ in range(4)}
    assert answers == {200, 429}
    again = server.manage("POST", f"/live-streams/room/{room}/start",
                          {"captions": {"languages": [{"code": "fr"}]}})
    assert again.status == 409
    server.stop_stream(room)
    refused(one | {"language": "en"}, early["id"], 409)


def probed(path):
    """The codec that ffprobe finds. It reads single files: its HLS demuxer knows no subtitles."""
    result = subprocess.run(
        ["ffprobe", "-v", "error", "-show_entries", "stream=codec_name", "-of", "csv=p=0",
         str(path)], check=True, capture_output=True, text=True, timeout=60)
    assert result.stderr == "", result.stderr
    return result.stdout.strip()


def renditions(master):
    """Names and addresses in a master playlist; every variant has them."""
    text = master.read_text()
    assert text.count(',SUBTITLES="captions"') == text.count("#EXT-X-STREAM-INF:")
    found = [hls.attributes(line) for line in re.findall("#EXT-X-MEDIA:(.*)", text)]
    assert all(one["TYPE"] == "SUBTITLES" and one["GROUP-ID"] == "captions" for one in found)
    return [(one["LANGUAGE"], one["NAME"], one["URI"]) for one in found]


RENDITIONS = [(one["code"], one["name"], f"captions_{one['code']}/stream.m3u8")
              for one in LANGUAGES]


def texts(path, *options):
    """What ffmpeg reads of captions, without tags."""
    result = subprocess.run(
        ["ffmpeg", "-v", "error", *options, "-i", str(path), "-map", "0:s:0", "-f", "srt", "-"],
        check=True, capture_output=True, text=True, timeout=60)
    return result.stdout


def test_captions_outlive_their_bot_and_are_in_the_recording(server, room, viewer, tmp_path):
    stream = start(server, room, recording=BOTH, captions=CAPTIONS)
    folder = directory(server, stream)
    segments(server, stream, 3)
    first = milliseconds()
    say(server, stream, {"text": TEXT, "start": first, "end": first + 1200, "speaker": "Ann",
                         "peer_id": "p1"})
    say(server, stream, {"text": "Hallo", "start": first, "end": first + 1200}, language="de")
    wait_for("it is shown", lambda: holding(folder, "captions_en", "berall"), TIMEOUT)

    kill(writer(folder))
    # Nobody is there to show it.
    dead = milliseconds()
    say(server, stream, {"text": "while it was dead", "start": dead, "end": dead + 800})
    wait_for("the next bot shows it",
             lambda: holding(folder, "captions_en", "while it was dead"), 2 * TIMEOUT)
    [once] = {cue for one in holding(folder, "captions_en", "while it was dead")
              for cue in cues(folder / "captions_en" / one.uri)}
    assert abs(once[1] - once[0] - 0.8) < 0.01
    mirrors(folder, "captions_en", "stream_0")
    assert any(one.is_discontinuity for one in playlist(folder, "captions_en").segments)
    shown = [cue for one in holding(folder, "captions_en", "berall")
             for cue in cues(folder / "captions_en" / one.uri)]
    assert len(set(shown)) == 1, "it is not shown again by the next bot"

    server.pause_recording(stream["id"])
    segments(server, stream, len(playlist(folder, "stream_0").segments) + 3)
    say(server, stream, {"text": "off the record"})
    segments(server, stream, len(playlist(folder, "stream_0").segments) + 3)
    server.resume_recording(stream["id"])
    segments(server, stream, len(playlist(folder, "stream_0").segments) + 3)
    last = milliseconds()
    say(server, stream, {"text": "the end", "start": last, "end": last + 500, "speaker": "Ben"})
    segments(server, stream, len(playlist(folder, "stream_0").segments) + 2)
    server.stop_stream(room)
    server.wait_for_status(stream["id"], "completed", 2 * TIMEOUT)

    # ffmpeg reads what was on air.
    assert renditions(folder / "master.m3u8") == RENDITIONS
    for one in playlist(folder, "captions_en").segments:
        assert probed(folder / "captions_en" / one.uri) == "webvtt"
    for one in holding(folder, "captions_en", "zweite Zeile"):
        assert "zweite Zeile" in texts(folder / "captions_en" / one.uri)

    made = manifest(server, stream)["assets"]
    [vod] = [one for one in made if one["type"] == "room-vod"]
    check_vod(server.recordings / vod["path"], tmp_path, first)
    check_transcripts(server, room, made)
    asset = next(one for one in server.manage("GET", f"/recording-assets?room_id={room}")
                 .json["data"] if one["type"] == "room-vod")
    links = server.manage("GET", f"/recording-assets/{asset['id']}/presigned-url").json
    viewer.play(links["playback_url"])
    wait_for("playback begins", lambda: viewer.state()["time"] > 0, TIMEOUT)
    viewer.show_captions(0)
    check_in_player(viewer, "Überall", first, 1200)
    assert faults(viewer) == []


def check_vod(path, tmp_path, first):
    unpacked = tmp_path / "vod"
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        archive.extractall(unpacked)
    for root in unpacked, path.parent:
        assert renditions(root / "master.m3u8") == RENDITIONS
        assert shape(playlist(root, "captions_en")) == shape(playlist(root, "stream_0"))
        said = [one for one in playlist(root, "captions_en").segments
                if "berall" in (root / "captions_en" / one.uri).read_text()]
        # There it is where it was said, even if it came late on air.
        begin = datetime.fromisoformat(said[0].date).timestamp() * 1000
        assert begin - 1 <= first < begin + 1000 * said[0].duration + 1
        everything = "".join(
            (root / "captions_en" / one.uri).read_text()
            for one in playlist(root, "captions_en").segments)
        assert "the end" in everything and "while it was dead" in everything
        assert "off the record" not in everything
    # The archive alone is enough.
    ranged = (path.parent / "captions_en/archive.m3u8").read_text()
    whole = path.read_bytes()
    for (count, at), one in zip(re.findall(r"BYTERANGE:(\d+)@(\d+)", ranged),
                                playlist(unpacked, "captions_en").segments, strict=True):
        content = (unpacked / "captions_en" / one.uri).read_bytes()
        assert whole[int(at):int(at) + int(count)] == content


def check_transcripts(server, room, made):
    transcripts = {(one["transcript"]["language"], one["transcript"]["output_mode"]): one
                   for one in made if one["type"] == "transcript"}
    assert set(transcripts) == {(code, form) for code in ("en", "de") for form in FORMATS}
    files = {key: server.recordings / one["path"] for key, one in transcripts.items()}
    document = json.loads(files["en", "json"].read_text())
    lines = document["transcript"]
    assert document["language"] == "en" and document["room_id"] == room
    assert [one["text"] for one in lines] == [TEXT, "while it was dead", "the end"]
    assert [one.get("peer_name") for one in lines] == ["Ann", None, "Ben"]
    assert lines[0]["peer_id"] == "p1"
    assert lines[0]["end_ms"] - lines[0]["start_ms"] == 1200
    assert all(one["start_ms"] < other["start_ms"]
               for one, other in zip(lines, lines[1:], strict=False))
    duration = transcripts["en", "json"]["duration_ns"] / 1e6
    assert all(0 <= one["start_ms"] < one["end_ms"] <= duration for one in lines)
    assert f"Ann: {PLAIN}" in files["en", "txt"].read_text()
    assert [cue[:2] for cue in cues(files["en", "vtt"])] == [
        (one["start_ms"] / 1000, one["end_ms"] / 1000) for one in lines]
    for form in "vtt", "srt":
        assert "the end" in texts(files["en", form])
        assert "off the record" not in texts(files["en", form])
    # By the API, like other assets.
    listed = [one for one in server.manage("GET", f"/recording-assets?room_id={room}&limit=50")
              .json["data"] if one["type"] == "transcript"]
    assert len(listed) == 8
    one = next(one for one in listed
               if one["metadata"]["transcript"] == {
                   "language": "en", "language_name": "English", "output_mode": "vtt"})
    url = server.manage("GET", f"/recording-assets/{one['id']}/presigned-url").json["url"]
    answer = server.http.get(path_of(url))
    assert answer.body == files["en", "vtt"].read_bytes()


def test_what_was_answered_outlives_the_server(binary, room, tmp_path):
    server = Server(tmp_path, settings=SETTINGS)
    try:
        stream = start(server, room, recording=BOTH, captions=CAPTIONS)
        folder = directory(server, stream)
        segments(server, stream, 3)
        begin = milliseconds()
        for number in range(20):
            say(server, stream, {"text": f"word {number}", "start": begin + number,
                                 "end": begin + number + 500})
        server.kill()
        assert len((folder / "captions.log").read_text().splitlines()) == 20
        server = Server(tmp_path, settings=SETTINGS, port=server.port)
        server.wait_for_status(stream["id"], "failed", 2 * TIMEOUT)
        text = wait_for("the transcript", lambda: [
            one for one in server.manage("GET", f"/recording-assets?room_id={room}&limit=50")
            .json["data"] if one["type"] == "transcript" and one["path"].endswith(".json")],
            2 * TIMEOUT)[0]
        lines = json.loads((server.recordings / text["path"]).read_text())["transcript"]
        assert [one["text"] for one in lines] == [f"word {number}" for number in range(20)]
    finally:
        server.stop()
