import Clocks
import MediaKernel
import Synchronization

/// Lets so many tries of room codes pass, whoever makes them: behind a proxy all callers look the
/// same.
final class RoomCodeGate: Sendable {
    private let bucket: Mutex<TokenBucket>
    private let clock: @Sendable () -> Instant

    init(
        rate: Int = Limits.roomCodesPerSecond, burst: Int = Limits.roomCodesBurst,
        clock: @escaping @Sendable () -> Instant = { MonotonicClock.now }
    ) {
        bucket = Mutex(TokenBucket(rate: rate, burst: burst, at: clock()))
        self.clock = clock
    }

    func pass() -> Bool { bucket.withLock { $0.take(at: clock()) } }
}
