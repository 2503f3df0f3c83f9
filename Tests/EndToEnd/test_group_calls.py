"""Group calls: created by REST, entered, changed and deleted over bare sockets; invitations by the
protocol and by webhook; what outlives the server."""

import json
import uuid
from datetime import datetime, timedelta

import pytest
import websockets.exceptions

from harness import chromium, pictures, tokens
from harness.http import path_of
from harness.server import Server
from harness.signalling import DATA_CHANNEL_OFFER, Peer
from harness.waiting import wait_for

SMALL, LARGE = "small_room_for_video", "large_room_for_audio_only"
TIMEOUT = 60  # s


def make(server, kind=SMALL, **fields):
    answer = server.manage("POST", "/group-calls", {"type": kind} | fields)
    assert answer.status == 200, answer
    return answer.json


def shown(server, call):
    return server.manage("GET", f"/group-calls/{call}").json


@pytest.fixture
def enter(server):
    """`enter(call, "Ann")`: a participant; a refused one if `is_in` is false."""
    peers = []

    def enter(call, name, is_in=True, role="guest", join=None, **options):
        peer = Peer(server, call, name, role=role, **options)
        peers.append(peer)
        peer.answer = peer.join(**(join or {}))
        assert ("result" in peer.answer) is is_in, peer.answer
        return peer

    yield enter
    for peer in peers:
        peer.close()


def news(peer, event):
    return peer.wait_for("on-group-call", lambda params: params["event"] == event, TIMEOUT)


def ask(peer, action, **params):
    return peer.call("group-call", {"action": action} | params)


def publish(peer, **kinds):
    """Offers tracks, each by its kind, muted if its name ends so."""
    tracks = {
        track: {"track_id": track, "stream_id": "s", "type": kind, "mute": track.endswith("muted")}
        for track, kind in kinds.items()}
    return peer.call(
        "offer", {"desc": {"type": "offer", "sdp": DATA_CHANNEL_OFFER}, "tracks": tracks})


def test_six_take_part_with_sound_and_picture_until_one_of_them_deletes_the_call(server, enter):
    call = make(server, custom_items={"topic": "plans"}, created_by="ann")
    room = call["room_id"]
    assert (call["state"], call["participants"], call["custom_items"]) == (
        "open", 0, {"topic": "plans"})
    names = ["Ann", "Ben", "Cem", "Dan", "Eve", "Fay"]
    people = [enter(room, name) for name in names]
    ann, ben = people[:2]
    refused = enter(room, "Gus", is_in=False).answer["error"]
    assert refused["code"] == 403 and "6 peers" in refused["message"]
    wait_for("all are counted", lambda: shown(server, room)["participants"] == 6, TIMEOUT)

    # Ann comes with her camera off, and both her tracks are there.
    assert "result" in publish(ann, mic="audio", camera_muted="video")
    added = ben.wait_for("on-track-add")["tracks"]
    assert (added["mic"]["mute"], added["camera_muted"]["mute"]) == (False, True)

    # Each change names its keys to everybody.
    changed = ask(ben, "update_custom_items", custom_items={"topic": "more", "seat": "3"})["result"]
    assert changed["keys"] == ["seat", "topic"] and changed["version"] == 2
    for peer in people:
        told = news(peer, "custom_items_updated")
        assert (told["keys"], told["by"]) == (["seat", "topic"], "ben")
    path = f"/group-calls/{room}/custom-items"
    assert server.manage("DELETE", path, {"keys": ["seat"]}).json["custom_items"] == {
        "topic": "more"}
    for peer in people:
        told = news(peer, "custom_items_deleted")
        assert (told["keys"], told["by"], told["version"]) == (["seat"], None, 3)
    assert ask(ann, "get")["result"]["custom_items"] == {"topic": "more"}
    refusal = ask(ann, "update_custom_items", custom_items={"k": "v" * 1025})["error"]
    assert refusal["code"] == 400 and "1025 of at most 1024" in refusal["message"]

    # Any participant deletes it: everybody is told and put out, and nobody comes in again.
    assert ask(ben, "delete")["result"] == {}
    for peer in people:
        assert news(peer, "deleted")["by"] == "ben"
    for peer in people:
        if peer is not ben:
            assert peer.wait_for("on-peer-leave-request")["room_end"] is True
    over = shown(server, room)
    assert (over["state"], over["deleted_by"], over["participants"]) == ("deleted", "ben", 0)
    assert over["custom_items"] == {"topic": "more"}
    assert_deleted(server, room)
    assert server.manage("POST", path, {"custom_items": {"a": "b"}}).status == 410
    assert server.manage("DELETE", f"/group-calls/{room}").status == 410


