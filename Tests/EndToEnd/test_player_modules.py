"""The rules of the pages' player, as pure functions in the browsers that run them."""

import json

BASE = "https://o.test/r/s/cmaf_0/stream.m3u8"
MASTER = """#EXTM3U
#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="c",NAME="Deutsch, leicht",LANGUAGE="de",DEFAULT=YES,URI="de/c.m3u8"
#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="x",URI="a.m3u8"
#EXT-X-STREAM-INF:BANDWIDTH=252000,CODECS="avc1.42C00D,mp4a.40.2",RESOLUTION=320x180,SUBTITLES="c"
cmaf_1/stream.m3u8
#EXT-X-STREAM-INF:BANDWIDTH=564000,CODECS="avc1.42C01E,mp4a.40.2",RESOLUTION=640x360,FRAME-RATE=30.000
cmaf_0/stream.m3u8
"""
LOW = """#EXTM3U
#EXT-X-VERSION:9
#EXT-X-TARGETDURATION:2
#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.0,CAN-SKIP-UNTIL=12.0,CAN-SKIP-DATERANGES=YES
#EXT-X-PART-INF:PART-TARGET=0.5
#EXT-X-MEDIA-SEQUENCE:7
#EXT-X-DISCONTINUITY-SEQUENCE:3
#EXT-X-MAP:URI="init.mp4"
#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:10.000Z
#EXTINF:2.000,
s7.m4s
#EXT-X-DISCONTINUITY
#EXT-X-MAP:URI="other.mp4",BYTERANGE="100@0"
#EXT-X-PROGRAM-DATE-TIME:2026-01-01T00:00:13.000Z
#EXT-X-PART:DURATION=0.5,URI="s8.m4s",BYTERANGE="1000@0",INDEPENDENT=YES
#EXT-X-PART:DURATION=0.5,URI="s8.m4s",BYTERANGE="500"
#EXT-X-PART:DURATION=0.5,URI="p8.2.m4s"
#EXT-X-PART:DURATION=0.5,URI="p8.3.m4s",INDEPENDENT=YES
#EXTINF:2.000,
s8.m4s
#EXT-X-PART:DURATION=0.5,URI="p9.0.m4s",INDEPENDENT=YES
#EXT-X-PRELOAD-HINT:TYPE=PART,URI="p9.1.m4s"
#EXT-X-RENDITION-REPORT:URI="../cmaf_1/stream.m3u8",LAST-MSN=9,LAST-PART=0
"""


def run(page, module, body, *arguments):
    """Evaluates an expression of a module's exports (`m`) and the arguments (`a`)."""
    return page.evaluate(
        f"([name, a]) => import(`/assets/playback/player/${{name}}.js`).then((m) => {body})",
        [module, arguments])


def parsed(page, text, base=BASE):
    return run(page, "playlist", "m.parsePlaylist(...a)", text, base)


def placed(page, body, text=LOW, *more):
    """Evaluates something of a placed playlist (`p`)."""
    return page.evaluate("""async ([text, base, a]) => {
      const { parsePlaylist } = await import("/assets/playback/player/playlist.js");
      const { Timeline, endOf, dateAt, partStart } =
        await import("/assets/playback/player/timeline.js");
      const { pieceAt, pieceAfter, isEntry } = await import("/assets/playback/player/pieces.js");
      const p = parsePlaylist(text, base);
      const timeline = new Timeline();
      timeline.place(p);
      const brief = (piece) => piece && [piece.segment.sequence, piece.part, piece.isHint,
        piece.url.split("/").at(-1), piece.start];
      return """ + body + "; }", [text, BASE, more])


def test_a_master_playlist_is_read_best_layer_first(page):
    master = parsed(page, MASTER, "https://o.test/r/s/cmaf.m3u8")
    assert [one["height"] for one in master["layers"]] == [360, 180]
    assert master["layers"][0] == {
        "url": "https://o.test/r/s/cmaf_0/stream.m3u8", "bitrate": 564000, "width": 640,
        "height": 360, "frameRate": 30, "codecs": "avc1.42C01E,mp4a.40.2"}
    assert master["subtitles"] == [{"url": "https://o.test/r/s/de/c.m3u8", "isDefault": True,
                                    "name": "Deutsch, leicht", "language": "de"}]


