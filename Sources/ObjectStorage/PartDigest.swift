import Crypto

/// SHA-256 of bytes that come in stretches.
public struct PartDigest: Sendable {
    private var hash = SHA256()

    public init() {}

    public mutating func update(_ bytes: [UInt8]) { hash.update(data: bytes) }

    /// Of all bytes so far.
    public var bytes: [UInt8] { Array(hash.finalize()) }
}
