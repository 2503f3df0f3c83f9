import MediaKernel
import Testing

@testable import HLS

/// EXT-X-MAP in media playlists. RFC 8216 sect. 4.3.2.5.
@Suite struct InitializationSectionTests {
    private static func segment(
        _ number: Int, _ section: String?, range: Range<UInt64>? = nil
    ) -> Segment {
        Segment(
            uri: "segment_\(number).m4s",
            duration: MediaTime(ticks: 2_000_000, timescale: 1_000_000),
            initialization: section.map { InitializationSection(uri: $0, byteRange: range) })
    }

    private static func maps(_ text: String) -> [String] {
        text.split(separator: "\n").filter { $0.hasPrefix("#EXT-X-MAP") }.map(String.init)
    }

    @Test(arguments: [PlaylistMode.event, .live(window: 100)])
    func aSectionStandsWhereItChanges(mode: PlaylistMode) throws {
        var builder = MediaPlaylistBuilder(mode: mode, targetDuration: 2)
        for (number, section) in ["a.mp4", "a.mp4", "b.mp4"].enumerated() {
            try builder.add(Self.segment(number, section))
        }
        let text = builder.rendered()
        #expect(Self.maps(text) == [#"#EXT-X-MAP:URI="a.mp4""#, #"#EXT-X-MAP:URI="b.mp4""#])
        #expect(text.contains("#EXT-X-VERSION:6\n"))
        #expect(try MediaPlaylist(parsing: text) == builder.playlist)
        #expect(builder.playlist.rendered() == text)
        let resumed = try MediaPlaylistBuilder(resuming: builder.playlist, window: 100)
        #expect(resumed.rendered() == text)
    }

    /// The first segment left names the section, although the one that began with it is gone.
    @Test func aLiveWindowAlwaysHasItsSection() throws {
        var builder = MediaPlaylistBuilder(mode: .live(window: 3), targetDuration: 2)
        for number in 0..<10 { try builder.add(Self.segment(number, "a.mp4")) }
        #expect(builder.playlist.mediaSequence > 0)
        #expect(Self.maps(builder.rendered()).count == 1)
    }

    @Test func aRangeOfAnArchiveIsKept() throws {
        var playlist = MediaPlaylist(kind: .vod, targetDuration: 2)
        playlist.segments = [Self.segment(0, "../vod.zip", range: 40..<900)]
        let text = playlist.rendered()
        #expect(Self.maps(text) == [#"#EXT-X-MAP:URI="../vod.zip",BYTERANGE="860@40""#])
        #expect(try MediaPlaylist(parsing: text).segments == playlist.segments)
    }

    @Test(arguments: [
        "#EXT-X-MAP", "#EXT-X-MAP:BYTERANGE=\"1@2\"", "#EXT-X-MAP:URI=a.mp4",
        "#EXT-X-MAP:URI=\"a.mp4\",BYTERANGE=\"1\"", "#EXT-X-MAP:URI=\"a.mp4\",BYTERANGE=\"a@1\"",
    ])
    func whatIsNoSectionIsRefused(line: String) {
        #expect(throws: PlaylistError.self) {
            try MediaPlaylist(
                parsing: "#EXTM3U\n#EXT-X-VERSION:6\n#EXT-X-TARGETDURATION:2\n\(line)\n"
                    + "#EXTINF:2.0,\na.m4s\n")
        }
    }

    @Test func aNameThatEndsItsTagIsRefused() throws {
        var builder = MediaPlaylistBuilder(mode: .event, targetDuration: 2)
        for name in ["", "a\"b", "a\nb"] {
            #expect {
                try builder.add(Self.segment(0, name))
            } throws: { error in
                if case PlaylistError.unusableURI = error { true } else { false }
            }
        }
    }
}
