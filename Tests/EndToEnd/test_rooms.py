"""Rooms with real browsers: they see and hear each other, and the stream, and nothing else."""

import pytest

from harness import chromium
from harness.fault import Fault
from harness.signalling import peers_in
from harness.waiting import wait_for

RECORDER = "__internal_recorder"
ON_AIR_TIMEOUT = 60  # s
TIMEOUT = 60  # s
CAMERA_RATE = 10  # frames/s: up to three browsers encode and decode here
FRAMES = 30

# Chromium loses what a page sends before the browser has opened the channel for itself.
LOSE_THE_FIRST = """
const send = RTCDataChannel.prototype.send;
RTCDataChannel.prototype.send = function (text) {
  const isFirst = !this.hasSent;
  this.hasSent = true;
  if (!isFirst) send.call(this, text);
};
"""


@pytest.fixture(scope="module")
def pair(server, browser):
    """Ann and Ben, who stay for the tests that leave both as they were."""
    people = [chromium.Participant(browser, server, "pair", name, role)
              for name, role in (("Ann", "host"), ("Ben", "guest"))]
    yield people
    for person in people:
        person.close()
    for person in people:
        if person.errors:
            raise Fault(f"errors on the page of {person.name}: {person.errors}")


def is_green(colour):
    red, green, blue = colour
    return green > 90 and green > 1.5 * red and green > 1.5 * blue


def wait_for_people(person, *names):
    """Listed to a person; the page updates a list that is not shown now and then."""
    wait_for(f"{person.name} lists {names}",
             lambda: sorted(person.people()) == sorted(names), TIMEOUT)


def test_two_browsers_see_and_hear_each_other(pair):
    ann, ben = pair
    for one, other in [(ann, ben), (ben, ann)]:
        tile = one.wait_for_picture_of(other.name)
        assert is_green(tile["colour"]), tile
        before = tile["time"]
        wait_for(
            f"{one.name} sees {other.name} go on",
            lambda one=one, other=other, before=before: one.tile(other.name)["time"] > before + 3,
            TIMEOUT,
        )
        [video] = wait_for(
            f"{one.name} has decoded a video of {other.name}'s",
            lambda one=one: [report for report in one.inbound("video")
                             if report["framesDecoded"] > FRAMES],
            TIMEOUT,
        )
        assert video["frameWidth"] >= 320
        wait_for(
            f"{one.name} hears {other.name}",
            lambda one=one: any(report.get("totalAudioEnergy", 0) > 0.001
                                for report in one.inbound("audio")),
            TIMEOUT,
        )
        wait_for_people(one, f"{one.name} (you)", other.name)


def test_a_picture_comes_though_the_browser_has_lost_the_wish_for_it(enter, room):
    enter("Ann")
    enter("Ben", script=LOSE_THE_FIRST).wait_for_picture_of("Ann")


def test_a_muted_microphone_costs_its_hearers_next_to_nothing(pair):
    ann, ben = pair

    def packets():
        """Of sound, that Ann gets in two seconds."""

        def received():
            return sum(report["packetsReceived"] for report in ann.inbound("audio"))

        before = received()
        ann.page.wait_for_timeout(2000)
        return received() - before

    wait_for("Ann hears Ben", lambda: packets() > 15, TIMEOUT)
    ben.page.click("[data-testid=microphone]")
    # Browsers then send ten, or a hundred without DTX.
    wait_for("little of silence comes", lambda: packets() <= 2, TIMEOUT)
    ben.page.click("[data-testid=microphone]")
    wait_for("Ann hears Ben again", lambda: packets() > 15, TIMEOUT)


def test_everybody_is_told_how_well_everybody_is_reached(pair):
    ann, ben = pair
    for one in (ann, ben):

        def scores(one=one):
            """As last said of each peer."""
            notices = one.channel_notices("on-connection-quality-update")
            return {peer["peer_id"]: peer["downlink_score"]
                    for notice in notices for peer in notice["peers"]}

        # On one machine no packets are lost.
        wait_for(f"{one.name} is told of both",
                 lambda scores=scores: list(scores().values()) == [5, 5], TIMEOUT)


def test_a_switched_off_camera_becomes_a_face_and_comes_back(pair):
    ann, ben = pair
    ann.wait_for_picture_of("Ben")
    ben.page.click("[data-testid=camera]")
    wait_for("Ann sees no picture of Ben", lambda: ann.tile("Ben")["width"] == 0, TIMEOUT)
    ben.page.click("[data-testid=camera]")
    ann.wait_for_picture_of("Ben")


def test_messages_arrive_as_they_were_written(pair):
    ann, ben = pair
    wait_for("Ann sees Ben in the list", lambda: "Ben" in ann.people(), TIMEOUT)
    text = "<b>bold?</b> & „Grüße“ 🎥"
    ann.page.click("[data-testid=open-chat]")
    ann.page.fill("[data-testid=message]", text)
    ann.page.click("[data-testid=send]")
    ben.page.click("[data-testid=open-chat]")
    for person in (ann, ben):
        message = person.page.wait_for_selector("[data-testid=chat-message] .message-text")
        assert message.inner_text() == text


