"""Apps of 100ms' own web SDK against Roomcast: the SDK, unmodified, in Chromium (make test-clients)."""

import socket

import pytest
from harness import clients, sdk, tokens
from harness.server import free_port
from harness.waiting import wait_for
from harness.wire import Wire

CAMERA_RATE = 10  # frames/s: up to three browsers encode and decode here
RETURN_TIMEOUT = 40  # s


@pytest.fixture(scope="module")
def site():
    site = sdk.Site(clients.bundle("hms-video-store.js"))
    yield site
    site.close()


@pytest.fixture
def app(browser, site):
    """`app("Ann")`: a user with an app, in no room yet."""
    apps = []

    def app(name):
        apps.append(sdk.App(browser, site, name))
        return apps[-1]

    yield app
    for one in apps:
        print(one.account())  # shown where the test failed
        one.close()
    for one in apps:
        assert one.uncaught == [], f"the SDK of {one.name} threw what it did not catch"


@pytest.fixture
def enter(app, server, room):
    """`enter("Ben", "guest")`: a user in the room."""

    def enter(name, role="host", **config):
        one = app(name)
        one.join(server.base, token(room, name, role), **config)
        return one

    return enter


@pytest.fixture
def ann(enter):
    return enter("Ann")


@pytest.fixture
def ben(enter, ann):
    """A guest, whom Ann sees and whose tracks she knows."""
    ben = enter("Ben", "guest")
    ann.wait_to_see("Ben's camera", "selectVideoTrackByPeerID", ben.peer_id)
    ann.wait_to_see("Ben's microphone", "selectAudioTrackByPeerID", ben.peer_id)
    return ben


def token(room, name, role="host", **changes):
    return tokens.room_token(room, user=name.lower(), role=role, **changes)


def track_of(app, kind, peer):
    """The app's state of a peer's camera or microphone."""
    return app.see({"video": "selectVideoTrackByPeerID", "audio": "selectAudioTrackByPeerID"}[kind],
                   peer.peer_id)


def wait_for_tracks(app, peer, count):
    """Waits until the app sees this many tracks of a peer."""
    wait_for(f"{app.name} sees {count} tracks of {peer.name}",
             lambda: len([1 for kind in ("audio", "video") if track_of(app, kind, peer)]) == count,
             sdk.TIMEOUT)


def wait_for_role(app, peer, role):
    app.wait_to_see(f"{peer.name} as {role}", "selectPeerByID", peer.peer_id,
                    accept=lambda one: one and one["roleName"] == role)


def frames(app):
    return sum(report["framesDecoded"] for report in app.inbound("video"))


def videos(app):
    """How many come."""
    return len([report for report in app.inbound("video") if report["bytesReceived"] > 0])


def texts(app):
    return [data["message"] for data in app.said("NEW_MESSAGE")]


def refusal(app, action, *values):
    with pytest.raises(sdk.SDKError) as caught:
        app.act(action, *values)
    return caught.value.code


# Coming and going


def test_a_preview_shows_the_room_and_the_join_after_it_enters(app, server, room, ann):
    ben = app("Ben")
    ben.preview(server.base, token(room, "Ben", "guest"))
    assert ben.see("selectRoomState") == "Preview"
    assert {track["type"] for track in ben.see("selectTracksMap").values()} == {"audio", "video"}
    ben.wait_to_see("Ann before joining", "selectRemotePeers",
                    accept=lambda peers: [one["name"] for one in peers] == ["Ann"])
    assert ann.see("selectRemotePeers") == []
    ben.join(server.base, token(room, "Ben", "guest"))
    assert ben.see("selectRoomState") == "Connected"
    ann.wait_to_see("Ben", "selectPeerByID", ben.peer_id,
                    accept=lambda one: one and one["name"] == "Ben" and one["roleName"] == "guest")
    assert ben.see("selectSessionId") == ann.see("selectSessionId") != ""
    assert ben.said("ERROR") == ann.said("ERROR") == []
    ben.act("leave")
    ann.wait_for("PEER_LEFT", lambda peer: peer["name"] == "Ben")
    assert ann.see("selectRemotePeers") == []


