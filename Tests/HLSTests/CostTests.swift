import Testing
import Workbench

@testable import HLS

/// Playlists of a day are long: reading them takes time proportional to their length.
@Suite struct CostTests {
    private static func playlist(_ count: Int, _ entry: (Int) -> String) -> String {
        "#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:2\n"
            + (0..<count).map(entry).joined()
    }

    private static let entries: [@Sendable (Int) -> String] = [
        { "#EXTINF:2.000,\ns\($0).ts\n" },
        { "#EXT-X-DISCONTINUITY\n#EXTINF:2.000,\ns\($0).ts\n" },
        { "#EXT-X-BYTERANGE:10\($0 == 0 ? "@0" : "")\n#EXTINF:2.0,\nall.ts\n" },
        { "\n\r\n# a comment\n#EXT-X-UNKNOWN:A=1,B=2\n#EXTINF:2.0,\ns\($0).ts\n" },
    ]

    @Test(arguments: 0..<4)
    func ofAMediaPlaylist(index: Int) throws {
        let growth = try Growth.of(400) {
            Self.playlist($0, Self.entries[index])
        } body: {
            _ = try MediaPlaylist(parsing: $0)
        }
        #expect(growth < Growth.tolerated)
    }

    @Test(arguments: 0..<4)
    func ofAnOutline(index: Int) throws {
        let growth = Growth.of(400) {
            Array(Self.playlist($0, Self.entries[index]).utf8)
        } body: {
            #expect(PlaylistOutline($0) != nil)
        }
        #expect(growth < Growth.tolerated)
    }
}
