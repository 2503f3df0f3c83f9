/// Opus has no payload header: one packet is one frame. RFC 7587 sect. 4.2.
public struct OpusDepacketizer: Depacketizer {
    public init() {}

    public func beginsFrame(_ payload: ArraySlice<UInt8>) -> Bool { !payload.isEmpty }

    public mutating func assemble(
        _ payloads: [ArraySlice<UInt8>]
    ) throws(RTPError) -> DepacketizedFrame {
        guard let payload = payloads.first, !payload.isEmpty else {
            throw .malformedPayload(.opus, .empty)
        }
        guard payloads.count == 1 else { throw .malformedPayload(.opus, .brokenFragment) }
        return DepacketizedFrame(data: Array(payload), isKeyframe: true)
    }
}
