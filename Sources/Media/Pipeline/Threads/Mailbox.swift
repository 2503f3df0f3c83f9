import Glibc
public import MediaKernel

/// A bounded queue between threads. The sender decides how to treat a full queue: `offer` refuses,
/// `put` waits.
public final class Mailbox<Element: Sendable>: @unchecked Sendable {
    // Sendable because every access to `queue` and `isClosed` is under the monitor's lock.

    private let monitor = Monitor()
    private var queue: BoundedQueue<Element>
    private var isClosed = false

    /// Whether the queue is closed, so that it takes nothing more.
    public var isOver: Bool { monitor.locked { isClosed } }

    public init(maximum: Int) { queue = BoundedQueue(maximum: maximum) }

    /// Returns false when `limit` elements already wait, or the queue is full or closed.
    public func offer(_ element: Element, below limit: Int = .max) -> Bool {
        monitor.locked {
            guard !isClosed, queue.count < limit, queue.append(element) else { return false }
            monitor.notify()
            return true
        }
    }

    /// Waits for room. Returns false when the queue is closed.
    @discardableResult
    public func put(_ element: Element) -> Bool { put([element]) }

    /// The same for several elements, which wake the reader once.
    @discardableResult
    func put(_ elements: [Element]) -> Bool {
        monitor.locked {
            var isNews = false
            for element in elements {
                while queue.isFull, !isClosed {
                    // Only for new elements: two writers that wait for room would wake each other
                    // for ever.
                    if isNews { monitor.notify() }
                    isNews = false
                    monitor.wait()
                }
                guard !isClosed, queue.append(element) else { return false }
                isNews = true
            }
            monitor.notify()
            return true
        }
    }

    /// The number of waiting elements.
    var count: Int { monitor.locked { queue.count } }

    /// Appends all waiting elements to `batch`, waiting for the first until the deadline.
    ///
    /// - Returns: false once the queue is closed and empty.
    public func takeAll(into batch: inout [Element], until deadline: Instant?) -> Bool {
        monitor.locked {
            while queue.isEmpty, !isClosed, monitor.wait(until: deadline) {}
            if queue.isEmpty { return !isClosed }
            while let element = queue.popFirst() { batch.append(element) }
            monitor.notify()
            return true
        }
    }

    /// Appends the elements that wait at an instant to `batch`. The thread does not wake before
    /// that.
    ///
    /// - Returns: false once the queue is closed and empty.
    public func takeAll(into batch: inout [Element], at instant: Instant) -> Bool {
        var time = timespec(instant)
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
        return takeAll(into: &batch, until: instant)
    }

    /// Refuses new elements; the waiting ones can still be taken.
    public func close() {
        monitor.locked {
            isClosed = true
            monitor.notify()
        }
    }
}
