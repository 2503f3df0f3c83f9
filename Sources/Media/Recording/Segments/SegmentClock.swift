/// Converts a segment's timestamps to frames and samples.
public struct SegmentClock: Hashable, Sendable {
    /// Frames per second.
    public var frameRate: Int
    /// The timestamp of frame 0 and sample 0 of the run, in ticks of 90 kHz.
    public var origin: Int64
    /// The first frame of the segment, counted in the run.
    public var firstFrame: Int64

    static let rate: Int64 = 90_000
    /// Timestamps have 33 bits: they wrap around after 26.5 hours.
    private static let period: Int64 = 1 << 33

    public init(frameRate: Int, origin: Int64, firstFrame: Int64) {
        precondition(frameRate > 0, "a stream has frames")
        self.frameRate = frameRate
        self.origin = origin
        self.firstFrame = firstFrame
    }

    /// The frame, counted from the segment's first.
    func frame(at timestamp: Int64) -> Int64 {
        Self.rounded(ticksSinceStart(timestamp) * Int64(frameRate), by: Self.rate)
    }

    /// The sample, counted in the run.
    func sample(at timestamp: Int64, rate: Int) -> Int64 {
        let ticks = startTicks + ticksSinceStart(timestamp)
        return Self.rounded(ticks * Int64(rate), by: Self.rate)
    }

    /// From the run's origin to the segment's first frame, rounded to a tick.
    private var startTicks: Int64 {
        Self.rounded(firstFrame * Self.rate, by: Int64(frameRate))
    }

    /// The shortest distance from the segment's start; it is far below half a period.
    private func ticksSinceStart(_ timestamp: Int64) -> Int64 {
        let difference = (timestamp - origin - startTicks) & (Self.period - 1)
        return difference >= Self.period / 2 ? difference - Self.period : difference
    }

    private static func rounded(_ value: Int64, by divisor: Int64) -> Int64 {
        let doubled = 2 * value + divisor
        let quotient = doubled / (2 * divisor)
        return doubled % (2 * divisor) < 0 ? quotient - 1 : quotient
    }
}
