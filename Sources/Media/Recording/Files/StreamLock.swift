import Glibc

/// The right to write into a stream's directory: its bot holds it, then a finisher.
///
/// The kernel releases it when the holding process ends, however that happens. So after a server's
/// death the next server's finisher waits for the bot that is still writing.
public final class StreamLock: Sendable {
    static let fileName = ".lock"
    private let file: Int32

    private init(file: Int32) { self.file = file }

    /// The lock file's path in a directory.
    public static func path(in directory: String) -> String { "\(directory)/\(fileName)" }

    /// Never waits.
    ///
    /// - Parameter directory: of the stream; must exist.
    /// - Returns: nil while another process holds it.
    /// - Throws: `.file`.
    public static func take(in directory: String) throws(RecordingError) -> StreamLock? {
        let path = path(in: directory)
        // Closed on exec, so that a started program does not hold the lock too.
        let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard file >= 0 else { throw .failed("open", path) }
        var result: Int32 = 0
        repeat { result = flock(file, LOCK_EX | LOCK_NB) } while result != 0 && errno == EINTR
        guard result == 0 else {
            let code = errno
            close(file)
            guard code == EWOULDBLOCK else { throw .failed("flock", path, code: code) }
            return nil
        }
        return StreamLock(file: file)
    }

    deinit { close(file) }
}
