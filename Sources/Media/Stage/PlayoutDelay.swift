import MediaKernel

/// Bounds of the time between capture and presentation, as seen by a peer's fastest packets.
public struct PlayoutDelayRange: Hashable, Sendable {
    /// The delay on a perfect network.
    public var minimum: Duration
    /// The first delay of a peer about which nothing is known.
    public var initial: Duration
    /// The most that jitter and retransmission may cost; media that takes longer is late.
    public var maximum: Duration

    /// Bounds in the wrong order are sorted.
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
/// Each arrival reports the needed delay. Inaudible changes are made at once; others at a pace that
/// the sound can follow by being stretched, so that sound and picture stay together.
struct PlayoutDelay: Sendable {
    let range: PlayoutDelayRange
    /// Nanoseconds.
    private(set) var current: Int64
    /// How far the delay has grown at the pace, less how far it has shrunk, in nanoseconds.
    private(set) var slid: Int64 = 0
    private var lastUpdate: Instant?

    /// Nanoseconds per second. A resampler at its limit of half a percent makes 5 ms a second.
    static let pace: Int64 = 4_000_000
    /// The most time that one update accounts for: a pause must not become a step.
    private static let updateMaximum: Int64 = 100_000_000

    init(_ range: PlayoutDelayRange) {
        self.range = range
        current = range.initial.nanoseconds
    }

    func clamped(_ needed: Int64) -> Int64 {
        max(range.minimum.nanoseconds, min(needed, range.maximum.nanoseconds))
    }

    /// The origin of the delay has moved by itself. The delay makes up for the move as far as that
    /// is no loss, so that nothing moves for viewers.
    ///
    /// It makes up for the whole of a move to an earlier time, needed or not: the excess then
    /// shrinks at the pace that the sound can follow. If it shrank at once, only the clock would
    /// move, and the sound would be late on the picture until it has caught up.
    mutating func originMoved(by distance: Int64, needed: Int64) {
        let maximum = range.maximum.nanoseconds
        current =
            distance > 0
            ? max(min(current, clamped(needed)), current &- distance)
            : min(maximum, current &- max(distance, -maximum))
    }

    /// Approaches the needed delay.
    ///
    /// - Parameter isFree: a longer delay is inaudible, or was heard already: it may grow at once.
    /// - Returns: nanoseconds by which the delay has grown, 0 when it shrank or stayed.
    mutating func update(needed: Int64, isFree: Bool, at now: Instant) -> Int64 {
        let elapsed = now.nanoseconds - (lastUpdate ?? now).nanoseconds
        // A picture that waited for another one reports its arrival, which was earlier.
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
