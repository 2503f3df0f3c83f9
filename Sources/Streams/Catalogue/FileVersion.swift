import Glibc

/// Which version of a file is there: another one when the file was written, renamed into place or
/// grew.
public struct FileVersion: Hashable, Sendable {
    public let byteCount: Int64
    private let node: UInt64
    private let seconds: Int
    private let nanoseconds: Int

    /// Nil when there is no such file.
    public init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        byteCount = Int64(status.st_size)
        node = UInt64(status.st_ino)
        seconds = status.st_mtim.tv_sec
        nanoseconds = status.st_mtim.tv_nsec
    }
}
