import Glibc

/// The right to write into a stream's directory: a bot holds it while it lives, then a finisher.
///
/// The kernel gives it back when the process that holds it ends, however that ends. So after a
/// server's death the next one's finisher waits for the bot that is still writing.
public final class StreamLock: Sendable {
    static let fileName = ".lock"
    private let file: Int32

    private init(file: Int32) { self.file = file }

    /// Where it is, in a directory.
    public static func path(in directory: String) -> String { "\(directory)/\(fileName)" }

    /// Never waits.
    ///
    /// - Parameter directory: of the stream; it exists.
    /// - Returns: nil while somebody else holds it.
    /// - Throws: `.file`.
    public static func take(in directory: String) throws(RecordingError) -> StreamLock? {
        let path = path(in: directory)
        // Closed when a program is started, or that program would hold it too.
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
