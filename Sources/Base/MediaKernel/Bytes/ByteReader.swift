/// The bytes ended before the value did.
public struct TruncatedInput: Error, Hashable, Sendable {
    /// Bytes that were needed at the place of failure.
    public let needed: Int
    /// Bytes that were left there.
    public let available: Int

    public init(needed: Int, available: Int) {
        self.needed = needed
        self.available = available
    }
}

/// Reads big-endian values from bytes of foreign origin. Never reads past the end.
public struct ByteReader: Sendable {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    public init(_ bytes: [UInt8]) { self.init(bytes[...]) }

    public init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    /// Bytes not yet read.
    public var remaining: Int { bytes.endIndex - position }
    /// Bytes already read.
    public var offset: Int { position - bytes.startIndex }
    public var isAtEnd: Bool { position == bytes.endIndex }

    private func require(_ count: Int) throws(TruncatedInput) {
        guard count >= 0, count <= remaining else {
            throw TruncatedInput(needed: count, available: remaining)
        }
    }

    public mutating func readUInt8() throws(TruncatedInput) -> UInt8 {
        try require(1)
        defer { position += 1 }
        return bytes[position]
    }

    public mutating func readUInt16() throws(TruncatedInput) -> UInt16 {
        UInt16(try readInteger(byteCount: 2))
    }

    public mutating func readUInt24() throws(TruncatedInput) -> UInt32 {
        UInt32(try readInteger(byteCount: 3))
    }

    public mutating func readUInt32() throws(TruncatedInput) -> UInt32 {
        UInt32(try readInteger(byteCount: 4))
    }

    public mutating func readUInt64() throws(TruncatedInput) -> UInt64 {
        try readInteger(byteCount: 8)
    }

    private mutating func readInteger(byteCount: Int) throws(TruncatedInput) -> UInt64 {
        try require(byteCount)
        var value: UInt64 = 0
        for index in position..<(position + byteCount) { value = value << 8 | UInt64(bytes[index]) }
        position += byteCount
        return value
    }

    public mutating func readBytes(_ count: Int) throws(TruncatedInput) -> ArraySlice<UInt8> {
        try require(count)
        defer { position += count }
        return bytes[position..<(position + count)]
    }

    public mutating func readRest() -> ArraySlice<UInt8> {
        defer { position = bytes.endIndex }
        return bytes[position...]
    }

    public mutating func skip(_ count: Int) throws(TruncatedInput) {
        try require(count)
        position += count
    }
}
