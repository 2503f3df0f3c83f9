import HLS
import MediaKernel
import Testing

/// 2026-02-03T04:05:06.789Z
let noon: Int64 = 1_770_091_506_789_000_000

let liveText = """
    #EXTM3U
    #EXT-X-VERSION:3
    #EXT-X-TARGETDURATION:2
    #EXT-X-MEDIA-SEQUENCE:17
    #EXT-X-DISCONTINUITY-SEQUENCE:1
    #EXT-X-PROGRAM-DATE-TIME:2026-02-03T04:05:06.789Z
    #EXTINF:2.000,
    segment_000017.ts
    #EXT-X-DISCONTINUITY
    #EXT-X-PROGRAM-DATE-TIME:2026-02-03T04:05:09.000Z
    #EXTINF:1.966667,
    segment_000018.ts

    """

let eventText = """
    #EXTM3U
    #EXT-X-VERSION:3
    #EXT-X-TARGETDURATION:2
    #EXT-X-PLAYLIST-TYPE:EVENT
    #EXT-X-MEDIA-SEQUENCE:0
    #EXT-X-PROGRAM-DATE-TIME:2026-02-03T04:05:06.789Z
    #EXTINF:2.000,
    segment_000000.ts
    #EXT-X-ENDLIST

    """

@Suite struct MediaPlaylistTests {
    @Test func aLivePlaylistIsWrittenAsAgreed() {
        let playlist = MediaPlaylist(
            kind: .live, targetDuration: 2, mediaSequence: 17, discontinuitySequence: 1,
            segments: [
                Segment(
                    uri: "segment_000017.ts", duration: MediaTime(ticks: 60, timescale: 30),
                    programDateTime: noon),
                Segment(
                    uri: "segment_000018.ts", duration: MediaTime(ticks: 59, timescale: 30),
                    programDateTime: noon + 2_211_000_000, discontinuities: 1),
            ])
        #expect(playlist.rendered() == liveText)
    }

    /// RFC 8216 sect. 4.3.2.2 and 7.
    @Test func segmentsThatAreRangesNameTheirBytes() {
        let playlist = MediaPlaylist(
            kind: .vod, targetDuration: 2,
            segments: [
                Segment(
                    uri: "a.zip", duration: MediaTime(ticks: 2, timescale: 1),
                    byteRange: 40..<140)
            ], isEnded: true)
        #expect(playlist.rendered().contains("#EXT-X-VERSION:4\n"))
        #expect(
            playlist.rendered().hasSuffix(
                "#EXTINF:2.000,\n#EXT-X-BYTERANGE:100@40\na.zip\n#EXT-X-ENDLIST\n"))
    }

    @Test func anEventPlaylistIsWrittenAsAgreed() {
        let playlist = MediaPlaylist(
            kind: .event, targetDuration: 2,
            segments: [
                Segment(
                    uri: "segment_000000.ts", duration: MediaTime(ticks: 60, timescale: 30),
                    programDateTime: noon)
            ], isEnded: true)
        #expect(playlist.rendered() == eventText)
    }

    @Test func whatIsReadIsWrittenBackToTheByte() throws {
        for text in [liveText, eventText] {
            #expect(try MediaPlaylist(parsing: text).rendered() == text)
        }
    }

    @Test func readingGivesEveryField() throws {
        let live = try MediaPlaylist(parsing: liveText)
        #expect(live.kind == .live)
        #expect(live.version == 3)
        #expect(live.targetDuration == 2)
        #expect(live.mediaSequence == 17)
        #expect(live.discontinuitySequence == 1)
        #expect(!live.isEnded)
        #expect(live.segments.map(\.uri) == ["segment_000017.ts", "segment_000018.ts"])
        #expect(live.segments.map(\.isDiscontinuity) == [false, true])
        #expect(live.segments[0].programDateTime == noon)
        #expect(live.segments[1].duration == MediaTime(ticks: 1_966_667, timescale: 1_000_000))
        let event = try MediaPlaylist(parsing: eventText)
        #expect(event.kind == .event)
        #expect(event.isEnded)
    }

    @Test func wholeSecondsNeedOnlyTheFirstVersion() throws {
        let playlist = MediaPlaylist(
            kind: .vod, targetDuration: 2,
            segments: [Segment(uri: "a.ts", duration: MediaTime(ticks: 2, timescale: 1))],
            isEnded: true, hasDecimalDurations: false)
        #expect(playlist.version == 1)
        #expect(playlist.rendered().contains("#EXTINF:2,\na.ts\n"))
        #expect(try MediaPlaylist(parsing: playlist.rendered()).version == 1)
    }

    @Test func durationsKeepTheirDecimals() {
        let cases: [(Int64, Int32, String)] = [
            (60, 30, "2.000"), (1, 30, "0.033333"), (2, 3, "0.666667"), (48, 24, "2.000"),
            (1_234_567, 1_000_000, "1.234567"), (59_999_999, 30_000_000, "2.000"),
            (5, 4, "1.250"), (0, 1, "0.000"), (86_400_000, 1000, "86400.000"),
        ]
        for (ticks, timescale, text) in cases {
            let playlist = MediaPlaylist(
                kind: .live, targetDuration: 100_000,
                segments: [
                    Segment(uri: "a", duration: MediaTime(ticks: ticks, timescale: timescale))
                ])
            #expect(playlist.rendered().contains("#EXTINF:\(text),\n"), "\(ticks)/\(timescale)")
        }
    }

    @Test func datesAreRightOverLeapDaysAndYearEnds() throws {
        let cases: [(Int64, String)] = [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"),
            (1_709_164_800, "2024-02-29T00:00:00.000Z"),
            (1_735_689_599, "2024-12-31T23:59:59.000Z"),
            (4_102_444_800, "2100-01-01T00:00:00.000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000Z"),
        ]
        for (seconds, text) in cases {
            let head = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-PROGRAM-DATE-TIME:"
            let tail = "\n#EXTINF:2,\na\n"
            let playlist = try MediaPlaylist(parsing: head + text + tail)
            #expect(playlist.segments[0].programDateTime == seconds * 1_000_000_000, "\(text)")
            #expect(playlist.rendered().contains(text))
        }
    }

    @Test func datesOfOtherWritersAreUnderstood() throws {
        let cases: [(String, Int64?)] = [
            ("2026-02-03T04:05:06Z", noon - 789_000_000),
            ("2026-02-03T05:35:06.789+01:30", noon),
            ("2026-02-03T05:35:06.789+0130", noon),
            ("2026-02-02T23:05:06.789-05", noon),
            ("2026-02-03T04:05:06.789123456789Z", noon + 123_456),
            ("2026-02-30T04:05:06Z", nil), ("2026-13-01T04:05:06Z", nil),
            ("2026-02-03T24:05:06Z", nil), ("2026-02-03T04:05:06", nil),
            ("2026-02-03", nil), ("2026-02-03T04:05:06.Z", nil), ("9999-01-01T00:00:00Z", nil),
            ("2026-02-03T04:05:06Zx", nil), ("", nil),
        ]
        for (text, expected) in cases {
            let playlist = try? MediaPlaylist(
                parsing: "#EXTM3U\n#EXT-X-TARGETDURATION:2\n"
                    + "#EXT-X-PROGRAM-DATE-TIME:\(text)\n#EXTINF:2,\na\n")
            #expect(playlist?.segments[0].programDateTime == expected, "\(text)")
        }
    }
}