def test_a_preview_says_how_good_the_network_is(app, server, room):
    ben = app("Ben")
    ben.preview(server.base, token(room, "Ben", "guest"), captureNetworkQualityInPreview=True)
    ben.wait_to_see("a good network", "selectConnectionQualityByPeerID", ben.peer_id,
                    accept=lambda quality: quality and quality["downlinkQuality"] == 5)
    assert ben.said("ERROR") == []


def test_two_see_and_hear_each_other(ann, ben):
    for one, other in [(ann, ben), (ben, ann)]:
        track = one.wait_to_see("a camera", "selectVideoTrackByPeerID", other.peer_id)
        one.watch(track["id"])
        wait_for(f"{one.name} sees {other.name}", lambda one=one: frames(one) > 20, sdk.TIMEOUT)
        wait_for(f"{one.name} hears {other.name}",
                 lambda one=one: any(report.get("totalAudioEnergy", 0) > 0.001
                                     for report in one.inbound("audio")), sdk.TIMEOUT)
        one.wait_to_see("who speaks", "selectPeerAudioByID", other.peer_id,
                        accept=lambda level: level and 1 <= level <= 100)
        one.wait_to_see("a dominant speaker", "selectDominantSpeaker")
        assert one.said("ERROR") == []


def test_a_video_comes_once_it_is_shown(enter, ann, ben):
    ben.share_a_canvas()
    screen = ann.wait_to_see("Ben's screen", "selectScreenShareByPeerID", ben.peer_id)
    cleo = enter("Cleo", "viewer")
    for track in (ben.see("selectVideoTrackByPeerID", ben.peer_id), screen):
        cleo.wait_to_see("the track", "selectTrackByID", track["id"])
        cleo.watch(track["id"])
    wait_for("Cleo sees both", lambda: len([1 for report in cleo.inbound("video")
                                            if report["framesDecoded"] > 5]) >= 2, sdk.TIMEOUT)
    wait_for("Ann hears Ben", lambda: any(report.get("totalAudioEnergy", 0) > 0.001
                                          for report in ann.inbound("audio")), sdk.TIMEOUT)
    assert videos(ann) == 0
    assert not any(track["degraded"] for track in ann.see("selectTracksMap").values()
                   if track["peerId"] == ben.peer_id and track["type"] == "video")
    ann.watch(screen["id"])
    wait_for("Ann sees the screen", lambda: frames(ann) > 5, sdk.TIMEOUT)
    assert videos(ann) == 1


def test_a_screen_is_seen_beside_the_camera(ann, ben):
    ben.share_a_canvas()
    screen = ann.wait_to_see("Ben's screen", "selectScreenShareByPeerID", ben.peer_id)
    assert screen["source"] == "screen"
    ann.watch(screen["id"])
    wait_for("frames of it", lambda: frames(ann) > 5, sdk.TIMEOUT)
    ben.act("removeTrack", ben.see("selectScreenShareByPeerID", ben.peer_id)["id"])
    ann.wait_to_see("it go", "selectScreenShareByPeerID", ben.peer_id, accept=lambda one: not one)
    assert track_of(ann, "video", ben)


def test_who_switches_a_camera_or_microphone_off_and_on_is_seen_to(ann, ben):
    for action, selector in [("setLocalAudioEnabled", "selectIsPeerAudioEnabled"),
                             ("setLocalVideoEnabled", "selectIsPeerVideoEnabled")]:
        for enabled in (False, True):
            ben.act(action, enabled)
            ann.wait_to_see(f"{action} {enabled}", selector, ben.peer_id,
                            accept=lambda seen, enabled=enabled: seen is enabled)
    assert len(ann.said("TRACK_MUTED")) == len(ann.said("TRACK_UNMUTED")) == 2


def test_a_name_and_metadata_are_told(ann, ben):
    ben.act("changeName", "Benedict")
    ben.act("changeMetadata", {"seat": 7})
    ann.wait_for("NAME_UPDATED", lambda peer: peer["name"] == "Benedict")
    ann.wait_to_see("the metadata", "selectPeerMetadata", ben.peer_id,
                    accept=lambda data: data == {"seat": 7})


# Messages


