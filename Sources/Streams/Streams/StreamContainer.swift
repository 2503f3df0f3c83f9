/// The containers of a stream's segments.
public enum StreamContainer: String, Hashable, Sendable, Codable, CaseIterable {
    /// MPEG-2 transport streams, which everything plays.
    case transportStream = "ts"
    /// Fragmented MP4.
    case fragments = "cmaf"
    /// Transport streams, and beside them a live window of fragmented MP4 made of the same packets.
    case both

    /// The master playlist of fragments beside transport streams; it lies beside theirs.
    public static let besideMasterName = "cmaf.m3u8"

    /// For errors: how it is written.
    public static let form = "ts, cmaf or both"
    public static let lowLatencyForm = "it needs the container cmaf or both"
}

extension StreamContainer {
    /// Whether who wants `other` finds it in a stream of this one.
    func has(_ other: StreamContainer) -> Bool { self == other || self == .both }
}

extension LiveStream {
    /// The address of fragments beside the stream's transport streams; nil without them. Known
    /// before the stream runs.
    public var fragmentsURL: String? {
        guard plan.container == .both, let slash = playback.url.lastIndex(of: "/") else {
            return nil
        }
        return playback.url[...slash] + StreamContainer.besideMasterName
    }
}
