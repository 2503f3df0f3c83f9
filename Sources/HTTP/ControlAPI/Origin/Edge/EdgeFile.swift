import HTTPTypes
import MediaKernel
import NIOCore

/// A part or a segment in memory, shared by all its viewers.
struct EdgeFile: Sendable {
    let bytes: ByteBuffer
    let modified: UnixTime
    /// All but the caching.
    let headers: HTTPFields
    /// Counts the bytes for as long as anybody has them; nil for those that are not counted.
    let hold: MemoryHold?

    /// Reads a whole file. Blocks.
    ///
    /// - Parameter memory: counts the bytes.
    /// - Returns: nil for a file that is longer than the maximum, or cannot be read.
    init?(
        reading file: OriginFile, kind: OriginPath.Kind, maximum: Int, in memory: EdgeMemory? = nil
    ) {
        guard file.byteCount <= Int64(maximum),
            let bytes = file.read(at: 0, count: Int(file.byteCount)),
            bytes.count == Int(file.byteCount)
        else { return nil }
        self.init(
            bytes: ByteBuffer(bytes: bytes), kind: kind, entityTag: file.entityTag,
            modified: file.modified, hold: memory.map { MemoryHold(bytes.count, in: $0) })
    }

    /// - Parameter entityTag: that of the file, so that both answers are one resource.
    init(
        bytes: ByteBuffer, kind: OriginPath.Kind, entityTag: String, modified: UnixTime,
        hold: MemoryHold? = nil
    ) {
        self.bytes = bytes
        self.hold = hold
        self.modified = modified
        headers = Origin.rangeHeaders(
            Origin.headers(kind: kind, tag: "\"\(entityTag)\""), modified: modified)
    }
}
