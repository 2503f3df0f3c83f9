/// The first byte of every AV1 payload. AV1 RTP specification sect. 4.4.
///
/// ```
/// |Z|Y| W |N|-|-|-|
/// ```
struct AV1AggregationHeader: Hashable {
    static let bytes = 1

    /// Z: the first element continues the last one of the previous packet.
    var continuesPrevious = false
    /// Y: the last element continues in the next packet.
    var continuesInNext = false
    /// W: the number of elements, of which the last has no length; 0: all have a length.
    var elementCount = 0
    /// N: the first packet of a coded video sequence, which starts with a key frame.
    var startsSequence = false

    init() {}

    init(_ byte: UInt8) {
        continuesPrevious = byte & 0x80 != 0
        continuesInNext = byte & 0x40 != 0
        elementCount = Int(byte >> 4 & 3)
        startsSequence = byte & 0x08 != 0
    }

    var byte: UInt8 {
        (continuesPrevious ? 0x80 : 0) | (continuesInNext ? 0x40 : 0)
            | UInt8(elementCount & 3) << 4 | (startsSequence ? 0x08 : 0)
    }

    /// The elements of a payload, header included; nil when a length does not fit.
    static func elements(of payload: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
        guard let first = payload.first else { return nil }
        let count = AV1AggregationHeader(first).elementCount
        var rest = payload.dropFirst()
        var elements: [ArraySlice<UInt8>] = []
        while !rest.isEmpty {
            if count > 0, elements.count == count - 1 {
                elements.append(rest)
                return elements
            }
            guard let length = AV1OpenBitstreamUnit.readLEB128(&rest), length <= rest.count else {
                return nil
            }
            elements.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return count == 0 || elements.count == count ? elements : nil
    }

    /// The picture size, if the payload holds a whole sequence header.
    static func pictureSize(in payload: ArraySlice<UInt8>) -> PictureSize? {
        for element in elements(of: payload) ?? [] {
            guard let unit = AV1OpenBitstreamUnit(element),
                unit.kind == AV1OpenBitstreamUnit.Kind.sequenceHeader
            else { continue }
            return AV1SequenceHeader(unit.payload)?.size
        }
        return nil
    }
}
