import Glibc

/// The version of a file. It changes when the file is written, replaced by a rename, or grows.
public struct FileVersion: Hashable, Sendable {
    public let byteCount: Int64
    private let node: UInt64
    private let seconds: Int
    private let nanoseconds: Int

    /// Nil if the file does not exist.
    public init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        byteCount = Int64(status.st_size)
        node = UInt64(status.st_ino)
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }
}
