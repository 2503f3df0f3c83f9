import MediaKernel
import Testing

@testable import Publisher

@Suite struct PublisherClockTests {
    private let start = Instant.zero + .seconds(100)

    @Test func aSkewedClockRunsAwayFromRealTime() {
        let hour = start + .seconds(3600)
        func elapsed(_ skew: Int) -> Duration {
            PublisherClock(start: start, wallStart: UnixTime(seconds: 0), skew: skew).elapsed(
                at: hour)
        }
        #expect(elapsed(0) == .seconds(3600))
        #expect(elapsed(300) == .seconds(3600) + .milliseconds(1080))
        #expect(elapsed(-300) == .seconds(3600) - .milliseconds(1080))
    }

    @Test func itsWallClockFollowsItsOwnTime() {
        let clock = PublisherClock(start: start, wallStart: UnixTime(seconds: 1), skew: 300)
        let time = clock.wallTime(after: clock.elapsed(at: start + .seconds(1000)))
        #expect(time == NTPTime(unixNanoseconds: 1_001_300_000_000))
    }

    @Test func senderReportsAreWrongInTheWayThatWasAskedFor() {
        func errors(_ kind: SenderReports, isVideo: Bool) -> [Duration?] {
            var random = SeededRandom(seed: 1)
            return [0, 9, 10, 20].map {
                kind.error(isVideo: isVideo, after: .seconds($0), using: &random)
            }
        }
        #expect(errors(.regular, isVideo: true) == [.zero, .zero, .zero, .zero])
        #expect(errors(.none, isVideo: true) == [nil, nil, nil, nil])
        #expect(errors(.late, isVideo: false) == [nil, nil, .zero, .zero])
        #expect(errors(.shifted, isVideo: false) == errors(.regular, isVideo: false))
        #expect(errors(.shifted, isVideo: true) == Array(repeating: .seconds(3), count: 4))
        let erratic = errors(.erratic, isVideo: true).compactMap { $0 }
        #expect(Set(erratic).count == 4)
        #expect(erratic.allSatisfy { (.milliseconds(-400) ... .milliseconds(400)).contains($0) })
    }
}
