import Codec
import Glibc
import MediaKernel

/// One output's packets on their way from the layer's thread to its own. The layer never waits.
final class PushQueue: @unchecked Sendable {
    // Sendable because every access to the stored values is under `lock`.

    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var backlog = PushBacklog()
    private var hasEnded = false

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

    private func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return body()
    }

    func append(picture packet: EncodedPacket) {
        locked {
            backlog.append(picture: packet)
            pthread_cond_signal(changed)
        }
    }

    func append(sound packets: [EncodedPacket]) {
        locked {
            for packet in packets { backlog.append(sound: packet) }
            pthread_cond_signal(changed)
        }
    }

    func open() { locked { backlog.open() } }

    func close() { locked { backlog.close() } }

    /// Pictures that no connection will get.
    var picturesDropped: Int { locked { backlog.picturesDropped } }

    /// No more packets come.
    func end() {
        locked {
            hasEnded = true
            pthread_cond_broadcast(changed)
        }
    }

    var isOver: Bool { locked { hasEnded } }

    /// Waits until the instant, or the end.
    func sleep(until deadline: Instant) {
        locked { wait(until: deadline) { hasEnded } }
    }

    /// The next packet, for which it waits until the instant; nil when none came.
    func next(until deadline: Instant) -> PushBacklog.Item? {
        locked {
            wait(until: deadline) { hasEnded || !backlog.isEmpty }
            return backlog.popFirst()
        }
    }

    /// Under the lock.
    private func wait(until deadline: Instant, _ isOver: () -> Bool) {
        var time = timespec(
            tv_sec: Int(deadline.nanoseconds / 1_000_000_000),
            tv_nsec: Int(deadline.nanoseconds % 1_000_000_000))
        while !isOver(), pthread_cond_timedwait(changed, lock, &time) != ETIMEDOUT {}
    }
}
