import MediaKernel
import Testing

@testable import Stage

/// A peer's playout delay under typical network conditions.
@Suite struct PlayoutDelayTests {
    private static func jitter(_ most: Double) -> (TrackID, Double, inout SeededRandom) -> (
        Double, Bool
    ) {
        { _, _, random in (Double.random(in: 0...max(most, 1e-9), using: &random), true) }
    }

    @Test func aPerfectNetworkGetsTheMinimumWithoutHaste() {
        var path = SimulatedPath()
        #expect(path.playout == 0.150)
        var fastest = 0.0
        var before = 0.150
        for _ in 0..<60 {
            path.run(seconds: 1)
            fastest = max(fastest, before - path.playout)
            before = path.playout
        }
        #expect(path.playout == 0.060)
        #expect(fastest <= 0.005, "shrinks by \(fastest) s a second")
        #expect(path.worstSkew <= 0.001 && !path.wentBackwards)
        #expect(path.latePackets.isEmpty)
    }

    @Test(arguments: [(0.0, 0.060), (0.050, 0.100), (0.150, 0.200)])
    func jitterIsCoveredAndNotMuchMore(most: Double, expected: Double) {
        var path = SimulatedPath()
        path.delay = Self.jitter(most)
        path.run(seconds: 10)
        path.resetMeasures()
        path.run(seconds: 60)
        #expect(abs(path.playout - expected) <= 0.006, "\(path.playout) s")
        #expect(path.latePackets.isEmpty, "\(path.latePackets)")
        #expect(path.worstSkew <= 0.005 && !path.wentBackwards)
    }

    @Test func aBurstIsAnsweredAtOnceAndForgottenSlowly() {
        var path = SimulatedPath()
        path.run(seconds: 40)
        #expect(path.playout < 0.065)
        // The network stalls for 300 ms, then delivers all packets.
        path.delay = { _, time, _ in (max(0, 40.3 - time), true) }
        path.run(seconds: 0.5)
        #expect(path.playout >= 0.345 && path.playout <= 0.355, "\(path.playout) s")
        #expect(path.worstSkew <= 0.005)
        path.run(seconds: 19)
        #expect(path.playout >= 0.340, "remembered for 20 s")
        path.run(seconds: 10)
        let shrunk = 0.350 - path.playout
        #expect(shrunk > 0.020 && shrunk <= 0.050, "by \(shrunk) s")
        path.run(seconds: 80)
        #expect(path.playout == 0.060)
        #expect(!path.wentBackwards && path.worstSkew <= 0.005)
    }

    /// One picture in twenty is repaired 120 ms later, and those after it wait.
    private static func repaired(_ track: TrackID, _ time: Double, _ random: inout SeededRandom)
        -> (Double, Bool)
    {
        guard track == SimulatedPath.picture else { return (0, true) }
        let isRepaired = Double.random(in: 0..<1, using: &random) < 0.05
        return (isRepaired ? 0.120 : 0, false)
    }

    @Test func picturesThatAreRepairedAreWaitedForAsFastAsTheSoundCanFollow() {
        var path = SimulatedPath(PlayoutDelayRange(initial: .milliseconds(60)))
        path.delay = Self.repaired
        path.run(seconds: 10)
        // 110 ms are missing, and the change must be inaudible.
        #expect(path.playout > 0.090 && path.playout < 0.110, "\(path.playout) s")
        path.run(seconds: 30)
        path.resetMeasures()
        path.run(seconds: 30)
        #expect(abs(path.playout - 0.170) <= 0.002, "\(path.playout) s")
        #expect(path.latePackets.isEmpty)
        #expect(path.worstSkew <= 0.005 && !path.wentBackwards)
    }

    @Test func aPauseInTheSoundIsUsedToGrow() {
        var path = SimulatedPath(PlayoutDelayRange(initial: .milliseconds(60)))
        path.delay = Self.repaired
        path.isQuiet = { (3..<3.02).contains($0) }
        path.run(seconds: 4)
        #expect(abs(path.playout - 0.170) <= 0.002, "\(path.playout) s")
        #expect(path.worstSkew <= 0.005 && !path.wentBackwards)
    }

