import MediaKernel

/// How long an answer to a request takes, from the answers themselves: RFC 6298 sect. 2 and 3.
struct RoundTripEstimator: Sendable {
    /// Answers in doubt, one after the other, that show the estimate to be too short: every
    /// request is repeated before its answer can be there.
    static let doubtfulMaximum = 8
    /// A timer is no more exact than this, so that no variation is smaller.
    static let granularity: Duration = .milliseconds(10)

    private(set) var smoothed: Duration
    private var variation = Duration.zero
    private var isMeasured = false
    private var doubtful = 0

    /// - Parameter assumed: until it has been measured.
    init(assumed: Duration) { smoothed = assumed }

    /// How long an answer is to be waited for.
    var timeout: Duration { smoothed + max(Self.granularity, variation * 4) }

    /// An answer has come.
    ///
    /// - Parameters:
    ///   - elapsed: since the first request.
    ///   - requests: how many were made. Which of several an answer belongs to is in doubt, so
    ///     that it does not count (Karn's algorithm).
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
