import HTTPTypes
import MediaKernel
import NIOCore

/// A part or a segment in memory, shared by all its viewers.
final class EdgeFile: Sendable {
    let modified: UnixTime
    /// All but the caching.
    let headers: HTTPFields
    /// The answer to whoever wants all of it, below an address that is not signed.
    let whole: EdgeResponse

    var bytes: ByteBuffer { whole.body }

    /// Counts the bytes for as long as anybody has them; nil for those that are not counted.
    var hold: MemoryHold? { whole.hold }

    /// Reads a whole file. Blocks.
    ///
    /// - Parameter memory: counts the bytes.
    /// - Returns: nil for a file that is longer than the maximum, or cannot be read.
    convenience init?(
        reading file: OriginFile, kind: OriginPath.Kind, maximum: Int, in memory: EdgeMemory
    ) {
        guard file.byteCount <= Int64(maximum),
            let bytes = file.read(at: 0, count: Int(file.byteCount)),
            bytes.count == Int(file.byteCount)
        else { return nil }
        self.init(
            bytes: ByteBuffer(bytes: bytes), kind: kind, entityTag: file.entityTag,
            modified: file.modified, hold: MemoryHold(bytes.count, in: memory))
    }

    /// - Parameter entityTag: that of the file, so that both answers are one resource.
    init(
        bytes: ByteBuffer, kind: OriginPath.Kind, entityTag: String, modified: UnixTime,
        hold: MemoryHold? = nil
    ) {
        self.modified = modified
        let headers = Origin.rangeHeaders(
            Origin.headers(kind: kind, tag: "\"\(entityTag)\""), modified: modified)
        self.headers = headers
        var ofWhole = headers
        ofWhole[.cacheControl] = Origin.caching(
            until: nil, at: UnixTime(nanoseconds: 0))
        ofWhole[.contentLength] = String(bytes.readableBytes)
        whole = EdgeResponse(
            status: .ok, headers: ofWhole, body: bytes, hold: hold, isShared: true)
    }
}