def test_messages_go_to_everybody_to_a_role_and_to_one(enter, ann, ben):
    viewer = enter("Vic", "viewer")
    ann.wait_to_see("Vic", "selectPeerByID", viewer.peer_id)
    text = "<b>bold?</b> & „Grüße“ 🎥"
    ben.act("sendBroadcastMessage", text, "chat")
    ann.act("sendGroupMessage", "to viewers", ["viewer"], "chat")
    ann.act("sendDirectMessage", "to Ben", ben.peer_id, "chat")
    ann.act("sendBroadcastMessage", "last", "chat")
    for one in (ben, viewer):
        one.wait_for("NEW_MESSAGE", lambda message: message["message"] == "last")
    ann.wait_for("NEW_MESSAGE")
    assert texts(ann) == [text]
    assert texts(ben) == ["to Ben", "last"]
    assert texts(viewer) == [text, "to viewers", "last"]
    message = ann.said("NEW_MESSAGE")[0]
    assert message["sender"] == ben.peer_id and message["senderName"] == "Ben"
    assert message["type"] == "chat" and message["time"]
    assert ben.said("NEW_MESSAGE")[0]["recipientPeer"] == ben.peer_id
    assert viewer.said("NEW_MESSAGE")[1]["recipientRoles"] == ["viewer"]
    # The sender keeps the id and the time assigned by the server.
    kept = ben.see("selectMessageByMessageID", message["id"])
    assert kept["message"] == text and kept["time"] == message["time"]


def test_replies_reactions_and_deleted_messages_disturb_no_app(ann, ben, connect):
    """As the room page sends them; 100ms' prebuilt app shows only messages of type `chat`, and hides
    those under the key `chatMessageBlacklist`."""
    key = "chatMessageBlacklist"
    pat = connect("Pat", role="host")
    pat.join()
    ann.act("sessionStore.observe", [key])

    def say(text, **more):
        return pat.call("broadcast", {"info": {"message": text, "type": "chat"} | more})

    first = say("rude")["result"]["message_id"]
    say("answer", reply_to=first)
    say('{"type":"EMOJI_REACTION","emojiId":"tada"}', type="EMOJI_REACTION")
    pat.call("set-metadata", {"key": key, "data": [first]})
    say("last")
    for app in (ann, ben):
        app.wait_for("NEW_MESSAGE", lambda message: message["message"] == "last")
        said = [(one["message"], one["type"]) for one in app.said("NEW_MESSAGE")]
        assert [text for text, kind in said if kind == "chat"] == ["rude", "answer", "last"]
        assert [kind for _, kind in said] == ["chat", "chat", "EMOJI_REACTION", "chat"]
    assert ann.wait_to_see("what is deleted", "selectSessionStore", key) == [first]


# Roles


def test_an_offered_role_is_taken_and_the_tracks_follow(ann, ben):
    ann.act("changeRoleOfPeer", ben.peer_id, "viewer", False)
    request = ben.wait_to_see("the offer", "selectRoleChangeRequest")
    assert request["role"]["name"] == "viewer" and request["requestedBy"]["name"] == "Ann"
    assert ben.see("selectLocalPeerRoleName") == "guest"
    ben.accept_role()
    for one in (ann, ben):
        wait_for_role(one, ben, "viewer")
    wait_for_tracks(ann, ben, 0)
    assert ben.see("selectRoleChangeRequest") is None
    assert ben.said("ERROR") == []


def test_a_forced_role_takes_tracks_away_and_brings_them(ann, ben):
    ann.act("changeRoleOfPeer", ben.peer_id, "viewer", True)
    wait_for_tracks(ann, ben, 0)
    wait_for_role(ann, ben, "viewer")
    ann.act("changeRoleOfPeer", ben.peer_id, "host", True)
    wait_for_tracks(ann, ben, 2)
    wait_for_role(ann, ben, "host")
    # The SDK publishes them muted.
    ben.act("setLocalVideoEnabled", True)
    ann.watch(track_of(ann, "video", ben)["id"])
    wait_for("Ben is seen again", lambda: frames(ann) > 5, sdk.TIMEOUT)
    # The peer uses the rights of the new role.
    ben.wait_to_see("the rights of a host", "selectPermissions",
                    accept=lambda permissions: permissions["changeRole"])
    ben.act("changeRoleOfPeer", ann.peer_id, "guest", True)
    wait_for_role(ann, ann, "guest")
    assert track_of(ben, "video", ann)
    assert refusal(ann, "changeRoleOfPeer", ben.peer_id, "viewer", True) == 403
    assert ben.said("ERROR") == []


