import MediaKernel
import Testing

@testable import HLS

@Suite("Playlist outline")
struct PlaylistOutlineTests {
    /// A playlist as in streams, with metadata and a discontinuity.
    private static func playlist(
        segments: Int = 5, mode: PlaylistMode = .event, ends: Bool = false
    ) throws -> (text: [UInt8], versions: [[UInt8]]) {
        var builder = MediaPlaylistBuilder(mode: mode, targetDuration: 2)
        var versions: [[UInt8]] = []
        for number in 0..<segments {
            if number == 2 { builder.markDiscontinuity() }
            try builder.add(
                Segment(
                    uri: "segment_00000\(number).ts",
                    duration: MediaTime(ticks: 2, timescale: 1),
                    programDateTime: 1_760_000_000_000_000_000 + Int64(number) * 2_000_000_000))
            versions.append(Array(builder.rendered().utf8))
        }
        if ends { builder.end() }
        return (Array(builder.rendered().utf8), versions)
    }

    @Test("It knows the segments' numbers, names and the end")
    func facts() throws {
        let (text, _) = try Self.playlist(segments: 12, mode: .live(window: 4), ends: true)
        let outline = try #require(PlaylistOutline(text))
        let parsed = try MediaPlaylist(parsing: String(decoding: text, as: UTF8.self))
        #expect(outline.segments == parsed.mediaSequence..<12)
        #expect(outline.segments.map { outline.uri(of: $0) } == parsed.segments.map(\.uri))
        #expect(outline.targetDuration == 2)
        #expect(outline.isEnded)
    }

    @Test("Cut behind a segment it is the playlist that was there when that segment came")
    func cut() throws {
        let (text, versions) = try Self.playlist(ends: true)
        let outline = try #require(PlaylistOutline(text))
        for end in 1..<5 {
            #expect(outline.text(upTo: end, isLast: false) == versions[end - 1])
        }
        #expect(outline.text(upTo: 5, isLast: true) == text)
    }

    @Test("One that nobody ended is ended, whole or cut")
    func ended() throws {
        let outline = try #require(PlaylistOutline(try Self.playlist().text))
        #expect(!outline.isEnded)
        for end in [3, 5] {
            let text = outline.text(upTo: end, isLast: true)
            let parsed = try MediaPlaylist(parsing: String(decoding: text, as: UTF8.self))
            #expect(parsed.isEnded)
            #expect(parsed.segments.count == end)
        }
    }

    @Test("Cut for good, the one that had an end has it behind the cut")
    func cutForGood() throws {
        let outline = try #require(PlaylistOutline(try Self.playlist(ends: true).text))
        let text = String(decoding: outline.text(upTo: 3, isLast: true), as: UTF8.self)
        let parsed = try MediaPlaylist(parsing: text)
        #expect(parsed.isEnded && parsed.segments.count == 3)
    }

    @Test("Line ends of any kind are line ends")
    func carriageReturns() throws {
        let (text, _) = try Self.playlist()
        let windows = text.flatMap { $0 == 10 ? [13, 10] : [$0] }
        let outline = try #require(PlaylistOutline(windows))
        #expect(outline.segments == 0..<5)
        #expect(outline.uri(of: 3) == "segment_000003.ts")
    }

    @Test("What is torn off anywhere is read without harm, and names no segment in part")
    func truncated() throws {
        let (text, _) = try Self.playlist(ends: true)
        for count in text.indices {
            guard let outline = PlaylistOutline(Array(text[..<count])) else { continue }
            for number in outline.segments {
                #expect(outline.uri(of: number) == "segment_00000\(number).ts")
            }
        }
    }

    @Test("What is no media playlist is none")
    func refused() {
        for text in [
            "", "\n", "#EXTM3U", "#EXTM3U8\n#EXT-X-TARGETDURATION:2\n",
            "#EXTM3U\n#EXT-X-TARGETDURATION:0\n", "#EXTM3U\n#EXT-X-TARGETDURATION:x\n",
            "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:-1\n",
        ] {
            #expect(PlaylistOutline(Array(text.utf8)) == nil, "\(text)")
        }
    }

    @Test("Bytes of chance do no harm")
    func fuzz() throws {
        var random = SeededRandom(seed: 4)
        let (text, _) = try Self.playlist(ends: true)
        for _ in 0..<2000 {
            var bytes = text
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                bytes[Int.random(in: 8..<bytes.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            guard let outline = PlaylistOutline(bytes), let last = outline.segments.last
            else { continue }
            _ = outline.uri(of: last)
            _ = outline.text(upTo: last + 1, isLast: true)
            _ = outline.text(upTo: outline.segments.lowerBound + 1, isLast: false)
        }
    }
}
