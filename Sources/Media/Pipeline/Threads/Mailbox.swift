import Glibc
import MediaKernel

/// A bounded queue between threads. What a full queue means is the sender's to decide: `offer`
/// refuses, `put` waits.
final class Mailbox<Element: Sendable>: @unchecked Sendable {
    // Sendable because every access to `queue` and `isClosed` is under `lock`.

    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var queue: BoundedQueue<Element>
    private var isClosed = false

    /// Whether nobody takes what is still offered.
    var isOver: Bool { locked { isClosed } }

    init(maximum: Int) {
        queue = BoundedQueue(maximum: maximum)
        lock = .allocate(capacity: 1)
        changed = .allocate(capacity: 1)
        pthread_mutex_init(lock, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // Deadlines are instants of the monotonic clock, which nobody sets back.
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

    /// Gives false when as many as `limit` wait already, the queue is full or closed.
    func offer(_ element: Element, below limit: Int = .max) -> Bool {
        locked {
            guard !isClosed, queue.count < limit, queue.append(element) else { return false }
            pthread_cond_broadcast(changed)
            return true
        }
    }

    /// Waits for room. Gives false when the queue is closed.
    @discardableResult
    func put(_ element: Element) -> Bool { put([element]) }

    /// The same for several, for which who takes them is woken once.
    @discardableResult
    func put(_ elements: [Element]) -> Bool {
        locked {
            var isNews = false
            for element in elements {
                while queue.isFull, !isClosed {
                    // Only of what is new: two that wait for room would wake each other for ever.
                    if isNews { pthread_cond_broadcast(changed) }
                    isNews = false
                    pthread_cond_wait(changed, lock)
                }
                guard !isClosed, queue.append(element) else { return false }
                isNews = true
            }
            pthread_cond_broadcast(changed)
            return true
        }
    }

    /// How many wait to be taken.
    var count: Int { locked { queue.count } }

    /// Appends everything that waits to `batch`, waiting for the first until the deadline.
    ///
    /// - Returns: false once the queue is closed and empty.
    func takeAll(into batch: inout [Element], until deadline: Instant?) -> Bool {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        while queue.isEmpty, !isClosed {
            guard let deadline else {
                pthread_cond_wait(changed, lock)
                continue
            }
            var time = timespec(deadline)
            if pthread_cond_timedwait(changed, lock, &time) == ETIMEDOUT { break }
        }
        if queue.isEmpty { return !isClosed }
        while let element = queue.popFirst() { batch.append(element) }
        pthread_cond_broadcast(changed)
        return true
    }

    /// Appends what waits at an instant to `batch`. Nobody is woken for it before.
    ///
    /// - Returns: false once the queue is closed and empty.
    func takeAll(into batch: inout [Element], at instant: Instant) -> Bool {
        var time = timespec(instant)
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
        return takeAll(into: &batch, until: instant)
    }

    /// No more is taken; what waits is still given out.
    func close() {
        locked {
            isClosed = true
            pthread_cond_broadcast(changed)
        }
    }
}

extension timespec {
    /// An instant of the monotonic clock.
    fileprivate init(_ instant: Instant) {
        self.init(
            tv_sec: Int(instant.nanoseconds / 1_000_000_000),
            tv_nsec: Int(instant.nanoseconds % 1_000_000_000))
    }
}
