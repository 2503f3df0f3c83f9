/// The CRC-32 of ISO 3309, used by STUN, gzip, zip and the recordings' logs.
///
/// Eight bytes at a time ("slicing by 8"): fast enough to check whole recordings as they are read.
public struct CRC32: Hashable, Sendable {
    private var remainder: UInt32 = 0xFFFF_FFFF

    public init() {}

    /// The checksum of all bytes so far.
    public var value: UInt32 { ~remainder }

    public static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var checksum = CRC32()
        checksum.update(bytes)
        return checksum.value
    }

    public mutating func update(_ bytes: some Sequence<UInt8>) {
        let isDone: Void? = bytes.withContiguousStorageIfAvailable {
            update(UnsafeRawBufferPointer($0))
        }
        if isDone == nil { Array(bytes).withUnsafeBytes { update($0) } }
    }

    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        var remainder = remainder
        Self.tables.withUnsafeBufferPointer { table in
            var position = 0
            while position + 8 <= bytes.count {
                let word = UInt64(
                    littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
                var mixed = word ^ UInt64(remainder)
                remainder = 0
                for byte in stride(from: 7, through: 0, by: -1) {
                    remainder ^= table[byte << 8 | Int(mixed & 0xFF)]
                    mixed >>= 8
                }
                position += 8
            }
            while position < bytes.count {
                let index = Int((remainder ^ UInt32(bytes[position])) & 0xFF)
                remainder = table[index] ^ remainder >> 8
                position += 1
            }
        }
        self.remainder = remainder
    }

    /// Table *n*, at 256 n, is for a byte followed by n more.
    private static let tables: [UInt32] = {
        var tables: [UInt32] = (0..<256).map { index in
            (0..<8).reduce(UInt32(index)) { remainder, _ in
                remainder & 1 == 1 ? remainder >> 1 ^ 0xEDB8_8320 : remainder >> 1
            }
        }
        for index in 256..<2048 {
            let before = tables[index - 256]
            tables.append(tables[Int(before & 0xFF)] ^ before >> 8)
        }
        return tables
    }()
}
