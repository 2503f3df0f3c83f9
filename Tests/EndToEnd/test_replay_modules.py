"""The chat and the transcript beside a recording, as functions and a list in the browsers that run
them."""

HEADER = "SenderPeerID,SenderName,SenderUserID,Roles,SentAt,Type,Message\r\n"


def run(page, module, body, argument=None):
    """Evaluates an expression of a module's exports (`m`) and the argument (`a`)."""
    return page.evaluate(
        f"([name, a]) => import(`/assets/playback/replay/${{name}}.js`).then((m) => {body})",
        [module, argument])


def rows(page, text, **limits):
    return run(page, "csv", "m.parseRows(...a)", [text, limits])


def test_csv_is_read_as_in_rfc_4180(page):
    assert rows(page, "") == []
    assert rows(page, "a,b\r\nc,\r\n") == [["a", "b"], ["c", ""]]
    assert rows(page, "\ufeffa\n\n,b") == [["a"], [""], ["", "b"]]
    assert rows(page, '"a ""b"", c","d\r\ne\nf"\r\n"",g\r\n') == [
        ['a "b", c', "d\r\ne\nf"], ["", "g"]]
    # What is no CSV is text, and nothing is lost.
    assert rows(page, 'a"b","c"d\n"open, \n') == [['a"b"', "cd"], ["open, \n"]]
    assert rows(page, 'a,b\r\nc,"d\r\n', isCut=True) == [["a", "b"]]
    assert rows(page, "a,b\r\nc,d", isCut=True) == [["a", "b"]]
    assert rows(page, "a\nb\nc\n", most=2) == [["a"], ["b"]]


def chat(page, text, **options):
    return run(page, "chat-lines", "m.chatLines(...a)", [HEADER + text, options])


def test_messages_are_read_in_the_order_in_which_they_were_sent(page):
    found = chat(page, (
        'p2,"Ben, 2",ben,"[""host"",""guest""]",2026-01-01T00:00:02.500Z,chat,"two\nlines"\r\n'
        "p1,Ann,ann,[],2026-01-01T00:00:01Z,chat,one\r\n"
        "p1,,ann,nonsense,2026-01-01T00:00:03Z,chat,three\r\n"
        "p1,Ann,ann,[],yesterday,chat,no time\r\n"
        'p1,Ann,ann,[],2026-01-01T00:00:02Z,EMOJI_REACTION,"{""emojiId"":""tada""}"\r\n'
        "p1,Ann,ann,[],2026-01-01T00:00:04Z,chat,\r\n"
        "p1\r\n"))
    first = 1767225601
    assert found == {"isWhole": True, "lines": [
        {"sentAt": first, "name": "Ann", "text": "one", "to": []},
        {"sentAt": first + 1.5, "name": "Ben, 2", "text": "two\nlines", "to": ["host", "guest"]},
        {"sentAt": first + 2, "name": "ann", "text": "three", "to": []}]}
    assert run(page, "chat-lines", "m.chatLines('')") == {"lines": [], "isWhole": True}
    cut = chat(page, 'p1,Ann,ann,[],2026-01-01T00:00:01Z,chat,one\r\np1,Ann,an', isCut=True)
    assert [one["text"] for one in cut["lines"]] == ["one"] and not cut["isWhole"]


def test_long_chats_names_and_messages_are_shortened(page):
    row = "p,{},u,[],2026-01-01T00:00:01Z,chat,{}\r\n"
    found = chat(page, row.format("n" * 200, "🎥" * 3000) + row.format("n", "m") * 10_000)
    assert len(found["lines"]) == 10_000 and not found["isWhole"]
    assert found["lines"][0]["name"] == "n" * 100 + "…"
    assert found["lines"][0]["text"] == "🎥" * 2000 + "…"
    assert run(page, "limits", "m.shortened('a🎥b', 2)") == "a…"


def test_the_guard_against_formulas_is_removed(page):
    for written, sent in [
            ("'=1+1", "=1+1"), ("'-5 °C", "-5 °C"), ("'@all", "@all"), ("'＝x", "＝x"),
            ("'\tx", "\tx"), ("a;'=b", "a;=b"), ("a\n'+1\n'-2", "a\n+1\n-2"), ("  '=x", "  =x"),
            # These are the sender's own.
            ("it's '=x", "it's '=x"), ("'so'", "'so'"), ("a '=b", "a '=b"), ("'", "'"), ("", "")]:
        assert run(page, "chat-lines", "m.unguarded(a)", written) == sent, written


