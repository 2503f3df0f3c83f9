import MediaKernel
import Testing

@testable import MediaServer

@Suite struct LossDegradationTests {
    private let rule = LossDegradationRule(
        threshold: 0.25, degradeGrace: .seconds(1), recoverGrace: .seconds(4))

    /// The number of eight videos that remain after each second.
    private func taken(_ losses: [Double?], videos: Int = 8) -> [Int] {
        var degradation = LossDegradation()
        return losses.enumerated().map { second, loss in
            degradation.update(
                loss: loss, videos: videos, rule: rule, at: .zero + .seconds(second))
            return degradation.taken
        }
    }

    @Test func lossTakesHalfAtEachStepUntilNothingIsLeft() {
        #expect(taken([0, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3]) == [0, 0, 4, 6, 7, 8, 8])
    }

    @Test func theThresholdItselfIsBorne() {
        #expect(taken([0.25, 0.25, 0.25]) == [0, 0, 0])
    }

    @Test func aMomentOfLossTakesNothing() {
        #expect(taken([0.9, 0, 0.9, 0, 0.9]) == [0, 0, 0, 0, 0])
    }

    @Test func whatWasTakenComesBackInStepsAndLaterThanItWent() {
        var losses: [Double?] = Array(repeating: 0.5, count: 5)
        losses += Array(repeating: 0.1, count: 17)
        let steps = taken(losses)
        #expect(steps[4] == 8 && steps[8] == 8)
        #expect(steps[9] == 4 && steps[13] == 2 && steps[17] == 1 && steps[21] == 0)
    }

    @Test func whereNothingIsSentNothingIsKnownAndVideosComeBack() {
        let steps = taken([0.5, 0.5, nil, nil, nil, nil, nil], videos: 1)
        #expect(steps == [0, 1, 1, 1, 1, 1, 0])
    }

    @Test func whoWantsFewerHasNoMoreTakenThanThose() {
        var degradation = LossDegradation()
        for second in 0..<6 {
            degradation.update(loss: 1, videos: 4, rule: rule, at: .zero + .seconds(second))
        }
        #expect(degradation.taken == 4)
        degradation.update(loss: 1, videos: 1, rule: rule, at: .zero + .seconds(6))
        #expect(degradation.taken == 1)
        degradation.update(loss: 1, videos: 1, rule: nil, at: .zero + .seconds(7))
        #expect(degradation.taken == 0)
    }
}
