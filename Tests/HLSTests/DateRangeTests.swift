import HLS
import MediaKernel
import Testing
import Workbench

/// `EXT-X-DATERANGE`, RFC 8216 sect. 4.3.2.7.
@Suite struct DateRangeTests {
    private static let second: Int64 = 1_000_000_000

    private func segment(_ index: Int) -> Segment {
        Segment(
            uri: "\(index).ts", duration: MediaTime(ticks: 2, timescale: 1),
            programDateTime: noon + Int64(index) * 2 * Self.second)
    }

    /// - Parameter offset: seconds after the first segment's start.
    private func range(_ id: String, _ offset: Double, lasting seconds: Int64 = 1) -> DateRange {
        DateRange(
            id: id, start: noon + Int64(offset * 1e9),
            duration: MediaTime(ticks: seconds, timescale: 1), payload: "e30=")
    }

    private func ids(_ playlist: MediaPlaylist) -> [[String]] {
        playlist.segments.map { $0.dateRanges.map(\.id) }
    }

    @Test func itIsWrittenAs100msPlayersReadIt() throws {
        var playlist = MediaPlaylist(kind: .event, targetDuration: 2, segments: [segment(0)])
        playlist.segments[0].dateRanges = [range("7", 0.5, lasting: 5)]
        playlist.trailingDateRanges = [DateRange(id: "8", start: noon)]
        let text = playlist.rendered()
        #expect(
            text.hasSuffix(
                """
                #EXT-X-PROGRAM-DATE-TIME:2026-02-03T04:05:06.789Z
                #EXT-X-DATERANGE:ID="7",START-DATE="2026-02-03T04:05:07.289Z",DURATION=5,\
                X-100MSLIVE-PAYLOAD="e30="
                #EXTINF:2.000,
                0.ts
                #EXT-X-DATERANGE:ID="8",START-DATE="2026-02-03T04:05:06.789Z"

                """))
        let read = try MediaPlaylist(parsing: text)
        #expect(read.rendered() == text)
        #expect(read.segments[0].dateRanges.map(\.payload) == ["e30="])
        #expect(read.trailingDateRanges.map(\.id) == ["8"])
    }

    @Test(arguments: [
        ("", PlaylistError.missingAttribute("ID", line: 3)),
        (#"ID="""#, .missingAttribute("ID", line: 3)),
        (#"ID="1""#, .missingAttribute("START-DATE", line: 3)),
        (#"ID="1",START-DATE="noon""#, .malformedAttribute("START-DATE", line: 3)),
        (#"ID="1",START-DATE=1"#, .malformedAttribute("START-DATE", line: 3)),
        (
            #"ID="1",START-DATE="2026-02-03T04:05:06Z",DURATION=-1"#,
            .malformedAttribute("DURATION", line: 3)
        ),
    ])
    func abrokenOneIsRefusedWithItsLine(attributes: String, error: PlaylistError) {
        #expect(throws: error) {
            try MediaPlaylist(
                parsing: "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-DATERANGE:\(attributes)\n")
        }
    }

    @Test func attributesOfOthersArePassedOver() throws {
        let date = #"START-DATE="2026-02-03T04:05:06.789Z""#
        let tag = #"ID="a",CLASS="ad",\#(date),X-COM=1.5,END-ON-NEXT=YES"#
        let playlist = try MediaPlaylist(
            parsing: "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-DATERANGE:\(tag)\n")
        #expect(playlist.trailingDateRanges == [DateRange(id: "a", start: noon)])
    }

    @Test func ofOnePlaylistOnlySoManyAreRead() {
        let line = #"#EXT-X-DATERANGE:ID="1",START-DATE="2026-02-03T04:05:06Z""# + "\n"
        let many = String(repeating: line, count: MediaPlaylist.dateRangesMaximum + 1)
        #expect(throws: PlaylistError.tooManyEntries(maximum: MediaPlaylist.dateRangesMaximum)) {
            try MediaPlaylist(parsing: "#EXTM3U\n#EXT-X-TARGETDURATION:2\n\(many)")
        }
    }

    @Test func itIsListedWithTheFirstSegmentThatEndsBehindItsStart() throws {
        var builder = MediaPlaylistBuilder(mode: .event, targetDuration: 2)
        try builder.announce(range("c", 4.5))
        try builder.announce(range("a", -3))
        try builder.announce(range("b", 1.999))
        try builder.announce(range("d", 2))
        try builder.announce(range("a", 0.5))
        for index in 0..<3 {
            try builder.add(segment(index))
            #expect(builder.rendered() == builder.playlist.rendered())
        }
        #expect(ids(builder.playlist) == [["a", "b"], ["d"], ["c"]])
    }

    @Test func whatComesTooLateForItsSegmentIsListedWithTheNext() throws {
        var builder = MediaPlaylistBuilder(mode: .event, targetDuration: 2)
        try builder.add(segment(0))
        try builder.announce(range("late", 0.5))
        try builder.add(segment(1))
        try builder.announce(range("last", 1.5))
        try builder.announce(range("future", 60))
        builder.end()
        #expect(ids(builder.playlist) == [[], ["late"]])
        #expect(builder.playlist.trailingDateRanges.map(\.id) == ["last", "future"])
        #expect(builder.rendered() == builder.playlist.rendered())
        #expect(builder.rendered().hasSuffix("#EXT-X-ENDLIST\n"))
    }

    @Test func aLiveWindowKeepsItUntilItIsOver() throws {
        var builder = MediaPlaylistBuilder(mode: .live(window: 3), targetDuration: 2)
        var validator = PlaylistValidator()
        try builder.announce(range("short", 0.5))
        try builder.announce(range("long", 0.5, lasting: 9))
        try builder.announce(DateRange(id: "open", start: noon))
        var listed: [[String]] = []
        for index in 0..<8 {
            try builder.add(segment(index))
            listed.append(builder.playlist.dateRanges.map(\.id))
            let parsed = try MediaPlaylist(parsing: builder.rendered())
            #expect(validator.observe(parsed) == [])
        }
        // The window begins at 0, 0, 0, 2, 4, … seconds; the long one ends at 9.5.
        #expect(listed[2] == ["open", "short", "long"])
        #expect(listed[3] == ["open", "long"])
        #expect(listed[6] == ["open", "long"])
        #expect(listed[7] == ["open"])
        #expect(ids(builder.playlist) == [["open"], [], []])
    }

    /// RFC 8216 sect. 4.3.2.7: none of it is in the window.
    @Test func whatEndsWhereTheWindowBeginsIsOver() throws {
        var builder = MediaPlaylistBuilder(mode: .live(window: 3), targetDuration: 2)
        try builder.announce(range("until the second", 0, lasting: 2))
        for index in 0..<4 { try builder.add(segment(index)) }
        #expect(builder.playlist.dateRanges.isEmpty)
    }

    @Test(arguments: [PlaylistMode.event, .live(window: 3)])
    func whoGoesOnWithAPlaylistKeepsItOnce(mode: PlaylistMode) throws {
        var first = MediaPlaylistBuilder(mode: mode, targetDuration: 2)
        let ranges = [range("a", 0.5, lasting: 30), range("b", 6.5, lasting: 30)]
        try first.announce(ranges[0])
        for index in 0..<3 { try first.add(segment(index)) }
        var second = try MediaPlaylistBuilder(
            resuming: try MediaPlaylist(parsing: first.rendered()), window: 3)
        for range in ranges { try second.announce(range) }
        try second.add(segment(3))
        #expect(second.playlist.dateRanges.map(\.id) == ["a", "b"])
        #expect(second.playlist.segments.last?.dateRanges.map(\.id) == ["b"])
        #expect(second.rendered() == second.playlist.rendered())
    }

    @Test func whatBreaksALineOrIsTooMuchIsRefused() throws {
        var builder = MediaPlaylistBuilder(mode: .event, targetDuration: 2)
        for id in ["", "a\"", "a\nb", "a\r"] {
            #expect(throws: PlaylistError.unusableDateRange(id)) {
                try builder.announce(DateRange(id: id, start: noon))
            }
        }
        for index in 0..<MediaPlaylist.dateRangesMaximum {
            try builder.announce(DateRange(id: "\(index)", start: noon))
        }
        #expect(throws: PlaylistError.tooManyEntries(maximum: MediaPlaylist.dateRangesMaximum)) {
            try builder.announce(DateRange(id: "more", start: noon))
        }
    }

    @Test func theValidatorFindsWhatNoReloadMayShow() {
        func playlist(
            _ numbers: Range<Int>, kind: MediaPlaylist.Kind = .live, _ ranges: [DateRange]
        ) -> MediaPlaylist {
            var playlist = MediaPlaylist(
                kind: kind, targetDuration: 2, mediaSequence: numbers.lowerBound,
                segments: numbers.map(segment))
            playlist.segments[0].dateRanges = ranges
            return playlist
        }
        func violations(
            _ first: MediaPlaylist, _ second: MediaPlaylist
        ) -> [PlaylistValidator.Violation] {
            var validator = PlaylistValidator()
            #expect(validator.observe(first) == [])
            return validator.observe(second)
        }
        let one = range("1", 0.5)
        #expect(violations(playlist(0..<4, [one]), playlist(0..<5, [one])) == [])
        #expect(violations(playlist(0..<4, [one]), playlist(1..<5, [])) == [])
        #expect(
            violations(playlist(0..<4, [one]), playlist(0..<5, [])) == [.dateRangeVanished("1")])
        #expect(
            violations(playlist(0..<4, [one]), playlist(0..<5, [range("1", 0.6)]))
                == [.dateRangeChanged("1")])
        #expect(
            violations(
                playlist(0..<4, kind: .event, [one]), playlist(0..<5, kind: .event, []))
                == [.dateRangeVanished("1")])
        #expect(
            PlaylistValidator.violations(of: playlist(0..<4, [one, one]))
                == [.dateRangeRepeated("1")])
        var dateless = playlist(0..<1, [one])
        dateless.segments[0].programDateTime = nil
        #expect(PlaylistValidator.violations(of: dateless) == [.dateRangesWithoutDates])
    }
}
