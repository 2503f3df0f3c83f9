/// The CRC of ISO 3309, as FINGERPRINT uses it. RFC 8489 sect. 14.7.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { remainder, _ in
            remainder & 1 == 1 ? remainder >> 1 ^ 0xEDB8_8320 : remainder >> 1
        }
    }

    static func checksum(_ bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(0xFFFF_FFFF) { remainder, byte in
            table[Int((remainder ^ UInt32(byte)) & 0xFF)] ^ remainder >> 8
        }
    }
}
