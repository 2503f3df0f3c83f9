/// The codecs with an RTP payload format in this target.
public enum MediaCodec: String, Hashable, Sendable, CaseIterable {
    case vp8, vp9, h264, av1, opus

    /// Ticks per second of the RTP clock.
    public var clockRate: Int {
        switch self {
        case .vp8, .vp9, .h264, .av1: 90_000
        case .opus: 48_000
        }
    }

    public var isVideo: Bool { self != .opus }

    /// The encoding name in SDP's `rtpmap`.
    public var rtpName: String {
        switch self {
        case .vp8: "VP8"
        case .vp9: "VP9"
        case .h264: "H264"
        case .av1: "AV1"
        case .opus: "opus"
        }
    }

    /// Finds a codec by its SDP encoding name, whose case does not matter (RFC 4855 sect. 3).
    public init?(rtpName: String) {
        let name = rtpName.lowercased()
        guard let codec = Self.allCases.first(where: { $0.rtpName.lowercased() == name }) else {
            return nil
        }
        self = codec
    }
}