def test_a_whole_role_is_changed_at_once(enter, ann, ben):
    cleo = enter("Cleo", "guest")
    ann.wait_to_see("Cleo", "selectVideoTrackByPeerID", cleo.peer_id)
    ann.act("changeRoleOfPeersWithRoles", ["guest"], "viewer")
    for one in (ben, cleo):
        wait_for_role(ann, one, "viewer")
        wait_for_tracks(ann, one, 0)
        wait_for_role(one, one, "viewer")
        assert one.said("ERROR") == []
    assert ann.see("selectLocalPeerRoleName") == "host"


# What hosts ask of others


def test_one_is_muted_and_asked_to_unmute(ann, ben):
    microphone = track_of(ann, "audio", ben)["id"]
    ann.act("setRemoteTrackEnabled", microphone, False)
    muted = ben.wait_for("CHANGE_TRACK_STATE_REQUEST")
    assert muted["enabled"] is False and muted["requestedBy"]["name"] == "Ann"
    ann.wait_to_see("Ben muted", "selectIsPeerAudioEnabled", ben.peer_id,
                    accept=lambda enabled: enabled is False)
    ann.act("setRemoteTrackEnabled", microphone, True)
    ben.wait_for("CHANGE_TRACK_STATE_REQUEST", lambda request: request["enabled"])
    assert ben.see("selectIsLocalAudioEnabled") is False, "nobody's microphone is switched on"
    assert refusal(ben, "setRemoteTrackEnabled", track_of(ben, "audio", ann)["id"], False) == 403


@pytest.mark.parametrize("roles", [None, ["guest"]])
def test_a_role_or_everybody_is_muted(enter, ann, ben, roles):
    cleo = enter("Cleo", "host" if roles else "guest")
    ann.wait_to_see("Cleo", "selectAudioTrackByPeerID", cleo.peer_id)
    order = {"enabled": False, "type": "audio"} | ({"roles": roles} if roles else {})
    ann.act("setRemoteTracksEnabled", order)
    request = ben.wait_for("CHANGE_MULTI_TRACK_STATE_REQUEST")
    assert request["enabled"] is False
    assert [track["type"] for track in request["tracks"]] == ["audio"]
    for one in (ben, cleo):
        is_asked = one is ben or not roles
        ann.wait_to_see(f"{one.name} muted or not", "selectIsPeerAudioEnabled", one.peer_id,
                        accept=lambda enabled, is_asked=is_asked: enabled is not is_asked)
    assert ann.see("selectIsLocalAudioEnabled") is True
    assert ben.see("selectIsLocalVideoEnabled") is True


def test_a_peer_is_removed(ann, ben):
    assert refusal(ben, "removePeer", ann.peer_id, "revenge") == 403
    ann.act("removePeer", ben.peer_id, "noise")
    told = ben.wait_for("REMOVED_FROM_ROOM")
    assert told["reason"] == "noise" and told["requestedBy"]["name"] == "Ann"
    ben.wait_to_see("the end", "selectRoomState", accept=lambda state: state == "Disconnected")
    ann.wait_for("PEER_LEFT", lambda peer: peer["name"] == "Ben")


def test_a_room_is_ended_and_locked(app, server, room, ann, ben):
    ann.act("endRoom", True, "it is late")
    told = ben.wait_for("ROOM_ENDED")
    assert told["reason"] == "it is late"
    for one in (ann, ben):
        one.wait_to_see("the end", "selectRoomState", accept=lambda state: state == "Disconnected")
    config = {"userName": "Late", "authToken": token(room, "Late", "guest"),
              "initEndpoint": sdk.endpoint(server.base)}
    assert refusal(app("Late"), "join", config) == 403


