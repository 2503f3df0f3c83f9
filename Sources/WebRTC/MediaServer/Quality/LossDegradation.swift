import MediaKernel

/// Defines when a path loses too many packets for video.
public struct LossDegradationRule: Sendable, Hashable {
    /// Share of packets lost above which videos are taken, 0…1.
    public var threshold: Double
    /// How long the loss must stay above the threshold before each step down.
    public var degradeGrace: Duration
    /// How long the loss must stay below the threshold before each step up.
    public var recoverGrace: Duration

    public init(threshold: Double, degradeGrace: Duration, recoverGrace: Duration) {
        self.threshold = threshold
        self.degradeGrace = degradeGrace
        self.recoverGrace = recoverGrace
    }
}

/// Takes videos from a subscriber whose path loses too many packets, the least important first, and
/// gives them back when the loss falls.
///
/// Each step down takes half of the remaining videos, and each step up gives back half of those
/// taken: of 25 videos the last goes in the fifth step. Pure.
struct LossDegradation {
    /// The number of videos taken from the subscriber.
    private(set) var taken = 0
    private var isTooMuch = false
    /// The time of the last crossing of the threshold or the last step since.
    private var since: Instant?

    /// - Parameters:
    ///   - loss: share of packets lost recently, 0…1; nil if unknown, for example if nothing is
    ///     sent. Nil counts as no loss.
    ///   - videos: the number of videos that the subscriber wants.
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
