import Digests
import MediaKernel

/// The entity tag that stores give an object made of parts: the MD5 of the parts' MD5s, and the
/// number of parts. S3 uses it for objects without a customer key, but does not document it. So a
/// different tag proves nothing.
public struct PartsTag: Sendable {
    private var whole = RunningDigest(.md5)
    private var part = RunningDigest(.md5)
    private var count = 0

    public init() {}

    /// Adds bytes to the current part.
    public mutating func update(_ bytes: [UInt8]) { part.update(bytes) }

    public mutating func endPart() {
        whole.update(part.hash)
        part = RunningDigest(.md5)
        count += 1
    }

    /// Whether the tag of all parts so far equals this header.
    public func matches(_ header: String) -> Bool {
        let tag = "\(Hexadecimal.text(whole.hash))-\(count)"
        return header.lowercased().filter { $0 != "\"" } == tag
    }
}
