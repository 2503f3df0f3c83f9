import MediaKernel

/// A publisher's own clock, which may run fast or slow. It counts from its start.
struct PublisherClock: Hashable, Sendable {
    private let start: Instant
    private let wallStart: UnixTime
    private let skew: Int64

    /// - Parameters:
    ///   - wallStart: the wall clock at the start.
    ///   - skew: how much faster than real time it runs, in millionths; one of
    ///     `PublisherConditions.clockSkews`.
    init(start: Instant, wallStart: UnixTime, skew: Int) {
        self.start = start
        self.wallStart = wallStart
        self.skew = Int64(skew)
    }

    /// The elapsed time on this clock.
    func elapsed(at now: Instant) -> Duration {
        let real = (now - start).nanoseconds
        return .nanoseconds(real + real / 1_000_000 * skew)
    }

    /// This clock's wall time after an elapsed time of its own.
    func wallTime(after elapsed: Duration) -> NTPTime {
        NTPTime(unixNanoseconds: (wallStart + elapsed).nanoseconds)
    }
}