def places(page, segments, *dates):
    return run(page, "recording-clock",
               "((clock) => a[1].map((date) => clock.placeOf(date)))(new m.RecordingClock(a[0]))",
               [[{"date": date, "duration": length} for date, length in segments], dates])


def test_a_time_of_the_day_has_a_place_in_the_recording(page):
    # A pause after 4 s, and a restart after 6 s.
    segments = [(100, 2), (102.004, 2), (130, 2), (133, 2), (None, 1)]
    assert places(page, segments, 90, 100, 103, 110, 129.9, 130.5, 132.5, 135.5, 500) == [
        0, 0, 3, 4, 4, 4.5, 6, 8.5, 8.75]
    assert places(page, [], 100) == [0]
    assert not run(page, "recording-clock",
                   "new m.RecordingClock([{ date: null, duration: 2 }]).isKnown")


def test_lines_have_begun_from_their_time_on(page):
    lines = [{"at": at} for at in (0, 1, 1, 2.5)]
    for time, count in [(-1, 0), (0, 1), (0.9, 1), (0.99, 3), (1, 3), (2.4, 3), (9, 4)]:
        assert run(page, "lines-at", "m.countAt(...a)", [lines, time]) == count, time
    assert run(page, "lines-at", "m.countAt([], 5)") == 0


def test_a_transcript_is_read_and_searched(page):
    said = [{"start_ms": 2500, "end_ms": 3000, "peer_name": "Ben", "text": " Überall <b> "},
            {"start_ms": 1000, "end_ms": 2000, "text": "one"},
            {"start_ms": "2", "text": "no time"}, {"start_ms": 5, "text": None}, None,
            {"start_ms": 9000, "peer_name": 7, "text": ""}]
    found = run(page, "transcript-lines", "m.transcriptLines(a)",
                {"language": "de", "transcript": said})
    assert found == {"language": "de", "isWhole": True, "lines": [
        {"at": 1, "name": "", "text": "one"}, {"at": 2.5, "name": "Ben", "text": "Überall <b>"}]}
    for odd in (None, {}, [], {"transcript": "x"}):
        assert run(page, "transcript-lines", "m.transcriptLines(a)", odd)["lines"] == []
    sought = "((query) => a[1].map((line) => m.matches(line, query)))(m.queryOf(a[0]))"
    for wish, who in [(" üBER ", [False, True]), ("ben", [False, True]), ("", [True, True])]:
        assert run(page, "transcript-lines", sought, [wish, found["lines"]]) == who, wish
    assert run(page, "transcript-lines", "m.marked('Aha, AHA!', 'aha')") == [
        "", "Aha", ", ", "AHA", "!"]
    assert run(page, "transcript-lines", "m.marked('aha', '')") == ["aha"]
    assert run(page, "transcript-lines", "m.marked('İa', 'a')") == ["İa"]


# A list of 10,000 lines, and the changes of the page while playback goes on and is sent elsewhere.
LONG = """() => import("/assets/playback/replay/line-list.js").then(async ({ LineList }) => {
  document.body.replaceChildren();
  const list = new LineList({ name: "Chat", empty: "", isWhole: false, pick: () => {},
    draw: ({ text }) => [document.createTextNode(text)] });
  document.body.append(list.node);
  list.lines = Array.from({ length: 10_000 }, (_, index) => ({ at: index, text: `m${index}` }));
  const shown = () => list.node.querySelectorAll("li").length;
  let changes = [];
  const observer = new MutationObserver((found) => changes.push(...found));
  observer.observe(list.node, { childList: true, subtree: true });
  const step = (count) => {
    list.reveal(count);
    changes = observer.takeRecords();
    const sum = (key) => changes.reduce((all, one) => all + one[key].length, 0);
    return [shown(), sum("addedNodes"), sum("removedNodes")];
  };
  const steps = [0, 10, 10, 11, 10_000, 9_998, 10_000].map(step);
  document.body.replaceChildren();
  return steps;
})"""


def test_only_what_differs_is_touched_of_ten_thousand_messages(page):
    steps = page.evaluate(LONG)
    assert steps == [[0, 0, 0], [10, 10, 0], [10, 0, 0], [11, 1, 0], [10_000, 9_989, 0],
                     [9_998, 0, 2], [10_000, 2, 0]]
