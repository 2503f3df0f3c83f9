public import MediaKernel

/// How many lines of its log a bot may report: both it and the server, which does not trust it,
/// count.
public struct LogAllowance: Sendable {
    public static let rate = 10
    public static let burst = 200

    private var bucket: TokenBucket
    private var leftOut = 0

    public init(at now: Instant) {
        bucket = TokenBucket(rate: Self.rate, burst: Self.burst, at: now)
    }

    /// Nil if the line is left out; else how many were, since the last that was not.
    public mutating func take(at now: Instant) -> Int? {
        guard bucket.take(at: now) else {
            leftOut += 1
            return nil
        }
        defer { leftOut = 0 }
        return leftOut
    }
}
