import MediaKernel
import Testing

@testable import RTP

@Suite struct RoundTripEstimatorTests {
    /// Which of several requests is answered is not known: so soon, it may be the first one.
    @Test func answersToRepeatedRequestsCountOnlyWhereThereAreNoOthers() {
        var estimator = RoundTripEstimator(assumed: .milliseconds(100))
        estimator.answered(after: .milliseconds(80), requests: 1)
        #expect(estimator.smoothed == .milliseconds(80))
        for _ in 1..<RoundTripEstimator.doubtfulMaximum {
            estimator.answered(after: .milliseconds(8), requests: 3)
        }
        #expect(estimator.smoothed == .milliseconds(80))
        estimator.answered(after: .milliseconds(8), requests: 3)
        #expect(estimator.smoothed == .milliseconds(71))
    }
}
