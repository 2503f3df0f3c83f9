import Glibc
import MediaKernel

/// A lock with a condition, for values that one thread changes and another waits for.
final class Monitor: @unchecked Sendable {
    // Sendable because POSIX's own functions are the only access to both.

    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>

    init() {
        lock = .allocate(capacity: 1)
        changed = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // Deadlines are instants of the monotonic clock, which cannot be set back.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(changed)
        pthread_mutex_destroy(lock)
        changed.deallocate()
        lock.deallocate()
    }

    func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body()
    }

    // MARK: Under the lock

    /// Wakes all that wait.
    func notify() { pthread_cond_broadcast(changed) }

    /// Waits for a change, which may not be the wanted one.
    ///
    /// - Parameter deadline: nil for no end.
    /// - Returns: false if the deadline has passed.
    @discardableResult
    func wait(until deadline: Instant? = nil) -> Bool {
        guard let deadline else { return pthread_cond_wait(changed, lock) == 0 }
        var time = timespec(deadline)
        return pthread_cond_timedwait(changed, lock, &time) != ETIMEDOUT
    }
}

extension timespec {
    /// An instant of the monotonic clock.
    init(_ instant: Instant) {
        self.init(
            tv_sec: Int(instant.nanoseconds / 1_000_000_000),
            tv_nsec: Int(instant.nanoseconds % 1_000_000_000))
    }
}
