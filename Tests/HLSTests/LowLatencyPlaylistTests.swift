import MediaKernel
import Testing
import Workbench

@testable import HLS

/// Playlists with parts. draft-pantos-hls-rfc8216bis.
@Suite struct LowLatencyPlaylistTests {
    private static let part = MediaTime(ticks: 10, timescale: 30)

    private static func segment(_ number: Int, _ ranges: [DateRange] = []) -> Segment {
        Segment(
            uri: "segment_\(number).m4s", duration: MediaTime(ticks: 2, timescale: 1),
            programDateTime: noon + Int64(number) * 2_000_000_000, dateRanges: ranges,
            initialization: InitializationSection(uri: "init.mp4"))
    }

    private static func parts(of number: Int, count: Int = 6) -> [PartialSegment] {
        (0..<count).map {
            PartialSegment(
                uri: "part_\(number)_\($0).m4s", duration: part, isIndependent: $0 == 0)
        }
    }

    private static func instant(_ seconds: Int) -> Instant { .zero + .seconds(seconds) }

    /// Complete segments of six parts each, one every two seconds, and some parts of one more.
    private static func playlist(
        segments: Int, open: Int = 0, window: Int = 10_000,
        ranges: (Int) -> [DateRange] = { _ in [] }
    ) throws -> LowLatencyPlaylist {
        var builder = MediaPlaylistBuilder(mode: .live(window: window), targetDuration: 2)
        var playlist = LowLatencyPlaylist(partTarget: part)
        for number in 0..<segments {
            playlist.begin(segment(number))
            for part in parts(of: number) { try playlist.add(part) }
            try builder.add(segment(number, ranges(number)))
            playlist.complete(builder.playlist, at: instant(2 * number + 2))
        }
        playlist.begin(segment(segments))
        for part in parts(of: segments, count: open) { try playlist.add(part) }
        playlist.hint = "part_\(segments)_\(open).m4s"
        return playlist
    }

    private static func lines(_ text: String, _ start: String) -> [String] {
        text.split(separator: "\n").filter { $0.hasPrefix(start) }.map(String.init)
    }

