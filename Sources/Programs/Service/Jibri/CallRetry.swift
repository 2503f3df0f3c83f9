import MediaKernel

/// When something that has failed is tried again: ever later, and not for ever. What is left then is
/// the next start's.
struct CallRetry: Hashable, Sendable {
    static let pauseMaximum = Duration.seconds(600)
    /// Of putting a file in place, for nine hours: somebody may have to make room first.
    static let file = CallRetry(first: .seconds(10), failuresMaximum: 60)
    /// Of a script, which may do a part of its work each time.
    static let script = CallRetry(first: .seconds(60), failuresMaximum: 5)

    private let failuresMaximum: Int
    private var pause: Duration
    /// Of the next attempt; nil before the first look since the failure.
    private var dueAt: Instant?
    private(set) var failures = 0
    /// Why it has failed, for people.
    private(set) var reason = ""

    init(first: Duration, failuresMaximum: Int) {
        pause = first
        self.failuresMaximum = failuresMaximum
    }

    /// Whether it is to be tried again.
    var isWaiting: Bool { failures > 0 && failures < failuresMaximum }

    mutating func failed(_ reason: String) {
        self.reason = reason
        failures += 1
        if failures > 1 { pause = min(pause * 2, Self.pauseMaximum) }
        dueAt = nil
    }

    /// Looks whether the next attempt is due. The pause begins with the first look.
    mutating func isDue(at now: Instant) -> Bool {
        guard isWaiting else { return failures == 0 }
        let due = dueAt ?? now + pause
        dueAt = due
        return due <= now
    }
}
