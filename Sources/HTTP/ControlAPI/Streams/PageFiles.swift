import NIOPosix
import Streams

/// What pages of the web leave beside their streams.
struct PageFiles: Sendable {
    /// More than any page's console or picture has, in bytes.
    private static let bytesMaximum: Int64 = 16 << 20

    /// The directory of all streams.
    let root: String

    /// Nil for a file that is missing, too large, or a link: a bot writes it, and it is given out.
    func bytes(of file: PageFile, beside stream: LiveStream) async throws -> [UInt8]? {
        let components = stream.directory.split(separator: "/").map(String.init) + [file.name]
        return try await NIOThreadPool.singleton.runIfActive { [root] in
            guard let file = OriginFile.open(components, in: root),
                file.byteCount <= Self.bytesMaximum
            else { return nil }
            return file.read(at: 0, count: Int(file.byteCount))
        }
    }
}
