import Crypto

/// SHA-256 of bytes that come in stretches.
public struct PartDigest: Sendable {
    private var hash = SHA256()

    public init() {}

    public mutating func update(_ bytes: [UInt8]) { hash.update(data: bytes) }

    /// Of all bytes so far.
    public var bytes: [UInt8] { Array(hash.finalize()) }
}

/// Two small digits a byte, as signatures have digests.
func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}
