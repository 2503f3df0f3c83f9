import MediaKernel
import Testing

@testable import MediaServer

@Suite struct KeyframeRequestsTests {
    private func at(_ milliseconds: Int64) -> Instant {
        Instant(nanoseconds: milliseconds * 1_000_000)
    }

    /// The times of requests if one is made every 10 ms.
    private func requests(
        _ requests: inout KeyframeRequests, from start: Int64, to end: Int64
    ) -> [Int64] {
        var times: [Int64] = []
        for time in stride(from: start, to: end, by: 10) where requests.due(at: at(time)) {
            times.append(time)
        }
        return times
    }

    @Test func theFirstWishIsFulfilledAtOnce() {
        var keyframes = KeyframeRequests()
        let first = keyframes.wanted(at: at(0))
        let others = (1..<20).map { keyframes.wanted(at: at($0)) }
        #expect(first)
        #expect(others.allSatisfy { !$0 })
    }

    @Test func withoutAWishNothingIsDue() {
        var keyframes = KeyframeRequests()
        let before = requests(&keyframes, from: 0, to: 2000)
        #expect(before.isEmpty)
        _ = keyframes.wanted(at: at(2000))
        keyframes.keyframeArrived()
        let after = requests(&keyframes, from: 2000, to: 4000)
        #expect(after.isEmpty)
    }

    @Test func aRequestThatBringsNothingIsRepeatedLessAndLessOften() {
        var keyframes = KeyframeRequests()
        _ = keyframes.wanted(at: at(0))
        let times = requests(&keyframes, from: 10, to: 20_000)
        #expect(times == [300, 900, 2100, 4500, 8500, 12_500, 16_500])
    }

    @Test func aWishSoonAfterAKeyFrameWaitsForTheIntervalOnly() {
        var keyframes = KeyframeRequests()
        _ = keyframes.wanted(at: at(0))
        keyframes.keyframeArrived()
        let early = keyframes.wanted(at: at(100))
        #expect(!early)
        // The previous request was answered, so this is the first of a new need.
        let times = requests(&keyframes, from: 110, to: 1000)
        #expect(times == [300, 600])
    }

    @Test func aKeyFrameEndsTheBackOff() {
        var keyframes = KeyframeRequests()
        _ = keyframes.wanted(at: at(0))
        _ = requests(&keyframes, from: 10, to: 9000)
        keyframes.keyframeArrived()
        let again = keyframes.wanted(at: at(9000))
        #expect(again)
        let times = requests(&keyframes, from: 9010, to: 10_000)
        #expect(times == [9300, 9900])
    }
}
