import Compositor
import Foundation
import MediaKernel
import Testing

@Suite struct AudioMixerTests {
    private func sine(
        _ frames: Int, amplitude: Double, frequency: Double = 440, from start: Int = 0
    ) -> [Float] {
        (start..<start + frames).flatMap { n -> [Float] in
            let value = Float(amplitude * sin(2 * .pi * frequency * Double(n) / 48_000))
            return [value, value]
        }
    }

    private func mixed(_ sources: [[Float]], block: Int = 480) -> [Float] {
        var mixer = AudioMixer()
        var output: [Float] = []
        let longest = sources.map(\.count).max() ?? 0
        for start in stride(from: 0, to: longest, by: block * 2) {
            let blocks = sources.map { Array($0.dropFirst(start).prefix(block * 2)) }
            output += mixer.mix(sources: blocks, frames: block)
        }
        return output
    }

    @Test func quietVoicesAreAddedUpExactlyAndDelayedByTheLatency() {
        let a = sine(4_800, amplitude: 0.3)
        let b = sine(4_800, amplitude: 0.25, frequency: 1300)
        let output = mixed([a, b])
        #expect(output.count == a.count)
        #expect(output.prefix(AudioMixer.latency * 2).allSatisfy { $0 == 0 })
        for n in 0..<output.count - AudioMixer.latency * 2 {
            #expect(output[n + AudioMixer.latency * 2] == a[n] + b[n])
        }
    }

    @Test func noSumExceedsTheCeiling() {
        var random = SeededRandom(seed: 1)
        let noise = (0..<48_000).map { _ in Float.random(in: -2...2, using: &random) }
        let loud = sine(24_000, amplitude: 1)
        var square = [Float](repeating: 0, count: 48_000)
        for n in 9_000..<30_000 { square[n] = n / 200 % 2 == 0 ? 3 : -3 }
        for sources in [[noise], [loud, loud, loud, loud], [square], [noise, loud, square]] {
            let output = mixed(sources)
            #expect(output.allSatisfy { abs($0) < AudioMixer.ceiling })
            // Limited, not silenced.
            #expect(output.contains { abs($0) > 0.5 })
        }
    }

    @Test func theGainNeverJumps() {
        // Constant input, so that the output shows the gain.
        var input = [Float](repeating: 0.5, count: 48_000)
        for n in 20_000..<26_000 { input[n] = 2 }
        let output = mixed([input])
        let delay = AudioMixer.latency * 2
        var gains: [Float] = []
        for n in stride(from: 0, to: output.count - delay, by: 2) {
            gains.append(output[n + delay] / input[n])
        }
        let lowest = gains.min() ?? 0
        // The curve of a step overshoots it.
        #expect(abs(lowest - 0.34) < 0.01)
        for (a, b) in zip(gains, gains.dropFirst()) {
            // The attack takes the whole look-ahead, the release far longer.
            #expect(a - b <= (1 - lowest) / 220)
            #expect(b - a <= 0.003)
        }
        #expect(gains.first == 1)
        #expect(gains[9_999] < 0.46)
    }

    @Test func theGainRecoversToExactlyOne() {
        var mixer = AudioMixer()
        _ = mixer.mix(sources: [sine(480, amplitude: 3)])
        for _ in 0..<700 { _ = mixer.mix(sources: [], frames: 1024) }
        let quiet = sine(2_048, amplitude: 0.5)
        let output = mixer.mix(sources: [quiet])
        for n in 0..<output.count - AudioMixer.latency * 2 {
            #expect(output[n + AudioMixer.latency * 2] == quiet[n])
        }
    }

    @Test func theLengthOfTheBlocksMakesNoDifference() {
        let input = sine(9_600, amplitude: 1.7)
        let one = mixed([input], block: 9_600)
        for block in [1, 37, 240, 241, 960] {
            let other = mixed([input], block: block).prefix(one.count)
            for (a, b) in zip(one, other) where abs(a - b) > 1e-5 {
                Issue.record("blocks of \(block) differ: \(a), \(b)")
                break
            }
        }
    }

    @Test func silenceShortSourcesAndDamagedSamplesAreTaken() {
        var mixer = AudioMixer()
        #expect(mixer.mix(sources: [], frames: 100) == [Float](repeating: 0, count: 200))
        #expect(mixer.mix(sources: []).isEmpty)
        #expect(mixer.mix(sources: [[0.1, 0.1], [0.2]], frames: 4).count == 8)
        let damaged: [Float] = [.nan, .infinity, -.infinity, 1e30, .signalingNaN, -1e30, 0, 0]
        let output =
            mixer.mix(sources: [damaged], frames: 4) + mixer.mix(sources: [], frames: 480)
        #expect(output.allSatisfy { $0.isFinite && abs($0) < AudioMixer.ceiling })
    }
}
