/// Joins VP9 payloads to pictures, each with all its spatial layers. RFC 9628.
///
/// If a picture has several layer frames, appends the superframe index (VP9 bitstream
/// specification, annex B), because the payload format leaves it out and some decoders split only
/// by it.
public struct VP9Depacketizer: Depacketizer {
    /// The most spatial layers, and so layer frames, in one picture.
    static let layerFramesMaximum = 8

    public init() {}

    public func beginsFrame(_ payload: ArraySlice<UInt8>) -> Bool {
        guard let (descriptor, rest) = try? VP9PayloadDescriptor.parse(payload) else {
            return false
        }
        return descriptor.startsLayerFrame && !rest.isEmpty
    }

    public mutating func assemble(
        _ payloads: [ArraySlice<UInt8>]
    ) throws(RTPError) -> DepacketizedFrame {
        var data: [UInt8] = []
        data.reserveCapacity(payloads.reduce(40) { $0 + $1.count })
        var layerFrameStarts: [Int] = []
        var isKeyframe = false
        var sizes: [PictureSize] = []
        var highestLayer = 0
        for (index, payload) in payloads.enumerated() {
            let (descriptor, rest) = try VP9PayloadDescriptor.parse(payload)
            guard !rest.isEmpty else { throw .malformedPayload(.vp9, .empty) }
            if descriptor.startsLayerFrame {
                guard layerFrameStarts.count < Self.layerFramesMaximum else {
                    throw .malformedPayload(.vp9, .invalidLength)
                }
                layerFrameStarts.append(data.count)
            }
            if index == 0 {
                guard descriptor.startsLayerFrame else {
                    throw .malformedPayload(.vp9, .noStart)
                }
                isKeyframe = descriptor.startsKeyPicture
            }
            if let structure = descriptor.structure { sizes = structure.sizes }
            highestLayer = max(highestLayer, Int(descriptor.layer?.spatial ?? 0))
            data.append(contentsOf: rest)
        }
        guard isKeyframe else { return finish(data, layerFrameStarts, false, nil) }
        // Upper layers are not key frames by themselves, so only the descriptor states their size.
        let size =
            highestLayer < sizes.count
            ? sizes[highestLayer] : VP9FrameHeader.size(of: data[...])
        return finish(data, layerFrameStarts, true, size)
    }

    private func finish(
        _ data: [UInt8], _ starts: [Int], _ isKeyframe: Bool, _ size: PictureSize?
    ) -> DepacketizedFrame {
        var data = data
        if starts.count > 1 { Self.appendSuperframeIndex(to: &data, starts: starts) }
        return DepacketizedFrame(data: data, isKeyframe: isKeyframe, size: size)
    }

    /// ```
    /// | 1 1 0 | bytes per size - 1 (2) | frames - 1 (3) |  sizes, little-endian  | same byte |
    /// ```
    private static func appendSuperframeIndex(to data: inout [UInt8], starts: [Int]) {
        let ends = starts.dropFirst() + [data.count]
        let sizes = zip(starts, ends).map { $1 - $0 }
        let largest = sizes.max() ?? 0
        var bytesPerSize = 1
        while bytesPerSize < 4, largest >> (8 * bytesPerSize) > 0 { bytesPerSize += 1 }
        let marker = 0xC0 | UInt8(bytesPerSize - 1) << 3 | UInt8(sizes.count - 1)
        data.append(marker)
        for size in sizes {
            for byte in 0..<bytesPerSize {
                data.append(UInt8(truncatingIfNeeded: size >> (8 * byte)))
            }
        }
        data.append(marker)
    }
}
