/// The places of the segments in a media playlist's text, for passing it on unchanged, whole or cut
/// after a segment. One walk over the bytes; a playlist of a day is a few megabytes.
///
/// A playlist that is cut after a segment's URI equals an earlier version, except for later
/// announcements: each tag comes before its segment (RFC 8216 sect. 4.3.2), and the end tag after
/// the last one.
public struct PlaylistOutline: Hashable, Sendable {
    /// Longer ones are no playlists of streams: three weeks of one-second segments.
    public static let segmentsMaximum = 2_000_000

    public let bytes: [UInt8]
    /// Their media sequence numbers.
    public let segments: Range<Int>
    /// In seconds.
    public let targetDuration: Int
    /// Whether the playlist has the end tag.
    public let isEnded: Bool
    /// Of each segment, from the start of its URI to the start of the next line.
    private let lines: [Range<Int>]

    private static let start = Array("#EXTM3U".utf8)
    private static let mediaSequence = Array("#EXT-X-MEDIA-SEQUENCE:".utf8)
    private static let target = Array("#EXT-X-TARGETDURATION:".utf8)
    private static let end = Array("#EXT-X-ENDLIST".utf8)

    /// Nil for a text that is no media playlist.
    public init?(_ bytes: [UInt8]) {
        var lines: [Range<Int>] = []
        var first = 0
        var targetDuration: Int?
        var isEnded = false
        var position = 0
        while position < bytes.count {
            let newline = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            let next = min(newline + 1, bytes.count)
            var content = position..<newline
            if let last = bytes[content].last, last == UInt8(ascii: "\r") {
                content = position..<newline - 1
            }
            let line = bytes[content]
            if position == 0 {
                guard line.elementsEqual(Self.start) else { return nil }
            } else if line.first == UInt8(ascii: "#") {
                if line.starts(with: Self.mediaSequence) {
                    guard let number = Self.number(line.dropFirst(Self.mediaSequence.count))
                    else { return nil }
                    first = number
                } else if line.starts(with: Self.target) {
                    targetDuration = Self.number(line.dropFirst(Self.target.count))
                } else if line.elementsEqual(Self.end) {
                    isEnded = true
                }
            } else if !line.isEmpty {
                guard lines.count < Self.segmentsMaximum else { return nil }
                // An incomplete line belongs to an incomplete text.
                guard newline < bytes.count else { return nil }
                lines.append(position..<next)
            }
            position = next
        }
        guard let targetDuration, targetDuration > 0 else { return nil }
        self.bytes = bytes
        self.lines = lines
        self.targetDuration = targetDuration
        self.isEnded = isEnded
        segments = first..<first + lines.count
    }

    private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
        decimalInteger(String(decoding: digits, as: UTF8.self))
    }

    /// A segment's URI, by its number in `segments`.
    public func uri(of number: Int) -> String {
        precondition(segments.contains(number), "only segments of the playlist have a name")
        let line = lines[number - segments.lowerBound]
        return String(
            decoding: bytes[line].filter { $0 != 10 && $0 != 13 }, as: UTF8.self)
    }

    /// The playlist's text up to a segment.
    ///
    /// - Parameters:
    ///   - end: the number after the last segment in the text.
    ///   - isLast: whether the text ends with the end tag.
    public func text(upTo end: Int, isLast: Bool) -> [UInt8] {
        precondition(
            end > segments.lowerBound && end <= segments.upperBound,
            "a playlist is cut behind one of its segments")
        let isWhole = end == segments.upperBound
        var text =
            isWhole ? bytes : Array(bytes[..<lines[end - segments.lowerBound - 1].upperBound])
        if isLast, !(isWhole && isEnded) {
            if text.last != UInt8(ascii: "\n") { text.append(UInt8(ascii: "\n")) }
            text += Self.end + [UInt8(ascii: "\n")]
        }
        return text
    }
}
