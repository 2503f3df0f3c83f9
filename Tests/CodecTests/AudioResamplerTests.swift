import Codec
import Foundation
import Testing

@Suite struct AudioResamplerTests {
    private func sine(_ count: Int, frequency: Double) -> [Float] {
        (0..<count).flatMap { n -> [Float] in
            let value = Float(0.5 * sin(2 * .pi * frequency * Double(n) / 48_000))
            return [value, -value]
        }
    }

    private func blocks(_ samples: [Float], of frames: Int) -> [[Float]] {
        stride(from: 0, to: samples.count, by: frames * 2).map {
            Array(samples[$0..<min($0 + frames * 2, samples.count)])
        }
    }

    @Test func aRatioOfOneChangesNothing() {
        let input = sine(4_800, frequency: 997)
        let resampler = AudioResampler()
        var output: [Float] = []
        for block in blocks(input, of: 960) { output += resampler.process(block, ratio: 1) }
        #expect(output.count == input.count - AudioResampler.lookahead * 2)
        output += resampler.flush()
        #expect(output == input)
    }

    @Test(arguments: [0.995, 0.9997, 1.0003, 1.005])
    func aSineStaysThatSineAtItsNewLength(ratio: Double) {
        let input = sine(9_600, frequency: 1000)
        let resampler = AudioResampler()
        var output: [Float] = []
        for block in blocks(input, of: 480) { output += resampler.process(block, ratio: ratio) }
        output += resampler.flush()
        #expect(abs(Double(output.count / 2) - 9_600 * ratio) <= 2)
        // Sample n of the output is the input at n / ratio: no offset, no noise.
        var worst = 0.0
        for n in 100..<output.count / 2 - 100 {
            let expected = 0.5 * sin(2 * .pi * 1000 * (Double(n) / ratio) / 48_000)
            worst = max(worst, abs(Double(output[2 * n]) - expected))
            worst = max(worst, abs(Double(output[2 * n + 1]) + expected))
        }
        #expect(worst < 0.0005)
    }

    @Test func aChangeOfTheRatioNeverClicks() {
        let frequency = 440.0
        let input = sine(14_400, frequency: frequency)
        let resampler = AudioResampler()
        var output: [Float] = []
        for (number, block) in blocks(input, of: 960).enumerated() {
            let ratio = [1.0, 1.005, 0.995, 1.0, 1.0021][number % 5]
            output += resampler.process(block, ratio: ratio)
        }
        // The steepest step of a sine at a pitch half a percent higher, plus rounding.
        let steepest = Float(0.5 * 2 * .pi * frequency * 1.006 / 48_000)
        let left = stride(from: 0, to: output.count, by: 2).map { output[$0] }
        for (a, b) in zip(left, left.dropFirst()) { #expect(abs(b - a) < steepest) }
    }

    @Test func ratiosOutOfRangeAreClamped() {
        let input = sine(9_600, frequency: 1000)
        for (ratio, expected) in [(2.0, 9_648.0), (0.1, 9_552), (.nan, 9_600)] {
            let resampler = AudioResampler()
            let count = resampler.process(input, ratio: ratio).count + resampler.flush().count
            #expect(abs(Double(count / 2) - expected) <= 2)
        }
    }

    @Test func blocksOfAnyLengthGiveTheSameSound() {
        let input = sine(4_800, frequency: 700)
        let whole = AudioResampler()
        let expected = whole.process(input, ratio: 1.002) + whole.flush()
        let pieces = AudioResampler()
        var output: [Float] = []
        for block in blocks(input, of: 7) { output += pieces.process(block, ratio: 1.002) }
        output += pieces.process([], ratio: 1.002)
        output += pieces.flush()
        #expect(output.count == expected.count)
        for (a, b) in zip(output, expected) { #expect(abs(a - b) < 0.0001) }
    }
}
