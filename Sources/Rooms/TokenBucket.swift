internal import MediaKernel

/// Lets `burst` pass at once and `rate` a second for long.
struct TokenBucket: Hashable, Sendable {
    private let rate: Int
    private let burst: Int
    private var tokens: Double
    private var refilled: Instant

    init(rate: Int, burst: Int, at now: Instant) {
        self.rate = rate
        self.burst = burst
        tokens = Double(burst)
        refilled = now
    }

    /// Takes one token. Returns whether there was one.
    mutating func take(at now: Instant) -> Bool {
        if now > refilled {
            tokens = min(Double(burst), tokens + (now - refilled).inSeconds * Double(rate))
            refilled = now
        }
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }
}
