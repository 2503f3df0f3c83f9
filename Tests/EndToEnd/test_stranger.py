"""The protocol with an independent media stack: aiortc, with JSON-RPC as documented."""

import contextlib

import numpy as np
import pytest
from harness.stranger import Colour, Failure, Stranger, Tone, is_near
from harness.waiting import wait_for

RED, BLUE = (200, 30, 30), (30, 30, 200)
TIMEOUT = 60  # s


@pytest.fixture
def enter(server, room):
    """`enter("Ann")`: a peer in the room."""
    with contextlib.ExitStack() as stack:

        def enter(name, role="host", **changes):
            one = stack.enter_context(Stranger(server, room, name, role))
            one.join(**changes)
            return one

        yield enter


def named(name):
    return lambda params: params["peer"]["info"]["name"] == name


def tracks_of(viewer, publisher):
    """The viewer's ids of a peer's tracks, by kind."""
    tracks = viewer.told("on-track-add", named(publisher.name))["tracks"]
    return {track["type"]: identifier for identifier, track in tracks.items()}


def test_two_see_and_hear_each_other(enter):
    ann, ben = enter("Ann"), enter("Ben", role="guest")
    assert ann.told("on-peer-join")["info"]["name"] == "Ben"
    [listed] = ben.told("peer-list")["peers"].values()
    assert listed["info"]["name"] == "Ann" and listed["role"] == "host"
    assert ben.told("session-info")["room_id"] == ben.told("room-info")["room_id"]
    ann.publish(Colour(RED), Tone(500), codec="VP8")
    ben.publish(Colour(BLUE), Tone(800), codec="H264")
    for viewer, publisher, colour in [(ann, ben, BLUE), (ben, ann, RED)]:
        tracks = tracks_of(viewer, publisher)
        assert set(tracks.values()) == set(publisher.published)
        picture = viewer.wait_for_frames(tracks["video"], 10).last
        assert is_near(picture, colour, 40)
        sound = viewer.wait_for_frames(tracks["audio"], 50).last
        assert 0.03 < np.abs(sound).max() < 0.3


def test_who_comes_late_gets_everything(enter):
    ann = enter("Ann")
    video, audio = ann.publish(Colour(RED), Tone(500), codec="H264")
    cleo = enter("Cleo", role="viewer")
    [listed] = cleo.told("peer-list")["peers"].values()
    assert set(listed["tracks"]) == {video, audio}
    assert is_near(cleo.wait_for_frames(video, 5).last, RED, 40)
    cleo.wait_for_frames(audio, 50)
    with pytest.raises(Failure) as failure:
        cleo.call("hls-start", {})
    assert failure.value.code == 403


def test_a_video_comes_in_the_form_that_was_asked_for(enter):
    ann, ben = enter("Ann"), enter("Ben", disableVidAutoSub=True)
    video, audio = ann.publish(Colour(RED), Tone(500), codec="VP8")
    ben.wait_for_frames(audio, 10)
    assert ben.frames(video) == 0
    wish = {"track_id": video, "max_spatial_layer": "high"}
    assert ben.request("prefer-video-track-state", wish) == {"track_id": video}
    ben.wait_for_frames(video, 5)
    layer = ben.heard("on-track-layer-update", lambda params: video in params["tracks"])
    assert layer["tracks"][video]["expected_layer"] == "high"

    ben.request("prefer-video-track-state", wish | {"max_spatial_layer": "none"})
    # Pictures under way still arrive; then only sound continues.
    wait_for("no picture comes while sound does", lambda: is_still(ben, video, audio), TIMEOUT)
    with pytest.raises(Failure) as failure:
        ben.request("prefer-video-track-state", wish | {"track_id": "nobody's"})
    assert failure.value.code == 404


def is_still(viewer, video, audio):
    before, heard = viewer.frames(video), viewer.frames(audio)
    viewer.wait_for_frames(audio, heard + 50)
    return viewer.frames(video) == before


def test_who_speaks_is_told_on_the_channel(enter):
    ann, ben = enter("Ann"), enter("Ben")
    [audio] = ann.publish(Tone(500))
    speakers = ben.heard("active-speakers", lambda params: params["speaker-list"])
    [speaker] = speakers["speaker-list"]
    assert speaker["peer_id"] == ann.peer_id and speaker["track_id"] == audio
    assert 0 < speaker["level"] <= 100
    scores = ben.heard("on-connection-quality-update", lambda params: params["peers"])
    assert all(0 <= one["downlink_score"] <= 5 for one in scores["peers"])