def test_a_hand_is_raised_and_lowered_by_the_host(ann, ben):
    ben.act("raiseLocalPeerHand")
    ann.wait_for("HAND_RAISE_CHANGED", lambda peer: peer["name"] == "Ben" and peer["isHandRaised"])
    ann.act("lowerRemotePeerHand", ben.peer_id)
    for one in (ann, ben):
        one.wait_to_see("the hand down", "selectHasPeerHandRaised", ben.peer_id,
                        accept=lambda raised: raised is False)
    ben.act("raiseLocalPeerHand")
    ann.wait_to_see("it again", "selectHasPeerHandRaised", ben.peer_id)
    ben.act("lowerLocalPeerHand")
    ann.wait_to_see("it down", "selectHasPeerHandRaised", ben.peer_id,
                    accept=lambda raised: raised is False)


# The store, and who is here


def test_the_session_store_is_shared_and_lasts(enter, ann, ben):
    ann.act("sessionStore.observe", ["pinned", "topic"])
    ben.act("sessionStore.set", "pinned", {"text": "read me", "by": ["Ben"]})
    ann.wait_to_see("what Ben pinned", "selectSessionStore", "pinned",
                    accept=lambda value: value == {"text": "read me", "by": ["Ben"]})
    late = enter("Late", "viewer")
    late.act("sessionStore.observe", ["pinned"])
    late.wait_to_see("it, late", "selectSessionStore", "pinned",
                     accept=lambda value: value == {"text": "read me", "by": ["Ben"]})
    ann.act("sessionStore.unobserve", ["pinned"])
    ben.act("sessionStore.set", "pinned", "other")
    late.wait_to_see("the change", "selectSessionStore", "pinned",
                     accept=lambda value: value == "other")
    assert ann.see("selectSessionStore", "pinned") != "other"


def test_people_are_found_by_name_by_id_and_page_by_page(connect, ann, ben):
    for number in range(5):
        assert "result" in connect(f"Guest {number}", role="guest").join()
    found = ann.act("findPeerByName", {"query": "GUEST", "limit": 3, "offset": 0})
    assert [peer["name"] for peer in found["peers"]] == ["Guest 0", "Guest 1", "Guest 2"]
    assert found["eof"] is False
    rest = ann.act("findPeerByName", {"query": "GUEST", "limit": 3, "offset": found["offset"] + 3})
    assert [peer["name"] for peer in rest["peers"]] == ["Guest 3", "Guest 4"] and rest["eof"]
    assert ann.act("getPeer", ben.peer_id)["name"] == "Ben"
    listed = ann.pages_of_peers(role="guest", limit=4)
    assert listed["total"] == 6
    assert [len(page) for page in listed["pages"] if page] == [4, 2]
    names = {peer["name"] for page in listed["pages"] for peer in page}
    assert names == {"Ben", *(f"Guest {number}" for number in range(5))}


# Polls and quizzes


def test_a_quiz_is_made_answered_stopped_and_ranked(enter, ann, ben):
    quiz = {"id": "sums", "title": "Sums", "type": "quiz", "mode": "peerID", "questions": [
        {"type": "single-choice", "text": "1 + 1", "weight": 10,
         "options": [{"text": "1"}, {"text": "2", "isCorrectAnswer": True}]},
        {"type": "multiple-choice", "text": "even?", "weight": 5,
         "options": [{"text": "1"}, {"text": "2", "isCorrectAnswer": True},
                     {"text": "4", "isCorrectAnswer": True}]},
        {"type": "short-answer", "text": "why?"}]}
    assert refusal(ben, "interactivityCenter.createPoll", quiz) == 403
    ann.act("interactivityCenter.startPoll", quiz)
    for one in (ann, ben):
        one.wait_for("POLL_STARTED", lambda poll: poll["id"] == "sums")
        seen = one.see("selectPollByID", "sums")
        assert seen["state"] == "started" and seen["type"] == "quiz"
        assert [question["text"] for question in seen["questions"]] == ["1 + 1", "even?", "why?"]
        assert seen["createdBy"] == seen["startedBy"] == ann.peer_id
    ben.act("interactivityCenter.addResponsesToPoll", "sums", [
        {"questionIndex": 1, "option": 2}, {"questionIndex": 2, "options": [2, 3]},
        {"questionIndex": 3, "text": "because"}])
    ann.act("interactivityCenter.addResponsesToPoll", "sums", [
        {"questionIndex": 1, "option": 1}, {"questionIndex": 3, "skipped": True}])
    for one in (ann, ben):
        seen = one.wait_to_see("both answers", "selectPollByID", "sums",
                               accept=lambda poll: (poll.get("result") or {}).get("totalUsers") == 2)
        assert [option.get("voteCount", 0) for option in seen["questions"][0]["options"]] == [1, 1]
        assert seen["questions"][2]["result"]["skippedCount"] == 1
        assert seen["result"]["totalResponses"] == 5
        assert one.said("POLL_VOTES_UPDATED")
    late = enter("Late", "viewer")
    assert [poll["id"] for poll in late.act("interactivityCenter.getPolls")] == ["sums"]
    ben.act("interactivityCenter.getPollResponses", ben.see("selectPollByID", "sums"), True)
    own = ben.see("selectPollByID", "sums")["questions"][1]["responses"][0]
    assert own["options"] == [2, 3] and own["peer"]["peerid"] == ben.peer_id

    ann.act("interactivityCenter.stopPoll", "sums")
    for one in (ann, ben, late):
        one.wait_for("POLL_STOPPED", lambda poll: poll["id"] == "sums")
        assert one.see("selectPollByID", "sums")["state"] == "stopped"
        board = one.act("interactivityCenter.fetchLeaderboard", "sums", 0, 50)
        assert [(entry["position"], entry["peer"]["username"], entry["score"])
                for entry in board["entries"]] == [(1, "Ben", 15), (2, "Ann", 0)]
        assert board["hasNext"] is False
        assert board["summary"]["votedUsers"] == 2 and board["summary"]["avgScore"] == 7.5
        assert one.said("ERROR") == []
    assert refusal(ben, "interactivityCenter.addResponsesToPoll", "sums",
                   [{"questionIndex": 1, "option": 1}]) == 409


