import MediaKernel
import Testing

@testable import RTP

@Suite struct RoundTripEstimatorTests {
    /// It is unknown which of several requests is answered: an answer this early may be to the
    /// first one.
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
