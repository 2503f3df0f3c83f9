import Foundation

/// Ends the media playlists that a dead bot left open, so that players see the end of the stream
/// instead of waiting for more, and what was recorded is a complete recording.
public enum PlaylistFinisher {
    static let endTag = "#EXT-X-ENDLIST"
    /// A day of two-second segments is below 4 MiB.
    static let bytesMaximum = 64 * 1024 * 1024

    /// Goes through the media playlists of a stream's directory, `stream_<n>/stream.m3u8`.
    ///
    /// - Returns: how many had to be ended.
    public static func finish(in directory: String) throws -> Int {
        var count = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
        where name.hasPrefix("stream_") {
            let path = "\(directory)/\(name)/stream.m3u8"
            guard let data = FileManager.default.contents(atPath: path),
                data.count <= bytesMaximum,
                let ended = ended(String(decoding: data, as: UTF8.self))
            else { continue }
            // Renamed into place, as the bot does it: no player ever sees half a playlist.
            do {
                try Data(ended.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
            } catch {
                // A full disk has no room for another file, but mostly for a line more in this one.
                try append(Data(ended.utf8.dropFirst(data.count)), to: path)
            }
            count += 1
        }
        return count
    }

    private static func append(_ data: Data, to path: String) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        try file.seekToEnd()
        try file.write(contentsOf: data)
    }

    /// The playlist with its end; nil when it has one, or is no playlist.
    static func ended(_ text: String) -> String? {
        let lines = text.split(whereSeparator: \.isNewline)
        guard lines.first == "#EXTM3U", !lines.contains(Substring(endTag)) else { return nil }
        // Bytes, since "\r\n" is one character.
        return text.utf8.last == UInt8(ascii: "\n") ? "\(text)\(endTag)\n" : "\(text)\n\(endTag)\n"
    }
}
