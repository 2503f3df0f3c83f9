import MediaKernel

/// How long to wait before the next attempt to connect. RFC 6120 sect. 3.3: random, and longer
/// after each failure.
public struct Backoff: Sendable {
    public static let first = Duration.seconds(1)
    public static let longest = Duration.seconds(60)

    private var bound = Self.first

    public init() {}

    /// Between half the bound and the bound, so that the clients of a server that comes back do
    /// not all come at once.
    public mutating func next(using random: inout some RandomNumberGenerator) -> Duration {
        let wait = Int64.random(in: bound.nanoseconds / 2...bound.nanoseconds, using: &random)
        bound = min(bound * 2, Self.longest)
        return .nanoseconds(wait)
    }

    /// After a stream that was ready.
    public mutating func reset() { bound = Self.first }
}
