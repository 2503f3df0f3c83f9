import Glibc

/// Ends the media playlists that a dead bot left open, so that players see the end of the stream
/// instead of waiting for more, and what was recorded is a complete recording.
public enum PlaylistFinisher {
    static let endTag = "#EXT-X-ENDLIST"
    /// A day of two-second segments is below 4 MiB.
    static let bytesMaximum = 64 * 1024 * 1024

    /// Goes through the media playlists of a stream's directory, all of them: one that cannot be
    /// ended is no reason to leave the others open.
    ///
    /// - Returns: how many had to be ended.
    /// - Throws: `.file`, of the first that could not be read or written.
    public static func finish(in directory: String) throws(RecordingError) -> Int {
        var count = 0
        var failure: RecordingError?
        for layer in 0..<StreamFolder.layersMaximum {
            do throws(RecordingError) {
                let wasOpen = try end(playlistIn: "\(directory)/\(StreamFolder.layerName(layer))")
                if wasOpen { count += 1 }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return count
    }

    /// - Returns: whether there was one without its end.
    private static func end(playlistIn layer: String) throws(RecordingError) -> Bool {
        let path = "\(layer)/\(StreamFolder.playlistName)"
        guard StreamFolder.isThere(path) else { return false }
        let bytes = try StreamFolder.read(path, maximum: bytesMaximum)
        guard let text = ended(String(decoding: bytes, as: UTF8.self)) else { return false }
        do {
            try AssetFile.publish(Array(text.utf8), to: StreamFolder.playlistName, in: layer)
        } catch {
            // A full disk has no room for another file, but mostly for a line more in this one.
            let end = text.utf8.dropFirst(bytes.count)
            try LineFile(path).append(String(decoding: end, as: UTF8.self))
        }
        return true
    }

    /// The playlist with its end; nil when it has one, or is no playlist.
    static func ended(_ text: String) -> String? {
        let lines = text.split(whereSeparator: \.isNewline)
        guard lines.first == "#EXTM3U", !lines.contains(Substring(endTag)) else { return nil }
        // Bytes, since "\r\n" is one character.
        return text.utf8.last == UInt8(ascii: "\n") ? "\(text)\(endTag)\n" : "\(text)\n\(endTag)\n"
    }
}
