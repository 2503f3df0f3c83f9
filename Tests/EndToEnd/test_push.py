"""Live streams are pushed to other servers while they are on air."""

import contextlib
import os
import socket
import time
from pathlib import Path

import pytest
from harness import hls
from harness.assets import SHORT_SEGMENTS
from harness.publisher import Publisher
from harness.push_servers import (
    FFmpegListener,
    NginxRTMP,
    SRTListener,
    Wire,
    certificate,
    decode_errors,
    probe,
)
from harness.receiver import Receiver
from harness.scene import CLIPS
from harness.server import Server, free_port
from harness.stranger import Stranger
from harness.waiting import wait_for

TIMEOUT = 60  # s
# How long a server is away: two attempts are in vain. `make test-push-outage` takes ten minutes.
OUTAGE = float(os.environ.get("PUSH_OUTAGE_SECONDS", "6"))
LADDER = [{"width": 320, "height": 180, "videoBitrate": 400, "audioBitrate": 64},
          {"width": 256, "height": 144, "videoBitrate": 150, "audioBitrate": 64}]
LAG_MAXIMUM = 3  # s
PASSPHRASE = "pass-phrase-0"
# Part of every key and passphrase, which no log may have.
SECRET = "sesame"


@pytest.fixture(scope="module")
def nginx(tmp_path_factory):
    with contextlib.closing(NginxRTMP(tmp_path_factory.mktemp("rtmp") / "nginx")) as nginx:
        yield nginx


@pytest.fixture(scope="module")
def tls(tmp_path_factory):
    return certificate(tmp_path_factory.mktemp("tls"), "localhost")


@pytest.fixture(scope="module")
def hooks():
    """Whom the server tells."""
    with contextlib.closing(Receiver()) as hooks:
        yield hooks


@pytest.fixture(scope="module")
def server(binary, tmp_path_factory, tls, hooks):
    """A server that may push to this machine, and knows the certificate."""
    before = os.environ.get("SSL_CERT_FILE")
    os.environ["SSL_CERT_FILE"] = str(tls[0])
    server = Server(tmp_path_factory.mktemp("server"), settings=SHORT_SEGMENTS | hooks.settings | {
        "ROOMCAST_STREAM_PUSH_HOSTS": "127.0.0.1,localhost", "ROOMCAST_LOG_LEVEL": "debug",
        # Most rooms of this module are empty.
        "ROOMCAST_STREAM_EMPTY_TIMEOUT_SECONDS": "0"})
    if before is None:
        del os.environ["SSL_CERT_FILE"]
    else:
        os.environ["SSL_CERT_FILE"] = before
    yield server
    assert server.stop() == 0, server.tail()
    assert SECRET not in server.log.read_text()


def start(server, room, urls, **options):
    return server.start_stream(room, {"ladder": LADDER, "rtmp_urls": urls, **options})


def outputs(server, stream, kind="live-streams"):
    return server.stream(stream["id"], kind)["outputs"]


def wait_for_states(server, stream, *states, kind="live-streams"):
    """The outputs, once they are in these states."""
    def reached():
        found = outputs(server, stream, kind)
        return [one["state"] for one in found] == list(states) and found

    try:
        return wait_for(f"the outputs are {states}", reached, TIMEOUT)
    except BaseException:
        print(outputs(server, stream, kind), server.tail())
        raise


def assert_plays(path, size=(320, 180)):
    found, errors = probe(path)
    assert set(found) == {"video", "audio"}, (found, errors)
    assert (found["video"]["codec_name"], found["audio"]["codec_name"]) == ("h264", "aac")
    assert (found["video"]["width"], found["video"]["height"]) == size
    assert int(found["audio"]["nb_read_packets"]) > 20


def bot_arguments():
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            arguments = path.read_bytes().decode(errors="replace").split("\0")
            if arguments[1:2] == ["bot"]:
                yield arguments


