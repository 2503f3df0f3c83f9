/// Reads the versions of one playlist, one after the other. Of a version that begins like the one
/// before, only the rest is parsed: that of a stream of a day has megabytes, and grows by a line or
/// two.
public struct PlaylistReader: Sendable {
    private struct Version: Sendable {
        /// To behind the last segment's address.
        let bytes: ArraySlice<UInt8>
        /// Without what is behind the last segment.
        let playlist: MediaPlaylist
    }

    private var last: Version?
    /// Of the newest version, how many bytes were parsed.
    private(set) var parsedByteCount = 0

    public init() {}

    /// - Throws: as `MediaPlaylist.init(parsing:)`; the version before still counts then.
    public mutating func read(_ bytes: [UInt8]) throws(PlaylistError) -> MediaPlaylist {
        let playlist: MediaPlaylist
        if let longer = grown(bytes) {
            playlist = longer
        } else {
            parsedByteCount = bytes.count
            playlist = try MediaPlaylist(parsing: String(decoding: bytes, as: UTF8.self))
        }
        var segmentsOnly = playlist
        (segmentsOnly.trailingDateRanges, segmentsOnly.isEnded) = ([], false)
        last = Self.endOfSegments(bytes).map {
            Version(bytes: bytes[..<$0], playlist: segmentsOnly)
        }
        return playlist
    }

    /// Nil for one that has to be parsed as a whole.
    private mutating func grown(_ bytes: [UInt8]) -> MediaPlaylist? {
        guard let last, bytes.count <= PlaylistLines.bytesMaximum, bytes.starts(with: last.bytes)
        else { return nil }
        let text = Array(bytes[..<Self.endOfHeader(bytes)] + bytes[last.bytes.endIndex...])
        guard var rest = try? MediaPlaylist(parsing: String(decoding: text, as: UTF8.self)),
            last.playlist.segments.count + rest.segments.count <= MediaPlaylist.segmentsMaximum,
            rest.dateRanges.isEmpty
                || last.playlist.dateRanges.count + rest.dateRanges.count
                    <= MediaPlaylist.dateRangesMaximum
        else { return nil }
        parsedByteCount = text.count
        // It holds until there is another one. RFC 8216 sect. 4.3.2.5.
        let section = last.playlist.segments.last?.initialization
        for index in rest.segments.indices {
            guard rest.segments[index].initialization == nil else { break }
            rest.segments[index].initialization = section
        }
        var playlist = last.playlist
        playlist.segments += rest.segments
        playlist.trailingDateRanges = rest.trailingDateRanges
        playlist.isEnded = rest.isEnded
        if rest.hasDecimalDurations { playlist.hasDecimalDurations = true }
        return playlist
    }

    private static let headerTags = [
        "#EXTM3U", "#EXT-X-VERSION:", "#EXT-X-TARGETDURATION:", "#EXT-X-PLAYLIST-TYPE:",
        "#EXT-X-MEDIA-SEQUENCE:", "#EXT-X-DISCONTINUITY-SEQUENCE:",
    ].map { Array($0.utf8) }

    private static func endOfHeader(_ bytes: [UInt8]) -> Int {
        var end = 0
        while let newline = bytes[end...].firstIndex(of: UInt8(ascii: "\n")),
            headerTags.contains(where: { bytes[end..<newline].starts(with: $0) })
        {
            end = newline + 1
        }
        return end
    }

    /// Behind the line of the last segment's address; nil without one that is complete.
    private static func endOfSegments(_ bytes: [UInt8]) -> Int? {
        guard bytes.last == UInt8(ascii: "\n") else { return nil }
        var end = bytes.count
        while end > 0 {
            let start =
                bytes[..<(end - 1)].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
            if start < end - 1, bytes[start] != UInt8(ascii: "#") {
                // Of another writer than ours: it may be a blank line.
                return bytes[start] > UInt8(ascii: " ") ? end : nil
            }
            end = start
        }
        return nil
    }
}
