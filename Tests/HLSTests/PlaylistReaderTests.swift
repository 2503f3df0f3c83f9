import MediaKernel
import Testing

@testable import HLS

/// Versions of one playlist, of which only what is new is parsed.
@Suite struct PlaylistReaderTests {
    private static func segment(_ number: Int, section: String? = "init_1.mp4") -> Segment {
        Segment(
            uri: "segment_\(number).m4s", duration: MediaTime(ticks: 60, timescale: 30),
            programDateTime: 1_770_000_000_000_000_000 + Int64(number) * 2_000_000_000,
            discontinuities: number % 7 == 6 ? 1 : 0,
            initialization: section.map { InitializationSection(uri: $0) })
    }

    private static func range(_ id: String) throws -> DateRange {
        try DateRange(
            parsing: "ID=\"\(id)\",START-DATE=\"2026-02-03T04:05:06.000Z\",DURATION=1.0", line: 1)
    }

    private static func playlist(_ segments: [Segment], first: Int = 0) -> MediaPlaylist {
        MediaPlaylist(
            kind: .live, targetDuration: 2, mediaSequence: first, segments: segments)
    }

    /// Reads a version, which has to be what the whole text says.
    private func read(
        _ playlist: MediaPlaylist, _ reader: inout PlaylistReader
    ) throws -> Int {
        let text = playlist.rendered()
        let read = try reader.read(Array(text.utf8))
        let whole = try MediaPlaylist(parsing: text)
        #expect(read == whole)
        return reader.parsedByteCount
    }

    @Test func onlyWhatIsNewIsParsed() throws {
        var reader = PlaylistReader()
        var segments = (0..<1000).map { Self.segment($0) }
        #expect(try read(Self.playlist(segments), &reader) > 50_000)
        for number in 1000..<1030 {
            // Sections change, and go on behind.
            segments.append(Self.segment(number, section: number < 1010 ? "init_1.mp4" : "i.mp4"))
            #expect(try read(Self.playlist(segments), &reader) < 500)
        }
        segments += [Self.segment(1030, section: "i.mp4"), Self.segment(1031, section: "j.mp4")]
        #expect(try read(Self.playlist(segments), &reader) < 700)
        #expect(try read(Self.playlist(segments), &reader) < 300)
    }

    @Test func whatIsBehindTheLastSegmentIsReadAnew() throws {
        var reader = PlaylistReader()
        var playlist = Self.playlist((0..<100).map { Self.segment($0) })
        playlist.trailingDateRanges = [try Self.range("a")]
        _ = try read(playlist, &reader)
        playlist.trailingDateRanges = [try Self.range("a"), try Self.range("b")]
        #expect(try read(playlist, &reader) < 500)
        var next = Self.segment(100)
        next.dateRanges = playlist.trailingDateRanges
        playlist.trailingDateRanges = []
        playlist.segments.append(next)
        #expect(try read(playlist, &reader) < 800)
        playlist.isEnded = true
        #expect(try read(playlist, &reader) < 500)
        playlist.isEnded = false
        #expect(try read(playlist, &reader) < 500)
    }

    /// Also one that a dead bot's successor writes anew.
    @Test func anotherBeginningIsParsedAsAWhole() throws {
        var reader = PlaylistReader()
        let segments = (0..<20).map { Self.segment($0) }
        _ = try read(Self.playlist(segments), &reader)
        let window = Self.playlist(Array(segments[5...]), first: 5)
        #expect(try read(window, &reader) > 1000)
        var longer = window
        longer.targetDuration = 3
        #expect(try read(longer, &reader) > 1000)
        #expect(try read(Self.playlist([]), &reader) > 0)
        #expect(try read(Self.playlist(segments), &reader) > 1000)
    }

    @Test func whatMakesNoSenseChangesNothing() throws {
        var reader = PlaylistReader()
        let playlist = Self.playlist((0..<20).map { Self.segment($0) })
        _ = try read(playlist, &reader)
        for more in ["#EXTINF:2.0,\n", "#EXT-X-MEDIA-SEQUENCE:5\n", "x.m4s\n", "#EXTINF:9.0,\ny\n"]
        {
            #expect(throws: PlaylistError.self) {
                _ = try reader.read(Array((playlist.rendered() + more).utf8))
            }
        }
        #expect(try read(playlist, &reader) < 300)
    }

    /// A byte range without a start follows the segment before it.
    @Test func aRangeThatNeedsTheSegmentBeforeIsParsedWithIt() throws {
        var reader = PlaylistReader()
        let head = "#EXTM3U\n#EXT-X-VERSION:4\n#EXT-X-TARGETDURATION:2\n"
        let first = "\(head)#EXTINF:2.0,\n#EXT-X-BYTERANGE:10@0\na.ts\n"
        _ = try reader.read(Array(first.utf8))
        let second = first + "#EXTINF:2.0,\n#EXT-X-BYTERANGE:5\na.ts\n"
        #expect(try reader.read(Array(second.utf8)) == MediaPlaylist(parsing: second))
    }
}
