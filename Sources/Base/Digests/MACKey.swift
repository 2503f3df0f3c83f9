internal import COpenSSL

/// A key with which only its holders can make and verify message codes: HMAC (RFC 2104).
public struct MACKey: Sendable {
    private let bytes: [UInt8]
    private let digest: Digest

    public init(_ bytes: [UInt8], digest: Digest = .sha256) {
        self.bytes = bytes
        self.digest = digest
    }

    /// As long as the hash; empty, and so never valid, while the process ends
    /// (``Digest/hash(_:)``).
    public func code(of message: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: digest.byteCount) { code, count in
            let result = HMAC(
                digest.function, bytes, Int32(bytes.count), message, message.count,
                code.baseAddress, nil)
            count = result == nil ? 0 : digest.byteCount
        }
    }

    /// Takes the same time wherever a wrong code differs.
    public func isValid(_ code: [UInt8], of message: [UInt8]) -> Bool {
        let right = self.code(of: message)
        return code.count == digest.byteCount && right.count == code.count
            && CRYPTO_memcmp(code, right, code.count) == 0
    }
}
