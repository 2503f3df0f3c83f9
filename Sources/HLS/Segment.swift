public import MediaKernel

/// One media segment as a playlist names it. RFC 8216 sect. 3.
public struct Segment: Hashable, Sendable {
    /// Relative to the playlist; without line breaks.
    public var uri: String
    /// Exact; rendered with up to six decimals.
    public var duration: MediaTime
    /// Wall-clock time of the first frame in nanoseconds since 1970, rendered in milliseconds.
    public var programDateTime: Int64?
    /// Whether timestamps or encoding parameters break between the segment before and this one.
    public var isDiscontinuity: Bool
    /// Listed with it, whatever time they are of.
    public var dateRanges: [DateRange]
    /// The bytes of the resource that are the segment; nil for all of them. RFC 8216 sect. 4.3.2.2.
    public var byteRange: Range<UInt64>?

    static let byteRangeTag = "EXT-X-BYTERANGE"

    public init(
        uri: String, duration: MediaTime, programDateTime: Int64? = nil,
        isDiscontinuity: Bool = false, dateRanges: [DateRange] = [],
        byteRange: Range<UInt64>? = nil
    ) {
        self.uri = uri
        self.duration = duration
        self.programDateTime = programDateTime
        self.isDiscontinuity = isDiscontinuity
        self.dateRanges = dateRanges
        self.byteRange = byteRange
    }

    /// The lines that stand for the segment in its playlist.
    func rendered(decimalDuration: Bool) -> String {
        var text = ""
        if isDiscontinuity { text += "#EXT-X-DISCONTINUITY\n" }
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