def assert_deleted(server, room):
    """In no protocol, nor as a recorder, nor after the room was enabled."""
    assert server.manage("POST", f"/rooms/{room}", {"enabled": True}).status == 200
    for role in ("guest", "__internal_recorder"):
        token = tokens.room_token(room, role=role)
        answer = server.http.get("/init?peer_id=p1", token=token)
        assert answer.status == 410 and answer.json["message"] == f"room {room} is deleted", answer
        with pytest.raises(websockets.exceptions.InvalidStatus) as refusal:
            Peer(server, room, "Eve", role=role)
        assert refusal.value.response.status_code == 410
    whip = server.http.post(
        f"/whip/{room}", body=DATA_CHANNEL_OFFER.encode(),
        token=tokens.room_token(room, role="guest"), headers={"Content-Type": "application/sdp"})
    assert whip.status == 410, whip
    assert server.manage("POST", f"/live-streams/room/{room}/start", {}).status == 410


def test_a_room_for_sound_takes_no_pictures(server, enter):
    room = make(server, LARGE)["room_id"]
    ann, ben = enter(room, "Ann"), enter(room, "Ben")
    roles = ann.wait_for("on-policy-change")["known_roles"]
    assert roles["guest"]["publishParams"]["allowed"] == ["audio"]
    assert "result" in publish(ann, mic="audio", camera="video")
    warning = ann.wait_for("on-warning")
    assert warning["code"] == 403
    assert warning["message"] == "this room is for sound only: nobody may publish video"
    assert list(ben.wait_for("on-track-add")["tracks"]) == ["mic"]
    assert "result" in publish(ann, mic="audio", screen="video")
    ask(ann, "update_custom_items", custom_items={"a": "b"})
    news(ben, "custom_items_updated")
    added = [one for one in ben.notifications if one["method"] == "on-track-add"]
    assert len(added) == 1


# The images in the page's tiles that are loaded, by the names of their persons.
IMAGES = """() => Object.fromEntries([...document.querySelectorAll("[data-testid=tile]")]
  .map((tile) => [tile.dataset.name, tile.querySelector(".tile-face img")])
  .map(([name, image]) => [name, image.checkVisibility() ? new URL(image.src).pathname : null]))"""


def test_the_room_page_shows_images_of_those_without_a_picture(binary, browser, tmp_path, enter):
    with pictures.host() as host, pictures.host() as foreign:
        server = Server(tmp_path, settings={"ROOMCAST_PICTURES_HOSTS": host.name,
                                            "ROOMCAST_PICTURES_ALLOW_HTTP": "true"})
        room = make(server, LARGE, default_image=f"http://{host.name}/gray.png")["room_id"]
        page = chromium.Participant(browser, server, room, "Ann", "guest")
        others = []
        try:
            for name, image in [("Ben", f"{host.name}/blue.png"), ("Cleo", None),
                                ("Dora", f"{foreign.name}/red.png")]:
                peer = Peer(server, room, name)
                others.append(peer)
                data = json.dumps({"avatar": f"http://{image}"}) if image else "about Cleo"
                assert "result" in peer.join(data=data)
                assert "result" in publish(peer, **{f"mic-of-{name}": "audio"})
            wait_for("all are shown", lambda: page.page.evaluate(IMAGES) == {
                "Ann": "/gray.png", "Ben": "/blue.png", "Cleo": "/gray.png", "Dora": None}, TIMEOUT)
            assert foreign.asked == []
            assert page.errors == []
        finally:
            page.close()
            for peer in others:
                peer.close()
            server.stop()


