import MediaKernel

/// A publisher's own clock, which may run fast or slow. Counts from the moment it was started.
struct PublisherClock: Hashable, Sendable {
    private let start: Instant
    private let wallStart: UnixTime
    private let skew: Int64

    /// - Parameters:
    ///   - wallStart: what the wall clock showed at the start.
    ///   - skew: how much faster than real time it runs, in millionths; one of
    ///     `PublisherConditions.clockSkews`.
    init(start: Instant, wallStart: UnixTime, skew: Int) {
        self.start = start
        self.wallStart = wallStart
        self.skew = Int64(skew)
    }

    /// How much of its own time has passed.
    func elapsed(at now: Instant) -> Duration {
        let real = (now - start).nanoseconds
        return .nanoseconds(real + real / 1_000_000 * skew)
    }

    /// What its own wall clock shows after so much of its own time.
    func wallTime(after elapsed: Duration) -> NTPTime {
        NTPTime(unixNanoseconds: (wallStart + elapsed).nanoseconds)
    }
}
