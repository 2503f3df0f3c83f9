/// Writes the boxes of ISO/IEC 14496-12: a size, a type of four characters, the content.
struct BoxWriter {
    private(set) var bytes: [UInt8] = []

    mutating func box(_ type: StaticString, _ content: (inout BoxWriter) -> Void) {
        precondition(type.utf8CodeUnitCount == 4, "a box's type has four characters")
        let start = bytes.count
        write(UInt32(0))
        type.withUTF8Buffer { bytes += $0 }
        content(&self)
        let size = UInt32(truncatingIfNeeded: bytes.count - start)
        for (index, shift) in [24, 16, 8, 0].enumerated() {
            bytes[start + index] = UInt8(truncatingIfNeeded: size >> UInt32(shift))
        }
    }

    /// A box with a version and flags. Sect. 4.2.
    mutating func fullBox(
        _ type: StaticString, version: UInt8 = 0, flags: UInt32 = 0,
        _ content: (inout BoxWriter) -> Void
    ) {
        box(type) {
            $0.write(UInt32(version) << 24 | flags)
            content(&$0)
        }
    }

    mutating func write(_ value: UInt8) { bytes.append(value) }

    mutating func write(_ value: UInt16) {
        bytes.append(UInt8(value >> 8))
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    mutating func write(_ value: UInt32) {
        write(UInt16(value >> 16))
        write(UInt16(truncatingIfNeeded: value))
    }

    mutating func write(_ value: UInt64) {
        write(UInt32(value >> 32))
        write(UInt32(truncatingIfNeeded: value))
    }

    mutating func write(_ more: [UInt8]) { bytes += more }

    mutating func write(text: StaticString) { text.withUTF8Buffer { bytes += $0 } }

    mutating func zeros(_ count: Int) { bytes += repeatElement(0, count: count) }

    /// A time in a box whose version determines its width.
    mutating func write(_ time: UInt64, isLong: Bool) {
        if isLong { write(time) } else { write(UInt32(time)) }
    }
}
