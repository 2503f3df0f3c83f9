import Glibc
import Synchronization

/// Looks whether recordings can be kept in a directory: whether its disk answers, lets us write, and
/// has space. Not in line behind what else the disk does.
final class DirectoryCheck: Sendable {
    static let answerTimeout = Duration.seconds(5)
    /// Of free space, in bytes: minutes of a few calls.
    static let freeMinimum: UInt64 = 1 << 30

    private let directory: String
    private let timeout: Duration
    private let look: @Sendable () -> String?
    /// Whether a look has not come back: one thread at a time may hang.
    private let isLooking = Mutex(false)

    /// - Parameter look: what is wrong with the directory; may hang. Nil for the look at the disk.
    init(
        _ directory: String, timeout: Duration = answerTimeout,
        look: (@Sendable () -> String?)? = nil
    ) {
        self.directory = directory
        self.timeout = timeout
        self.look = look ?? { Self.fault(of: directory) }
    }

    /// Why recordings cannot be kept; nil if they can.
    func fault() async -> String? {
        let isFree = isLooking.withLock { isLooking in
            defer { isLooking = true }
            return !isLooking
        }
        let silence = "\(directory): the recordings directory does not answer"
        guard isFree else { return silence }
        let answer = await BlockingCall.run(atMost: timeout) { [self] in
            defer { isLooking.withLock { $0 = false } }
            return look()
        }
        guard let fault = answer else { return silence }
        return fault
    }

    /// One that is not there yet is made for the first recording.
    static func fault(of directory: String, freeMinimum: UInt64 = freeMinimum) -> String? {
        if access(directory, W_OK | X_OK) != 0, errno != ENOENT {
            return "\(directory): \(String(cString: strerror(errno)))"
        }
        let existing = DirectorySpace.nearest(to: directory)
        var figures = statvfs()
        guard statvfs(existing, &figures) == 0 else {
            return "\(directory): \(String(cString: strerror(errno)))"
        }
        // Some file systems do not count.
        guard figures.f_blocks > 0 else { return nil }
        let free = UInt64(figures.f_bavail) * UInt64(figures.f_frsize)
        guard free < freeMinimum else { return nil }
        return "\(directory): \(free >> 20) MiB are free, \(freeMinimum >> 20) MiB are needed"
    }
}