def test_who_leaves_is_gone_at_once(pair):
    ann, ben = pair  # it is the last test of both
    ann.wait_for_picture_of("Ben")
    ben.leave()
    # Whose connection is only lost keeps the place for a minute.
    wait_for("Ann is alone", lambda: ann.people() == ["Ann (you)"], 30)
    wait_for("Ben's tile is gone", lambda: ann.tile("Ben") is None, TIMEOUT)
    ann.leave()


def test_go_live_and_end_are_seen_by_everybody_and_by_who_comes_late(enter, server, room):
    ann, ben = enter("Ann"), enter("Ben", role="guest")
    assert ann.streaming_state() == "none"
    ann.page.click("[data-testid=go-live]")
    ann.page.click("[data-testid=confirm]")
    for person in (ann, ben):
        person.wait_for_streaming("started", ON_AIR_TIMEOUT)
        assert person.page.get_attribute("[data-testid=watch-link]", "href").endswith(
            f"/watch/{room}"
        )
    stream = server.http.get(f"/api/rooms/{room}/stream").json
    assert stream["state"] == "running"

    late = enter("Cleo", role="viewer")
    late.wait_for_streaming("started", TIMEOUT)
    assert late.page.get_attribute("[data-testid=streaming-state]", "data-url") == stream["url"]

    ann.page.click("[data-testid=go-live]")
    ann.page.click("[data-testid=refuse]")  # asked, and not after all
    assert ann.page.inner_text("[data-testid=go-live]") == "End stream"
    ann.page.click("[data-testid=go-live]")
    ann.note_texts("[data-testid=go-live]")
    ann.page.click("[data-testid=confirm]")
    # Before the server says so. A dialog's answer comes in a task after that of the click.
    ann.wait_for_noted("Ending …", TIMEOUT)
    for person in (ann, ben, late):
        person.wait_for_streaming("stopped", ON_AIR_TIMEOUT)
    record = server.wait_for_status(stream["id"], "completed", ON_AIR_TIMEOUT)
    assert record["started_by"] and record["stopped_by"] == record["started_by"]


def test_what_a_stream_lacks_is_said_to_who_runs_it(enter, server, room):
    ann = enter("Ann")
    answer = {"state": "running", "url": None, "id": "s", "started_at": None, "bot_restarts": 0,
              "degradation": {"frame_rate": 0.5, "layers_thinned": 1, "videos_left_out": 2}}
    ann.page.route("**/api/rooms/*/stream?*", lambda route: route.fulfill(json=answer))
    stream = server.start_stream(room)
    try:
        ann.wait_for_streaming("started", ON_AIR_TIMEOUT)
        note = ann.page.get_by_test_id("stream-note")
        note.filter(has_text="short of CPU: 0.5 pictures a second").wait_for(timeout=TIMEOUT * 1000)
        assert "2 videos left out" in note.inner_text()
        assert ann.page.get_attribute("[data-testid=streaming-state]", "data-lack") is not None
        answer["degradation"] = None
        note.wait_for(state="hidden", timeout=TIMEOUT * 1000)
    finally:
        server.stop_stream(room)
        server.wait_for_status(stream["id"], "completed", ON_AIR_TIMEOUT)


def test_the_recorder_is_in_nobodys_list_count_or_events(enter, connect, server, room):
    early = connect("Early")
    early.join()
    early.wait_for("peer-list")
    ann = enter("Ann")
    stream = server.start_stream(room)
    try:
        server.wait_for_status(stream["id"], "running", ON_AIR_TIMEOUT)
        # The list is up to a second old.
        wait_for("both are counted", lambda: server.peer_count(room) == 2, TIMEOUT)
        wait_for_people(ann, "Ann (you)", "Early")

        late = connect("Late")
        late.join()
        visible = {"Early", "Ann"}
        assert {peer["info"]["name"] for peer in peers_in(late.wait_for("peer-list")).values()} \
            == visible

        # The same after an earlier peer reconnects.
        early.close()
        again = connect("Early", peer_id=early.peer_id, token=early.token)
        listed = peers_in(again.wait_for("peer-list"))
        names = {peer["info"]["name"] for identifier, peer in listed.items()
                 if identifier != early.peer_id}
        assert names == {"Ann", "Late"}
        again.drain(1)

        for peer in (early, late, again):
            text = str([message for message in peer.notifications
                        if message["method"] != "on-policy-change"])
            assert RECORDER not in text
            joined = [message["params"]["info"]["name"] for message in peer.notifications
                      if message["method"] == "on-peer-join"]
            assert set(joined) <= {"Ann", "Late", "Early"}
    finally:
        server.stop_stream(room)
    server.wait_for_status(stream["id"], "completed", ON_AIR_TIMEOUT)
    wait_for_people(ann, "Ann (you)", "Early", "Late")
