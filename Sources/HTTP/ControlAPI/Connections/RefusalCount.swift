import MediaKernel

/// How often something was refused since that was last said: each is counted, and one in a minute
/// is told.
struct RefusalCount: Hashable, Sendable {
    static let interval: Duration = .seconds(60)

    private var untold = 0
    private var nextTelling: Instant?

    /// Counts one more.
    ///
    /// - Returns: how many there were since the last telling when it is time for one, or else nil.
    mutating func add(at now: Instant) -> Int? {
        untold += 1
        if let nextTelling, now < nextTelling { return nil }
        nextTelling = now + Self.interval
        defer { untold = 0 }
        return untold
    }
}
