import MediaKernel

/// One track's RTP clock on the stream's clock: `presentation = media time + base`.
///
/// The media time is counted from the first timestamp, in nanoseconds. The base follows a target
/// that the peer's `SourceClock` sets, by bounded steps and slowly enough that a later timestamp
/// never gets an earlier instant.
struct TrackClock: Sendable {
    let clockRate: Int
    /// Whether the track is audio.
    let isSound: Bool
    var reports = ReportMapping()
    private(set) var delays = DelayWindow()
    /// Delays until packets could be used, negated: the minimum is the slowest one.
    private var readiness = DelayWindow(seconds: readinessSeconds)
    /// Nanoseconds to add to media time to get its presentation; nil before the first arrival.
    private(set) var base: Int64?
    private(set) var lastArrival: Instant?
    /// How often media time began to count from a new first timestamp.
    private(set) var beginnings = 0

    private var origin: Int64 = 0
    private var firstArrival = Instant.zero
    /// The latest media time that has arrived.
    private var highest: Int64 = 0
    /// Since when every packet has come too late for its presentation.
    private var lateSince: Instant?

    /// A delay that shrinks by more at once means that the sender's timestamps have jumped forward.
    private static let earlyLimit: Int64 = 1_000_000_000
    /// A packet that is later than this means that the sender's timestamps have jumped back, or
    /// stood still.
    private static let lateLimit: Int64 = 5_000_000_000
    /// The most timestamp ticks from the origin, so that nanoseconds fit at every clock rate.
    private static let ticksMaximum: Int64 = 1 << 45
    /// When all packets have been late for this long, the path or the clock has changed for good.
    private static let latePatience: Int64 = 2_000_000_000
    /// After such a pause a jump is not visible.
    private static let pause: Int64 = 2_000_000_000
    private static let pauseJump: Int64 = 200_000_000
    /// A young track moves to its place quickly; viewers are not used to it yet.
    private static let youth: Int64 = 3_000_000_000
    /// Nanoseconds of correction per second of stream.
    private static let smallRate: Int64 = 20_000_000
    private static let youngRate: Int64 = 250_000_000
    private static let largestRate: Int64 = 500_000_000
    /// Corrections above this may be noticeable.
    private static let smallCorrection: Int64 = 40_000_000
    /// For how long a slow packet is remembered.
    private static let readinessSeconds: Int64 = 20

    init(clockRate: Int, isSound: Bool) {
        precondition(clockRate > 0, "an RTP clock runs forward")
        self.clockRate = clockRate
        self.isSound = isSound
    }

    /// The longest time that a recent packet took until it could be used, in nanoseconds on top of
    /// its media time.
    var slowest: Int64? { readiness.minimum.map { -$0 } }

    /// Nanoseconds since the first timestamp, nil when it is absurdly far away.
    func mediaTime(_ timestamp: Int64) -> Int64? {
        let (ticks, overflow) = timestamp.subtractingReportingOverflow(origin)
        guard !overflow, ticks.magnitude < UInt64(Self.ticksMaximum) else { return nil }
        return scaledDown(ticks, by: nanosecondsPerSecond, over: Int64(clockRate))
    }

    /// Notes an arrival. The caller then calls `follow` with the new target.
    ///
    /// - Parameters:
    ///   - ready: when the packet could be used: later than `now` if it had to wait for others.
    ///   - playout: the peer's playout delay in nanoseconds, which the base includes.
    mutating func arrived(
        _ timestamp: Int64, ready: Instant, playout: Int64, at now: Instant
    ) {
        guard let base, let media = mediaTime(timestamp) else {
            restart(at: timestamp, playout: playout, now: now)
            return
        }
        let delay = now.nanoseconds - media
        let lateness = delay - (base - playout)
        guard lateness > -Self.earlyLimit, lateness < Self.lateLimit else {
            restart(at: timestamp, playout: playout, now: now)
            return
        }
        delays.add(delay, at: now)
        readiness.add(-max(delay, ready.nanoseconds - media), at: now)
        guard lateness > playout else {
            lateSince = nil
            return
        }
        let since = lateSince ?? now
        lateSince = since
        if now.nanoseconds - since.nanoseconds >= Self.latePatience { delays.forget(before: since) }
    }

    /// Delays all presentations from now on.
    mutating func postpone(by nanoseconds: Int64) { base = base.map { $0 + nanoseconds } }

    /// Moves the base towards its target, as far as the time since the last arrival allows.
    mutating func follow(target: Int64, timestamp: Int64, at now: Instant) {
        guard let base, let media = mediaTime(timestamp) else { return }
        let elapsed = max(0, now.nanoseconds - (lastArrival ?? now).nanoseconds)
        let advance = max(0, media - highest)
        let difference = target - base
        let magnitude = abs(difference)
        lastArrival = now
        highest = max(highest, media)
        if elapsed >= Self.pause, magnitude > Self.pauseJump {
            self.base = max(target, base - advance)
            return
        }
        var rate = magnitude <= Self.smallCorrection ? Self.smallRate : magnitude
        if now.nanoseconds - firstArrival.nanoseconds < Self.youth {
            rate = max(rate, Self.youngRate)
        }
        // A second's worth at most: a longer silence must not become one large step.
        let step = min(rate, Self.largestRate) / 1000 * min(elapsed / 1_000_000, 1000)
        // For a later base the picture waits; for an earlier one, by at most half of the media's
        // own advance.
        self.base =
            difference >= 0
            ? base + min(difference, step) : base - min(magnitude, step, advance / 2)
    }

    /// A timestamp far out of order: a new publication on the same track. The presentation goes on
    /// from where it was; reports of the old timestamps mean nothing any more.
    private mutating func restart(at timestamp: Int64, playout: Int64, now: Instant) {
        let presented = base.map { $0 + highest }
        beginnings += 1
        origin = timestamp
        highest = 0
        reports = ReportMapping()
        delays = DelayWindow()
        delays.add(now.nanoseconds, at: now)
        readiness = DelayWindow(seconds: Self.readinessSeconds)
        readiness.add(-now.nanoseconds, at: now)
        lateSince = nil
        firstArrival = now
        lastArrival = now
        let due = now.nanoseconds + playout
        base = max(due, presented ?? due)
    }

    /// Values from before the instant belong to a relation that no longer holds.
    mutating func forgetDelays(before instant: Instant) {
        delays.forget(before: instant)
        readiness.forget(before: instant)
    }
}
