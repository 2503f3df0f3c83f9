"""Polls and quizzes over bare sockets: creating, answering, the notifications, and how little a
crowd that answers at once costs the others."""

import threading
import time

import pytest

DURATION = 2  # s that a poll runs
CROWD = 60  # peers that answer at once
PATIENCE = 10  # s


@pytest.fixture
def ann(connect):
    ann = connect("Ann", role="host")
    assert "result" in ann.join()
    return ann


@pytest.fixture
def ben(connect, ann):
    ben = connect("Ben", role="guest")
    assert "result" in ben.join()
    ann.wait_for("on-peer-join")
    return ben


def result(peer, method, **params):
    answer = peer.call(method, params)
    assert "result" in answer, answer
    return answer["result"]


def refusal(peer, method, **params):
    answer = peer.call(method, params)
    assert "error" in answer, answer
    return answer["error"]["code"]


def choice(index, text, *options, answer=None, kind="single-choice"):
    question = {"question": {"index": index, "text": text, "type": kind},
                "options": [{"index": place, "text": option}
                            for place, option in enumerate(options, 1)]}
    return question | ({"answer": answer} if answer else {})


def run(peer, questions, poll="p", **info):
    result(peer, "poll-info-set", **({"poll_id": poll, "title": "Lunch?", "type": "poll"} | info))
    assert result(peer, "poll-questions-set", poll_id=poll,
                  questions=questions)["total_questions"] == len(questions)
    assert result(peer, "poll-start", poll_id=poll)["poll_id"] == poll


def told(peer, method, poll="p", accept=lambda one: True):
    """A notification's data about a poll."""
    return peer.wait_for(method, lambda params: any(
        one["poll_id"] == poll and accept(one) for one in params["polls"]))["polls"][0]


def options(count):
    return [question.get("options") for question in count["questions"]]


def test_a_poll_is_answered_counted_and_stopped(ann, ben):
    run(ann, [choice(1, "Where?", "here", "there"),
              choice(2, "What?", "soup", "salad", "cake", kind="multiple-choice")])
    started = told(ben, "on-poll-start")
    assert started["state"] == "started" and started["started_by"] == ann.peer_id
    assert told(ann, "on-poll-start") == started
    asked = result(ben, "poll-questions-get", poll_id="p", index=0, count=50)
    assert [one["question"]["text"] for one in asked["questions"]] == ["Where?", "What?"]

    verdicts = result(ben, "poll-response", poll_id="p", responses=[
        {"question": 1, "option": 2}, {"question": 2, "options": [3, 1]}])["result"]
    assert [one["question"] for one in verdicts] == [1, 2]
    for peer in (ann, ben):
        count = told(peer, "on-poll-stats", accept=lambda one: one["user_count"] == 1)
        assert options(count) == [[0, 1], [1, 0, 1]]
    # A new answer replaces the first one.
    result(ben, "poll-response", poll_id="p", responses=[{"question": 1, "option": 1}])
    told(ann, "on-poll-stats", accept=lambda one: options(one)[0] == [1, 0])
    listed = result(ann, "poll-responses", poll_id="p", index=0, count=50)["responses"]
    assert {one["peer"]["peerid"] for one in listed} == {ben.peer_id}
    assert [one["response"]["update"] for one in listed] == [True, False]

    result(ann, "poll-stop", poll_id="p")
    assert told(ben, "on-poll-stop")["stopped_by"] == ann.peer_id
    assert refusal(ben, "poll-response", poll_id="p",
                   responses=[{"question": 1, "option": 2}]) == 409
    assert options(result(ben, "poll-result", poll_id="p")) == [[1, 0], [1, 0, 1]]


