import Testing

@testable import Recording

@Suite struct PlaylistFinisherTests {
    @Test(
        arguments: [
            ("#EXTM3U\na.ts\n", "#EXTM3U\na.ts\n#EXT-X-ENDLIST\n"),
            ("#EXTM3U\na.ts", "#EXTM3U\na.ts\n#EXT-X-ENDLIST\n"),
            ("#EXTM3U\r\na.ts\r\n", "#EXTM3U\r\na.ts\r\n#EXT-X-ENDLIST\n"),
            ("#EXTM3U\na.ts\n#EXT-X-ENDLIST\n", nil), ("", nil), ("not a playlist", nil),
        ] as [(String, String?)])
    func anOpenPlaylistIsEnded(text: String, ended: String?) {
        #expect(PlaylistFinisher.ended(text) == ended)
    }
}