def test_a_poll_is_drafted_by_one_and_started_by_another(enter, ann, ben):
    cleo = enter("Cleo", "host")
    ann.act("interactivityCenter.createPoll", {
        "id": "lunch", "title": "Lunch?", "type": "poll", "anonymous": True,
        "rolesThatCanVote": ["guest"], "rolesThatCanViewResponses": ["host"]})
    ann.act("interactivityCenter.addQuestionsToPoll", "lunch", [
        {"type": "single-choice", "text": "Where?",
         "options": [{"text": "here"}, {"text": "there"}]}])
    drafts = cleo.act("interactivityCenter.getPolls")
    assert [(poll["id"], poll["state"]) for poll in drafts] == [("lunch", "created")]
    assert ben.act("interactivityCenter.getPolls") == []
    cleo.act("interactivityCenter.startPoll", "lunch")
    ben.wait_for("POLL_STARTED")
    ben.act("interactivityCenter.addResponsesToPoll", "lunch",
            [{"questionIndex": 1, "option": 1}])
    counted = ann.wait_to_see(
        "the answer", "selectPollByID", "lunch",
        accept=lambda poll: poll["questions"][0]["options"][0].get("voteCount") == 1)
    assert counted["anonymous"] and counted["rolesThatCanVote"] == ["guest"]
    ben.wait_to_see("that there is one", "selectPollByID", "lunch",
                    accept=lambda poll: (poll.get("result") or {}).get("totalUsers") == 1)
    assert "voteCount" not in ben.see("selectPollByID", "lunch")["questions"][0]["options"][0]
    ann.act("interactivityCenter.getPollResponses", counted, False)
    said = ann.see("selectPollByID", "lunch")["questions"][0]["responses"]
    assert [(one["option"], one["peer"].get("peerid")) for one in said] == [(1, None)]
    ann.act("interactivityCenter.stopPoll", "lunch")
    ben.wait_for("POLL_STOPPED")


# Streams and recordings


