import MediaKernel
import Testing

@testable import RTP

@Suite struct KeyframeRequestTimerTests {
    private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

    /// The times of its requests, polled every 10 ms.
    private func asked(
        _ timer: inout KeyframeRequestTimer, _ span: Range<Int64>,
        each: (inout KeyframeRequestTimer, Int64) -> Void = { _, _ in }
    ) -> [Int64] {
        var times: [Int64] = []
        for now in stride(from: span.lowerBound, to: span.upperBound, by: 10) {
            each(&timer, now)
            if timer.poll(at: at(now)) { times.append(now) }
        }
        return times
    }

    @Test func theFirstIsAtOnceAndThePausesDoubleUpToTheMaximum() {
        var timer = KeyframeRequestTimer()
        timer.needed(at: at(0))
        // A repeated notification has no effect.
        let times = asked(&timer, 0..<12_000) { timer, now in timer.needed(at: at(now)) }
        #expect(times == [0, 200, 600, 1400, 3000, 5000, 7000, 9000, 11_000])
    }

    @Test func successEndsItAndTheNextTimeBeginsAnew() {
        var timer = KeyframeRequestTimer()
        timer.needed(at: at(0))
        #expect(asked(&timer, 0..<1000) == [0, 200, 600])
        timer.satisfied()
        #expect(timer.due == nil)
        #expect(asked(&timer, 1000..<5000).isEmpty)
        timer.needed(at: at(5000))
        #expect(asked(&timer, 5000..<5500) == [5000, 5200])
    }

    @Test func keyFramesThatDoNotHelpAreNotAFlood() {
        var timer = KeyframeRequestTimer()
        // Each request is answered within 20 ms, and each answer is useless.
        let times = asked(&timer, 0..<2000) { timer, _ in timer.satisfied() }
        #expect(times.isEmpty)
        let useless = asked(&timer, 2000..<4000) { timer, now in
            timer.satisfied()
            timer.needed(at: at(now))
        }
        #expect(useless == Array(stride(from: Int64(2000), to: 4000, by: 200)))
    }
}
