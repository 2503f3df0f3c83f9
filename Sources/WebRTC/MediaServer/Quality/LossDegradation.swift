import MediaKernel

/// When a way loses too many packets for videos.
public struct LossDegradationRule: Sendable, Hashable {
    /// Share of packets above which it does, 0…1.
    public var threshold: Double
    /// For how long it must, before each step down.
    public var degradeGrace: Duration
    /// For how long it must not, before each step up.
    public var recoverGrace: Duration

    public init(threshold: Double, degradeGrace: Duration, recoverGrace: Duration) {
        self.threshold = threshold
        self.degradeGrace = degradeGrace
        self.recoverGrace = recoverGrace
    }
}

/// Takes videos from a subscriber whose way loses too many packets, the least important first, and
/// gives them back when it loses fewer. 100ms: `subscribeDegradation` of a role.
///
/// Each step takes half of those that are left, and gives back half of those that were taken: of
/// 25 videos the last goes in the fifth step. Pure.
struct LossDegradation {
    /// Videos that the subscriber gets nothing of.
    private(set) var taken = 0
    private var isTooMuch = false
    /// When the loss went over or under the threshold, or the last step was made since.
    private var since: Instant?

    /// - Parameters:
    ///   - loss: share of packets lost lately, 0…1; nil when nothing is known, as where nothing
    ///     is sent, which counts as none.
    ///   - videos: how many the subscriber wants.
    mutating func update(loss: Double?, videos: Int, rule: LossDegradationRule?, at now: Instant) {
        guard let rule else {
            self = LossDegradation()
            return
        }
        let wasTooMuch = isTooMuch
        isTooMuch = (loss ?? 0) > rule.threshold
        taken = min(taken, videos)
        guard let since, wasTooMuch == isTooMuch else {
            since = now
            return
        }
        guard now - since >= (isTooMuch ? rule.degradeGrace : rule.recoverGrace) else { return }
        self.since = now
        if isTooMuch {
            taken += (videos - taken + 1) / 2
        } else {
            taken /= 2
        }
    }
}
