import HTTPTypes
import MediaKernel
import NIOCore

/// A part or a segment in memory, shared by all its viewers.
struct EdgeFile: Sendable {
    let bytes: ByteBuffer
    let modified: UnixTime
    /// All but the caching.
    let headers: HTTPFields

    /// Reads a whole file. Blocks.
    ///
    /// - Returns: nil for a file that is longer than the maximum, or cannot be read.
    init?(reading file: OriginFile, kind: OriginPath.Kind, maximum: Int) {
        guard file.byteCount <= Int64(maximum),
            let bytes = file.read(at: 0, count: Int(file.byteCount)),
            bytes.count == Int(file.byteCount)
        else { return nil }
        self.init(
            bytes: ByteBuffer(bytes: bytes), kind: kind, entityTag: file.entityTag,
            modified: file.modified)
    }

    /// - Parameter entityTag: that of the file, so that both answers are one resource.
    init(bytes: ByteBuffer, kind: OriginPath.Kind, entityTag: String, modified: UnixTime) {
        self.bytes = bytes
        self.modified = modified
        headers = Origin.rangeHeaders(
            Origin.headers(kind: kind, tag: "\"\(entityTag)\""), modified: modified)
    }
}
