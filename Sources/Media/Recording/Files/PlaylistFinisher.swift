import Glibc

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Ends the media playlists that a dead bot left open, so that players see the end of the stream
/// instead of waiting for more, and the recording is complete.
public enum PlaylistFinisher {
    static let endTag = "#EXT-X-ENDLIST"
    /// A day of two-second segments is below 4 MiB.
    static let bytesMaximum = 64 * 1024 * 1024

    /// Ends all media playlists of a stream's directory; a failure in one does not leave the others
    /// open.
    ///
    /// - Returns: the number of playlists that were open.
    /// - Throws: `.file`, for the first one that could not be read or written.
    public static func finish(in directory: String) throws(RecordingError) -> Int {
        var count = 0
        var failure: RecordingError?
        let layers = 0..<StreamFolder.layersMaximum
        for name in layers.map(StreamFolder.layerName) + layers.map(StreamFolder.besideLayerName)
            + captions(in: directory)
        {
            do throws(RecordingError) {
                let wasOpen = try end(playlistIn: "\(directory)/\(name)")
                if wasOpen { count += 1 }
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return count
    }

    /// The directories of captions.
    private static func captions(in directory: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.filter {
            $0.hasPrefix(StreamFolder.captionsPrefix)
                || $0.hasPrefix(StreamFolder.besideCaptionsPrefix)
        }
    }

    /// - Returns: whether there was an open playlist.
    private static func end(playlistIn layer: String) throws(RecordingError) -> Bool {
        let path = "\(layer)/\(StreamFolder.playlistName)"
        guard StreamFolder.isThere(path) else { return false }
        let bytes = try StreamFolder.read(path, maximum: bytesMaximum)
        guard let text = ended(String(decoding: bytes, as: UTF8.self)) else { return false }
        do {
            try AssetFile.publish(Array(text.utf8), to: StreamFolder.playlistName, in: layer)
        } catch {
            // A full disk has no room for another file, but usually for one more line in this one.
            let end = text.utf8.dropFirst(bytes.count)
            try LineFile(path).append(String(decoding: end, as: UTF8.self))
        }
        return true
    }

    /// The playlist with an end tag; nil when it has one, or is not a playlist.
    static func ended(_ text: String) -> String? {
        let lines = text.split(whereSeparator: \.isNewline)
        guard lines.first == "#EXTM3U", !lines.contains(Substring(endTag)) else { return nil }
        // Compares bytes, since "\r\n" is one character.
        return text.utf8.last == UInt8(ascii: "\n") ? "\(text)\(endTag)\n" : "\(text)\n\(endTag)\n"
    }
}
