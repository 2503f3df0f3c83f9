import MediaKernel

/// Estimates how long the answer to a request takes, from the answers themselves: RFC 6298 sect. 2
/// and 3.
struct RoundTripEstimator: Sendable {
    /// This many ambiguous answers in a row show that the estimate is too short: every request is
    /// repeated before its answer can arrive.
    static let doubtfulMaximum = 8
    /// A timer is no more precise than this, so this is the smallest variation.
    static let granularity: Duration = .milliseconds(10)

    private(set) var smoothed: Duration
    private var variation = Duration.zero
    private var isMeasured = false
    private var doubtful = 0

    /// - Parameter assumed: the round trip until it has been measured.
    init(assumed: Duration) { smoothed = assumed }

    /// How long to wait for an answer.
    var timeout: Duration { smoothed + max(Self.granularity, variation * 4) }

    /// Handles an answer.
    ///
    /// - Parameters:
    ///   - elapsed: since the first request.
    ///   - requests: how many were made. With several, it is ambiguous which one was answered, so
    ///     the answer does not count (Karn's algorithm).
    mutating func answered(after elapsed: Duration, requests: Int) {
        if requests > 1 {
            doubtful += 1
            guard doubtful >= Self.doubtfulMaximum else { return }
        }
        doubtful = 0
        guard isMeasured else {
            isMeasured = true
            (smoothed, variation) = (elapsed, elapsed / 2)
            return
        }
        let difference = elapsed - smoothed
        variation += (difference.magnitude - variation) / 4
        smoothed += difference / 8
    }
}