    @Test func thePlaylistSaysWhatTheServerCanDo() throws {
        let text = try Self.playlist(segments: 5, open: 2).rendered(at: .zero)
        #expect(
            text.hasPrefix(
                """
                #EXTM3U
                #EXT-X-VERSION:10
                #EXT-X-TARGETDURATION:2
                #EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.000,CAN-SKIP-UNTIL=12.000,CAN-SKIP-DATERANGES=YES
                #EXT-X-PART-INF:PART-TARGET=0.333333
                #EXT-X-MEDIA-SEQUENCE:0

                """))
        #expect(
            text.hasSuffix(
                """
                segment_4.m4s
                #EXT-X-PROGRAM-DATE-TIME:\(DateText.rendered(unixNanoseconds: noon + 10_000_000_000))
                #EXT-X-PART:DURATION=0.333333,URI="part_5_0.m4s",INDEPENDENT=YES
                #EXT-X-PART:DURATION=0.333333,URI="part_5_1.m4s"
                #EXT-X-PRELOAD-HINT:TYPE=PART,URI="part_5_2.m4s"

                """))
    }

    /// Parts of the last three target durations; before, the segments alone.
    @Test(arguments: [0, 1, 5]) func oldPartsLeaveThePlaylist(open: Int) throws {
        let text = try Self.playlist(segments: 20, open: open).rendered(at: .zero)
        let listed = Self.lines(text, "#EXT-X-PART:")
        #expect(listed.count == 3 * 6 + open)
        #expect(listed[0].contains("part_17_0"))
    }

    /// Before the parts of a segment comes all that applies to its first one.
    @Test func aDiscontinuityComesBeforeItsParts() throws {
        var playlist = try Self.playlist(segments: 3)
        var head = Self.segment(3)
        head.discontinuities = 1
        head.initialization = InitializationSection(uri: "init_2.mp4")
        playlist.begin(head)
        try playlist.add(Self.parts(of: 3)[0])
        let text = playlist.rendered(at: .zero)
        let discontinuity = try #require(text.firstRange(of: "#EXT-X-DISCONTINUITY\n"))
        let map = try #require(text.firstRange(of: "#EXT-X-MAP:URI=\"init_2.mp4\""))
        let part = try #require(text.firstRange(of: "part_3_0"))
        #expect(discontinuity.lowerBound < map.lowerBound && map.lowerBound < part.lowerBound)
    }

    @Test func theParsedPlaylistIsThatOfTheFile() throws {
        let playlist = try Self.playlist(segments: 9, open: 3, window: 5)
        // Our own reader knows no parts: without their lines it is the plain playlist.
        let plain = playlist.rendered(at: .zero).split(separator: "\n")
            .filter { !$0.hasPrefix("#EXT-X-PART:") }.joined(separator: "\n")
        let parsed = try MediaPlaylist(parsing: plain).segments
        #expect(parsed.map(\.uri) == playlist.playlist.segments.map(\.uri))
        #expect(
            parsed.map(\.programDateTime) == playlist.playlist.segments.map(\.programDateTime))
    }

    /// A day of DVR: a reload stays below 4 kB, and the segments that are left are those of the
    /// whole playlist.
    @Test func aDeltaUpdateIsSmall() throws {
        var playlist = LowLatencyPlaylist(partTarget: Self.part)
        let segments = (0..<43_200).map { Self.segment($0) }
        playlist.complete(
            MediaPlaylist(kind: .event, targetDuration: 2, segments: segments), at: .zero)
        playlist.begin(Self.segment(43_200))
        for part in Self.parts(of: 43_200, count: 3) { try playlist.add(part) }
        let whole = playlist.rendered(at: .zero)
        let delta = playlist.rendered(.segments, at: .zero)
        #expect(delta.utf8.count < 4096 && whole.utf8.count > 1_000_000)
        let skip = try #require(Self.lines(delta, "#EXT-X-SKIP").first)
        let left = Self.lines(delta, "segment_")
        #expect(skip == "#EXT-X-SKIP:SKIPPED-SEGMENTS=\(43_200 - left.count)")
        #expect(left == Self.lines(whole, "segment_").suffix(left.count))
        // Nothing that ended within the boundary is left out.
        #expect(left.count == 7)
        #expect(Self.lines(delta, "#EXT-X-MAP").count == 1)
        #expect(Self.lines(delta, "#EXT-X-PLAYLIST-TYPE") == ["#EXT-X-PLAYLIST-TYPE:EVENT"])
    }

    @Test func thereIsNothingToSkipInAShortPlaylist() throws {
        let playlist = try Self.playlist(segments: 4)
        let whole = playlist.rendered(at: .zero)
        #expect(playlist.rendered(.segments, at: .zero) == whole)
        #expect(playlist.rendered(.segmentsAndDateRanges, at: .zero) == whole)
    }

    /// Segment 3 has a range since 8 s, segment 19 one since 40 s.
    @Test func aDeltaUpdateLeavesOldDateRangesOutOnlyOnRequest() throws {
        let playlist = try Self.playlist(segments: 20) {
            [3, 19].contains($0) ? [DateRange(id: "r\($0)", start: noon)] : []
        }
        let now = Self.instant(40)
        let ranges = Self.lines(playlist.rendered(.segments, at: now), "#EXT-X-DATERANGE")
        #expect(ranges.count == 2)
        let text = playlist.rendered(.segmentsAndDateRanges, at: now)
        let left = Self.lines(text, "#EXT-X-DATERANGE")
        #expect(left.count == 1 && left[0].contains("\"r19\""))
        #expect(
            Self.lines(text, "#EXT-X-SKIP") == [
                "#EXT-X-SKIP:SKIPPED-SEGMENTS=13,RECENTLY-REMOVED-DATERANGES=\"\""
            ])
    }

    /// It left the window at 30 s; twelve seconds later nobody needs to know.
    @Test(arguments: [(40, "r"), (42, "r"), (43, "")])
    func aDeltaUpdateNamesTheDateRangesThatHaveGone(second: Int, removed: String) throws {
        var playlist = try Self.playlist(segments: 14) {
            $0 == 13 ? [DateRange(id: "r", start: noon)] : []
        }
        let segments = (4..<20).map { Self.segment($0) }
        playlist.complete(
            MediaPlaylist(kind: .live, targetDuration: 2, mediaSequence: 4, segments: segments),
            at: Self.instant(30))
        let text = playlist.rendered(.segmentsAndDateRanges, at: Self.instant(second))
        #expect(text.contains("RECENTLY-REMOVED-DATERANGES=\"\(removed)\"\n"))
    }

    @Test func reportsComeLast() throws {
        let playlist = try Self.playlist(segments: 4)
        let report = RenditionReport(uri: "../cmaf_1/stream.m3u8", lastSegment: 4, lastPart: 2)
        #expect(
            playlist.rendered(reports: [report], at: .zero).hasSuffix(
                "#EXT-X-RENDITION-REPORT:URI=\"../cmaf_1/stream.m3u8\",LAST-MSN=4,LAST-PART=2\n"))
    }

    @Test func theReportIsOfTheNewestPart() throws {
        #expect(LowLatencyPlaylist(partTarget: Self.part).report(uri: "u") == nil)
        let open = try Self.playlist(segments: 4, open: 2).report(uri: "u")
        #expect(open == RenditionReport(uri: "u", lastSegment: 4, lastPart: 1))
        let complete = try Self.playlist(segments: 4).report(uri: "u")
        #expect(complete == RenditionReport(uri: "u", lastSegment: 3, lastPart: 5))
    }

    @Test func anEndedPlaylistHasNeitherHintNorReports() throws {
        var playlist = try Self.playlist(segments: 9, open: 2)
        var end = playlist.playlist
        end.segments.append(Self.segment(9))
        end.isEnded = true
        playlist.complete(end, at: .zero)
        let report = RenditionReport(uri: "u", lastSegment: 4, lastPart: 2)
        let text = playlist.rendered(.segments, reports: [report], at: .zero)
        #expect(text.hasSuffix("segment_9.m4s\n#EXT-X-ENDLIST\n"))
        for tag in ["SKIP", "PRELOAD", "REPORT"] { #expect(!text.contains("#EXT-X-\(tag)")) }
    }

    @Test func whatADeadBotHadBegunIsDropped() throws {
        var playlist = try Self.playlist(segments: 3, open: 4)
        playlist.dropOpenSegment()
        #expect(playlist.rendered(at: .zero).hasSuffix("segment_2.m4s\n"))
        #expect(playlist.progress == .init(next: 3, parts: 0, lastParts: 6))
    }

    @Test func partsThatDoNotAddUpAreDropped() throws {
        var playlist = try Self.playlist(segments: 3, open: 5)
        var next = playlist.playlist
        next.segments.append(Self.segment(3))
        playlist.complete(next, at: .zero)
        let text = playlist.rendered(at: .zero)
        #expect(text.contains("segment_3.m4s") && !text.contains("\"part_3_0"))
        #expect(playlist.progress.lastParts == nil)
    }

    @Test func aPartBeyondTheTargetIsRefused() throws {
        var playlist = try Self.playlist(segments: 1)
        #expect {
            try playlist.add(
                PartialSegment(uri: "a", duration: MediaTime(ticks: 11, timescale: 30)))
        } throws: { error in
            if case PlaylistError.segmentTooLong = error { true } else { false }
        }
        #expect {
            try playlist.add(PartialSegment(uri: "a\"", duration: Self.part))
        } throws: { error in
            if case PlaylistError.unusableURI = error { true } else { false }
        }
    }
}