def test_a_low_latency_playlist_is_read(page):
    playlist = parsed(page, LOW)
    assert playlist["canBlock"] and playlist["canSkipDates"] and not playlist["isEnded"]
    assert (playlist["partTarget"], playlist["partHoldBack"], playlist["canSkipUntil"]) == (
        0.5, 1, 12)
    first, second, third = playlist["segments"]
    assert [one["sequence"] for one in playlist["segments"]] == [7, 8, 9]
    assert [one["discontinuity"] for one in playlist["segments"]] == [3, 4, 4]
    assert first["map"] == {"url": "https://o.test/r/s/cmaf_0/init.mp4", "range": None}
    assert third["map"]["range"] == {"begin": 0, "end": 100}
    assert [one["range"] for one in second["parts"]] == [
        {"begin": 0, "end": 1000}, {"begin": 1000, "end": 1500}, None, None]
    assert [one["isIndependent"] for one in second["parts"]] == [True, False, False, True]
    assert third["url"] is None and third["duration"] == 0.5
    assert playlist["hint"]["url"].endswith("/p9.1.m4s")
    assert playlist["reports"] == [
        {"url": "https://o.test/r/s/cmaf_1/stream.m3u8", "sequence": 9, "part": 0}]


def test_what_is_no_playlist_is_refused_and_what_is_odd_is_skipped(page):
    for text in ("", "<html>", "#EXTINF:2,\na.m4s"):
        error = page.evaluate("""(text) => import("/assets/playback/player/playlist.js").then(
          (m) => { try { m.parsePlaylist(text, "https://o.test/"); return ""; }
                   catch (error) { return error.constructor.name; } })""", text)
        assert error == "PlaylistError", text
    odd = parsed(page, "#EXTM3U\r\n#EXT-X-TARGETDURATION:x\r\n#EXT-X-MEDIA-SEQUENCE:-4\r\n"
                 "#EXT-X-PRELOAD-HINT:TYPE=PART,URI=\"javascript:alert(1)\"\r\n#EXT-X-NEW:1\r\n"
                 "#EXTINF:3.5,title\r\na b.m4s\r\n#EXTINF:2,\r\nfile:///etc/passwd\r\n")
    assert [one["url"] for one in odd["segments"]] == ["https://o.test/r/s/cmaf_0/a%20b.m4s"]
    assert odd["targetDuration"] == 3.5 and odd["sequence"] == 0


def test_a_delta_is_joined_or_the_whole_is_needed(page):
    delta = LOW.replace("#EXTINF:2.000,\ns7.m4s\n", "#EXT-X-SKIP:SKIPPED-SEGMENTS=1\n", 1)
    # Its tags before the skipped segment are left out, too.
    delta = delta.replace('#EXT-X-MAP:URI="init.mp4"\n', "")
    join = """import("/assets/playback/player/playlist.js").then((m) =>
      m.joinDelta(m.parsePlaylist(a[0], a[2]), m.parsePlaylist(a[1], a[2])))"""
    joined = page.evaluate(f"(a) => {join}", [LOW, delta, BASE])
    whole = parsed(page, LOW)
    assert json.dumps(joined, sort_keys=True) == json.dumps(whole, sort_keys=True)
    far = delta.replace("SEQUENCE:7", "SEQUENCE:6").replace("SEQUENCE:6", "SEQUENCE:9", 1)
    assert page.evaluate(f"(a) => {join}", [LOW, far, BASE]) is None


def test_segments_have_places_on_one_clock_that_goes_on(page):
    assert placed(page, "p.segments.map((one) => one.start)") == [0, 2, 4]
    assert placed(page, "[endOf(p), partStart(p.segments[1], 3)]") == [4.5, 3.5]
    begin = 1767225610  # 2026-01-01T00:00:10Z
    assert placed(page, "[dateAt(p, 1), dateAt(p, 2), dateAt(p, 4.2)]") == [
        begin + 1, begin + 3, begin + 5.2]
    # The next playlist of another layer, two segments later; then one after a long sleep.
    later = LOW.replace("SEQUENCE:7", "SEQUENCE:8").replace("00:00:10", "00:00:12")
    late = LOW.replace("SEQUENCE:7", "SEQUENCE:90").replace("00:00:10", "00:03:10")
    assert placed(page, """a.map((text) => {
      const next = parsePlaylist(text, base);
      timeline.place(next);
      return next.segments[0].start;
    })""", LOW, later, late) == [2, 180]


