/// Splits VP9 frames in non-flexible mode, one spatial and one temporal layer. RFC 9628.
///
/// The first packet of a key frame carries the scalability structure with the picture's size.
public struct VP9Packetizer: Packetizer {
    private let payloadBytesMaximum: Int
    private var pictureID: UInt16

    /// - Parameters:
    ///   - mtu: bytes of the UDP payload, at least 100.
    ///   - firstPictureID: where the 15-bit count starts; best at random.
    public init(mtu: Int = 1200, firstPictureID: UInt16 = 0) {
        payloadBytesMaximum = PacketBudget.payloadBytes(mtu: mtu)
        pictureID = firstPictureID & 0x7FFF
    }

    public mutating func packetize(
        frame data: [UInt8], isKeyframe: Bool
    ) -> [(payload: [UInt8], marker: Bool)] {
        guard !data.isEmpty else { return [] }
        var descriptor = VP9PayloadDescriptor()
        descriptor.pictureID = pictureID
        descriptor.isInterPicturePredicted = !isKeyframe
        pictureID = (pictureID + 1) & 0x7FFF
        let structure =
            isKeyframe
            ? VP9FrameHeader.size(of: data[...]).map(VP9ScalabilityStructure.init(size:)) : nil
        descriptor.structure = structure
        let room = payloadBytesMaximum - descriptor.serialized().count
        let pieces = PacketBudget.balanced(data[...], maximum: room)
        return pieces.enumerated().map { index, piece in
            descriptor.startsLayerFrame = index == 0
            descriptor.endsLayerFrame = index == pieces.count - 1
            descriptor.structure = index == 0 ? structure : nil
            return (descriptor.serialized() + piece, index == pieces.count - 1)
        }
    }
}