def test_a_quiz_has_a_leaderboard_when_it_is_over(connect, ann, ben):
    cleo = connect("Cleo", role="viewer")
    assert "result" in cleo.join()
    run(ann, [choice(1, "1 + 1", "1", "2", answer={"hidden": True, "option": 2})], type="quiz")
    for peer in (ben, cleo):
        asked = result(peer, "poll-questions-get", poll_id="p", index=0, count=50)["questions"]
        assert asked[0]["answer"] == {"hidden": True}, "what is right is not told yet"
    time.sleep(0.1)  # nobody's answer can have taken longer than the quiz has run
    result(cleo, "poll-response", poll_id="p",
           responses=[{"question": 1, "option": 2, "duration": 60}])
    result(ben, "poll-response", poll_id="p",
           responses=[{"question": 1, "option": 2, "duration": 20}])
    assert refusal(ben, "poll-responses", poll_id="p", index=0, count=50) == 403
    assert refusal(ben, "poll-leaderboard", poll_id="p", offset=0) == 409
    result(ann, "poll-stop", poll_id="p")
    board = result(ben, "poll-leaderboard", poll_id="p", offset=0, count=10)
    assert [(one["position"], one["peer"]["username"], one["score"], one["duration"])
            for one in board["questions"]] == [(1, "Ben", 1, 20), (2, "Cleo", 1, 60)]
    assert (board["total_users"], board["voted_users"], board["correct_users"]) == (3, 2, 2)
    assert board["avg_time"] == 40 and board["avg_score"] == 1 and board["last"] is True
    asked = result(ben, "poll-questions-get", poll_id="p", index=0, count=50)["questions"]
    assert asked[0]["answer"]["option"] == 2


def test_a_poll_ends_by_itself(ann, ben):
    began = time.monotonic()
    run(ann, [choice(1, "Quick?", "yes", "no")], duration=DURATION)
    stopped = told(ben, "on-poll-stop")
    assert DURATION <= time.monotonic() - began < DURATION + PATIENCE
    assert stopped["stopped_at"] - stopped["started_at"] == DURATION * 1000
    assert "stopped_by" not in stopped


def test_who_may_not_is_refused(connect, ann, ben):
    assert refusal(ben, "poll-info-set", poll_id="x", title="Mine") == 403
    run(ann, [choice(1, "Where?", "here", "there")], vote=["viewer"], responses=["host"])
    assert refusal(ben, "poll-stop", poll_id="p") == 403
    assert refusal(ben, "poll-response", poll_id="p",
                   responses=[{"question": 1, "option": 1}]) == 403
    assert refusal(ben, "poll-responses", poll_id="p", index=0, count=50) == 403
    viewer = connect("Vic", role="viewer")
    assert "result" in viewer.join()
    result(viewer, "poll-response", poll_id="p", responses=[{"question": 1, "option": 1}])
    told(ann, "on-poll-stats", accept=lambda one: options(one) == [[1, 0]])
    # The number of answers is no secret; their contents are.
    assert told(ben, "on-poll-stats")["questions"] == []
    assert result(viewer, "poll-result", poll_id="p")["user_count"] == 1
    assert refusal(ben, "poll-info-get", poll_id="nowhere") == 404


def test_who_comes_late_or_comes_back_finds_the_polls(connect, ann, ben):
    for poll in ("draft", "running", "over"):
        result(ann, "poll-info-set", poll_id=poll, title=poll, type="poll")
        result(ann, "poll-questions-set", poll_id=poll, questions=[choice(1, "?", "a", "b")])
    for poll in ("running", "over"):
        result(ann, "poll-start", poll_id=poll)
    told(ben, "on-poll-start", "over")
    ben.close()
    result(ann, "poll-stop", poll_id="over")
    late = connect("Late", role="viewer")
    assert "result" in late.join()
    assert [one["poll_id"] for one in result(late, "poll-list", count=50)["polls"]] == [
        "running", "over"]
    assert [one["poll_id"] for one in result(ann, "poll-list", state="created")["polls"]] == [
        "draft"]
    back = connect("Ben", peer_id=ben.peer_id, token=ben.token)
    assert told(back, "on-poll-stop", "over")["state"] == "stopped"
    result(back, "poll-response", poll_id="running", responses=[{"question": 1, "option": 1}])


def test_a_crowd_that_answers_at_once_is_told_of_in_few_frames(connect, ann):
    run(ann, [choice(1, "Where?", "here", "there")], mode="peerid")
    crowd = [connect(f"Voter {number}", role="viewer") for number in range(CROWD)]
    for voter in crowd:
        assert "result" in voter.join_without_media()

    def vote(voter, option):
        result(voter, "poll-response", poll_id="p", responses=[{"question": 1, "option": option}])

    began = time.monotonic()
    threads = [threading.Thread(target=vote, args=(voter, number % 2 + 1))
               for number, voter in enumerate(crowd)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    told(ann, "on-poll-stats", accept=lambda one: options(one) == [[CROWD // 2, CROWD // 2]])
    seconds = time.monotonic() - began
    counts = [one for one in ann.notifications if one["method"] == "on-poll-stats"]
    assert len(counts) <= seconds + 2, "no more than one a second"
    assert ann.is_alive()
    assert result(ann, "poll-result", poll_id="p")["user_count"] == CROWD
