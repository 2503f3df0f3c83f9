import MediaKernel

/// Decides when to request a key frame: at once, then at doubling intervals until one arrives.
///
/// A decoder that cannot use the key frames it gets must not cause a flood of requests: a new need
/// is requested one shortest pause after the last request, at the earliest.
struct KeyframeRequestTimer: Sendable {
    static let pauseMinimum: Duration = .milliseconds(200)
    static let pauseMaximum: Duration = .seconds(2)

    /// When the next request is due; nil while none is needed.
    private(set) var due: Instant?
    private var pause = pauseMinimum
    private var lastAsked: Instant?

    /// A key frame is needed; requests it now, unless a request is already under way.
    mutating func needed(at now: Instant) {
        let earliest = lastAsked.map { $0 + Self.pauseMinimum } ?? now
        due = due ?? max(now, earliest)
    }

    /// A key frame seems to be arriving: makes no request before `time`.
    mutating func postpone(until time: Instant) { due = max(due ?? time, time) }

    /// A key frame has arrived.
    mutating func satisfied() {
        due = nil
        pause = Self.pauseMinimum
    }

    /// Whether to ask now.
    mutating func poll(at now: Instant) -> Bool {
        guard let due, due <= now else { return false }
        lastAsked = now
        self.due = now + pause
        pause = min(pause * 2, Self.pauseMaximum)
        return true
    }
}
