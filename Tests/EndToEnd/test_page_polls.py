"""The page's state of polls, without the server."""

POLLS = """async (steps) => {
  const { PollBook } = await import("/assets/client/poll-book.js");
  const book = new PollBook();
  const told = steps.map(([verb, ...values]) =>
    (book[verb](...values) ?? []).map(([type]) => type));
  return { told, running: book.runningCount, polls: book.polls };
}"""
ASKED = [
    {"question": {"index": 1, "text": "Where?", "type": "single-choice"},
     "options": [{"index": 1, "text": "here"}, {"index": 2, "text": "there"}],
     "answer": {"hidden": False, "option": 2}},
    {"question": {"index": 2, "text": "Why?", "type": "short-answer"}},
]


def poll(poll_id, state="started", started_at=1, **info):
    return {"poll_id": poll_id, "title": poll_id, "type": "poll", "state": state,
            "started_by": "ann", "started_at": started_at} | info


def counted(poll_id, votes, words=0, users=0):
    return {"poll_id": poll_id, "user_count": users, "questions": [
        {"question": 1, "type": "single-choice", "options": votes, "total": sum(votes)},
        {"question": 2, "type": "short-answer", "total": words}] if votes else []}


def test_polls_that_run_come_first_and_news_are_told_once(page):
    found = page.evaluate(POLLS, [
        ["take", "on-poll-start", {"polls": [poll("old", started_at=1)]}],
        ["take", "on-poll-start", {"polls": [poll("old", started_at=1)]}],
        ["take", "on-poll-start", {"polls": [poll("new", started_at=3)]}],
        ["take", "on-poll-start", {"polls": [poll("newer", started_at=4, anonymous=True)]}],
        ["take", "on-poll-stop", {"polls": [poll("newer", "stopped", started_at=4)]}],
        ["take", "on-poll-stats", {"polls": [counted("unknown", [1, 2])]}],
        ["take", "on-broadcast", {}],
    ])
    assert found["told"] == [
        ["poll-started"], [], ["poll-started"], ["poll-started"], ["poll-stopped"], [], []]
    assert [one["id"] for one in found["polls"]] == ["new", "old", "newer"]
    assert found["running"] == 2


def test_answers_are_counted_and_ones_own_is_known(page):
    own = [{"response": {"question": 2, "type": "short-answer", "text": "so"}}]
    details = {"questions": ASKED, "responses": own, "result": counted("p", [1, 0], 1, 1)}
    found = page.evaluate(POLLS, [
        ["put", poll("p")],
        ["take", "on-poll-stats", {"polls": [counted("p", [1, 0], 0, 1)]}],
        ["fill", "p", details],
        ["answered", "p", [{"question": 1, "options": [2]}]],
        ["take", "on-poll-stats", {"polls": [counted("p", [1, 3], 1, 4)]}],
        ["fill", "unknown", details],
    ])
    where, why = found["polls"][0]["questions"]
    assert [(one["text"], one["votes"], one["isRight"]) for one in where["options"]] == [
        ("here", 1, False), ("there", 3, True)]
    assert where["total"] == 4 and where["own"] == {"options": [2], "text": ""}
    assert why["total"] == 1 and why["own"] == {"options": [], "text": "so"}
    assert found["polls"][0]["voters"] == 4


def test_who_may_not_see_answers_sees_how_many_there_are(page):
    found = page.evaluate(POLLS, [
        ["put", poll("p")],
        ["fill", "p", {"questions": ASKED, "responses": [], "result": counted("p", [], users=3)}],
    ])
    shown = found["polls"][0]
    assert shown["voters"] == 3
    assert [one["votes"] for one in shown["questions"][0]["options"]] == [None, None]


def test_polls_that_the_server_does_not_list_are_forgotten(page):
    found = page.evaluate(POLLS, [
        ["put", poll("a")], ["put", poll("b")], ["keep", [poll("b")]]])
    assert [one["id"] for one in found["polls"]] == ["b"]


def test_a_quiz_that_is_over_is_ranked(page):
    standings = {"questions": [
        {"position": 1, "score": 3, "peer": {"hash": "a", "peerid": "ann", "username": "Ann"}},
        {"position": 2, "score": -1, "peer": {"hash": "b"}}]}
    found = page.evaluate(
        """async ([polls, standings]) => {
          const { PollBook } = await import("/assets/client/poll-book.js");
          const book = new PollBook();
          for (const poll of polls) book.put(poll);
          const ranked = polls.map((poll) => book.isRanked(poll.poll_id));
          book.rank("over", standings);
          book.rank("unknown", standings);
          return { ranked, standings: book.polls.map((poll) => poll.standings) };
        }""", [[poll("over", "stopped", type="quiz"), poll("runs", type="quiz"),
              poll("plain", "stopped"), poll("secret", "stopped", type="quiz", anonymous=True)],
             standings])
    assert found["ranked"] == [True, False, False, False]
    assert sorted(found["standings"], key=len)[-1] == [
        {"position": 1, "score": 3, "peer": "ann", "name": "Ann"},
        {"position": 2, "score": -1, "peer": None, "name": ""}]


def test_a_share_is_of_a_hundred(page):
    shares = page.evaluate(
        """async (pairs) => {
          const { share } = await import("/assets/client/poll-book.js");
          return pairs.map(([votes, total]) => share(votes, total));
        }""", [[0, 0], [1, 3], [2, 3], [5, 5]])
    assert shares == [0, 33, 67, 100]
