public import MediaKernel

/// The pause after an attempt that failed: doubled from failure to failure, and up to a quarter more
/// by chance, so that many do not come back at once.
public struct RetryPause: Sendable {
    /// In a row.
    public private(set) var failures = 0
    /// Nil when nothing is waited for.
    public private(set) var until: UnixTime?
    private let first: Duration
    private let maximum: Duration
    private var random: SeededRandom

    /// - Parameters:
    ///   - first: after one failure.
    ///   - maximum: however many there are.
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

    /// The next failure is the first one again. A pause that goes on stays: others may have failed
    /// meanwhile.
    public mutating func succeeded() { failures = 0 }

    /// Whether the next attempt may be made.
    public mutating func isOver(at now: UnixTime) -> Bool {
        if let until, now < until { return false }
        until = nil
        return true
    }
}