def test_each_target_has_its_own_fate(server, hooks, nginx, tls, room, tmp_path):
    refusing = free_port(socket.SOCK_STREAM)
    with contextlib.ExitStack() as stack:
        srt = stack.enter_context(contextlib.closing(
            SRTListener(tmp_path, f"{PASSPHRASE}{SECRET}")))
        secure = stack.enter_context(contextlib.closing(Wire(nginx.port, tls[1])))
        stream = start(server, room, [
            f"{nginx.base}/live/one-{SECRET}",
            f"srt://127.0.0.1:{srt.port}?passphrase={PASSPHRASE}{SECRET}&latency=200",
            f"rtmps://localhost:{secure.port}/live/two-{SECRET}",
            f"rtmps://127.0.0.1:{secure.port}/live/wrong-{SECRET}",
            f"rtmp://127.0.0.1:{refusing}/live/{SECRET}",
        ])
        assert [one["url"] for one in stream["outputs"]] == [
            f"{nginx.base}/live", f"srt://127.0.0.1:{srt.port}",
            f"rtmps://localhost:{secure.port}/live", f"rtmps://127.0.0.1:{secure.port}/live",
            f"rtmp://127.0.0.1:{refusing}/live"]
        server.wait_for_status(stream["id"], "running", TIMEOUT)
        wait_for_states(server, stream, "live", "live", "live", "retrying", "retrying")
        found = outputs(server, stream)
        assert found[3]["reason"] == "the server's certificate is for another name"
        assert found[4]["reason"] == "Connection refused"
        assert found[0]["bytes"] > 0 and found[0]["since"] and found[0]["started_at"]

        def told():
            return {one["data"]["output"]["id"]: one for one in hooks.events(stream["id"])
                    if one["type"].startswith("output.")}

        wait_for("webhooks tell of each", lambda: len(told()) == 5, TIMEOUT)
        assert {number: event["type"] for number, event in told().items()} == {
            "1": "output.live", "2": "output.live", "3": "output.live",
            "4": "output.retrying", "5": "output.retrying"}
        assert told()["5"]["data"]["output"]["reason"] == "Connection refused"
        assert SECRET not in str(hooks.accepted)
        for key in ("one", "two"):
            wait_for("nginx has cut segments",
                     lambda key=key: len(nginx.segments(f"{key}-{SECRET}")) > 2, TIMEOUT)
            assert_plays(nginx.segments(f"{key}-{SECRET}")[1])
        assert not nginx.segments(f"wrong-{SECRET}")
        wait_for("SRT has come", lambda: srt.file.stat().st_size > 60_000, TIMEOUT)
        assert_plays(srt.file)
        # The stream itself knows nothing of the dead ones.
        layers = hls.Stream(server.http, stream["playback"]["url"], tmp_path).layers
        assert len(layers) == 2 and all(layer.playlist.segments for layer in layers)
        bots = list(bot_arguments())
        assert bots and SECRET not in str(bots)
        metrics = server.metrics()
        assert metrics['roomcast_stream_outputs{state="live"}'] == 3
        assert metrics['roomcast_stream_outputs{state="retrying"}'] == 2
        server.stop_stream(room)
        ended = server.wait_for_status(stream["id"], "completed", TIMEOUT)
    assert [one["state"] for one in ended["outputs"]] == ["stopped"] * 5, ended
    for path in server.recordings.glob("catalogue.sqlite*"):
        assert SECRET.encode() not in path.read_bytes()


def test_a_server_that_was_away_gets_the_stream_again(server, nginx, room, tmp_path):
    key = f"away-{SECRET}"
    stream = start(server, room, [f"{nginx.base}/live/{key}"])
    wait_for_states(server, stream, "live")
    wait_for("nginx has cut segments", lambda: len(nginx.segments(key)) > 1, TIMEOUT)
    nginx.stop()
    try:
        wait_for_states(server, stream, "retrying")
        before = server.http.get(f"/hls/{room}/{stream['id']}/0/stream.m3u8")
        time.sleep(OUTAGE)
    finally:
        nginx.start()
    [away] = wait_for_states(server, stream, "live")
    assert away["reconnects"] == 1 and away["frames_dropped"] > 20 * OUTAGE
    after = server.http.get(f"/hls/{room}/{stream['id']}/0/stream.m3u8")
    assert len(after.body) > len(before.body) or before.status != 200
    count = len(nginx.segments(key))
    wait_for("nginx cuts again", lambda: len(nginx.segments(key)) > count + 1, TIMEOUT)
    assert decode_errors(nginx.segments(key)[-2]) == ""
    assert_plays(nginx.segments(key)[-2])
    server.stop_stream(room)