def test_a_fragment_is_moved_to_its_place_once_for_each_run_of_an_encoder(page):
    assert placed(page, """[
      timeline.offset(p.segments[1], 2, 1), timeline.offset(p.segments[2], 4, 3.1),
      timeline.offset(p.segments[0], 0, 41), timeline.knownOffset(4), timeline.knownOffset(9) ?? null,
    ]""") == [1, 1, -41, 1, None]


def test_the_pieces_come_in_order_with_the_part_that_is_still_made(page):
    assert placed(page, "brief(pieceAt(p, 0.5))") == [7, None, False, "s7.m4s", 0]
    assert placed(page, "brief(pieceAt(p, 3.9))") == [8, 3, False, "p8.3.m4s", 3.5]
    assert placed(page, "brief(pieceAt(p, 2.9))") == [8, None, False, "s8.m4s", 2]
    assert placed(page, "brief(pieceAt(p, 9))") == [9, 0, False, "p9.0.m4s", 4]
    after = "brief(pieceAfter(p, a[0]))"

    def front(sequence, part, end):
        return placed(page, after, LOW, {"sequence": sequence, "part": part, "end": end})

    assert front(7, None, 2) == [8, None, False, "s8.m4s", 2]
    assert front(8, 1, 3) == [8, 2, False, "p8.2.m4s", 3]
    assert front(8, 3, 4) == [9, 0, False, "p9.0.m4s", 4]
    assert front(9, 0, 4.5) == [9, 1, True, "p9.1.m4s", 4.5]
    assert front(9, 1, 5) is None
    assert front(2, None, 0)[0] == 7, "what is gone is skipped"
    assert front(99, None, 0)[0] == 7, "the numbers began anew"
    ended = LOW.split("#EXT-X-PART:DURATION=0.5,URI=\"p9.0")[0]
    hint = ended + '#EXT-X-PRELOAD-HINT:TYPE=PART,URI="p9.0.m4s"\n'
    at = {"sequence": 8, "part": 3, "end": 4}
    assert placed(page, after, hint, at) == [9, 0, True, "p9.0.m4s", 4]
    assert placed(page, after, hint + "#EXT-X-ENDLIST\n", at) is None


def test_the_next_reload_waits_at_the_server_or_for_the_next_segment(page):
    def asked(text, **more):
        return page.evaluate("""async ([text, base, more]) => {
          const { parsePlaylist } = await import("/assets/playback/player/playlist.js");
          const { reloadURL, switchURL } = await import("/assets/playback/player/reload.js");
          const p = parsePlaylist(text, base);
          return more.to ? switchURL(p, more.to) : reloadURL(p, more);
        }""", [text, BASE + "?_HLS_msn=1&key=k", more])

    assert asked(LOW, age=1) == BASE + "?key=k&_HLS_msn=9&_HLS_part=1&_HLS_skip=v2"
    assert asked(LOW, age=7) == BASE + "?key=k&_HLS_msn=9&_HLS_part=1"
    assert asked(LOW, age=1, joins=False) == BASE + "?key=k&_HLS_msn=9&_HLS_part=1"
    assert asked(LOW, age=1, joins=False, waits=False) == BASE + "?key=k"
    whole = "\n".join(line for line in LOW.split("\n") if "p9" not in line)
    assert asked(whole, age=99) == BASE + "?key=k&_HLS_msn=9&_HLS_part=0"
    plain = "\n".join(line for line in LOW.split("\n") if "PART" not in line and "SERVER" not in line)
    assert asked(plain, age=1) == BASE + "?key=k"
    other = "https://o.test/r/s/cmaf_1/stream.m3u8"
    assert asked(LOW, to=other) == other + "?_HLS_msn=9&_HLS_part=0"
    assert asked(LOW, to=other.replace("_1", "_2")) == other.replace("_1", "_2")

    def wait(text, **times):
        return page.evaluate("""async ([text, base, times]) => {
          const { parsePlaylist } = await import("/assets/playback/player/playlist.js");
          const { ReloadTimer } = await import("/assets/playback/player/reload.js");
          return new ReloadTimer().wait(parsePlaylist(text, base), times);
        }""", [text, BASE, times])

    assert wait(LOW, asked=5, now=5.4, isNew=True) == 0
    assert 0 < wait(LOW, asked=5, now=5, isNew=False) <= 0.3, "a server that does not wait"
    # RFC 8216, 6.3.4: a target duration, or half of one if nothing was new.
    assert abs(wait(plain, asked=5, now=5.2, isNew=True) - 1.8) < 0.1
    assert abs(wait(plain, asked=5, now=5.2, isNew=False) - 0.8) < 0.01


