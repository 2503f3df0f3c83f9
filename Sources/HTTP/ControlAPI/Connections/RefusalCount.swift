import MediaKernel

/// Counts refusals since the last report; one report a minute is due.
struct RefusalCount: Hashable, Sendable {
    static let interval: Duration = .seconds(60)

    private var untold = 0
    private var nextTelling: Instant?

    /// Counts one refusal.
    ///
    /// - Returns: the number of refusals since the last report, if a new one is due, or else nil.
    mutating func add(at now: Instant) -> Int? {
        untold += 1
        if let nextTelling, now < nextTelling { return nil }
        nextTelling = now + Self.interval
        defer { untold = 0 }
        return untold
    }
}
