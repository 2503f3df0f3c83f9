/// One Opus packet is one payload. RFC 7587.
public struct OpusPacketizer: Packetizer {
    public init() {}

    /// The marker is left unset: it means the start of a talk spurt, which only matters with DTX.
    public mutating func packetize(
        frame data: [UInt8], isKeyframe: Bool
    ) -> [(payload: [UInt8], marker: Bool)] {
        data.isEmpty ? [] : [(data, false)]
    }
}
