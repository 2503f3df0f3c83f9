public import MediaKernel

/// One media segment as a playlist names it. RFC 8216 sect. 3.
public struct Segment: Hashable, Sendable {
    /// Relative to the playlist; without line breaks.
    public var uri: String
    /// Exact; rendered with up to six decimals.
    public var duration: MediaTime
    /// Wall-clock time of the first frame in nanoseconds since 1970, rendered in milliseconds.
    public var programDateTime: Int64?
    /// The number of breaks in timestamps or encoding parameters between the previous segment and
    /// this one: more than one where this layer lacks the segments that other layers have between
    /// two breaks.
    public var discontinuities: Int
    /// Listed with the segment, whatever their time.
    public var dateRanges: [DateRange]
    /// The segment's bytes in the resource; nil for all of them. RFC 8216 sect. 4.3.2.2.
    public var byteRange: Range<UInt64>?
    /// Nil for segments that need none, as those of a transport stream.
    public var initialization: InitializationSection?

    static let byteRangeTag = "EXT-X-BYTERANGE"

    public init(
        uri: String, duration: MediaTime, programDateTime: Int64? = nil,
        discontinuities: Int = 0, dateRanges: [DateRange] = [],
        byteRange: Range<UInt64>? = nil, initialization: InitializationSection? = nil
    ) {
        self.uri = uri
        self.duration = duration
        self.programDateTime = programDateTime
        self.discontinuities = discontinuities
        self.dateRanges = dateRanges
        self.byteRange = byteRange
        self.initialization = initialization
    }

    /// Whether it does not continue the previous segment.
    public var isDiscontinuity: Bool { discontinuities > 0 }

    /// The segment's lines in its playlist.
    ///
    /// - Parameters:
    ///   - earlier: the section that applies already.
    ///   - parts: listed with the segment.
    func rendered(
        decimalDuration: Bool, after earlier: InitializationSection?, parts: [PartialSegment] = []
    ) -> String {
        var text = head(after: earlier)
        for part in parts { text += part.rendered() }
        let seconds = decimalDuration ? duration.decimalSeconds : String(duration.wholeSeconds)
        text += "#EXTINF:\(seconds),\n"
        if let byteRange {
            text += "#\(Self.byteRangeTag):\(byteRange.count)@\(byteRange.lowerBound)\n"
        }
        return text + "\(uri)\n"
    }

    /// The lines before the segment's parts.
    func head(after earlier: InitializationSection?) -> String {
        var text = String(repeating: "#EXT-X-DISCONTINUITY\n", count: discontinuities)
        if let programDateTime {
            let date = DateText.rendered(unixNanoseconds: programDateTime)
            text += "#EXT-X-PROGRAM-DATE-TIME:\(date)\n"
        }
        if let initialization, initialization != earlier { text += initialization.rendered() }
        for range in dateRanges { text += range.rendered() }
        return text
    }
}
