import MediaKernel
import NIOPosix
import Streams

/// The hidden files that bots leave beside streams: what a page has left, and the preview.
struct StreamFiles: Sendable {
    /// More than any of them has, in bytes.
    private static let bytesMaximum: Int64 = 16 << 20

    struct Content: Sendable {
        var bytes: [UInt8]
        var modified: UnixTime
    }

    /// The directory of all streams.
    let root: String

    /// Nil for a file that is missing, too large, or a link: a bot writes it, and it is given out.
    func content(of name: String, beside stream: LiveStream) async throws -> Content? {
        let components = stream.directory.split(separator: "/").map(String.init) + [name]
        return try await NIOThreadPool.singleton.runIfActive { [root] in
            guard let file = OriginFile.open(components, in: root),
                file.byteCount <= Self.bytesMaximum,
                let bytes = file.read(at: 0, count: Int(file.byteCount))
            else { return nil }
            return Content(bytes: bytes, modified: file.modified)
        }
    }
}
