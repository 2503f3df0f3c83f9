import Glibc

/// Ends the media playlists that a dead bot left open, so that players see the end of the stream
/// instead of waiting for more, and what was recorded is a complete recording.
public enum PlaylistFinisher {
    static let endTag = "#EXT-X-ENDLIST"
    /// A day of two-second segments is below 4 MiB.
    static let bytesMaximum = 64 * 1024 * 1024

    /// Goes through the media playlists of a stream's directory.
    ///
    /// - Returns: how many had to be ended.
    /// - Throws: `.file`.
    public static func finish(in directory: String) throws(RecordingError) -> Int {
        var count = 0
        for layer in 0..<StreamFolder.layersMaximum {
            let layer = "\(directory)/\(StreamFolder.layerName(layer))"
            let path = "\(layer)/\(StreamFolder.playlistName)"
            guard access(path, F_OK) == 0 else { continue }
            let bytes = try StreamFolder.read(path, maximum: bytesMaximum)
            guard let ended = ended(String(decoding: bytes, as: UTF8.self)) else { continue }
            do {
                try AssetFile.publish(
                    Array(ended.utf8), to: StreamFolder.playlistName, in: layer)
            } catch {
                // A full disk has no room for another file, but mostly for a line more in this one.
                let end = ended.utf8.dropFirst(bytes.count)
                try LineFile(path).append(String(decoding: end, as: UTF8.self))
            }
            count += 1
        }
        return count
    }

    /// The playlist with its end; nil when it has one, or is no playlist.
    static func ended(_ text: String) -> String? {
        let lines = text.split(whereSeparator: \.isNewline)
        guard lines.first == "#EXTM3U", !lines.contains(Substring(endTag)) else { return nil }
        // Bytes, since "\r\n" is one character.
        return text.utf8.last == UInt8(ascii: "\n") ? "\(text)\(endTag)\n" : "\(text)\n\(endTag)\n"
    }
}
