/// One OBU, the unit of the AV1 bitstream. AV1 bitstream specification sect. 5.3.
///
/// ```
/// |0| type (4) |X|S|-|  X: extension (8)  |  S: size, leb128  |  payload
/// ```
struct AV1OpenBitstreamUnit {
    enum Kind {
        static let sequenceHeader: UInt8 = 1
        static let temporalDelimiter: UInt8 = 2
        static let frameHeader: UInt8 = 3
        static let frame: UInt8 = 6
        static let tileList: UInt8 = 8
        static let padding: UInt8 = 15
    }

    static let temporalDelimiter: [UInt8] = [Kind.temporalDelimiter << 3 | 0x02, 0]

    let header: UInt8
    let extensionByte: UInt8?
    let payload: ArraySlice<UInt8>

    var kind: UInt8 { header >> 3 & 0x0F }

    /// Parses one unit that fills these bytes, with or without a size field. Nil if it does not
    /// fit, or if the bit that must be zero is set.
    init?(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        guard let unit = Self(from: &rest), rest.isEmpty else { return nil }
        self = unit
    }

    /// Parses the unit at the start of a stream, in which all but the last must have a size field.
    init?(from bytes: inout ArraySlice<UInt8>) {
        guard let header = bytes.popFirst(), header & 0x80 == 0 else { return nil }
        self.header = header
        if header & 0x04 != 0 {
            guard let byte = bytes.popFirst() else { return nil }
            extensionByte = byte
        } else {
            extensionByte = nil
        }
        guard header & 0x02 != 0 else {
            payload = bytes
            bytes = bytes[bytes.endIndex...]
            return
        }
        guard let size = Self.readLEB128(&bytes), size <= bytes.count else { return nil }
        payload = bytes.prefix(size)
        bytes = bytes.dropFirst(size)
    }

    /// Appends the unit in the low-overhead format: with its size.
    func write(into bytes: inout [UInt8]) {
        bytes.append(header | 0x02)
        if let extensionByte { bytes.append(extensionByte) }
        Self.appendLEB128(payload.count, to: &bytes)
        bytes.append(contentsOf: payload)
    }

    /// The unit as an RTP element carries it: without its size.
    var withoutSize: [UInt8] {
        [header & ~0x02] + (extensionByte.map { [$0] } ?? []) + payload
    }

    /// Reads a number of at most 32 bits. AV1 bitstream specification sect. 4.10.5.
    static func readLEB128(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        var value: UInt64 = 0
        for index in 0..<8 {
            guard let byte = bytes.popFirst() else { return nil }
            value |= UInt64(byte & 0x7F) << UInt64(index * 7)
            if byte & 0x80 == 0 { return value <= UInt64(UInt32.max) ? Int(value) : nil }
        }
        return nil
    }

    static func appendLEB128(_ value: Int, to bytes: inout [UInt8]) {
        var rest = value
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest & 0x7F) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}
