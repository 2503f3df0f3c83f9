/// Where the segments of a media playlist stand in its text: for who passes it on as it is, whole
/// or cut behind a segment. One walk over the bytes; a playlist of a day is a few megabytes.
///
/// A playlist that is cut behind a segment's URI is a playlist that was published earlier, but for
/// what was announced since then: each tag stands before the segment it is for (RFC 8216
/// sect. 4.3.2), and the end of the whole behind the last one.
public struct PlaylistOutline: Hashable, Sendable {
    /// Longer ones are no playlists of streams: three weeks of segments of a second.
    public static let segmentsMaximum = 2_000_000

    public let bytes: [UInt8]
    /// Their media sequence numbers.
    public let segments: Range<Int>
    /// In seconds.
    public let targetDuration: Int
    /// Whether it says that no segment follows.
    public let isEnded: Bool
    /// Of each segment, where its URI begins and where the next line does.
    private let lines: [Range<Int>]

    private static let start = Array("#EXTM3U".utf8)
    private static let mediaSequence = Array("#EXT-X-MEDIA-SEQUENCE:".utf8)
    private static let target = Array("#EXT-X-TARGETDURATION:".utf8)
    private static let end = Array("#EXT-X-ENDLIST".utf8)

    /// Nil for what is no media playlist.
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
                // A line that is not whole belongs to a text that is not.
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

    /// What a segment is called, by its number in `segments`.
    public func uri(of number: Int) -> String {
        precondition(segments.contains(number), "only segments of the playlist have a name")
        let line = lines[number - segments.lowerBound]
        return String(
            decoding: bytes[line].filter { $0 != 10 && $0 != 13 }, as: UTF8.self)
    }

    /// Its text as far as a segment.
    ///
    /// - Parameters:
    ///   - end: number behind the last segment that is to be named, which is listed.
    ///   - isLast: whether it is to say that no segment follows.
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