def test_the_rate_stays_in_its_bounds_and_leads_to_the_target(page):
    def rate(*numbers):
        return run(page, "live-edge", "m.rateFor(...a)", *numbers)

    assert rate(4, 4, 3) == rate(4.1, 4, 3) == 1
    assert rate(4.3, 4, 3) == 1.03 and rate(30, 4, 3) == 1.06
    assert rate(3.8, 4, 3) == 0.99 and rate(0, 4, 3) == 0.97
    assert rate(30, 4, 0.5) == rate(3, 1, 0.5) == 1, "what is not loaded cannot be caught up"
    assert rate(3, 1, 0.7) == 1.06 and rate(0.5, 1, 0.3) < 1
    for distance in range(60):
        assert 0.97 <= rate(distance / 5, 2, 2) <= 1.06

    def is_too_far(*numbers):
        return run(page, "live-edge", "m.isTooFar(...a)", *numbers)

    assert not is_too_far(7.9, 4) and is_too_far(8.1, 4)
    assert not is_too_far(2.9, 1) and is_too_far(3.1, 1) and is_too_far(16.1, 10)


def test_the_target_is_the_playlists_and_grows_with_stalls(page):
    def target(text, stalls):
        return page.evaluate("""async ([text, stalls]) => {
          const { parsePlaylist } = await import("/assets/playback/player/playlist.js");
          const { targetOf } = await import("/assets/playback/player/live-edge.js");
          return targetOf(parsePlaylist(text, "https://o.test/"), stalls);
        }""", [text, stalls])

    assert [target(LOW, stalls) for stalls in (0, 2, 99)] == [1, 2, 4]
    plain = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\na.m4s\n"
    assert [target(plain, stalls) for stalls in (0, 2)] == [4, 5]
    assert target(plain + "#EXT-X-SERVER-CONTROL:HOLD-BACK=6\n", 0) == 6


def test_holes_are_jumped_and_what_is_ahead_is_counted(page):
    ranges = [{"start": 0, "end": 4}, {"start": 4.5, "end": 8}, {"start": 20, "end": 22}]

    def behind(*numbers):
        return run(page, "live-edge", "m.behindGap(...a)", ranges, *numbers)

    assert behind(2) is None and behind(4) == 4.51 and behind(8) is None and behind(8, 30) == 20.01

    def ahead(time):
        return run(page, "live-edge", "m.aheadOf(...a)", ranges, time)

    assert ahead(1) == 3 and ahead(4.5) == 3.5 and ahead(10) == 0


OLDER = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:7\n" + "".join(
    f"#EXT-X-PROGRAM-DATE-TIME:2026-11-28T12:00:0{second}.000Z\n#EXTINF:2,\n{second}.m4s\n"
    for second in (2, 4, 6))
PLAIN = ("#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:10\n"
         "#EXT-X-PROGRAM-DATE-TIME:2026-11-28T12:00:08.000Z\n#EXTINF:2,\n8.m4s\n")
LADDER = [{"bitrate": 4_000_000, "height": 1080}, {"bitrate": 2_000_000, "height": 720},
          {"bitrate": 500_000, "height": 360}]


def choices(page, *steps, layers=LADDER):
    """The layers that are chosen, one after the other."""
    return run(page, "abr", """(() => {
      const choice = new m.LayerChoice(a[0]);
      return a[1].map((state) => ("abandon" in state ? choice.abandon(state.abandon, state.now)
        : choice.next({ age: 0, danger: 0.8, height: 0, ...state })));
    })()""", layers, steps)


