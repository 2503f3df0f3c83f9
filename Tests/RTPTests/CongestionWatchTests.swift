import MediaKernel
import Testing

@testable import RTP

@Suite struct CongestionWatchTests {
    private var watch = CongestionWatch()

    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    /// Takes reports every 50 ms.
    ///
    /// - Returns: when the path first counted as congested, in ms; nil if never.
    private mutating func firstCongested(
        _ range: Range<Int>, queue: (Int) -> Duration?, isGrowing: Bool = true
    ) -> Int? {
        stride(from: range.lowerBound, to: range.upperBound, by: 50).first { time in
            _ = watch.update(
                queue: queue(time), isGrowing: isGrowing, losesTooMuch: false, at: at(time))
            return watch.isCongested(at: at(time))
        }
    }

    @Test mutating func aQueueThatStaysIsCongestionInTheEnd() {
        let time = firstCongested(0..<3000) { _ in .milliseconds(20) }
        #expect(time == 1500)
    }

    @Test mutating func aShortQueueMayStay() {
        let time = firstCongested(0..<10_000) { _ in .milliseconds(15) }
        #expect(time == nil)
    }

    @Test mutating func aQueueThatDrainsIsNone() {
        let time = firstCongested(0..<10_000) { $0 % 1500 == 0 ? nil : .milliseconds(90) }
        #expect(time == nil)
    }

    @Test mutating func aLongQueueIsCongestionAtOnce() {
        let time = firstCongested(0..<3000) { .milliseconds($0) }
        #expect(time == 150)
    }

    @Test mutating func aQueueIsJudgedOnce() {
        let isJudged = watch.update(
            queue: .milliseconds(101), isGrowing: true, losesTooMuch: false, at: at(0))
        let isJudgedAgain = watch.update(
            queue: nil, isGrowing: false, losesTooMuch: false, at: at(50))
        #expect(isJudged && !isJudgedAgain)
        #expect(watch.isCongested(at: at(999)) && !watch.isCongested(at: at(1000)))
    }

    @Test mutating func congestionLastsWhileAQueueGrows() {
        _ = watch.update(queue: .milliseconds(101), isGrowing: true, losesTooMuch: false, at: at(0))
        _ = watch.update(queue: nil, isGrowing: true, losesTooMuch: false, at: at(900))
        #expect(watch.isCongested(at: at(1800)))
    }

    @Test mutating func lossIsCongestionAtOnce() {
        _ = watch.update(queue: nil, isGrowing: false, losesTooMuch: true, at: at(0))
        #expect(watch.isCongested(at: at(0)))
    }
}
