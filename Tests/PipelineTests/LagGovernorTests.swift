import MediaKernel
import Testing

@testable import Pipeline

struct LagGovernorTests {
    private let start = Instant.zero + .seconds(1000)

    /// Lateness in tenths of a second, one entry for each tenth of a second of time.
    private func cuts(_ tenths: [Int], segment: Duration = .seconds(2)) -> [Int] {
        var governor = LagGovernor(segment: segment)
        return tenths.indices.filter {
            governor.observe(
                lateness: .milliseconds(tenths[$0] * 100), at: start + .milliseconds($0 * 100))
        }
    }

    @Test func whoGetsNearerInTimeIsLeftAlone() {
        #expect(
            cuts([0, 0, 600, 500, 400, 300, 200, 100, 39, 20, 10] + Array(repeating: 0, count: 30))
                .isEmpty)
        #expect(cuts(Array(repeating: 39, count: 600)).isEmpty)
    }

    @Test func whoStaysBehindIsCutOnceASecondAtMost() {
        #expect(cuts(Array(repeating: 40, count: 25)) == [10, 21])
        #expect(cuts(Array(40..<60)) == [10])
    }

    @Test func longSegmentsAllowForLongerLags() {
        #expect(cuts(Array(repeating: 89, count: 40), segment: .seconds(6)).isEmpty)
        #expect(cuts(Array(repeating: 90, count: 11), segment: .seconds(6)) == [10])
    }
}
