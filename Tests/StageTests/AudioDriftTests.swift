import MediaKernel
import Stage
import Testing

/// A source's clock against the stream's, over two simulated hours.
@Suite struct AudioDriftTests {
    private let clock = SampleClock(origin: .zero, frameRate: 30)

    /// Blocks of 120 ms, Opus' longest, whose source runs fast by `drift` parts per million,
    /// presented with noise.
    private func run(
        hours: Double, drift: Double, noise: Double, each: (Int, Double, SimulatedSound) -> Void
    ) -> SimulatedSound {
        var random = SeededRandom(seed: 17)
        var sound = SimulatedSound(clock: clock)
        let samples = 5760
        for block in 0..<Int(hours * 30_000) {
            // True seconds: a fast source's samples are closer together.
            let capture = Double(block * samples) / (48_000 * (1 + drift * 1e-6))
            let wander = Double.random(in: -1...1, using: &random) * noise
            let presentation = capture + 0.2 + wander
            sound.pull(through: Int64(capture * 48_000))
            sound.block(
                samples, timestamp: Int64(block * samples),
                presentation: Instant(nanoseconds: Int64(presentation * 1e9)))
            let end = (capture + 0.2) * 48_000 + Double(samples) / (1 + drift * 1e-6)
            each(block, (end - Double(sound.timeline.writePosition)) / 48_000, sound)
        }
        return sound
    }

    @Test(arguments: [300.0, -300, 0, 50])
    func driftIsAbsorbedByTheRatioAlone(drift: Double) {
        var worst = 0.0
        var sum = 0.0
        var count = 0
        let sound = run(hours: 2, drift: drift, noise: 0.003) { block, error, _ in
            guard block > 1000 else { return }
            worst = max(worst, abs(error))
            sum += error
            count += 1
        }
        #expect(worst <= 0.005, "worst error \(worst) s")
        #expect(abs(sum / Double(count)) <= 0.001, "mean error \(sum / Double(count)) s")
        // One silence before the first block, then audio without a seam, every sample used once.
        #expect(sound.runs.count == 2)
        #expect(sound.timeline.droppedSamples == 0 && sound.missingSamples == 0)
        #expect(sound.usedSamples == Int64(2 * 30_000 * 5760))
        #expect(sound.ratios.allSatisfy { abs($0 - 1) <= 0.005 })
        let settled = sound.ratios.suffix(5000)
        let mean = settled.reduce(0, +) / Double(settled.count)
        #expect(abs(mean - 1 + drift * 1e-6) <= 20e-6, "learnt \(mean)")
    }

    @Test func theRatioChangesSmoothly() {
        let sound = run(hours: 0.1, drift: 300, noise: 0.010) { _, _, _ in }
        let steps = zip(sound.ratios, sound.ratios.dropFirst()).map { abs($0 - $1) }
        #expect(steps.allSatisfy { $0 <= 0.0006 + 1e-12 })
        // Noise of 10 ms must not become audible vibrato.
        let late = sound.ratios.suffix(400)
        #expect((late.max() ?? 2) - (late.min() ?? 0) <= 0.002)
    }

    @Test func aSlewOfThePresentationIsFollowedWithoutOvershoot() {
        var sound = SimulatedSound(clock: clock)
        var worst = 0.0
        var errors: [Double] = []
        for block in Int64(0)..<3000 {
            // From 10 s on presentation is 60 ms later, reached at 20 ms per second.
            let late = min(0.060, max(0, (Double(block) * 0.04 - 10) * 0.020))
            let target = block * 1920 + Int64(late * 48_000)
            sound.block(
                1920, timestamp: block * 1920, presentation: clock.instant(ofSample: target))
            let error = Double(target + 1920 - sound.timeline.writePosition) / 48_000
            worst = max(worst, abs(error))
            errors.append(error)
        }
        #expect(worst <= 0.052)
        #expect(errors.allSatisfy { $0 >= -0.012 }, "overshoot \(errors.min() ?? 0)")
        #expect(abs(errors.last ?? 1) <= 0.002)
        #expect(sound.runs.count == 1)
    }
}
