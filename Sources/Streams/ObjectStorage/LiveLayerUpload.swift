public import MediaKernel

/// The upload of one layer of a live stream while it is on air. Each segment is uploaded as soon as
/// it is cut, and before the playlist that names it. Facts in, orders out; no network or disk
/// access.
///
/// ```
///  listed ──► put, put, … ──► publish ──► remove, …        one order at a time
///    ▲        what is listed   what is     what left the
///    │        and not there    there       live window
///    └──────────── the newest playlist, whenever it changed
/// ```
/// There is no queue: the layer's newest playlist determines what to upload. So a slow store costs
/// no memory, and superseded playlists are never put.
///
/// Invariants: a published playlist ends before the first segment that the store has not confirmed;
/// the end of the published playlist never moves back; a segment is removed only when the published
/// playlist no longer names it and `margin` more segments have passed; after a failure there are no
/// orders until the pause is over; each order may be repeated without harm; there are no orders
/// after the last playlist.
public struct LiveLayerUpload: Sendable {
    /// The state that must outlive the process. Lost progress only causes repeated uploads.
    public struct Progress: Hashable, Sendable, Codable {
        /// The lowest segment number that may be in the store.
        public var first: Int
        /// One more than the highest segment number in the store.
        public var next: Int
        /// The playlist in the store says that no segment follows.
        public var isEnded: Bool

        public init(first: Int = 0, next: Int = 0, isEnded: Bool = false) {
            self.first = first
            self.next = next
            self.isEnded = isEnded
        }
    }

    /// Must be answered with `succeeded` or `failed` before the next order is requested.
    public enum Order: Hashable, Sendable {
        /// A segment, by its number.
        case put(Int)
        /// The newest playlist, cut off before segment `end`.
        ///
        /// - isLast: the playlist is complete, and no segment follows.
        case publish(end: Int, isLast: Bool)
        /// A segment, by its number.
        case remove(Int)
    }

    /// The most segments between two playlists during a backlog, so that viewers see progress after
    /// an outage of the store.
    public static let batchMaximum = 8
    /// Segments stay for one more window after they leave it, since players may still have a
    /// playlist that names them (RFC 8216 sect. 6.2.2), plus this many for caches in between.
    public static let margin = 2
    public static let firstDelay: Duration = .milliseconds(500)

    public private(set) var progress: Progress
    /// The segments of the newest playlist; nil before the first one.
    private var listed: Range<Int>?
    private var isListedLast = false
    /// The segments of the playlist in the store; nil if this process has put none.
    private var published: Range<Int>?
    private var putSincePublished = 0
    private var pause: RetryPause

    /// - Parameters:
    ///   - progress: saved by an earlier process.
    ///   - delayMaximum: the longest pause between two attempts.
    ///   - seed: for the random part of the pauses.
    public init(
        progress: Progress = Progress(), delayMaximum: Duration, seed: UInt64
    ) {
        self.progress = progress
        pause = RetryPause(first: Self.firstDelay, maximum: delayMaximum, seed: seed)
    }

    /// Whether there is a playlist in the store, as far as this process knows.
    public var isPublished: Bool { published != nil || progress.isEnded }
    /// No more orders will come. A layer that ended without a segment never had any.
    public var isFinished: Bool {
        progress.isEnded || isListedLast && (listed?.isEmpty ?? false)
    }
    /// No orders come until this time after a failure; nil if there is no pause.
    public var pausedUntil: UnixTime? { pause.until }
    /// Failures in a row.
    public var failures: Int { pause.failures }
    /// The listed segments that are not yet in the store.
    public var waiting: Int { listed.map { $0.upperBound - start(of: $0) } ?? 0 }

    // MARK: Transitions

    /// Takes the layer's current playlist.
    ///
    /// - Parameters:
    ///   - segments: their numbers.
    ///   - isLast: no segments will follow.
    public mutating func listed(_ segments: Range<Int>, isLast: Bool) {
        listed = segments
        isListedLast = isLast
    }

    /// The next order, or nil if there is nothing to do.
    public mutating func next(at now: UnixTime) -> Order? {
        guard !isFinished, let listed, !listed.isEmpty, pause.isOver(at: now) else { return nil }
        let start = start(of: listed)
        // A playlist cut here would not be empty, and would be longer than the published one.
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

    /// The store has confirmed the order.
    public mutating func succeeded(_ order: Order) {
        pause.succeeded()
        switch order {
        case .put(let number):
            // Skipped segments were never in the store.
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

    /// The first segment of a playlist that is not in the store, or the playlist's end.
    private func start(of listed: Range<Int>) -> Int {
        min(max(progress.next, listed.lowerBound), listed.upperBound)
    }
}