def test_a_slow_wire_gets_fewer_pictures_and_no_older_ones_and_a_wedged_one_is_left(server, nginx, room):
    key = f"slow-{SECRET}"
    # Moving pictures fill the buffers on the way sooner than a slate.
    with contextlib.closing(Wire(nginx.port)) as wire, Publisher(server, room, CLIPS / "ann.webm"):
        stream = start(server, room, [
            f"rtmp://127.0.0.1:{wire.port}/live/{key}", f"{nginx.base}/live/quick-{SECRET}"])
        wait_for_states(server, stream, "live", "live")
        wait_for("nginx cuts both", lambda: len(nginx.segments(key)) > 2, TIMEOUT)
        begin, sent = time.monotonic(), outputs(server, stream)[0]["bytes"]
        wait_for("some more is sent", lambda: len(nginx.segments(key)) > 5, TIMEOUT)
        rate = (outputs(server, stream)[0]["bytes"] - sent) / (time.monotonic() - begin)
        wire.rate = rate / 2
        wait_for("it leaves pictures out",
                 lambda: outputs(server, stream)[0]["frames_dropped"] > 60, TIMEOUT)
        count = len(nginx.segments(key))
        wait_for("what comes through is cut", lambda: len(nginx.segments(key)) > count + 3, TIMEOUT)
        slow, quick = outputs(server, stream)
        assert (slow["state"], slow["reconnects"]) == ("live", 0), slow
        assert (quick["state"], quick["frames_dropped"]) == ("live", 0), quick
        wire.rate = None
        # Both have the same clock: what is behind by more than the limit would be so here.
        wait_for("it is level again", lambda: abs(
            nginx.length(key) - nginx.length(f"quick-{SECRET}")) < LAG_MAXIMUM, TIMEOUT)
        assert decode_errors(nginx.segments(key)[-1]) == ""
        # And a connection that is wedged is noticed and made anew.
        before = outputs(server, stream)[0]["frames_dropped"]
        wire.rate = 0
        found = wait_for_states(server, stream, "retrying", "live")
        assert found[0]["reason"] == "the server does not answer in time"
        wire.rate = None
        found = wait_for_states(server, stream, "live", "live")
        assert found[0]["reconnects"] == 1 and found[0]["frames_dropped"] > before
        assert found[1]["reconnects"] == 0 and found[1]["frames_dropped"] == 0
        server.stop_stream(room)


def test_outputs_come_and_go_on_air(server, nginx, room, tmp_path):
    stream = start(server, room, [])
    assert stream["outputs"] == []
    path = f"/live-streams/{stream['id']}/outputs"
    with contextlib.closing(FFmpegListener(tmp_path, f"low-{SECRET}")) as listener:
        added = server.manage("POST", path, {"url": listener.url, "layer": 1})
        assert added.status == 200 and added.json["id"] == "1" and added.json["layer"] == 1
        again = server.manage("POST", path, {"url": listener.url, "layer": 1})
        assert again.json["id"] == "1"
        wait_for_states(server, stream, "live")
        wait_for("ffmpeg writes", lambda: listener.file.exists()
                 and listener.file.stat().st_size > 20_000, TIMEOUT)
        removed = server.manage("DELETE", f"{path}/1")
        assert removed.status == 200 and removed.json["outputs"] == []
        wait_for("ffmpeg has seen the end", listener.has_ended, TIMEOUT)
        assert_plays(listener.file, size=(256, 144))
    assert server.manage("DELETE", f"{path}/1").status == 404
    for number in range(5):
        answer = server.manage("POST", path, {"url": f"{nginx.base}/closed/{SECRET}{number}"})
        assert answer.status == 200 and answer.json["id"] == str(number + 2), answer
    assert server.manage("POST", path, {"url": f"{nginx.base}/live/{SECRET}"}).status == 409
    wait_for_states(server, stream, *["retrying"] * 5)
    server.stop_stream(room)
    server.wait_for_status(stream["id"], "completed", TIMEOUT)
    assert server.manage("POST", path, {"url": f"{nginx.base}/live/{SECRET}"}).status == 409