    @Test func aPeerWithoutSoundGrowsAtOnce() {
        var path = SimulatedPath(PlayoutDelayRange(initial: .milliseconds(60)))
        path.clock.removeTrack(SimulatedPath.sound)
        path.run(seconds: 2)
        path.delay = { track, time, _ in (track == SimulatedPath.picture ? 0.2 : 0, false) }
        path.run(seconds: 0.1)
        #expect(abs(path.playout - 0.250) <= 0.002, "\(path.playout) s")
    }

    @Test func whatIsLaterThanTheMaximumIsNotWaitedFor() {
        var path = SimulatedPath()
        path.delay = Self.jitter(1.2)
        path.run(seconds: 60)
        #expect(path.playout == 0.500)
        #expect(path.latePackets.count == 2)
    }

    @Test func aPathThatBecomesLongerForGoodMovesThingsOnce() {
        var path = SimulatedPath()
        path.run(seconds: 40)
        let before = path.errors[SimulatedPath.sound] ?? 0
        path.delay = { _, time, _ in (time < 40 ? 0 : 0.200, true) }
        path.run(seconds: 1)
        let after = path.errors[SimulatedPath.sound] ?? 0
        #expect(abs(after - before - 0.190) <= 0.010, "later by \(after - before) s")
        var farthest = 0.0
        path.run(seconds: 60) { path in
            farthest = max(farthest, abs((path.errors[SimulatedPath.picture] ?? 0) - after))
        }
        // The clock's origin takes over what the delay had absorbed.
        #expect(farthest <= 0.012, "moved by another \(farthest) s")
        #expect(path.playout <= 0.065, "\(path.playout) s")
        #expect(path.worstSkew <= 0.005 && !path.wentBackwards)
    }

    @Test func aFixedDelayIsFixed() {
        var path = SimulatedPath(.fixed(.milliseconds(200)))
        path.delay = Self.jitter(0.4)
        path.run(seconds: 30) { path in
            if path.playout != 0.200 { Issue.record("\(path.playout) s") }
        }
    }

    @Test func timeThatGoesBackIsNotCountedTwice() {
        var delay = PlayoutDelay(PlayoutDelayRange())
        for milliseconds in [0, 100, 0, 100, 0, 100] {
            _ = delay.update(
                needed: 0, isFree: false, at: .zero + .milliseconds(milliseconds))
        }
        #expect(delay.slid == -PlayoutDelay.pace / 10)
    }

    /// Sound with a gap anyway moves at once, without any stretching.
    @Test func aDelayThatGrowsAtOnceSlidesNothing() {
        var delay = PlayoutDelay(PlayoutDelayRange())
        #expect(delay.update(needed: 400_000_000, isFree: true, at: .zero) == 250_000_000)
        #expect(delay.current == 400_000_000 && delay.slid == 0)
    }

    @Test func anOriginThatMovesToAnEarlierTimeMovesNothingElse() {
        var delay = PlayoutDelay(PlayoutDelayRange())
        delay.originMoved(by: -110_000_000, needed: 160_000_000)
        #expect(delay.current == 260_000_000)
        delay.originMoved(by: -.max, needed: 160_000_000)
        #expect(delay.current == 500_000_000)
        #expect(delay.slid == 0)
    }

    @Test func boundsAreKeptInOrder() {
        let range = PlayoutDelayRange(
            minimum: .milliseconds(300), initial: .seconds(2), maximum: .milliseconds(100))
        #expect(range.minimum == range.maximum && range.initial == range.minimum)
        #expect(PlayoutDelayRange(minimum: .seconds(-1)).minimum == .zero)
    }

    @Test func noNumberLeadsOutOfTheBounds() {
        var random = SeededRandom(seed: 11)
        var delay = PlayoutDelay(PlayoutDelayRange())
        for _ in 0..<20_000 {
            let shift = Int64.random(in: 0..<60, using: &random)
            let wild = Int64(truncatingIfNeeded: random.next()) >> shift
            let other = Int64(truncatingIfNeeded: random.next()) >> (59 - shift)
            delay.originMoved(by: wild, needed: other)
            let grown = delay.update(
                needed: other, isFree: wild > 0,
                at: Instant(nanoseconds: Int64.random(in: 0...(1 << 60), using: &random)))
            #expect(grown >= 0)
            #expect((60_000_000...500_000_000).contains(delay.current))
        }
    }
}