def test_a_live_stream_is_started_and_stopped_and_everybody_knows(enter, ann, ben):
    assert refusal(ben, "startHLSStreaming", {}) == 403
    ann.act("startHLSStreaming", {"recording": {"singleFilePerLayer": True, "hlsVod": True}})
    for one in (ann, ben):
        on_air = one.wait_to_see(
            "the stream", "selectHLSState",
            accept=lambda hls: hls["running"] and hls["variants"][0]["url"])
        assert on_air["variants"][0]["state"] == "started" and on_air["variants"][0]["startedAt"]
        kept = one.wait_to_see("its recording", "selectRecordingState",
                               accept=lambda state: state["hls"]["running"])["hls"]
        assert kept["singleFilePerLayer"] and kept["hlsVod"] and kept["startedAt"]
    ann.act("sendHLSTimedMetadata", [{"payload": "cue", "duration": 2}])
    late = enter("Late", "viewer")
    late.wait_to_see("what is on air", "selectHLSState",
                     accept=lambda hls: hls["running"] and hls["variants"][0]["url"])
    ann.act("stopHLSStreaming")
    for one in (ann, ben, late):
        one.wait_to_see("the end", "selectHLSState", accept=lambda hls: not hls["running"])
        one.wait_to_see("the recording's end", "selectRecordingState",
                        accept=lambda state: not state["hls"]["running"])
        assert one.said("ERROR") == []


def test_a_recording_is_started_and_stopped_and_rtmp_is_refused(enter, ann, ben):
    assert refusal(ben, "startRTMPOrRecording", {"record": True}) == 403
    rtmp = {"record": False, "rtmpURLs": ["rtmp://nowhere.test/live"]}
    assert refusal(ann, "startRTMPOrRecording", rtmp) == 400
    refused = ben.wait_to_see("why there is no RTMP", "selectRTMPState",
                              accept=lambda state: state.get("error"))
    assert not refused["running"] and refused["error"]["code"] == 400
    ann.act("startRTMPOrRecording", {"record": True, "resolution": {"width": 640, "height": 480}})
    for one in (ann, ben):
        state = one.wait_to_see("the recording", "selectRecordingState",
                                accept=lambda state: state["browser"].get("state") == "started")
        assert state["browser"]["running"] and state["browser"]["startedAt"]
        assert not state["hls"]["running"] and not state["server"]["running"]
    late = enter("Late", "viewer")
    late.wait_to_see("it, late", "selectRecordingState",
                     accept=lambda state: state["browser"]["running"])
    ann.act("stopRTMPAndRecording")
    for one in (ann, ben, late):
        one.wait_to_see("its end", "selectRecordingState",
                        accept=lambda state: not state["browser"]["running"])
        assert one.said("ERROR") == []


# Staying


def test_who_loses_the_server_comes_back_with_everything(app, server, room, ann):
    wire = Wire(server.port)
    try:
        ben = app("Ben")
        ben.join(wire.base, token(room, "Ben", "guest"))
        peer = ben.peer_id
        ann.wait_to_see("Ben's camera", "selectVideoTrackByPeerID", peer)
        ann.watch(track_of(ann, "video", ben)["id"])
        wait_for("Ann sees Ben", lambda: frames(ann) > 5, sdk.TIMEOUT)
        wire.cut()
        ben.wait_for("RECONNECTING")
        assert ben.see("selectRoomState") == "Reconnecting"
        ann.act("sessionStore.set", "while", "away")
        wire.mend()
        ben.wait_for("RECONNECTED", timeout=RETURN_TIMEOUT)
        ben.wait_to_see("the room", "selectRoomState", accept=lambda state: state == "Connected")
        assert ben.peer_id == peer
        assert track_of(ben, "video", ann) and track_of(ann, "video", ben)
        assert ann.said("PEER_LEFT") == []
        before = frames(ann)
        wait_for("Ann sees Ben go on", lambda: frames(ann) > before + 10, sdk.TIMEOUT)
        ben.act("sendBroadcastMessage", "I am back")
        ann.wait_for("NEW_MESSAGE", lambda message: message["message"] == "I am back")
        assert ben.said("ERROR") == []
    finally:
        wire.close()


def test_what_happened_meanwhile_is_known_on_return(app, enter, server, room, ann):
    wire = Wire(server.port)
    try:
        ben = app("Ben")
        ben.join(wire.base, token(room, "Ben", "guest"))
        cleo = enter("Cleo", "guest")
        ben.wait_to_see("Cleo", "selectVideoTrackByPeerID", cleo.peer_id)
        gone = cleo.peer_id
        wire.cut()
        ben.wait_for("RECONNECTING")
        cleo.act("leave")
        dan = enter("Dan", "guest")
        ann.act("changeRoleOfPeer", ben.peer_id, "viewer", True)
        wire.mend()
        ben.wait_for("RECONNECTED", timeout=RETURN_TIMEOUT)
        ben.wait_to_see("Dan's camera", "selectVideoTrackByPeerID", dan.peer_id)
        ben.watch(track_of(ben, "video", dan)["id"])
        wait_for("Ben sees Dan", lambda: frames(ben) > 5, sdk.TIMEOUT)
        ben.wait_to_see("Cleo gone", "selectPeerByID", gone, accept=lambda one: not one)
        wait_for_role(ben, ben, "viewer")
        wait_for_tracks(ann, ben, 0)
    finally:
        wire.close()


