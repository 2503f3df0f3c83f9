import MediaKernel

/// The descriptor before the VP8 bytes in every packet. RFC 7741 sect. 4.2.
///
/// ```
/// |X|R|N|S|R| PID |
/// X:  |I|L|T|K| RSV   |
/// I:  |M| PictureID   |   M: | PictureID, low 8 bits |
/// L:  |   TL0PICIDX   |
/// T/K:|TID|Y| KEYIDX  |
/// ```
public struct VP8PayloadDescriptor: Hashable, Sendable {
    /// N: no other frame refers to this one.
    public var isNonReference = false
    /// S: the first packet of a partition.
    public var startsPartition = false
    /// PID: the partition, 0 ... 7.
    public var partition: UInt8 = 0
    /// 15 bits (or 7), rises by one with each frame.
    public var pictureID: UInt16?
    /// Whether the picture ID takes two bytes; it must not change within a stream.
    public var hasLongPictureID = true
    /// Counts the frames of temporal layer 0.
    public var temporalLayerZeroIndex: UInt8?
    /// TID and Y: the temporal layer, 0 ... 3, and whether it depends on layer 0 only.
    public var temporalLayer: (index: UInt8, isSync: Bool)? {
        get { layer.map { ($0.index, $0.isSync) } }
        set { layer = newValue.map { Layer(index: $0.index, isSync: $0.isSync) } }
    }
    /// 5 bits.
    public var keyIndex: UInt8?
    private var layer: Layer?

    private struct Layer: Hashable, Sendable {
        var index: UInt8
        var isSync: Bool
    }

    public init() {}

    /// Whether a frame begins in this packet.
    public var startsFrame: Bool { startsPartition && partition == 0 }

    /// Parses the descriptor and returns the bytes after it.
    public static func parse(
        _ payload: ArraySlice<UInt8>
    ) throws(RTPError) -> (descriptor: VP8PayloadDescriptor, rest: ArraySlice<UInt8>) {
        var reader = ByteReader(payload)
        do throws(TruncatedInput) {
            let descriptor = try VP8PayloadDescriptor(&reader)
            return (descriptor, reader.readRest())
        } catch {
            throw RTPError(error)
        }
    }

    private init(_ reader: inout ByteReader) throws(TruncatedInput) {
        let first = try reader.readUInt8()
        isNonReference = first & 0x20 != 0
        startsPartition = first & 0x10 != 0
        partition = first & 0x07
        guard first & 0x80 != 0 else { return }
        let present = try reader.readUInt8()
        if present & 0x80 != 0 {
            let high = try reader.readUInt8()
            hasLongPictureID = high & 0x80 != 0
            let low = hasLongPictureID ? try reader.readUInt8() : 0
            pictureID =
                hasLongPictureID ? UInt16(high & 0x7F) << 8 | UInt16(low) : UInt16(high)
        }
        if present & 0x40 != 0 { temporalLayerZeroIndex = try reader.readUInt8() }
        if present & 0x30 != 0 {
            let byte = try reader.readUInt8()
            if present & 0x20 != 0 {
                layer = Layer(index: byte >> 6, isSync: byte & 0x20 != 0)
            }
            if present & 0x10 != 0 { keyIndex = byte & 0x1F }
        }
    }

    public func serialized() -> [UInt8] {
        var present: UInt8 = 0
        if pictureID != nil { present |= 0x80 }
        if temporalLayerZeroIndex != nil { present |= 0x40 }
        if layer != nil { present |= 0x20 }
        if keyIndex != nil { present |= 0x10 }
        var bytes: [UInt8] = [
            (present != 0 ? 0x80 : 0) | (isNonReference ? 0x20 : 0)
                | (startsPartition ? 0x10 : 0) | partition & 0x07
        ]
        guard present != 0 else { return bytes }
        bytes.append(present)
        if let pictureID {
            if hasLongPictureID {
                bytes.append(bigEndian: pictureID | 0x8000)
            } else {
                bytes.append(UInt8(pictureID & 0x7F))
            }
        }
        if let temporalLayerZeroIndex { bytes.append(temporalLayerZeroIndex) }
        if layer != nil || keyIndex != nil {
            let index = (layer?.index ?? 0) & 3
            bytes.append(
                index << 6 | (layer?.isSync == true ? 0x20 : 0) | (keyIndex ?? 0) & 0x1F)
        }
        return bytes
    }
}
