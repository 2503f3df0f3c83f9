/// Splits VP8 frames, with a 15-bit picture ID on each packet. RFC 7741.
public struct VP8Packetizer: Packetizer {
    private let payloadBytesMaximum: Int
    private var pictureID: UInt16
    /// TL0PICIDX of the next frame; nil if the stream carries none.
    private var temporalLayerZeroIndex: UInt8?

    /// - Parameters:
    ///   - mtu: bytes of the UDP payload, at least 100.
    ///   - firstPictureID: where the 15-bit count starts; best at random (RFC 7741 sect. 4.2).
    ///   - countsBaseLayer: whether to write TL0PICIDX, with all frames in temporal layer 0.
    public init(mtu: Int = 1200, firstPictureID: UInt16 = 0, countsBaseLayer: Bool = false) {
        payloadBytesMaximum = PacketBudget.payloadBytes(mtu: mtu)
        pictureID = firstPictureID & 0x7FFF
        temporalLayerZeroIndex = countsBaseLayer ? 0 : nil
    }

    public mutating func packetize(
        frame data: [UInt8], isKeyframe: Bool
    ) -> [(payload: [UInt8], marker: Bool)] {
        guard !data.isEmpty else { return [] }
        var descriptor = VP8PayloadDescriptor()
        descriptor.pictureID = pictureID
        if let temporalLayerZeroIndex {
            descriptor.temporalLayerZeroIndex = temporalLayerZeroIndex
            // TL0PICIDX goes with a temporal layer. RFC 7741 sect. 4.2.
            descriptor.temporalLayer = (index: 0, isSync: isKeyframe)
            self.temporalLayerZeroIndex = temporalLayerZeroIndex &+ 1
        }
        pictureID = (pictureID + 1) & 0x7FFF
        let room = payloadBytesMaximum - descriptor.serialized().count
        let pieces = PacketBudget.balanced(data[...], maximum: room)
        return pieces.enumerated().map { index, piece in
            descriptor.startsPartition = index == 0
            return (descriptor.serialized() + piece, index == pieces.count - 1)
        }
    }
}
