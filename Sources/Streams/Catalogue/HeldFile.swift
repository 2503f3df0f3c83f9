import Glibc

/// Detects whether a file or directory is still the one that was opened. If somebody deletes or
/// replaces it, processes that have it open notice nothing, and nobody finds what they write.
public final class HeldFile: Sendable {
    /// The fate of a lost file.
    public enum Loss: Hashable, Sendable, CustomStringConvertible {
        /// Nothing is at the path any more.
        case deleted
        /// Another file is at the path.
        case replaced
        /// The path is inaccessible, with this errno.
        case unreachable(Int32)

        public var description: String {
            switch self {
            case .deleted: "deleted"
            case .replaced: "replaced by another"
            case .unreachable(let code): String(cString: strerror(code))
            }
        }
    }

    /// O_PATH, which the headers declare for GNU sources only. It keeps the inode, so that its
    /// number is not reused. Closing it does not release SQLite's locks, unlike closing a file that
    /// is open for reading (fcntl(2), advisory record locking).
    private static let pathAlone: Int32 = 0o10_000_000

    public let path: String
    private let file: Int32

    /// Nil if nothing is at the path.
    public init?(_ path: String) {
        let file = open(path, Self.pathAlone | O_CLOEXEC)
        guard file >= 0 else { return nil }
        self.path = path
        self.file = file
    }

    deinit { close(file) }

    /// Nil while the file is in place. Becomes nil again if the file returns, as after a rename.
    public var loss: Loss? {
        var here = stat()
        var there = stat()
        guard stat(path, &there) == 0 else {
            return errno == ENOENT || errno == ENOTDIR ? .deleted : .unreachable(errno)
        }
        guard fstat(file, &here) == 0 else { return .unreachable(errno) }
        // A deleted file has no links left, whatever is at the path now.
        guard here.st_nlink > 0, here.st_dev == there.st_dev, here.st_ino == there.st_ino else {
            return .replaced
        }
        return nil
    }
}