def test_a_room_for_sound_holds_a_hundred(server, enter):
    room = make(server, LARGE)["room_id"]
    for number in range(100):
        enter(room, f"Person {number}")
    refused = enter(room, "One More", is_in=False).answer["error"]
    assert refused["code"] == 403 and "100 peers" in refused["message"]


def test_a_user_has_several_devices_or_exactly_one(server, enter):
    room = make(server)["room_id"]
    ben = enter(room, "Ben")
    devices = [
        enter(room, f"Ann {number}", token=tokens.room_token(room, user="ann", role="guest"))
        for number in range(3)]
    wait_for("all are counted", lambda: shown(server, room)["participants"] == 4, TIMEOUT)
    token = tokens.room_token(room, user="ann", role="guest")
    last = enter(room, "Ann", token=token, join={"kick_siblings": True})
    for device in devices:
        request = device.wait_for("on-peer-leave-request")
        assert request["requested_by"] == last.peer_id and request["room_end"] is False
        ben.wait_for("on-peer-leave", lambda peer, one=device: peer["peer_id"] == one.peer_id)
    peers = server.manage("GET", f"/active-rooms/{room}/peers").json["peers"]
    assert set(peers) == {ben.peer_id, last.peer_id}


def test_who_left_may_come_again(server, enter):
    room = make(server)["room_id"]
    ann, ben = enter(room, "Ann"), enter(room, "Ben")
    ben.leave()
    ann.wait_for("on-peer-leave", lambda peer: peer["peer_id"] == ben.peer_id)
    enter(room, "Ben", peer_id=ben.peer_id)
    # The call goes on without participants, too.
    assert shown(server, room)["state"] == "open"


def test_lists_have_all_filters_and_pages_that_hold_still(server, enter):
    creator = uuid.uuid4().hex
    made = [make(server, kind, created_by=creator)["room_id"] for kind in [SMALL, LARGE] * 6]
    enter(made[3], "Ann")
    wait_for("she is counted", lambda: shown(server, made[3])["participants"] == 1, TIMEOUT)
    server.manage("DELETE", f"/group-calls/{made[5]}")

    def ids(query):
        answer = server.manage("GET", f"/group-calls?created_by={creator}&{query}")
        assert answer.status == 200, answer
        return [one["room_id"] for one in answer.json["data"]], answer.json["next"]

    assert ids(f"types={SMALL}&limit=100")[0] == made[-2::-2]
    assert ids("state=deleted")[0] == [made[5]]
    assert ids("participants_from=1")[0] == [made[3]]
    assert len(ids("participants_to=0&state=open&limit=100")[0]) == 10
    times = [shown(server, room)["created_at"] for room in made]
    assert ids(f"created_at_from={times[10]}")[0] == [made[11], made[10]]
    assert ids(f"created_at_to={times[1]}&created_at_from={times[1]}")[0] == [made[1]]
    first, token = ids("limit=10")
    newer = make(server, created_by=creator)["room_id"]
    second, end = ids(f"limit=10&token={token}")
    assert first + second == made[::-1] and end == ""
    assert ids("limit=10")[0][0] == newer


