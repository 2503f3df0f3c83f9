/// Lets `burst` pass at once and `rate` a second in the long run.
public struct TokenBucket: Hashable, Sendable {
    private let rate: Int
    private let burst: Int
    private var tokens: Double
    private var refilled: Instant

    public init(rate: Int, burst: Int, at now: Instant) {
        self.rate = rate
        self.burst = burst
        tokens = Double(burst)
        refilled = now
    }

    /// Takes `count` tokens, or none. Returns whether there were enough.
    public mutating func take(_ count: Int = 1, at now: Instant) -> Bool {
        refill(at: now)
        guard tokens >= Double(count) else { return false }
        tokens -= Double(count)
        return true
    }

    /// Takes a token even if none is left: later tokens pay back the debt first.
    public mutating func charge(at now: Instant) {
        refill(at: now)
        tokens -= 1
    }

    private mutating func refill(at now: Instant) {
        guard now > refilled else { return }
        tokens = min(Double(burst), tokens + (now - refilled).inSeconds * Double(rate))
        refilled = now
    }
}
