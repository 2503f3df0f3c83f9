internal import COpenSSL

/// A slow hash for passwords that costs memory as well as time (RFC 7914).
public struct Scrypt: Hashable, Sendable {
    /// The cost as a power of two: `2^exponent` rounds over `2^exponent × 1024` bytes.
    public let exponent: Int

    /// 128 × this many bytes for each step of the cost.
    static let blockSize: UInt64 = 8
    static let lanes: UInt64 = 1
    /// 16 KiB to 256 MiB: a file from elsewhere must not take all memory.
    public static let exponents = 4...18

    /// Nil for a cost that is out of range.
    public init?(exponent: Int) {
        guard Self.exponents.contains(exponent) else { return nil }
        self.init(exponent)
    }

    private init(_ exponent: Int) { self.exponent = exponent }

    /// 32 MiB, and about a tenth of a second: each guess costs an attacker the same.
    public static let standard = Scrypt(15)

    /// Of 32 bytes; empty, and so never valid, if there is no memory for it or while the process
    /// ends (``Digest/hash(_:)``).
    public func hash(_ password: [UInt8], salt: [UInt8]) -> [UInt8] {
        let rounds = UInt64(1) << UInt64(exponent)
        // As much as it needs, and some for OpenSSL's own.
        let memory = 128 * Self.blockSize * (rounds + Self.lanes + 2) + (1 << 20)
        return [UInt8](unsafeUninitializedCapacity: Self.byteCount) { bytes, count in
            let result = password.withUnsafeBytes { password in
                EVP_PBE_scrypt(
                    password.baseAddress?.assumingMemoryBound(to: CChar.self),
                    password.count, salt, salt.count, rounds, Self.blockSize, Self.lanes, memory,
                    bytes.baseAddress, Self.byteCount)
            }
            count = result == 1 ? Self.byteCount : 0
            if result != 1 { ERR_clear_error() }
        }
    }

    public static let byteCount = 32
}
