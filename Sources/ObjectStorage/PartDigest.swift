import Crypto
import MediaKernel

/// SHA-256 of bytes that come in stretches.
public struct PartDigest: Sendable {
    private var hash = SHA256()

    public init() {}

    public mutating func update(_ bytes: [UInt8]) { hash.update(data: bytes) }

    /// Of all bytes so far.
    public var bytes: [UInt8] { Array(hash.finalize()) }
}

/// The entity tag that stores give an object made of parts: the MD5 of the parts' MD5s, and their
/// number. S3 has it so without a key of one's own; no document promises it, so another tag says
/// nothing.
public struct PartsTag: Sendable {
    private var whole = Insecure.MD5()
    private var part = Insecure.MD5()
    private var count = 0

    public init() {}

    /// More bytes of the part.
    public mutating func update(_ bytes: [UInt8]) { part.update(data: bytes) }

    public mutating func endPart() {
        part.finalize().withUnsafeBytes { whole.update(bufferPointer: $0) }
        part = Insecure.MD5()
        count += 1
    }

    /// Whether it is this header's, of all parts so far.
    public func matches(_ header: String) -> Bool {
        let tag = "\(Hexadecimal.text(Array(whole.finalize())))-\(count)"
        return header.lowercased().filter { $0 != "\"" } == tag
    }
}