def test_layers_go_up_one_at_a_time_with_a_margin_and_down_at_once(page):
    assert choices(page, {"rate": 0, "ahead": 0, "now": 0}, {"rate": 9e6, "ahead": 0.5, "now": 1}
                   ) == [2, 2]
    up = [{"rate": 9e6, "ahead": 4, "now": now} for now in (10, 11, 12, 20)]
    assert choices(page, *up) == [1, 1, 0, 0]
    assert choices(page, {"rate": 3e6, "ahead": 4, "now": 10}) == [2], "the margin is too small"
    # Two steps at once, and not up again for a while.
    down = {"rate": 1e6, "ahead": 0.3, "now": 15}
    again = [{"rate": 9e6, "ahead": 4, "now": now} for now in (18, 22, 30, 34)]
    assert choices(page, *up[:3], down, *again) == [1, 1, 0, 2, 1, 1, 1, 1]
    much_later = {"rate": 9e6, "ahead": 4, "now": 36}
    assert choices(page, *up[:3], down, *again, much_later)[-1] == 0
    assert choices(page, *up[:3], {"abandon": 300_000, "now": 13}) == [1, 1, 0, 2]


def test_a_transfer_gives_way_only_to_a_smaller_layer(page):
    def is_too_much(rate):
        return run(page, "abr", """(() => {
          const choice = new m.LayerChoice(a[0]);
          choice.set(0, 0);
          return choice.isTooMuch(a[1]);
        })()""", LADDER, rate)

    # The same layer would begin again from its first byte, again and again.
    assert [is_too_much(rate) for rate in (10e6, 4.2e6, 1e6)] == [False, True, True]


def test_a_playlist_that_ends_earlier_is_placed_before_what_is_known(page):
    starts = placed(page, """(() => {
      const last = p.segments.at(-1);
      timeline.correct(last, 100);
      const older = parsePlaylist(a[0], base);
      timeline.locate(older);
      return older.segments.map(({ start }) => start);
    })()""", PLAIN, OLDER)
    assert starts == [94, 96, 98]


def test_layers_fit_the_screen_and_are_tried_when_nothing_can_be_measured(page):
    fit = [{"rate": 9e6, "ahead": 4, "now": now, "height": 500} for now in (10, 20, 30)]
    assert choices(page, *fit) == [1, 1, 1]
    # Parts come as they are made: the rate is known only to be enough for them.
    blind = [{"rate": 6e5, "age": 99, "ahead": 0.9, "danger": 0.2, "now": now}
             for now in (5, 20, 25, 40)]
    assert choices(page, *blind) == [1, 1, 1, 0] or choices(page, *blind) == [1, 0, 0, 0]


def test_the_rate_is_the_lesser_of_a_fast_and_a_slow_mean(page):
    measured = run(page, "abr", """(() => {
      const throughput = new m.Throughput();
      const rates = [throughput.rate];
      for (const [bytes, seconds, now] of a) {
        throughput.add(bytes, seconds, now);
        rates.push(Math.round(throughput.rate));
      }
      return [...rates, throughput.age(10)];
    })()""", [100, 1, 1], [1_000_000, 1, 2], [1_000_000, 1, 3], [100_000, 1, 4])
    assert measured[:4] == [0, 0, 8_000_000, 8_000_000]
    assert 800_000 < measured[4] < 3_000_000 and measured[5] == 6, "slow answers count at once"


def test_haste_is_measured_by_the_silences_of_the_network(page):
    def limit(*silences, url="https://x.example/cmaf.m3u8", protocol="http/1.1"):
        return run(page, "loader", """(() => {
          const found = [{ nextHopProtocol: a[2] }];
          performance.getEntriesByName = (url) => (url === a[1] ? found : []);
          try {
            const haste = new m.Haste(a[1]);
            for (const silence of a[0]) haste.add(silence);
            return String(haste.limit);
          } finally { delete performance.getEntriesByName; }
        })()""", silences, url, protocol)

    assert limit() == "Infinity", "nothing is known"
    assert float(limit(*[0.02] * 20)) == 0.35
    assert 0.7 < float(limit(*[0.7] * 20)) < 0.9, "a long way is no silence"
    assert 0.8 < float(limit(*[0.1, 0.5] * 10)) < 1.5
    assert abs(float(limit(0.6)) - 1.8) < 0.01, "a first figure says little"
    assert limit(0.02, protocol="h2") == limit(0.02, protocol="") == "Infinity"


