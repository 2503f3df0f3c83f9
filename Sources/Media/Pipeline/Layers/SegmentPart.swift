/// A part of a segment whose file can be fetched, for low-latency HLS.
public struct SegmentPart: Hashable, Sendable {
    public var layer: Int
    /// As in the playlist.
    public var segment: Int
    /// Counted from 0 in its segment.
    public var part: Int
    /// The file's name, in the directory of the layer's fragments.
    public var name: String
    /// Its duration; only a segment's last part may have fewer than the others.
    public var frames: Int
    /// Frames per second.
    public var frameRate: Int
    /// Whether decoding can start with it.
    public var isIndependent: Bool
    /// Only of a segment's first part.
    public var start: Start?

    /// What a playlist says before the segment.
    public struct Start: Hashable, Sendable {
        /// Of its first frame, in nanoseconds since 1970.
        public var programDateTime: Int64
        /// The name of the initialization section's file.
        public var header: String
        /// Whether it does not continue the segment before it.
        public var isDiscontinuity: Bool
    }
}
