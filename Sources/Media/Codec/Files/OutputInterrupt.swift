internal import CLibAV
import Synchronization

/// Ends the blocking calls of a connection at a deadline.
public final class OutputInterrupt: Sendable {
    /// In microseconds of libavutil's monotonic clock.
    private let deadline = Atomic<Int64>(.max)

    public init() {}

    /// Calls end this long after now.
    public func expire(after time: Duration) {
        let parts = time.components
        let microseconds = parts.seconds * 1_000_000 + parts.attoseconds / 1_000_000_000_000
        deadline.store(av_gettime_relative() + microseconds, ordering: .relaxed)
    }

    /// Whether a call has to end now.
    var isDue: Bool { av_gettime_relative() >= deadline.load(ordering: .relaxed) }
}