def test_another_clock_is_noticed_only_if_it_cannot_be_right(page):
    def offset(*samples):
        return run(page, "clock", """(() => {
          const clock = new m.ServerClock();
          for (const one of a) clock.add(...one);
          return clock.offset;
        })()""", *samples)

    assert offset() == 0 and offset([100, 100.2, 100.3]) == 0
    assert abs(offset([100, 40.1, 40.2], [101, 40.9, 41.0], [101, 41.2, 41.3]) - 60) < 0.5
    assert abs(offset([100, 40.1, 40.2], [130, 40.9, 41.0]) - 89.5) < 0.6


def test_captions_are_read_and_moved_to_the_players_clock(page):
    text = ("WEBVTT\nX-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:900000\n\n"
            "7\n00:01.000 --> 00:02.500 line:80%\n<v Ann>Good morning,\nBen\n\n"
            "NOTE nothing\n\n01:00:00.000 --> 01:00:01.000\nLater\n\n00:05.000 --> 00:04.000\nNo\n")
    found = run(page, "captions", "m.parseCaptions(a[0])", text)
    assert found["map"] == {"local": 0, "media": 10}
    assert found["cues"] == [{"begin": 1, "end": 2.5, "text": "<v Ann>Good morning,\nBen"},
                             {"begin": 3600, "end": 3601, "text": "Later"}]
    assert run(page, "captions", "m.parseCaptions('<html>')") == {"map": None, "cues": []}
    shift = "m.shiftOf(a[0], a[1], a[2])"
    assert run(page, "captions", shift, {"local": 0, "media": 10}, -1, 8) == 9
    assert run(page, "captions", shift, None, -1, 8) == -1
    wrapped = run(page, "captions", shift, {"local": 0, "media": 10}, 0, 95_454)
    assert abs(wrapped - 95_453.7) < 0.1


def test_what_the_player_says_of_itself(page):
    assert run(page, "words", "[m.latencyText(4.24), m.latencyText(125), m.latencyText(null)]") == [
        "4.2 s", "2:05", ""]
    assert run(page, "words", "a.map(m.layerText)", {"height": 720, "bitrate": 1},
               {"height": 0, "bitrate": 64_000}) == ["720p", "64 kbit/s"]
    state = {"time": 65, "window": {"start": 0, "end": 120}, "isLive": False, "isBehind": False}
    both = "[m.positionText(a[0]), m.spokenPosition(a[0])]"
    assert run(page, "words", both, state) == ["1:05 / 2:00", "1 minute 5 seconds of 2 minutes"]
    behind = state | {"isLive": True, "isBehind": True}
    assert run(page, "words", both, behind) == ["−0:55", "55 seconds behind live"]
    assert run(page, "words", both, behind | {"isBehind": False}) == ["", "Live"]


def box(kind, *content):
    body = b"".join(content)
    return (8 + len(body)).to_bytes(4) + kind + body


def number(value, size=4):
    return value.to_bytes(size, signed=value < 0)


def test_a_fragments_begin_is_read_from_its_boxes(page):
    def track(identifier, timescale, kind):
        return box(b"trak", box(b"tkhd", bytes(12), number(identifier), bytes(64)),
                   box(b"mdia", box(b"mdhd", bytes(12), number(timescale), bytes(8)),
                       box(b"hdlr", bytes(8), kind, bytes(13))))

    init = box(b"ftyp", b"iso6") + box(b"moov", track(1, 90_000, b"vide"), track(2, 48_000, b"soun"))

    def run_of(identifier, time, offset):
        return box(b"traf", box(b"tfhd", bytes(4), number(identifier)),
                   box(b"tfdt", b"\1\0\0\0", number(time, 8)),
                   box(b"trun", b"\1\0\x08\x01", number(1), number(0), number(offset)))

    moof = box(b"moof", run_of(2, 96_000, 0), run_of(1, 180_000, 9_000)) + box(b"mdat", b"moof")
    read = "m.beginOf(new Uint8Array(a[1]), m.tracksOf(new Uint8Array(a[0])))"
    assert run(page, "boxes", read, list(init), list(moof)) == 2.1
    sound = box(b"moof", run_of(2, 96_000, -480))
    assert run(page, "boxes", read, list(init), list(sound)) == 1.99
    for broken in (b"", moof[:40], b"\0\0\0\4moof" * 3, bytes(64), box(b"moof", b"\xff" * 40)):
        assert run(page, "boxes", read, list(init), list(broken)) is None
