public import MediaKernel

/// Why a playlist cannot be read or extended. Lines count from 1.
public enum PlaylistError: Error, Hashable, Sendable {
    /// The text does not begin with `#EXTM3U`.
    case notAPlaylist
    case tooLarge(bytes: Int, maximum: Int)
    case lineTooLong(line: Int, bytes: Int, maximum: Int)
    case tooManyEntries(maximum: Int)
    case missingTag(String)
    case repeatedTag(String, line: Int)
    case malformedTag(String, line: Int)
    /// The tag changes what a segment means, and Roomcast does not write it.
    case unsupportedTag(String, line: Int)
    /// A tag that belongs to the other kind of playlist. RFC 8216 sect. 4.1.
    case misplacedTag(String, line: Int)
    case missingAttribute(String, line: Int)
    case malformedAttribute(String, line: Int)
    /// A URI that no EXTINF or EXT-X-STREAM-INF announced, or an announcement without a URI.
    case unpairedEntry(line: Int)
    case versionTooLow(declared: Int, needed: Int)
    /// The segment's rounded duration exceeds the target duration. RFC 8216 sect. 4.3.3.1.
    case segmentTooLong(duration: MediaTime, targetDuration: Int)
    /// The URI is empty, would be read as a comment, or breaks the line.
    case unusableURI(String)
    /// The date range has no id, has a text that breaks its line, or ends before it starts.
    case unusableDateRange(String)
    /// A playlist with an ENDLIST takes no more segments.
    case ended
}