@pytest.mark.parametrize("ends", [False, True])
def test_who_is_put_out_while_it_is_away_hears_it_on_return(app, server, room, ann, ends):
    wire = Wire(server.port)
    try:
        ben = app("Ben")
        ben.join(wire.base, token(room, "Ben", "guest"))
        ann.wait_to_see("Ben", "selectPeerByID", ben.peer_id)
        wire.cut()
        ben.wait_for("RECONNECTING")
        if ends:
            ann.act("endRoom", True, "it is late")
        else:
            ann.act("removePeer", ben.peer_id, "noise")
        wire.mend()
        told = ben.wait_for("ROOM_ENDED" if ends else "REMOVED_FROM_ROOM", timeout=RETURN_TIMEOUT)
        assert told["reason"] == ("it is late" if ends else "noise")
        ben.wait_to_see("the end", "selectRoomState",
                        accept=lambda state: state == "Disconnected")
        assert ben.said("ERROR") == []
    finally:
        wire.close()


# Doors


def test_a_room_code_opens_the_door(app, server, room, ann):
    made = server.manage("POST", f"/room-codes/room/{room}")
    assert made.status == 200, made
    code = next(one["code"] for one in made.json["data"] if one["role"] == "guest")
    ben = app("Ben")
    place = {"endpoint": f"{server.base}/v2/token"}
    got = ben.act("getAuthTokenByRoomCode", {"roomCode": code, "userId": "ben"}, place)
    ben.join(server.base, got)
    ann.wait_to_see("Ben", "selectPeerByID", ben.peer_id,
                    accept=lambda one: one and one["roleName"] == "guest"
                    and one["customerUserId"] == "ben")
    assert refusal(app("Eve"), "getAuthTokenByRoomCode", {"roomCode": "aaa-bbbb-ccc"}, place) == 404


@pytest.mark.parametrize("fault, code", [
    ({"secret": "x" * 40}, 40109), ({"exp": 1}, 40100), ({"role": "pope"}, 40108)])
def test_a_token_that_is_refused_is_refused_with_its_code(app, server, room, fault, code):
    claims = {"role": "guest"} | fault
    config = {"userName": "Eve", "authToken": tokens.room_token(room, "eve", **claims),
              "initEndpoint": sdk.endpoint(server.base)}
    assert refusal(app("Eve"), "join", config) == code


@pytest.mark.parametrize("is_there, code", [(True, 2004), (False, 2003)])
def test_a_token_that_is_none_is_told_from_a_server_that_is_not_there(
        app, server, room, is_there, code):
    nowhere = f"http://127.0.0.1:{free_port(socket.SOCK_STREAM)}"
    config = {"userName": "Eve", "authToken": "none" if is_there else token(room, "Eve"),
              "initEndpoint": sdk.endpoint(server.base if is_there else nowhere)}
    # A preview: the SDK's join waits for itself for ever unless the error is a final one.
    assert refusal(app("Eve"), "preview", config) == code


def test_a_second_join_changes_nothing(ann, ben, server, room):
    peer = ben.peer_id
    ben.join(server.base, token(room, "Ben", "guest"))
    assert ben.peer_id == peer and len(ann.see("selectPeers")) == 2
    assert ben.see("selectRoomState") == "Connected"
    assert ann.said("PEER_LEFT") == []


def test_two_tabs_of_one_user_are_two_people(enter, ann, ben):
    other = enter("Ben", "guest")
    ann.wait_to_see("both", "selectRemotePeers",
                    accept=lambda peers: [one["customerUserId"] for one in peers] == ["ben", "ben"])
    other.act("leave")
    ann.wait_to_see("one", "selectRemotePeers",
                    accept=lambda peers: [one["id"] for one in peers] == [ben.peer_id])
