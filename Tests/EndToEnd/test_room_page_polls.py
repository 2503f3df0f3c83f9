"""Polls on the room page, by keyboard alone and through the accessibility tree, in both browsers."""

from harness.room_world import TIMEOUT, heard, question, run_poll
from harness.waiting import wait_for

CAMERA_RATE = 10  # frames/s
MAKE_A_QUIZ = "Quiz Some options are right. Who knew most is shown when it is over."


def test_a_host_asks_answers_and_sees_what_all_say(world):
    ann, ben = world.open(), world.connect("Ben")
    ann.operate("button", "Polls")
    ann.operate("button", "New poll")
    ann.wait_for_focus("textbox", "Title")
    for name, text in [("Title", "Lunch?"), ("Question", "Where?"), ("Option 1", "here"),
                       ("Option 2", "there")]:
        ann.tab_to("textbox", name)
        ann.type(text)
    ann.operate("button", "Add an option")
    ann.wait_for_focus("textbox", "Option 3")
    ann.type("<b>nowhere</b>")
    ann.operate("button", "Start the poll")
    poll = heard(ben, "on-poll-start")["polls"][0]
    assert poll["title"] == "Lunch?" and poll["anonymous"] is False
    ann.wait_for_focus("button", "New poll")
    ann.wait_for("heading", "Lunch?")
    assert ann.count("textbox", "Title") == 0, "the form is put away"

    ben.call("poll-response", {"poll_id": poll["poll_id"],
                               "responses": [{"question": 1, "option": 2}]})
    ann.wait_for_text("poll", "1 has answered")
    assert ann.texts("poll-bar") == [], "who has not answered is not told what others said"
    ann.operate("radio", "here", "Space")
    ann.operate("button", "Answer")
    ann.wait_for_focus("heading", "Lunch?")
    wait_for("both are counted", lambda: ann.texts("poll-bar") == [
        "here1 · 50 %, your answer", "there1 · 50 %", "<b>nowhere</b>0 · 0 %"], TIMEOUT)

    ann.operate("button", "Stop")
    heard(ben, "on-poll-stop")
    ann.wait_for_text("poll", "Over")
    ann.wait_for_focus("heading", "Lunch?")
    assert ann.count("button", "Stop") == 0


def test_a_host_makes_a_quiz_and_all_see_who_knew_most(world):
    ann, ben = world.open(), world.connect("Ben")
    ann.operate("button", "Polls")
    ann.operate("button", "New poll")
    assert ann.count("checkbox", "Option 1 is right") == 0, "nothing is right in a poll"
    ann.tab_to("textbox", "Title")
    ann.type("Sums")
    ann.operate("checkbox", MAKE_A_QUIZ, "Space")
    for name, text in [("Question", "2 + 2?"), ("Option 1", "5"), ("Option 2", "4")]:
        ann.tab_to("textbox", name)
        ann.type(text)
    ann.operate("button", "Start the poll")
    ann.wait_for_focus("checkbox", "Option 1 is right")
    ann.operate("checkbox", "Option 2 is right", "Space")
    ann.operate("button", "Start the poll")
    poll = heard(ben, "on-poll-start")["polls"][0]
    assert poll["type"] == "quiz" and poll["anonymous"] is False
    asked = ben.call("poll-questions-get", {"poll_id": poll["poll_id"]})["result"]["questions"][0]
    assert asked["answer"] == {"hidden": True} and asked["question"]["once"] is True

    ann.operate("radio", "5", "Space")
    ann.operate("button", "Answer")
    # No answer takes longer than the poll has been running, which is less than 10 ms at first.
    ben.call("poll-response", {"poll_id": poll["poll_id"],
                               "responses": [{"question": 1, "option": 2, "duration": 10}]})
    wait_for("both are counted", lambda: ann.texts("poll-bar") == [
        "51 · 50 %, your answer", "41 · 50 %"], TIMEOUT)
    assert ann.texts("poll-standing") == []
    ann.operate("button", "Stop")
    wait_for("the standings are there", lambda: ann.texts("poll-standing") == [
        "Ben · 1 point", "You · 0 points"], TIMEOUT)
    assert ann.texts("poll-bar") == ["51 · 50 %, your answer", "41 · 50 %, right"]
    said = ben.call("poll-responses", {"poll_id": poll["poll_id"]})["result"]["responses"]
    assert [one["response"]["duration"] > 0 for one in said] == [True, True]


