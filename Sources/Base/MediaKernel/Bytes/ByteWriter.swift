/// Appends big-endian values to an array.
public struct ByteWriter: Sendable {
    public private(set) var bytes: [UInt8]

    public init(reservingCapacity capacity: Int = 0) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    public var count: Int { bytes.count }

    public mutating func write(_ value: UInt8) { bytes.append(value) }

    public mutating func write(_ value: UInt16) {
        bytes.append(UInt8(value >> 8))
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    /// Writes the low 24 bits.
    public mutating func writeUInt24(_ value: UInt32) {
        bytes.append(UInt8(truncatingIfNeeded: value >> 16))
        write(UInt16(truncatingIfNeeded: value))
    }

    public mutating func write(_ value: UInt32) {
        write(UInt16(value >> 16))
        write(UInt16(truncatingIfNeeded: value))
    }

    public mutating func write(_ value: UInt64) {
        write(UInt32(value >> 32))
        write(UInt32(truncatingIfNeeded: value))
    }

    public mutating func write(_ other: some Sequence<UInt8>) { bytes.append(contentsOf: other) }

    /// Writes zeros until the count is a multiple of `alignment`.
    public mutating func pad(toMultipleOf alignment: Int) {
        while !bytes.count.isMultiple(of: alignment) { bytes.append(0) }
    }

    /// Replaces two bytes that were written earlier, such as a length known only at the end.
    public mutating func patch(_ value: UInt16, at offset: Int) {
        bytes[offset] = UInt8(value >> 8)
        bytes[offset + 1] = UInt8(truncatingIfNeeded: value)
    }
}
