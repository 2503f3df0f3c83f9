import HLS
import Testing

@Suite struct CaptionTests {
    @Test func aMasterNamesTheCaptionsOfEachVariant() throws {
        let text = """
            #EXTM3U
            #EXT-X-VERSION:1
            #EXT-X-INDEPENDENT-SEGMENTS
            #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="captions",NAME="English",LANGUAGE="en",\
            AUTOSELECT=YES,DEFAULT=NO,FORCED=NO,\
            CHARACTERISTICS="public.accessibility.transcribes-spoken-dialog",\
            URI="captions_en/stream.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=900000,CODECS="mp4a.40.2",SUBTITLES="captions"
            stream_0/stream.m3u8

            """
        let master = MasterPlaylist(
            variants: [
                .init(uri: "stream_0/stream.m3u8", bandwidth: 900_000, codecs: "mp4a.40.2")
            ],
            subtitles: [
                SubtitleRendition(
                    language: "en", name: "English", uri: "captions_en/stream.m3u8")
            ])
        #expect(master.rendered() == text)
        #expect(try MasterPlaylist(parsing: text) == master)
    }

    @Test(arguments: [
        #"TYPE=AUDIO,GROUP-ID="captions",NAME="a",URI="a""#,
        #"TYPE=SUBTITLES,GROUP-ID="subs",NAME="a",URI="a""#,
    ])
    func renditionsOfOtherKindsAreNotRead(attributes: String) throws {
        let text =
            "#EXTM3U\n#EXT-X-MEDIA:\(attributes)\n"
            + "#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS=\"a\"\na\n"
        #expect(try MasterPlaylist(parsing: text).subtitles.isEmpty)
    }

    @Test func aRenditionWithoutItsPlaylistIsRefused() {
        #expect(throws: PlaylistError.missingAttribute("URI", line: 2)) {
            try MasterPlaylist(
                parsing: "#EXTM3U\n#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"captions\",NAME=\"a\"\n")
        }
    }

    @Test func aSegmentHasTheTimeOfItsPicturesAndEscapedText() {
        let text = WebVTT.rendered(
            [
                WebVTT.Cue(
                    start: 1500, end: 3_723_004, text: "a < b --> c & d", speaker: "Ann <x>"),
                WebVTT.Cue(
                    start: 2000, end: 2001, text: "one\r\n\r\n two \u{1}\n\n", number: 7),
            ], map: WebVTT.TimestampMap(local: 2000, origin: 90_000), note: "n")
        #expect(
            text == """
                WEBVTT
                X-TIMESTAMP-MAP=MPEGTS:270000,LOCAL:00:00:02.000

                NOTE n

                00:00:01.500 --> 01:02:03.004
                <v Ann &lt;x&gt;>a &lt; b --&gt; c &amp; d</v>

                7
                00:00:02.000 --> 00:00:02.001
                one
                two

                """)
        #expect(WebVTT.rendered([]) == "WEBVTT\n")
    }

    @Test func timestampsHave33Bits() {
        let day: Int64 = 100_000_000
        let map = WebVTT.TimestampMap(local: day, origin: 90_000)
        #expect(map.local == day && map.mpeg == (day * 90 + 90_000) % (1 << 33))
        #expect(WebVTT.time(day) == "27:46:40.000")
        #expect(WebVTT.time(61_002, mark: ",") == "00:01:01,002")
    }

    // MARK: Places

    private func entry(
        _ number: Int, _ start: Int64, _ end: Int64
    ) -> CaptionPlacer.Entry {
        CaptionPlacer.Entry(number: number, start: start, end: end, text: "\(number)")
    }

    @Test func aCaptionIsInEachSegmentThatItTouchesWithTheSameTimes() {
        var placer = CaptionPlacer()
        placer.add(entry(1, 1500, 5000))
        #expect(placer.close(0..<2000) == [entry(1, 1500, 5000)])
        #expect(placer.close(2000..<4000) == [entry(1, 1500, 5000)])
        #expect(placer.close(4000..<6000) == [entry(1, 1500, 5000)])
        #expect(placer.close(6000..<8000).isEmpty && placer.openCount == 0)
    }

    @Test func oneThatEndsWithItsSegmentIsNotInTheNext() {
        var placer = CaptionPlacer()
        placer.add(entry(1, 0, 2000))
        placer.add(entry(2, 2000, 3000))
        #expect(placer.close(0..<2000) == [entry(1, 0, 2000)])
        #expect(placer.close(2000..<4000) == [entry(2, 2000, 3000)])
    }

    @Test func aLateOneBeginsWithTheNextSegmentAndLastsAsLong() {
        var placer = CaptionPlacer()
        #expect(placer.close(0..<2000).isEmpty)
        placer.add(entry(1, 500, 3000))
        #expect(placer.close(2000..<4000) == [entry(1, 2000, 4500)])
        #expect(placer.close(4000..<6000) == [entry(1, 2000, 4500)])
        #expect(placer.openCount == 0)
    }

    @Test func oneOfTheFutureWaits() {
        var placer = CaptionPlacer()
        placer.add(entry(2, 4100, 4200))
        placer.add(entry(1, 2100, 2200))
        #expect(placer.close(0..<2000).isEmpty)
        #expect(placer.close(2000..<4000) == [entry(1, 2100, 2200)])
        #expect(placer.close(4000..<6000) == [entry(2, 4100, 4200)])
    }

    @Test func theyComeInTheOrderOfTheirBeginnings() {
        var placer = CaptionPlacer()
        for one in [entry(1, 900, 1000), entry(2, 100, 200), entry(3, 100, 300)] {
            placer.add(one)
        }
        #expect(placer.close(0..<2000).map(\.number) == [2, 3, 1])
    }

    @Test func aSegmentHasOnlySoMany() {
        var placer = CaptionPlacer()
        let most = CaptionPlacer.perSegmentMaximum
        for number in (1...most + 1).reversed() { placer.add(entry(number, Int64(number), 4000)) }
        #expect(placer.close(0..<2000).map(\.number) == Array(1...most))
        #expect(placer.close(2000..<4000).map(\.number) == Array(1...most))
        #expect(placer.openCount == 0)
    }

    /// A bot has died; the next one reads all captions again.
    @Test func whatAnEarlierProcessHasShownIsNotShownAgainAndTheRestIs() {
        let progress = CaptionPlacer.Progress(number: 3, until: 4000)
        var placer = CaptionPlacer(after: progress)
        placer.add(entry(1, 100, 200))
        // It goes on.
        placer.add(entry(2, 3000, 9000))
        // Beyond its last segment.
        placer.add(entry(3, 5000, 5100))
        // Not known to it.
        placer.add(entry(4, 1000, 1500))
        #expect(
            placer.close(7000..<9000) == [
                entry(2, 3000, 9000), entry(3, 7000, 7100), entry(4, 7000, 7500),
            ])
    }

    @Test func theProgressIsReadFromASegment() {
        let progress = CaptionPlacer.Progress(number: 17, until: 1_700_000_000_123)
        let text = WebVTT.rendered([], note: progress.note)
        #expect(CaptionPlacer.Progress(segment: text) == progress)
        for other in ["WEBVTT\n", "WEBVTT\n\nNOTE captions up to x, until 5\n", "", "NOTE "] {
            #expect(CaptionPlacer.Progress(segment: other) == nil)
        }
    }
}
