import Digests
import MediaKernel

/// The entity tag that stores give an object made of parts: the MD5 of the parts' MD5s, and their
/// number. S3 has it so without a key of one's own; no document promises it, so another tag says
/// nothing.
public struct PartsTag: Sendable {
    private var whole = RunningDigest(.md5)
    private var part = RunningDigest(.md5)
    private var count = 0

    public init() {}

    /// More bytes of the part.
    public mutating func update(_ bytes: [UInt8]) { part.update(bytes) }

    public mutating func endPart() {
        whole.update(part.hash)
        part = RunningDigest(.md5)
        count += 1
    }

    /// Whether it is this header's, of all parts so far.
    public func matches(_ header: String) -> Bool {
        let tag = "\(Hexadecimal.text(whole.hash))-\(count)"
        return header.lowercased().filter { $0 != "\"" } == tag
    }
}