@pytest.mark.parametrize("url, reason", [
    ("http://h/app/sesame", "does not begin with"), ("rtmp://127.0.0.1/sesame", "stream key"),
    ("srt://127.0.0.1:9?mode=listener", "mode than caller"),
    ("rtmp://10.0.0.1/app/sesame", "not in stream.pushHosts"),
])
def test_what_cannot_be_pushed_to_is_refused(server, room, url, reason):
    answer = server.manage("POST", f"/live-streams/room/{room}/start", {"rtmp_urls": [url]})
    assert answer.status == 400 and reason in answer.json["details"][0], answer
    assert SECRET not in answer.json["details"][0], answer


def test_a_host_sends_the_room_elsewhere(server, nginx, room):
    key = f"room-{SECRET}"
    with Stranger(server, room, "Ann") as ann:
        ann.join()
        with pytest.raises(Exception, match="rtmp_urls"):
            ann.call("rtmp-start", {"rtmp_urls": ["rtmp://127.0.0.1/x"], "record": False})
        ann.call("rtmp-start", {"rtmp_urls": [f"{nginx.base}/live/{key}"], "record": False})
        listed = server.manage("GET", f"/external-streams?room_id={room}").json["data"]
        assert [one["rtmp_urls"] for one in listed] == [[f"{nginx.base}/live"]]
        wait_for("nginx has cut segments", lambda: len(nginx.segments(key)) > 1, TIMEOUT)
        assert_plays(nginx.segments(key)[0], size=(640, 360))
        ann.call("rtmp-stop", {})
        wait_for("it has ended", lambda: server.manage(
            "GET", f"/external-streams/{listed[0]['id']}").json["status"] == "completed", TIMEOUT)


def test_an_external_stream_is_started_and_stopped(server, nginx, room):
    key = f"external-{SECRET}"
    path = f"/external-streams/room/{room}"
    body = {"rtmp_urls": [f"{nginx.base}/live/{key}"], "recording": True,
            "resolution": {"width": 640, "height": 480}}
    started = server.manage("POST", f"{path}/start", body)
    assert started.status == 200 and started.json["status"] == "starting", started
    wait_for("nginx has cut segments", lambda: len(nginx.segments(key)) > 1, TIMEOUT)
    assert_plays(nginx.segments(key)[0], size=(640, 480))
    assert server.manage("GET", f"/external-streams/{started.json['id']}").json["status"] == "running"
    assert server.manage("POST", f"{path}/start", body).json["id"] == started.json["id"]
    other = server.manage("POST", f"{path}/start", {"rtmp_urls": [f"{nginx.base}/live/x{key}"]})
    assert other.status == 409
    assert server.manage("POST", f"{path}/stop").status == 200
    recording = server.wait_for_status(started.json["id"], "completed", TIMEOUT, "recordings")
    assert recording["recording_assets"]


def test_a_recording_is_pushed_while_it_is_made(server, nginx, room):
    """Nothing but `rtmp_urls` is asked for: the file is made all the same."""
    key = f"recording-{SECRET}"
    path = f"/recordings/room/{room}"
    body = {"rtmp_urls": [f"{nginx.base}/live/{key}"]}
    started = server.manage("POST", f"{path}/start", body)
    assert started.status == 200 and started.json["status"] == "starting", started
    recording = started.json
    assert [one["url"] for one in recording["outputs"]] == [f"{nginx.base}/live"]
    [output] = wait_for_states(server, recording, "live", kind="recordings")
    assert output["layer"] == 0 and output["bytes"] > 0
    wait_for("nginx has cut segments", lambda: len(nginx.segments(key)) > 1, TIMEOUT)
    assert_plays(nginx.segments(key)[0], size=(640, 360))
    # Asked for again, it is the same one, which is not pushed twice.
    again = server.manage("POST", f"{path}/start", body)
    assert (again.status, again.json["id"]) == (200, recording["id"]), again
    assert len(again.json["outputs"]) == 1
    # The same in 100ms' other words.
    [external] = server.manage("GET", f"/external-streams?room_id={room}").json["data"]
    assert external["recording"] and external["rtmp_urls"] == [f"{nginx.base}/live"]
    assert server.manage("GET", f"/live-streams?room_id={room}").json["data"] == []
    assert server.manage("POST", f"{path}/stop").status == 200
    done = server.wait_for_status(recording["id"], "completed", TIMEOUT, "recordings")
    assert [one["state"] for one in done["outputs"]] == ["stopped"]
    [asset] = done["recording_assets"]
    assert asset["type"] == "room-composite" and asset["duration"] > 1
