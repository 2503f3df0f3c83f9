/// The format of a stream's segments.
public enum SegmentFormat: Hashable, Sendable, CaseIterable {
    /// MPEG-2 transport stream. RFC 8216 sect. 3.2.
    case transportStream
    /// Fragmented MP4. RFC 8216 sect. 3.3.
    case fragments

    /// Of the segments' files.
    public var fileExtension: String {
        switch self {
        case .transportStream: "ts"
        case .fragments: "m4s"
        }
    }
}
