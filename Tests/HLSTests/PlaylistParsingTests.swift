import HLS
import MediaKernel
import Testing
import Workbench

@Suite struct PlaylistParsingTests {
    private static let head = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n"

    @Test func brokenPlaylistsAreRefusedWithTheirLine() {
        let head = Self.head
        let cases: [(String, PlaylistError)] = [
            ("", .notAPlaylist),
            ("\u{FEFF}#EXTM3U\n", .notAPlaylist),
            ("\n#EXTM3U\n", .notAPlaylist),
            ("#EXTM3U\n", .missingTag("EXT-X-TARGETDURATION")),
            (head + "a.ts\n", .unpairedEntry(line: 3)),
            (head + "#EXTINF:2,\n", .unpairedEntry(line: 3)),
            (head + "#EXTINF:2,\n#EXTINF:2,\na\n", .unpairedEntry(line: 4)),
            (head + "#EXTINF:,\na\n", .malformedTag("EXTINF", line: 3)),
            (head + "#EXTINF\na\n", .malformedTag("EXTINF", line: 3)),
            (head + "#EXTINF:-2,\na\n", .malformedTag("EXTINF", line: 3)),
            (head + "#EXTINF:2.,\na\n", .malformedTag("EXTINF", line: 3)),
            (head + "#EXTINF:1e9,\na\n", .malformedTag("EXTINF", line: 3)),
            (head + "#EXTINF:99999999999999999999,\na\n", .malformedTag("EXTINF", line: 3)),
            (head + "#EXTINF:1.5,\na\n", .versionTooLow(declared: 1, needed: 3)),
            (head + "#EXT-X-VERSION:0\n", .malformedTag("EXT-X-VERSION", line: 3)),
            (head + "#EXT-X-TARGETDURATION:2\n", .repeatedTag("EXT-X-TARGETDURATION", line: 3)),
            (
                head + "#EXTINF:2,\na\n#EXT-X-MEDIA-SEQUENCE:4\n",
                .misplacedTag("EXT-X-MEDIA-SEQUENCE", line: 5)
            ),
            (
                head + "#EXT-X-DISCONTINUITY\n#EXT-X-DISCONTINUITY-SEQUENCE:4\n",
                .misplacedTag("EXT-X-DISCONTINUITY-SEQUENCE", line: 4)
            ),
            (head + "#EXT-X-PLAYLIST-TYPE:LIVE\n", .malformedTag("EXT-X-PLAYLIST-TYPE", line: 3)),
            (
                head + "#EXT-X-BYTERANGE:1@x\n", .malformedTag("EXT-X-BYTERANGE", line: 3)
            ),
            (head + "#EXT-X-BYTERANGE\n", .malformedTag("EXT-X-BYTERANGE", line: 3)),
            (
                head + "#EXT-X-BYTERANGE:1@2\n#EXT-X-BYTERANGE:1@2\n",
                .malformedTag("EXT-X-BYTERANGE", line: 4)
            ),
            (
                head + "#EXTINF:2,\n#EXT-X-BYTERANGE:1\na\n",
                .malformedTag("EXT-X-BYTERANGE", line: 5)
            ),
            (
                head + "#EXTINF:2,\n#EXT-X-BYTERANGE:1@2\na\n",
                .versionTooLow(declared: 1, needed: 4)
            ),
            (head + "#EXT-X-KEY:METHOD=AES-128\n", .unsupportedTag("EXT-X-KEY", line: 3)),
            (
                head + "#EXT-X-STREAM-INF:BANDWIDTH=1\n",
                .misplacedTag("EXT-X-STREAM-INF", line: 3)
            ),
            (
                head + "#EXTINF:3,\na\n",
                .segmentTooLong(
                    duration: MediaTime(ticks: 3_000_000, timescale: 1_000_000),
                    targetDuration: 2)
            ),
        ]
        for (text, error) in cases {
            #expect(throws: error, "\(text)") { try MediaPlaylist(parsing: text) }
        }
    }

