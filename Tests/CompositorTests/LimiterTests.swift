import Compositor
import Foundation
import MediaKernel
import Testing

/// The effect of the limiter on a programme: true peaks, and no pumping.
@Suite struct LimiterTests {
    private func tone(_ frequency: Double, amplitude: Double, phase: Double = 0, seconds: Double)
        -> [Float]
    {
        (0..<Int(seconds * 48_000)).flatMap { n -> [Float] in
            let angle = 2 * Double.pi * frequency * Double(n) / 48_000 + phase
            let value = Float(amplitude * sin(angle))
            return [value, value]
        }
    }

    private func limited(_ input: [Float]) -> [Float] {
        var mixer = AudioMixer()
        var output: [Float] = []
        for start in stride(from: 0, to: input.count, by: 3200) {
            output += mixer.mix(sources: [Array(input[start..<min(start + 3200, input.count)])])
        }
        return output
    }

    private func decibels(_ ratio: Double) -> Double { 20 * log10(ratio) }

    @Test func aToneWhosePeaksLieBetweenSamplesIsLimitedByThem() {
        // At a quarter of the rate, an eighth of a turn off: samples at 0.71 of the peak.
        let input = tone(12_000, amplitude: 1, phase: .pi / 4, seconds: 0.5)
        #expect((input.max() ?? 0) < 0.708, "no sample is above the ceiling")
        let output = limited(input)
        let settled = Array(output[(output.count / 2)...])
        let peak = SignalPeaks.truePeak(of: settled)
        #expect(peak < Double(AudioMixer.ceiling) && peak > 0.85 * Double(AudioMixer.ceiling))
    }

    @Test(arguments: [1, 2, 3, 4])
    func noTruePeakExceedsTheCeiling(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var input: [Float] = []
        // Chords up to the top of Opus' band, far over full scale.
        for _ in 0..<10 {
            var piece = [Float](repeating: 0, count: 9600)
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                let voice = tone(
                    .random(in: 50...20_000, using: &random),
                    amplitude: .random(in: 0.1...2, using: &random),
                    phase: .random(in: 0...6, using: &random), seconds: 0.1)
                for n in piece.indices { piece[n] += voice[n] }
            }
            input += piece
        }
        let peak = SignalPeaks.truePeak(of: limited(input))
        #expect(peak < Double(AudioMixer.ceiling), "\(decibels(peak)) dBTP")
    }

    /// The loudness of a 1 kHz tone of -30 dBFS in each 10 ms of a mix, by correlation.
    private func toneLevels(under loud: [Float]) -> [Double] {
        let quiet = tone(1000, amplitude: 0.0316, seconds: Double(loud.count / 2) / 48_000)
        let output = limited(zip(quiet, loud).map { $0 + $1 })
        let window = 480
        let starts = stride(from: AudioMixer.latency, to: output.count / 2 - window, by: window)
        return starts.map { start in
            var (real, imaginary) = (0.0, 0.0)
            for n in start..<start + window {
                let angle = 2 * Double.pi * 1000 * Double(n) / 48_000
                real += Double(output[2 * n]) * cos(angle)
                imaginary += Double(output[2 * n]) * sin(angle)
            }
            return (real * real + imaginary * imaginary).squareRoot() * 2 / Double(window) / 0.0316
        }
    }

    @Test func loudSyllablesDoNotPumpWhatIsBehindThem() {
        // 5 kHz, four times a second for 100 ms, 12 dB over the ceiling.
        var loud = tone(5000, amplitude: 3.17, seconds: 6)
        for n in loud.indices where (n / 2) % 12_000 >= 4_800 { loud[n] = 0 }
        let levels = toneLevels(under: loud).suffix(200)
        let (low, high) = (levels.min() ?? 0, levels.max() ?? 0)
        #expect(decibels(high / low) <= 4, "the tone moves by \(decibels(high / low)) dB")
        #expect(low > 0.2, "and is not gone")
    }

    @Test func aSinglePeakIsForgottenSoon() {
        var loud = [Float](repeating: 0, count: 2 * 48_000)
        for n in 0..<480 { loud[24_000 + n] = n / 2 % 10 < 5 ? 3 : -3 }
        let levels = toneLevels(under: loud)
        #expect((levels.min() ?? 1) < 0.4)
        // The peak is at 250 ms.
        let after = levels[60..<65].min() ?? 0
        #expect(decibels(after) > -1.5, "\(decibels(after)) dB after 350 ms")
    }
}