def test_invitations_reach_the_connected_by_the_protocol_and_others_by_webhook(
        binary, receiver, tmp_path):
    server = Server(tmp_path, settings=receiver.settings)
    try:
        room, other = make(server)["room_id"], make(server)["room_id"]
        ann = Peer(server, room, "Ann", role="guest")
        assert "result" in ann.join()
        # Ben waits in another room's preview.
        ben = Peer(server, other, "Ben", role="viewer")
        ben.wait_for("on-policy-change")
        sent = ask(ann, "invite", user_id="ben")["result"]
        invited = news(ben, "invitation_sent")["invitation"]
        assert invited == sent and invited["inviter"] == "ann" and invited["role"] == "guest"
        assert ask(ann, "invite", user_id="ben")["error"]["code"] == 409
        accepted = ask(ben, "accept_invitation", invitation_id=sent["invitation_id"])["result"]
        assert news(ann, "invitation_accepted")["invitation"]["state"] == "accepted"
        inside = Peer(server, room, "Ben", token=accepted["token"])
        assert "result" in inside.join()

        # Cem has no client: the push service is told.
        sent = ask(ann, "invite", user_id="cem", expires_in=600)["result"]
        event = wait_for(
            "it is told", lambda: told(receiver, "group_call.invitation.sent"), TIMEOUT)[0]["data"]
        assert event["user_id"] == "cem" and event["invitation"] == sent
        assert ask(ben, "cancel_invitation", invitation_id=sent["invitation_id"])["error"][
            "code"] == 403
        assert ask(ann, "cancel_invitation", invitation_id=sent["invitation_id"])["result"][
            "state"] == "canceled"
        path = f"/group-calls/{room}/invitations/{sent['invitation_id']}/accept"
        refused = server.manage("POST", path, {})
        assert refused.status == 409 and "is canceled" in refused.json["message"]

        # An invitation that waits for an answer outlives the server, and so does its end.
        sent = ask(ann, "invite", user_id="dan", expires_in=600)["result"]
        server.kill()
        server = Server(tmp_path, settings=receiver.settings)
        path = f"/group-calls/{room}/invitations/{sent['invitation_id']}"
        assert server.manage("POST", f"{path}/decline", {}).json["state"] == "declined"
        wait_for("she is told", lambda: [
            event for event in told(receiver, "group_call.invitation.answered")
            if event["data"]["user_id"] == "ann"], TIMEOUT)
        server.manage("DELETE", f"/group-calls/{room}")
        wait_for("it is told", lambda: told(receiver, "group_call.deleted"), TIMEOUT)
        assert_deleted(server, room)
    finally:
        assert server.stop() == 0


def told(receiver, kind):
    return [event for event in receiver.accepted if event["type"] == kind]


PEOPLE = {
    "publishParams": {"allowed": ["audio", "video"]},
    "subscribeParams": {"subscribeToRoles": ["*"]},
}


@pytest.mark.parametrize("kind, format", [(SMALL, "mp4"), (LARGE, "aac")])
def test_the_preset_records_when_more_than_two_are_there_until_nobody_is(
        server, enter, kind, format):
    answer = server.manage("POST", "/templates", {
        "name": f"calls-{uuid.uuid4().hex}", "roles": {"guest": PEOPLE},
        "destinations": {"browserRecordings": {"calls": {"preset": "group_call"}}}})
    assert answer.status == 200, answer
    room = make(server, kind, template_id=answer.json["id"])["room_id"]

    def recordings():
        return server.manage("GET", f"/recordings?room_id={room}").json["data"]

    people = [enter(room, name) for name in ("Ann", "Ben")]
    wait_for("both are counted", lambda: shown(server, room)["participants"] == 2, TIMEOUT)
    people[0].drain(3)  # longer than the second between two looks at a room
    assert recordings() == []
    people.append(enter(room, "Cem"))
    begun = wait_for("it begins", recordings, TIMEOUT)[0]
    assert begun["audio_only"] is (format == "aac")
    server.wait_for_status(begun["id"], "running", 3 * TIMEOUT, "recordings")
    for peer in people[:2]:
        peer.leave()
    people[2].drain(3)
    assert server.stream(begun["id"], "recordings")["status"] == "running"
    people[2].leave()
    server.wait_for_status(begun["id"], "completed", 6 * TIMEOUT, "recordings")
    files = server.manage("GET", f"/group-calls/{room}/recordings").json["data"]
    assert [(file["number"], file["format"], file["status"]) for file in files] == [
        (1, format, "completed")]
    assert (files[0]["width"], files[0]["height"]) == (
        (1280, 720) if format == "mp4" else (None, None))
    again = server.manage("GET", f"/group-calls/{room}/recordings").json["data"]
    body = server.http.get(path_of(again[0]["url"])).body
    assert len(body) == files[0]["size"] > 0
    made, kept = (datetime.fromisoformat(files[0][name][:19]) for name in (
        "created_at", "kept_until"))
    assert kept - made == timedelta(days=14)