def test_a_guest_answers_and_asks_nothing(world):
    ben, ann = world.open("Ben", "guest"), world.connect("Ann", "host")
    poll = run_poll(ann, question("What?", "multiple-choice", "soup", "salad", "cake"),
                    question("Why?", "short-answer"))
    ben.wait_for("button", "Polls, 1 new")
    ben.operate("button", "Polls, 1 new")
    ben.wait_for("button", "Polls")
    ben.wait_for("checkbox", "soup")
    for name in ("New poll", "Stop"):
        assert ben.count("button", name) == 0
    for name in ("soup", "cake"):
        ben.operate("checkbox", name, "Space")
    ben.operate("button", "Answer")
    wait_for("it is counted", lambda: ben.texts("poll-bar") == [
        "soup1 · 100 %, your answer", "salad0 · 0 %", "cake1 · 100 %, your answer"], TIMEOUT)
    ben.tab_to("textbox", "Why?")
    ben.type("because")
    ben.press("Enter")
    ben.wait_for_text("poll", "Yours: because")
    said = ann.call("poll-responses", {"poll_id": poll})["result"]["responses"]
    assert [one["response"].get("options") or one["response"]["text"] for one in said] == [
        [1, 3], "because"]
    ann.call("poll-stop", {"poll_id": poll})
    ben.wait_for_text("poll", "Over")


def test_who_comes_late_finds_the_polls_and_what_was_answered(world):
    ann = world.connect("Ann", "host")
    poll = run_poll(ann, question("Where?", "single-choice", "here", "there"))
    ann.call("poll-response", {"poll_id": poll, "responses": [{"question": 1, "option": 1}]})
    ann.call("poll-stop", {"poll_id": poll})
    run_poll(ann, question("When?", "single-choice", "now", "later"), title="And then?")
    vic = world.open("Vic", "viewer")
    assert vic.count("button", "Polls, 1 new") == 0, "what was before is no news"
    vic.operate("button", "Polls")
    wait_for("both are there", lambda: len(vic.texts("poll")) == 2, TIMEOUT)
    assert vic.texts("poll")[0].startswith("And then?"), "what runs comes first"
    vic.wait_for("tab", "Polls (1)")
    wait_for("the answers are there", lambda: vic.texts("poll-bar") == [
        "here1 · 100 %", "there0 · 0 %"], TIMEOUT)
    vic.wait_for("radio", "later")
    vic.operate("tab", "Polls (1)", "ArrowLeft")
    vic.wait_for_focus("tab", "People (2)")
    vic.press("ArrowLeft")
    vic.wait_for("tab", "Chat")


def test_what_the_page_asks_by_itself_when_it_is_cut_off_is_no_fault(world):
    ann, vic = world.connect("Ann", "host"), world.open("Vic", "viewer")
    vic.cut_off_at("poll-questions-get")
    run_poll(ann, question("Where?", "single-choice", "here", "there"))
    wait_for("it is back, and asks again", lambda: vic.evaluate("() => window.sockets.length") == 2,
             TIMEOUT)
    vic.operate("button", "Polls, 1 new")
    vic.wait_for("radio", "there")
    assert vic.texts("toast-error") == []


def test_a_poll_without_a_title_is_news_too(world):
    ann, vic = world.connect("Ann", "host"), world.open("Vic", "viewer")
    poll = run_poll(ann, question("Where?", "single-choice", "here", "there"), title="")
    vic.wait_for_text("toast-note", "Ann started a poll")
    ann.call("poll-stop", {"poll_id": poll})
    wait_for("its end is told", lambda: "The poll is over" in vic.texts("toast-note"), TIMEOUT)