    /// RFC 8216 sect. 4.3.2.2.
    @Test func rangesOfAResourceFollowEachOther() throws {
        let text =
            "#EXTM3U\n#EXT-X-VERSION:4\n#EXT-X-TARGETDURATION:2\n"
            + "#EXTINF:2,\n#EXT-X-BYTERANGE:100@40\na.zip\n"
            + "#EXT-X-BYTERANGE:7\n#EXTINF:2,\na.zip\n#EXTINF:2,\nb.ts\n"
        let playlist = try MediaPlaylist(parsing: text)
        #expect(playlist.segments.map(\.byteRange) == [40..<140, 140..<147, nil])
        #expect(try MediaPlaylist(parsing: playlist.rendered()).segments == playlist.segments)
        #expect(PlaylistValidator.violations(of: playlist) == [])
    }

    @Test func lineEndsBlanksCommentsAndUnknownTagsDoNotMatter() throws {
        let text =
            "#EXTM3U\r\n\r\n# a comment\r\n#EXT-X-TARGETDURATION:2\r\n#EXT-X-FUTURE:x\r\n"
            + "#EXTINF:2,A title, with comma\r\na.ts"
        let playlist = try MediaPlaylist(parsing: text)
        #expect(playlist.segments.map(\.uri) == ["a.ts"])
    }

    @Test func linesAndListsHaveTheirMaximum() {
        let line = String(repeating: "a", count: 16 * 1024 + 1)
        #expect(
            throws: PlaylistError.lineTooLong(line: 2, bytes: 16 * 1024 + 1, maximum: 16 * 1024)
        ) { try MediaPlaylist(parsing: "#EXTM3U\n" + line) }
        let variants = String(
            repeating: "#EXT-X-STREAM-INF:BANDWIDTH=1,CODECS=\"a\",RESOLUTION=2x2\na\n", count: 257)
        #expect(throws: PlaylistError.tooManyEntries(maximum: 256)) {
            try MasterPlaylist(parsing: "#EXTM3U\n" + variants)
        }
        let attributes = (0...64).map { "A\($0)=1" }.joined(separator: ",")
        #expect(throws: PlaylistError.malformedAttribute("A64", line: 2)) {
            try MasterPlaylist(parsing: "#EXTM3U\n#EXT-X-STREAM-INF:\(attributes)\na\n")
        }
        let huge = String(repeating: "\n", count: 32 * 1024 * 1024)
        #expect(
            throws: PlaylistError.tooLarge(
                bytes: huge.utf8.count + 7, maximum: 32 * 1024 * 1024)
        ) { try MediaPlaylist(parsing: "#EXTM3U" + huge) }
    }

    @Test func everyTruncationIsReadOrRefused() throws {
        let whole = try MediaPlaylist(parsing: liveText)
        for count in 0..<liveText.utf8.count {
            let text = String(decoding: liveText.utf8.prefix(count), as: UTF8.self)
            guard let part = try? MediaPlaylist(parsing: text) else { continue }
            #expect(part.segments.count <= whole.segments.count)
        }
        for count in 0..<masterText.utf8.count {
            let text = String(decoding: masterText.utf8.prefix(count), as: UTF8.self)
            _ = try? MasterPlaylist(parsing: text)
        }
    }

    @Test func mutatedPlaylistsNeverTrapAndRoundTripWhenRead() throws {
        var random = SeededRandom(seed: 8216)
        let alphabet = Array("#EXT-:,.\n\"=0159zZ+ \r".utf8) + [0, 0xC3, 0xFF]
        for round in 0..<3000 {
            var bytes = Array((round.isMultiple(of: 2) ? liveText : masterText).utf8)
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let index = Int.random(in: bytes.indices, using: &random)
                let byte = alphabet[Int.random(in: alphabet.indices, using: &random)]
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes[index] = byte
                case 1: bytes.insert(byte, at: index)
                default: bytes.remove(at: index)
                }
            }
            let text = String(decoding: bytes, as: UTF8.self)
            if let media = try? MediaPlaylist(parsing: text) {
                let rendered = media.rendered()
                #expect(try MediaPlaylist(parsing: rendered).rendered() == rendered)
            }
            if let master = try? MasterPlaylist(parsing: text) {
                let rendered = master.rendered()
                #expect(try MasterPlaylist(parsing: rendered).rendered() == rendered)
            }
        }
    }
}
