public import MediaKernel

/// One media segment as a playlist names it. RFC 8216 sect. 3.
public struct Segment: Hashable, Sendable {
    /// Relative to the playlist; without line breaks.
    public var uri: String
    /// Exact; rendered with up to six decimals.
    public var duration: MediaTime
    /// Wall-clock time of the first frame in nanoseconds since 1970, rendered in milliseconds.
    public var programDateTime: Int64?
    /// How often timestamps or encoding parameters break between the segment before and this one:
    /// more than once where what other layers have between two breaks is not in this one.
    public var discontinuities: Int
    /// Listed with it, whatever time they are of.
    public var dateRanges: [DateRange]
    /// The bytes of the resource that are the segment; nil for all of them. RFC 8216 sect. 4.3.2.2.
    public var byteRange: Range<UInt64>?

    static let byteRangeTag = "EXT-X-BYTERANGE"

    public init(
        uri: String, duration: MediaTime, programDateTime: Int64? = nil,
        discontinuities: Int = 0, dateRanges: [DateRange] = [],
        byteRange: Range<UInt64>? = nil
    ) {
        self.uri = uri
        self.duration = duration
        self.programDateTime = programDateTime
        self.discontinuities = discontinuities
        self.dateRanges = dateRanges
        self.byteRange = byteRange
    }

    /// Whether it does not go on where the segment before ended.
    public var isDiscontinuity: Bool { discontinuities > 0 }

    /// The lines that stand for the segment in its playlist.
    func rendered(decimalDuration: Bool) -> String {
        var text = String(repeating: "#EXT-X-DISCONTINUITY\n", count: discontinuities)
        if let programDateTime {
            let date = DateText.rendered(unixNanoseconds: programDateTime)
            text += "#EXT-X-PROGRAM-DATE-TIME:\(date)\n"
        }
        for range in dateRanges { text += range.rendered() }
        let seconds = decimalDuration ? duration.decimalSeconds : String(duration.wholeSeconds)
        text += "#EXTINF:\(seconds),\n"
        if let byteRange {
            text += "#\(Self.byteRangeTag):\(byteRange.count)@\(byteRange.lowerBound)\n"
        }
        return text + "\(uri)\n"
    }
}
