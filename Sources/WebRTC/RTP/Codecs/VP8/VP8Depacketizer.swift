/// Joins VP8 payloads to frames. RFC 7741.
public struct VP8Depacketizer: Depacketizer {
    public init() {}

    public func beginsFrame(_ payload: ArraySlice<UInt8>) -> Bool {
        guard let (descriptor, rest) = try? VP8PayloadDescriptor.parse(payload) else {
            return false
        }
        return descriptor.startsFrame && !rest.isEmpty
    }

    public mutating func assemble(
        _ payloads: [ArraySlice<UInt8>]
    ) throws(RTPError) -> DepacketizedFrame {
        var data: [UInt8] = []
        data.reserveCapacity(payloads.reduce(0) { $0 + $1.count })
        for (index, payload) in payloads.enumerated() {
            let (descriptor, rest) = try VP8PayloadDescriptor.parse(payload)
            guard !rest.isEmpty else { throw .malformedPayload(.vp8, .empty) }
            guard descriptor.startsFrame == (index == 0) else {
                throw .malformedPayload(.vp8, index == 0 ? .noStart : .brokenFragment)
            }
            data.append(contentsOf: rest)
        }
        guard let header = VP8FrameHeader(data[...]) else {
            throw .malformedPayload(.vp8, .empty)
        }
        return DepacketizedFrame(data: data, isKeyframe: header.isKeyframe, size: header.size)
    }
}

/// The uncompressed start of a VP8 frame. RFC 6386 sect. 9.1.
///
/// ```
/// | P (1: not a key frame), version (3), show (1), first partition's size (19); little-endian |
/// key frames:  | 9D 01 2A | width (14), scale (2) | height (14), scale (2) |
/// ```
struct VP8FrameHeader {
    let isKeyframe: Bool
    let size: PictureSize?

    /// Nil when there are no bytes.
    init?(_ frame: ArraySlice<UInt8>) {
        guard let first = frame.first else { return nil }
        isKeyframe = first & 1 == 0
        let bytes = Array(frame.prefix(10))
        guard isKeyframe, bytes.count == 10, bytes[3...5] == [0x9D, 0x01, 0x2A] else {
            size = nil
            return
        }
        size = PictureSize(
            width: Int(bytes[7] & 0x3F) << 8 | Int(bytes[6]),
            height: Int(bytes[9] & 0x3F) << 8 | Int(bytes[8]))
    }
}
