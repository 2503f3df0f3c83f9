/// Fields of an archive are little-endian. APPNOTE 4.4.1.1.
extension [UInt8] {
    mutating func append(_ value: UInt16) {
        append(UInt8(truncatingIfNeeded: value))
        append(UInt8(value >> 8))
    }

    mutating func append(_ value: UInt32) {
        append(UInt16(truncatingIfNeeded: value))
        append(UInt16(value >> 16))
    }

    mutating func append(_ value: UInt64) {
        append(UInt32(truncatingIfNeeded: value))
        append(UInt32(value >> 32))
    }
}
