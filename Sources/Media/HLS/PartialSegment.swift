public import MediaKernel

/// A part of a segment that can be fetched before the segment is complete.
/// draft-pantos-hls-rfc8216bis sect. 4.4.4.9.
public struct PartialSegment: Hashable, Sendable {
    /// Relative to the playlist; without line breaks and quotation marks.
    public var uri: String
    /// Exact; rendered with up to six decimals.
    public var duration: MediaTime
    /// Whether it begins with a picture that needs no other one.
    public var isIndependent: Bool

    public init(uri: String, duration: MediaTime, isIndependent: Bool = false) {
        self.uri = uri
        self.duration = duration
        self.isIndependent = isIndependent
    }

    func rendered() -> String {
        "#EXT-X-PART:DURATION=\(duration.decimalSeconds),URI=\"\(uri)\""
            + (isIndependent ? ",INDEPENDENT=YES\n" : "\n")
    }
}
