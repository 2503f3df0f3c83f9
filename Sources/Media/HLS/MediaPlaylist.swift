/// The list of a layer's segments. RFC 8216 sect. 4.3.2 and 4.3.3.
///
/// ```
/// #EXTM3U
/// #EXT-X-VERSION:3
/// #EXT-X-TARGETDURATION:2
/// #EXT-X-PLAYLIST-TYPE:EVENT          only .event and .vod
/// #EXT-X-MEDIA-SEQUENCE:0
/// #EXT-X-DISCONTINUITY-SEQUENCE:0     of .live, or where other layers begin earlier
/// #EXT-X-PROGRAM-DATE-TIME:2026-02-03T04:05:06.789Z
/// #EXT-X-MAP:URI="init_1a2b3c4d.mp4"  of fragmented MP4, where it changes
/// #EXT-X-DATERANGE:ID="1",…           where an application asked for it
/// #EXTINF:2.000,
/// segment_000000.ts
/// #EXT-X-ENDLIST                      once the stream has ended
/// ```
public struct MediaPlaylist: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// Segments are added at the end and may be removed at the start.
        case live
        /// Segments are only added.
        case event
        /// Nothing changes.
        case vod
    }

    public var kind: Kind
    /// The upper bound of the segments' durations, each rounded to the nearest second.
    public var targetDuration: Int
    /// The number of the first segment.
    public var mediaSequence: Int
    /// Discontinuities before the first segment's own.
    public var discontinuitySequence: Int
    public var segments: [Segment]
    /// After the last segment.
    public var trailingDateRanges: [DateRange] = []
    /// No segment will ever be added.
    public var isEnded: Bool
    /// Whether durations are written as decimals, which needs version 3.
    ///
    /// A stream's version must not change from reload to reload (RFC 8216 sect. 6.2.1) and its
    /// last segment is seldom a whole number of seconds, so streams have decimals from the start.
    public var hasDecimalDurations: Bool

    public init(
        kind: Kind, targetDuration: Int, mediaSequence: Int = 0, discontinuitySequence: Int = 0,
        segments: [Segment] = [], isEnded: Bool = false, hasDecimalDurations: Bool = true
    ) {
        self.kind = kind
        self.targetDuration = targetDuration
        self.mediaSequence = mediaSequence
        self.discontinuitySequence = discontinuitySequence
        self.segments = segments
        self.isEnded = isEnded
        self.hasDecimalDurations = hasDecimalDurations
    }

    /// The lowest protocol version with all used features. RFC 8216 sect. 7.
    public var version: Int {
        if segments.contains(where: { $0.initialization != nil }) { return 6 }
        if segments.contains(where: { $0.byteRange != nil }) { return 4 }
        return hasDecimalDurations ? 3 : 1
    }

    public func rendered() -> String {
        var text = header
        text += Self.lines(of: segments, decimalDurations: hasDecimalDurations)
        return text + footer
    }

    static func lines(of segments: [Segment], decimalDurations: Bool) -> String {
        var section: InitializationSection?
        return segments.reduce(into: "") { text, segment in
            text += segment.rendered(decimalDuration: decimalDurations, after: section)
            section = segment.initialization
        }
    }

    /// The segments' discontinuity sequence numbers; the same content has the same number in every
    /// layer. RFC 8216 sect. 6.2.2 and 6.2.4.
    public var discontinuitySequences: [Int] {
        var number = discontinuitySequence
        return segments.map { segment in
            number += segment.discontinuities
            return number
        }
    }

    /// The lines before the first segment.
    var header: String { header(version: version) }

    /// - Parameter more: tags of a playlist with parts.
    func header(version: Int, _ more: String = "") -> String {
        var text = "#EXTM3U\n#EXT-X-VERSION:\(version)\n#EXT-X-TARGETDURATION:\(targetDuration)\n"
        switch kind {
        case .live: break
        case .event: text += "#EXT-X-PLAYLIST-TYPE:EVENT\n"
        case .vod: text += "#EXT-X-PLAYLIST-TYPE:VOD\n"
        }
        text += more
        text += "#EXT-X-MEDIA-SEQUENCE:\(mediaSequence)\n"
        if kind == .live || discontinuitySequence > 0 {
            text += "#EXT-X-DISCONTINUITY-SEQUENCE:\(discontinuitySequence)\n"
        }
        return text
    }

    /// The lines after the last segment.
    var footer: String {
        trailingDateRanges.map { $0.rendered() }.joined() + (isEnded ? Self.endList : "")
    }

    /// Those of all segments and the trailing ones.
    public var dateRanges: [DateRange] { segments.flatMap(\.dateRanges) + trailingDateRanges }

    static let endList = "#EXT-X-ENDLIST\n"
}
