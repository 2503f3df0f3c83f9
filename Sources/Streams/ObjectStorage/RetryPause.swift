public import MediaKernel

/// The pause after a failed attempt. It doubles with each failure, plus up to a quarter at random,
/// so that clients do not all return at once.
public struct RetryPause: Sendable {
    /// Consecutive failures.
    public private(set) var failures = 0
    /// Nil if there is no pause.
    public private(set) var until: UnixTime?
    private let first: Duration
    private let maximum: Duration
    private var random: SeededRandom

    /// - Parameters:
    ///   - first: the pause after one failure.
    ///   - maximum: the longest pause.
    public init(first: Duration, maximum: Duration, seed: UInt64) {
        self.first = first
        self.maximum = maximum
        random = SeededRandom(seed: seed)
    }

    public mutating func failed(at now: UnixTime) {
        let base = min(first.nanoseconds << min(failures, 16), maximum.nanoseconds)
        failures += 1
        until = now + .nanoseconds(base + Int64.random(in: 0...base / 4, using: &random))
    }

    /// Resets the count of failures. A running pause stays, since other attempts may have failed
    /// meanwhile.
    public mutating func succeeded() { failures = 0 }

    /// Whether the next attempt may be made.
    public mutating func isOver(at now: UnixTime) -> Bool {
        if let until, now < until { return false }
        until = nil
        return true
    }
}
