import Foundation
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

    /// A directory in place of the new file: none can be made, as on a full disk.
    @Test(arguments: [false, true])
    func allOfAStreamsPlaylistsAreEndedOnce(isFull: Bool) throws {
        let manager = FileManager.default
        let path = manager.temporaryDirectory.appending(path: "roomcast-\(UUID().uuidString)").path
        defer { try? manager.removeItem(atPath: path) }
        #expect(try PlaylistFinisher.finish(in: path) == 0)
        for layer in ["stream_0", "stream_1", "stream_2", "captions_en", "cmaf_captions_en"] {
            try manager.createDirectory(
                atPath: "\(path)/\(layer)" + (isFull ? "/.part-stream.m3u8" : ""),
                withIntermediateDirectories: true)
        }
        let open = ["stream_0", "stream_2", "captions_en", "cmaf_captions_en"]
        for layer in open {
            try Data("#EXTM3U\na.ts\n".utf8)
                .write(to: URL(filePath: "\(path)/\(layer)/stream.m3u8"))
        }
        #expect(try PlaylistFinisher.finish(in: path) == 4)
        for layer in open {
            let text = try String(contentsOfFile: "\(path)/\(layer)/stream.m3u8", encoding: .utf8)
            #expect(text == "#EXTM3U\na.ts\n#EXT-X-ENDLIST\n")
        }
        #expect(try PlaylistFinisher.finish(in: path) == 0)
    }

    /// A directory in place of the first one, with a file in it: some disks report that an empty
    /// one has no bytes, and so nothing to read.
    @Test func aPlaylistThatCannotBeReadKeepsNoOtherOpen() throws {
        let manager = FileManager.default
        let path = manager.temporaryDirectory.appending(path: "roomcast-\(UUID().uuidString)").path
        defer { try? manager.removeItem(atPath: path) }
        let unreadable = "\(path)/stream_0/stream.m3u8"
        for directory in ["\(unreadable)/inside", "\(path)/stream_1"] {
            try manager.createDirectory(atPath: directory, withIntermediateDirectories: true)
        }
        let other = "\(path)/stream_1/stream.m3u8"
        try Data("#EXTM3U\na.ts\n".utf8).write(to: URL(filePath: other))
        let error = #expect(throws: RecordingError.self) {
            try PlaylistFinisher.finish(in: path)
        }
        guard case .file(unreadable, "read", EISDIR, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(
            try String(contentsOfFile: other, encoding: .utf8)
                == "#EXTM3U\na.ts\n#EXT-X-ENDLIST\n")
    }
}
