"""Polls over bare sockets: from their making to their end, and the notifications."""

import time

import pytest

DURATION = 2  # s that a poll runs
PATIENCE = 60  # s


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


def choice(index, text, *options, kind="single-choice"):
    return {"question": {"index": index, "text": text, "type": kind},
            "options": [{"index": place, "text": option}
                        for place, option in enumerate(options, 1)]}


def run(peer, questions, **info):
    result(peer, "poll-info-set", poll_id="p", title="Lunch?", type="poll", **info)
    assert result(peer, "poll-questions-set", poll_id="p",
                  questions=questions)["total_questions"] == len(questions)
    assert result(peer, "poll-start", poll_id="p")["poll_id"] == "p"


def told(peer, method, accept=lambda one: True):
    """A notification's data about the poll."""
    return peer.wait_for(method, lambda params: any(
        one["poll_id"] == "p" and accept(one) for one in params["polls"]))["polls"][0]


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


def test_a_poll_ends_by_itself(ann, ben):
    began = time.monotonic()
    run(ann, [choice(1, "Quick?", "yes", "no")], duration=DURATION)
    stopped = told(ben, "on-poll-stop")
    assert DURATION <= time.monotonic() - began < DURATION + PATIENCE
    assert stopped["stopped_at"] - stopped["started_at"] == DURATION * 1000
    assert "stopped_by" not in stopped
