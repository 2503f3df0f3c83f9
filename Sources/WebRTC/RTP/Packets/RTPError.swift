import MediaKernel

/// Why bytes from a peer were refused. Each case costs one packet and is the peer's fault; count it
/// and go on.
public enum RTPError: Error, Hashable, Sendable {
    /// The bytes ended before the value did.
    case truncated(needed: Int, available: Int)
    /// RTP and RTCP are version 2. RFC 3550 sect. 5.1.
    case unsupportedVersion(UInt8)
    /// The padding count is zero or larger than the packet.
    case invalidPadding(count: Int, available: Int)
    /// Larger than we accept.
    case oversized(count: Int, maximum: Int)
    /// The contents of an RTCP packet contradict its header.
    case malformedFeedback(packetType: UInt8, format: UInt8)
    /// The codec's payload format does not allow this payload.
    case malformedPayload(MediaCodec, PayloadFault)

    init(_ truncation: TruncatedInput) {
        self = .truncated(needed: truncation.needed, available: truncation.available)
    }

    /// What is wrong with a payload.
    public enum PayloadFault: Hashable, Sendable {
        /// The payload, or a unit within it, has no bytes.
        case empty
        /// A fragment that lacks its continuation or its start.
        case brokenFragment
        /// A unit kind that the format, or our mode of it, does not use.
        case unsupportedUnit(UInt8)
        /// A length inside the payload exceeds the bytes that are there.
        case invalidLength
        /// The first packet of the frame does not begin a frame.
        case noStart
    }
}
