import MediaKernel
import Testing

@testable import MediaServer

@Suite struct ConnectionQualityTests {
    private func score(_ sample: ConnectionQuality.Sample?) -> Int {
        var quality = ConnectionQuality()
        quality.update(sample)
        return quality.score
    }

    @Test(arguments: [
        (0, 5), (0.009, 5), (0.01, 4), (0.03, 3), (0.079, 3), (0.08, 2), (0.2, 1), (1, 1),
    ])
    func lossCosts(loss: Double, expected: Int) {
        #expect(score(.init(loss: loss)) == expected)
    }

    @Test(arguments: [(0, 5), (249, 5), (250, 4), (500, 3), (1000, 2), (9000, 2)])
    func delayCosts(milliseconds: Int, expected: Int) {
        #expect(score(.init(roundTrip: .milliseconds(milliseconds))) == expected)
    }

    @Test(arguments: [
        (0, 0, 0, 5), (4, 0, 0, 5), (4, 1, 0, 4), (4, 4, 0, 3), (4, 0, 1, 2), (4, 3, 1, 2),
        (4, 0, 4, 1),
    ])
    func whatIsLeftOutCosts(videos: Int, reduced: Int, missing: Int, expected: Int) {
        #expect(score(.init(videos: videos, reduced: reduced, missing: missing)) == expected)
    }

    @Test func theWorstDecides() {
        #expect(score(.init(loss: 0.05, roundTrip: .milliseconds(300), videos: 1)) == 3)
        #expect(score(.init(loss: 0, roundTrip: .seconds(2), videos: 1, missing: 1)) == 1)
    }

    @Test func withoutAWayThereIsNoneAtOnceAndItIsBackAtOnce() {
        var quality = ConnectionQuality()
        #expect(quality.score == 0)
        quality.update(.init(loss: 0))
        #expect(quality.score == 5)
        quality.update(nil)
        #expect(quality.score == 0)
        quality.update(.init(loss: 0.02))
        #expect(quality.score == 4)
    }

    @Test func oneBadSecondIsSoftenedAndSeveralAreNot() {
        var quality = ConnectionQuality()
        quality.update(.init(loss: 0))
        quality.update(.init(loss: 0.5))
        #expect(quality.score == 3)
        for _ in 0..<5 { quality.update(.init(loss: 0)) }
        #expect(quality.score == 5)
        for _ in 0..<8 { quality.update(.init(loss: 0.5)) }
        #expect(quality.score == 1)
    }

    @Test func aScoreBetweenTwoDoesNotSwing() {
        var quality = ConnectionQuality()
        quality.update(.init(loss: 0))
        var changes = 0
        for second in 0..<60 {
            let before = quality.score
            quality.update(.init(loss: second % 2 == 0 ? 0.02 : 0))
            if quality.score != before { changes += 1 }
        }
        #expect(changes == 0)
    }
}
