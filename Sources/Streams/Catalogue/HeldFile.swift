import Glibc

/// A file or directory that is to stay the one that it was when it was opened. Somebody may delete
/// it, or put another one in its place, and who has it open notices nothing: what is written from
/// then on nobody finds.
public final class HeldFile: Sendable {
    /// What became of it.
    public enum Loss: Hashable, Sendable, CustomStringConvertible {
        /// Nothing is at its path any more.
        case deleted
        /// Something else is.
        case replaced
        /// Its path cannot be looked at, with the number of the error.
        case unreachable(Int32)

        public var description: String {
            switch self {
            case .deleted: "deleted"
            case .replaced: "replaced by another"
            case .unreachable(let code): String(cString: strerror(code))
            }
        }
    }

    /// O_PATH, which the headers have for GNU sources only. It keeps the inode, whose number might
    /// else be given to another file. To close it releases no lock that SQLite has, other than to
    /// close a file that is open for reading (fcntl(2), advisory record locking).
    private static let pathAlone: Int32 = 0o10_000_000

    public let path: String
    private let file: Int32

    /// Nil when nothing is there.
    public init?(_ path: String) {
        let file = open(path, Self.pathAlone | O_CLOEXEC)
        guard file >= 0 else { return nil }
        self.path = path
        self.file = file
    }

    deinit { close(file) }

    /// Nil as long as it is where it was. It comes back with the file, as from a rename.
    public var loss: Loss? {
        var here = stat()
        var there = stat()
        guard stat(path, &there) == 0 else {
            return errno == ENOENT || errno == ENOTDIR ? .deleted : .unreachable(errno)
        }
        guard fstat(file, &here) == 0 else { return .unreachable(errno) }
        // One that was deleted has no links left, whatever lies there now.
        guard here.st_nlink > 0, here.st_dev == there.st_dev, here.st_ino == there.st_ino else {
            return .replaced
        }
        return nil
    }
}