def test_mutes_are_told_and_asked_for(enter):
    ann, ben = enter("Ann"), enter("Ben", role="guest")
    [audio] = ben.publish(Tone(500))
    assert ann.told("on-track-add")["tracks"][audio]["mute"] is False
    ben.set_muted(audio, True)
    ann.told("on-track-update", lambda params: params["tracks"][audio]["mute"])
    request = {"requested_for": ben.peer_id, "track_id": audio,
               "stream_id": ben.published[audio]["stream_id"], "mute": True}
    assert ann.call("track-update-request", request) == {}
    asked = ben.told("on-track-update-request")
    assert asked["track_id"] == audio and asked["mute"] and asked["requested_by"] == ann.peer_id
    with pytest.raises(Failure) as failure:
        ben.call("change-track-mute-state-request", {"value": True})
    assert failure.value.code == 403
    ann.call("change-track-mute-state-request", {"value": True, "type": "audio"})
    assert ben.told("on-change-track-mute-state-request")["type"] == "audio"


def test_messages_reach_whom_they_are_for(enter):
    ann, ben, cleo = enter("Ann"), enter("Ben", role="guest"), enter("Cleo", role="viewer")

    def say(message, **audience):
        return ann.call("broadcast", {"info": {"message": message, "type": "chat"}} | audience)

    sent = say("to all")
    say("to viewers", roles=["viewer"])
    say("to Ben", peer_id=ben.peer_id)
    say("the end")

    def heard(peer):
        peer.told("on-broadcast", lambda params: params["info"]["message"] == "the end")
        return [one["params"]["info"]["message"] for one in peer.notifications
                if one["method"] == "on-broadcast"]

    assert heard(ben) == ["to all", "to Ben", "the end"]
    assert heard(cleo) == ["to all", "to viewers", "the end"]
    told = ben.told("on-broadcast")
    assert told["message_id"] == sent["message_id"] and told["peer"]["peer_id"] == ann.peer_id
    assert all(one["method"] != "on-broadcast" for one in ann.notifications)


def test_roles_are_offered_and_forced(enter):
    ann, ben = enter("Ann"), enter("Ben", role="guest")
    video, audio = ben.publish(Colour(BLUE), Tone(500), codec="VP8")
    ann.wait_for_frames(video, 3)
    ann.call("role-change-request", {"requested_for": ben.peer_id, "role": "host", "force": False})
    offer = ben.told("on-role-change-request")
    assert offer["role"] == "host" and offer["requested_by"] == ann.peer_id
    ben.call("role-change", offer)
    ben.told("on-policy-change", lambda params: params["name"] == "host")
    ann.told("on-peer-update", lambda params: params["role"] == "host")

    ann.call("role-change-request", {"requested_for": ben.peer_id, "role": "viewer", "force": True})
    ben.told("on-policy-change", lambda params: params["name"] == "viewer")
    gone = ann.told("on-track-remove", lambda params: len(params["tracks"]) == 2)
    assert set(gone["tracks"]) == {video, audio}


def test_what_is_known_of_the_room_changes_for_all(enter):
    ann, ben = enter("Ann"), enter("Ben")
    ben.call("listen-metadata-change", {"keys": ["spotlight"]})
    stored = ann.call("set-metadata", {"key": "spotlight", "data": {"peer": "Ann"}})
    [value] = ben.told("on-metadata-change")["values"]
    assert value["data"] == {"peer": "Ann"} and value["updated_by"] == ann.peer_id
    assert ben.call("get-metadata", {"key": "spotlight"})["data"] == stored["data"]
    ben.call("peer-update", {"name": "Benjamin"})
    ann.told("on-peer-update", lambda params: params["info"]["name"] == "Benjamin")
    assert ben.call("group-join", {"name": "_handraise"})["groups"] == ["_handraise"]
    ann.told("on-peer-update", lambda params: params["groups"] == ["_handraise"])
    found = ann.call("find-peer", {"group": "_handraise", "limit": 10})
    assert [one["peer_id"] for one in found["peers"]] == [ben.peer_id]


def test_a_stream_is_started_and_stopped(enter):
    ann, ben = enter("Ann"), enter("Ben", role="guest")
    ann.publish(Colour(RED), Tone(500), codec="VP8")
    assert ann.call("hls-start", {"variants": [{"meeting_url": ""}]}) == {}

    def is_started(params):
        return params["enabled"] and params["variants"][0]["state"] == "started"

    assert ben.told("on-hls-update", is_started)["variants"][0]["url"].endswith(".m3u8")
    assert ann.call("hls-stop") == {}
    ben.told("on-hls-update", lambda params: not params["enabled"])


def test_who_leaves_is_gone_and_who_is_put_out_is_told(enter):
    ann, ben, cleo = enter("Ann"), enter("Ben"), enter("Cleo")
    [audio] = ben.publish(Tone(500))
    ann.wait_for_frames(audio, 10)
    assert ben.leave() == 1000
    assert ann.told("on-peer-leave")["peer_id"] == ben.peer_id
    dan = enter("Dan")
    [again] = dan.publish(Tone(700))
    ann.wait_for_frames(again, 10)

    ann.call("peer-leave-request", {"requested_for": cleo.peer_id, "reason": "late"})
    assert cleo.told("on-peer-leave-request")["reason"] == "late"
    ann.call("end-room", {"reason": "over", "lock": False})
    assert dan.told("on-peer-leave-request")["room_end"]
