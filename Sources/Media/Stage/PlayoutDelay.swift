import MediaKernel

/// Bounds of the time between capture and presentation, as seen by a peer's fastest packets.
public struct PlayoutDelayRange: Hashable, Sendable {
    /// What a perfect network gets.
    public var minimum: Duration
    /// Where a peer begins of whom nothing is known.
    public var initial: Duration
    /// What jitter and retransmission may cost at most; what comes later than this is late.
    public var maximum: Duration

    /// Bounds in disorder are put in order.
    public init(
        minimum: Duration = .milliseconds(60), initial: Duration = .milliseconds(150),
        maximum: Duration = .milliseconds(500)
    ) {
        self.minimum = max(.zero, minimum)
        self.maximum = max(self.minimum, maximum)
        self.initial = min(max(self.minimum, initial), self.maximum)
    }

    /// A delay that does not adapt.
    public static func fixed(_ delay: Duration) -> PlayoutDelayRange {
        PlayoutDelayRange(minimum: delay, initial: delay, maximum: delay)
    }
}

/// One peer's playout delay: as long as its slowest packets need, quick to grow, slow to shrink.
///
/// What is needed is told at every arrival. What cannot be heard is done at once; the rest at a
/// pace that the sound can follow by being stretched, so that sound and picture stay together.
struct PlayoutDelay: Sendable {
    let range: PlayoutDelayRange
    /// Nanoseconds.
    private(set) var current: Int64
    /// What the delay has grown at the pace, less what it has shrunk, in nanoseconds.
    private(set) var slid: Int64 = 0
    private var lastUpdate: Instant?

    /// Nanoseconds per second. A resampler at its limit of half a percent makes 5 ms a second.
    static let pace: Int64 = 4_000_000
    /// Time for which one update accounts at most: a pause must not become a step.
    private static let updateMaximum: Int64 = 100_000_000

    init(_ range: PlayoutDelayRange) {
        self.range = range
        current = range.initial.nanoseconds
    }

    func clamped(_ needed: Int64) -> Int64 {
        max(range.minimum.nanoseconds, min(needed, range.maximum.nanoseconds))
    }

    /// What the delay is counted from has moved by itself. As far as that is no loss, the delay
    /// makes up for it, so that nothing moves for who watches.
    ///
    /// To an earlier time it makes up for all of it, needed or not: what is too much then goes at
    /// the pace that the sound can follow. At once it would go from the clock only, and the sound
    /// would be late on the picture for as long as it takes to catch up.
    mutating func originMoved(by distance: Int64, needed: Int64) {
        let maximum = range.maximum.nanoseconds
        current =
            distance > 0
            ? max(min(current, clamped(needed)), current &- distance)
            : min(maximum, current &- max(distance, -maximum))
    }

    /// Approaches what is needed.
    ///
    /// - Parameter isFree: a longer delay is not heard, or was heard already: it may grow at once.
    /// - Returns: nanoseconds by which the delay has grown, 0 when it shrank or stayed.
    mutating func update(needed: Int64, isFree: Bool, at now: Instant) -> Int64 {
        let elapsed = now.nanoseconds - (lastUpdate ?? now).nanoseconds
        // A picture that had to wait for another one tells of when it arrived, which was before.
        lastUpdate = max(now, lastUpdate ?? now)
        let step = Self.pace / 1000 * (max(0, min(elapsed, Self.updateMaximum)) / 1000) / 1000
        let difference = clamped(needed) - current
        let isJump = difference > 0 && isFree
        let change = isJump ? difference : max(-step, min(difference, step))
        current += change
        if !isJump { slid &+= change }
        return max(0, change)
    }
}
