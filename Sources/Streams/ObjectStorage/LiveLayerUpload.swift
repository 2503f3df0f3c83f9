public import MediaKernel

/// One layer of a live stream on its way into a store while it is on air: each segment as it is
/// cut, and each before the playlist that names it. Facts in, orders out; it knows no network and
/// no disk.
///
/// ```
///  listed ──► put, put, … ──► publish ──► remove, …        one order at a time
///    ▲        what is listed   what is     what left the
///    │        and not there    there       live window
///    └──────────── the newest playlist, whenever it changed
/// ```
/// Nothing waits in a queue here: what is wanted is what the layer's newest playlist lists, so a
/// store that is slow costs no memory, and playlists that nobody saw are never put.
///
/// Invariants: a playlist is ordered as far only as the store has confirmed its segments; what was
/// published never becomes shorter at its end; a segment is removed only after a playlist was
/// published that does not name it, and `margin` more; after a failure nothing is ordered until
/// the pause is over; each order may be repeated without harm; after the last playlist nothing is
/// ordered.
public struct LiveLayerUpload: Sendable {
    /// What must outlive the process. What is lost of it is sent once more.
    public struct Progress: Hashable, Sendable, Codable {
        /// Lowest number of a segment that may be in the store.
        public var first: Int
        /// Behind the highest one that is there.
        public var next: Int
        /// The playlist there says that no segment follows.
        public var isEnded: Bool

        public init(first: Int = 0, next: Int = 0, isEnded: Bool = false) {
            self.first = first
            self.next = next
            self.isEnded = isEnded
        }
    }

    /// To be answered by `succeeded` or `failed` before the next one is asked for.
    public enum Order: Hashable, Sendable {
        /// A segment, by its number.
        case put(Int)
        /// The playlist that was listed, cut behind the segment before this one.
        ///
        /// - isLast: it is whole, and no segment follows.
        case publish(end: Int, isLast: Bool)
        /// A segment, by its number.
        case remove(Int)
    }

    /// Segments between two playlists while there are more: viewers of a store that was away see
    /// how it comes closer.
    public static let batchMaximum = 8
    /// Segments are kept behind the window for as long as it is, since players may still have a
    /// playlist that names them (RFC 8216 sect. 6.2.2), and these more for caches between.
    public static let margin = 2
    public static let firstDelay: Duration = .milliseconds(500)

    public private(set) var progress: Progress
    /// Of the newest playlist; nil before there was one.
    private var listed: Range<Int>?
    private var isListedLast = false
    /// Of the playlist in the store; nil when this process has put none.
    private var published: Range<Int>?
    private var putSincePublished = 0
    private var pause: RetryPause

    /// - Parameters:
    ///   - progress: what an earlier process wrote down.
    ///   - delayMaximum: between two attempts.
    ///   - seed: of the chance in the delays.
    public init(
        progress: Progress = Progress(), delayMaximum: Duration, seed: UInt64
    ) {
        self.progress = progress
        pause = RetryPause(first: Self.firstDelay, maximum: delayMaximum, seed: seed)
    }

    /// Whether there is a playlist in the store, as far as this process knows.
    public var isPublished: Bool { published != nil || progress.isEnded }
    /// Nothing will be ordered any more. Of a layer that ended without a segment, nothing was.
    public var isFinished: Bool {
        progress.isEnded || isListedLast && (listed?.isEmpty ?? false)
    }
    /// Until when nothing is ordered after a failure; nil when nothing is waited for.
    public var pausedUntil: UnixTime? { pause.until }
    /// Failures in a row.
    public var failures: Int { pause.failures }
    /// Segments that are listed and not in the store.
    public var waiting: Int { listed.map { $0.upperBound - start(of: $0) } ?? 0 }

    // MARK: Transitions

    /// The layer's playlist as it is now.
    ///
    /// - Parameters:
    ///   - segments: their numbers.
    ///   - isLast: none will follow.
    public mutating func listed(_ segments: Range<Int>, isLast: Bool) {
        listed = segments
        isListedLast = isLast
    }

    /// What is to be done now; nil for nothing.
    public mutating func next(at now: UnixTime) -> Order? {
        guard !isFinished, let listed, !listed.isEmpty, pause.isOver(at: now) else { return nil }
        let start = start(of: listed)
        // A playlist cut here would name something, and more than the one that is there.
        let hasMore = start > max(listed.lowerBound, published?.upperBound ?? 0)
        if start < listed.upperBound, putSincePublished < Self.batchMaximum || !hasMore {
            return .put(start)
        }
        let isLast = isListedLast && start == listed.upperBound
        if isLast || hasMore {
            return .publish(end: start, isLast: isLast)
        }
        guard let published,
            progress.first < published.lowerBound - published.count - Self.margin
        else { return nil }
        return .remove(progress.first)
    }

    /// The store has confirmed it.
    public mutating func succeeded(_ order: Order) {
        pause.succeeded()
        switch order {
        case .put(let number):
            // What was passed over was never there.
            if progress.first == progress.next { progress.first = number }
            progress.next = number + 1
            putSincePublished += 1
        case .publish(let end, let isLast):
            published = min(listed?.lowerBound ?? end, end)..<end
            putSincePublished = 0
            progress.isEnded = isLast
        case .remove(let number):
            progress.first = number + 1
        }
    }

    public mutating func failed(at now: UnixTime) { pause.failed(at: now) }

    /// The first segment of a playlist that is not in the store, or its end.
    private func start(of listed: Range<Int>) -> Int {
        min(max(progress.next, listed.lowerBound), listed.upperBound)
    }
}
