"""Webhook receivers get all events, in order and until they have answered."""

import collections

from harness.assets import TIMEOUT, segments, start
from harness.http import path_of
from harness.receiver import seconds_on_air
from harness.server import Server
from harness.waiting import wait_for

ENDED = ["hls.started.success", "hls.stopped.success", "hls.recording.success"]


def test_the_life_of_a_stream_is_told_in_order_and_again_what_is_refused(
        binary, receiver, tmp_path):
    attempts = collections.Counter()

    def answer(event):
        attempts[event["id"]] += 1
        # Everything but 200 is a refusal.
        return {1: 500, 2: 204}.get(attempts[event["id"]], 200)

    receiver.answer = answer
    server = Server(tmp_path, settings=receiver.settings)
    try:
        stream = start(server, "demo")
        segments(server, stream, 2)
        server.stop_stream("demo")
        server.wait_for_status(stream["id"], "completed", TIMEOUT)
        wait_for("all is told", lambda: receiver.types(stream["id"]) == ENDED, 2 * TIMEOUT)
        assert [event["type"] for event in receiver.attempts] == [
            kind for kind in ENDED for _ in range(3)]
        started, stopped, recorded = (event["data"] for event in receiver.accepted)
        assert started["url"] == stream["playback"]["url"]
        assert stopped["reason"] == "client request" and seconds_on_air(stopped) > 0
        link = recorded["recording_single_files"][0]["recording_presigned_url"]
        path = path_of(link)
        size = recorded["recording_single_files"][0]["size"]
        assert len(server.http.get(path).body) == size
        # Sent again on request.
        event = receiver.accepted[1]
        replay = server.manage("POST", f"/analytics/webhooks/{event['id']}/replay")
        assert replay.json["status"] == "pending"
        wait_for("it is told again", lambda: receiver.accepted[3:] == [event], TIMEOUT)

        def history():
            return server.manage("GET", f"/analytics/webhooks?stream_id={stream['id']}").json["data"]

        wait_for("it is written down",
                 lambda: {one["status"] for one in history()} == {"success"}, TIMEOUT)
        assert [one["type"] for one in history()] == ENDED[::-1]
    finally:
        assert server.stop() == 0


def test_what_was_not_told_before_the_server_died_is_told_by_the_next(binary, receiver, tmp_path):
    receiver.answer = lambda event: 503
    server = Server(tmp_path, settings=receiver.settings)
    stream = start(server, "demo")
    server.stop_stream("demo")
    server.wait_for_status(stream["id"], "completed", TIMEOUT)
    wait_for("it is tried", lambda: receiver.attempts, TIMEOUT)
    server.kill()
    receiver.answer = lambda event: 200
    server = Server(tmp_path, settings=receiver.settings)
    try:
        wait_for("all is told", lambda: receiver.types(stream["id"]) == ENDED, 2 * TIMEOUT)
        assert len({event["id"] for event in receiver.attempts}) == 3
    finally:
        assert server.stop() == 0
