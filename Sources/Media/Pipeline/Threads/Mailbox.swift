import Glibc
public import MediaKernel

/// A bounded queue between threads. The sender decides how to treat a full queue: `offer` refuses,
/// `put` waits.
public final class Mailbox<Element: Sendable>: @unchecked Sendable {
    // Sendable because every access to `queue` and `isClosed` is under `lock`.

    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>
    private var queue: BoundedQueue<Element>
    private var isClosed = false

    /// Whether the queue is closed, so that it takes nothing more.
    public var isOver: Bool { locked { isClosed } }

    public init(maximum: Int) {
        queue = BoundedQueue(maximum: maximum)
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

    /// Returns false when `limit` elements already wait, or the queue is full or closed.
    public func offer(_ element: Element, below limit: Int = .max) -> Bool {
        locked {
            guard !isClosed, queue.count < limit, queue.append(element) else { return false }
            pthread_cond_broadcast(changed)
            return true
        }
    }

    /// Waits for room. Returns false when the queue is closed.
    @discardableResult
    public func put(_ element: Element) -> Bool { put([element]) }

    /// The same for several elements, which wake the reader once.
    @discardableResult
    func put(_ elements: [Element]) -> Bool {
        locked {
            var isNews = false
            for element in elements {
                while queue.isFull, !isClosed {
                    // Only for new elements: two writers that wait for room would wake each other
                    // for ever.
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

    /// The number of waiting elements.
    var count: Int { locked { queue.count } }

    /// Appends all waiting elements to `batch`, waiting for the first until the deadline.
    ///
    /// - Returns: false once the queue is closed and empty.
    public func takeAll(into batch: inout [Element], until deadline: Instant?) -> Bool {
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

    /// Appends the elements that wait at an instant to `batch`. The thread does not wake before
    /// that.
    ///
    /// - Returns: false once the queue is closed and empty.
    func takeAll(into batch: inout [Element], at instant: Instant) -> Bool {
        var time = timespec(instant)
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
        return takeAll(into: &batch, until: instant)
    }

    /// Refuses new elements; the waiting ones can still be taken.
    public func close() {
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
