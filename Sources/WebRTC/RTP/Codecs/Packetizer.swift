/// Splits frames into RTP payloads. The caller puts them in packets with one timestamp.
public protocol Packetizer: Sendable {
    /// - Returns: the payloads in order, the last one of a picture with its marker set; none
    ///   when the frame is empty or cannot be read.
    mutating func packetize(
        frame data: [UInt8], isKeyframe: Bool
    ) -> [(payload: [UInt8], marker: Bool)]
}

/// How large a packet may become.
enum PacketBudget {
    /// What surrounds the payload: RTP header (12), extensions (22), SRTP tag (16).
    static let overheadBytes = 50
    /// Below this, the payload formats' own headers would leave no room.
    static let mtuMinimum = 100

    static func payloadBytes(mtu: Int) -> Int {
        precondition(mtu >= mtuMinimum, "a packet holds more than its headers")
        return mtu - overheadBytes
    }

    /// Cuts bytes into pieces of nearly one size, each at most `maximum`: a small last packet
    /// would cost as much as a large one.
    static func balanced(_ bytes: ArraySlice<UInt8>, maximum: Int) -> [ArraySlice<UInt8>] {
        guard !bytes.isEmpty else { return [] }
        let count = (bytes.count + maximum - 1) / maximum
        var pieces: [ArraySlice<UInt8>] = []
        var start = bytes.startIndex
        for index in 0..<count {
            let end = bytes.startIndex + bytes.count * (index + 1) / count
            pieces.append(bytes[start..<end])
            start = end
        }
        return pieces
    }
}

extension MediaCodec {
    /// A packetizer for this codec.
    ///
    /// - Parameter mtu: bytes of the UDP payload, at least 100.
    public func makePacketizer(mtu: Int = 1200) -> any Packetizer {
        switch self {
        case .vp8: VP8Packetizer(mtu: mtu)
        case .vp9: VP9Packetizer(mtu: mtu)
        case .h264: H264Packetizer(mtu: mtu)
        case .av1: AV1Packetizer(mtu: mtu)
        case .opus: OpusPacketizer()
        }
    }
}
