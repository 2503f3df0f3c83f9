import MediaKernel

/// Why bytes from a peer were refused. Each case costs one packet, and is the peer's fault;
/// count it and go on.
public enum RTPError: Error, Hashable, Sendable {
    /// The bytes ended before the value did.
    case truncated(needed: Int, available: Int)
    /// RTP and RTCP are version 2. RFC 3550 sect. 5.1.
    case unsupportedVersion(UInt8)
    /// The padding count is zero or larger than what is there.
    case invalidPadding(count: Int, available: Int)
    /// More than we are willing to take.
    case oversized(count: Int, maximum: Int)
    /// An RTCP packet whose inside contradicts its header.
    case malformedFeedback(packetType: UInt8, format: UInt8)
    /// A payload that its codec's payload format does not allow.
    case malformedPayload(MediaCodec, PayloadFault)

    init(_ truncation: TruncatedInput) {
        self = .truncated(needed: truncation.needed, available: truncation.available)
    }

    /// What a payload got wrong.
    public enum PayloadFault: Hashable, Sendable {
        /// The payload, or a unit within it, has no bytes.
        case empty
        /// A piece that must continue or be continued stands alone.
        case brokenFragment
        /// A unit kind that the format, or our mode of it, does not use.
        case unsupportedUnit(UInt8)
        /// A length inside the payload that does not fit.
        case invalidLength
        /// The first packet of the frame does not begin one.
        case noStart
    }
}
