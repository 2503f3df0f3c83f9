import ICE

/// A plain HMAC-SHA1 (FIPS 180-4, RFC 2104), so that these tests need no library.
struct TestAuthenticator: MessageAuthenticator {
    func hmacSHA1(key: [UInt8], message: [UInt8]) -> [UInt8] {
        var block = key.count > 64 ? Self.sha1(key) : key
        block += [UInt8](repeating: 0, count: 64 - block.count)
        let inner = Self.sha1(block.map { $0 ^ 0x36 } + message)
        return Self.sha1(block.map { $0 ^ 0x5C } + inner)
    }

    static func sha1(_ message: [UInt8]) -> [UInt8] {
        var padded = message + [0x80]
        while padded.count % 64 != 56 { padded.append(0) }
        let bitCount = UInt64(message.count) * 8
        padded += (0..<8).map { UInt8(truncatingIfNeeded: bitCount >> (56 - 8 * $0)) }
        var h: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        for start in stride(from: 0, to: padded.count, by: 64) {
            var w = (0..<16).map { word -> UInt32 in
                let bytes = padded[(start + word * 4)..<(start + word * 4 + 4)]
                return bytes.reduce(0) { $0 << 8 | UInt32($1) }
            }
            for i in 16..<80 { w.append(rotate(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1)) }
            var (a, b, c, d, e) = (h[0], h[1], h[2], h[3], h[4])
            for i in 0..<80 {
                let (f, k): (UInt32, UInt32)
                switch i {
                case 0..<20: (f, k) = (b & c | ~b & d, 0x5A82_7999)
                case 20..<40: (f, k) = (b ^ c ^ d, 0x6ED9_EBA1)
                case 40..<60: (f, k) = (b & c | b & d | c & d, 0x8F1B_BCDC)
                default: (f, k) = (b ^ c ^ d, 0xCA62_C1D6)
                }
                (a, b, c, d, e) = (rotate(a, 5) &+ f &+ e &+ k &+ w[i], a, rotate(b, 30), c, d)
            }
            h = zip(h, [a, b, c, d, e]).map { $0 &+ $1 }
        }
        return h.flatMap { word in
            (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) }
        }
    }

    private static func rotate(_ value: UInt32, _ count: UInt32) -> UInt32 {
        value << count | value >> (32 - count)
    }
}
