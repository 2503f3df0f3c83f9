"""Recordings as the people in the room start, see and end them."""

from harness.assets import (
    BOTH,
    LADDER,
    SHORT_SEGMENTS,
    TIMEOUT,
    check_assets,
    segments,
)

# A start from within the room cannot choose the layers.
SETTINGS = SHORT_SEGMENTS | {"ROOMCAST_STREAM_LADDER": ",".join(
    f"{one['width']}x{one['height']}@{one['videoBitrate']}+{one['audioBitrate']}"
    for one in LADDER)}


def recording_in(params):
    """The recording state in a `peer-list` or `room-state`."""
    return params["room"]["recording"]["hls"]


def updates(peer, method):
    return [one["params"] for one in peer.notifications if one["method"] == method]


def test_a_host_records_and_everybody_sees_it(server, room, connect, tmp_path):
    ann = connect("Ann", role="host")
    ann.join()
    assert recording_in(ann.wait_for("peer-list"))["state"] == "none"
    answer = ann.call("hls-start", {
        "variants": [{"meeting_url": f"{server.base}/rooms/{room}"}], "hls_recording": BOTH})
    assert "result" in answer, answer
    ann.wait_for("on-record-update", lambda one: one["state"] == "started", TIMEOUT)
    [stream] = server.manage("GET", f"/live-streams?room_id={room}").json["data"]
    assert stream["recording"] == BOTH and stream["started_by"] == ann.peer_id

    late = connect("Late")
    late.join()
    seen = recording_in(late.wait_for("peer-list"))
    assert seen["enabled"] is True and seen["state"] == "started" and seen["config"] == BOTH
    assert seen["started_at"] >= seen["initialised_at"] > 1_600_000_000_000  # milliseconds

    segments(server, stream, 2)
    server.pause_recording(stream["id"])
    for peer in ann, late:
        peer.wait_for("on-record-update", lambda one: one["state"] == "paused")
    late.close()
    again = connect("Late", peer_id=late.peer_id, token=late.token)
    assert recording_in(again.wait_for("peer-list"))["state"] == "paused"
    server.resume_recording(stream["id"])
    ann.wait_for("on-record-update", lambda one: one["state"] == "resumed")

    segments(server, stream, 5)
    assert "result" in ann.call("hls-stop")
    ann.wait_for("on-record-update", lambda one: one["state"] == "stopped", TIMEOUT)
    told = updates(ann, "on-record-update")
    assert [one["state"] for one in told] == [
        "initialised", "started", "paused", "resumed", "stopped"]
    assert {(one["type"], one["peer"]["peer_id"]) for one in told} == {("HLS", ann.peer_id)}
    assert all(one["hls_recording"] == BOTH for one in told + updates(ann, "on-hls-update"))

    done = server.wait_for_status(stream["id"], "completed", TIMEOUT)
    assert done["stopped_by"] == ann.peer_id
    assert check_assets(server, stream, tmp_path) > 1


def browser_recording_in(params):
    return params["room"]["recording"]["browser"]


def test_a_host_records_without_a_stream_and_rtmp_is_refused(server, room, connect):
    ann, ben = connect("Ann", role="host"), connect("Ben")
    for peer in ann, ben:
        peer.join()
    assert ben.call("rtmp-start", {"record": True})["error"]["code"] == 403
    refused = ann.call("rtmp-start", {"record": True, "rtmp_urls": ["rtmp://nowhere.test/live"]})
    assert refused["error"]["code"] == 400
    assert ben.wait_for("on-rtmp-update")["error"] == refused["error"]
    assert updates(ann, "on-record-update") == []

    assert "result" in ann.call("rtmp-start", {
        "record": True, "meeting_url": f"{server.base}/rooms/{room}",
        "resolution": {"width": 640, "height": 480}})
    for peer in ann, ben:
        peer.wait_for("on-record-update", lambda one: one["state"] == "started", TIMEOUT)
    late = connect("Late")
    late.join()
    seen = late.wait_for("peer-list")
    assert browser_recording_in(seen)["enabled"] is True
    assert seen["room"]["streaming"]["rtmp"]["state"] == "failed"
    [recording] = server.manage("GET", f"/recordings?room_id={room}").json["data"]
    assert recording["started_by"] == ann.peer_id
    assert "result" in ann.call("rtmp-stop")
    ben.wait_for("on-record-update", lambda one: one["state"] == "stopped", TIMEOUT)
    told = updates(ben, "on-record-update")
    assert [one["state"] for one in told] == ["initialised", "started", "stopped"]
    assert {(one["type"], one["peer"]["peer_id"]) for one in told} == {("Browser", ann.peer_id)}
    server.wait_for_status(recording["id"], "completed", TIMEOUT, kind="recordings")
    assert "result" in ann.call("rtmp-stop"), "what is stopped may be stopped"
