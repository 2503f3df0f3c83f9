import Codec
import Testing

@testable import Publisher

@Suite struct SoundTests {
    @Test func theLevelIsBelowFullScaleInDecibels() {
        #expect(AudioMeter.level(of: [1, -1, 1, -1]) == 0)
        #expect(AudioMeter.level(of: [0.1, -0.1]) == 20)
        // A sine of half the amplitude: 6 dB for the half, 3 dB for the sine.
        let sine = (0..<4800).map { 0.5 * Float(sinOfTurn(Double($0) / 48)) }
        #expect(AudioMeter.level(of: sine) == 9)
        #expect(AudioMeter.level(of: [0, 0]) == 127)
        #expect(AudioMeter.level(of: []) == 127)
    }

    @Test func aPacketThatCannotBeDecodedIsSilent() throws {
        let meter = try AudioMeter()
        #expect(meter.level(of: []) == 127)
        #expect(meter.level(of: [0xFF, 0xFF, 0xFF]) == 127)
    }

    @Test func silenceIsLeftOutButForSignsOfLife() {
        var gate = SilenceGate()
        var sent: [Int] = []
        var spurts: [Int] = []
        // Two seconds of packets of 20 ms; sound in the first 100 ms of each.
        for time in stride(from: 0, to: 2000, by: 20) {
            let passes = gate.passes(isSilent: time % 1000 >= 100, at: .milliseconds(time))
            if passes { sent.append(time) }
            if passes, gate.beginsTalkspurt { spurts.append(time) }
        }
        let second = Array(stride(from: 0, through: 180, by: 20)) + [580, 980]
        #expect(sent == second + second.map { $0 + 1000 })
        #expect(spurts == [0, 580, 980, 1580, 1980])
    }

    private func sinOfTurn(_ turns: Double) -> Double {
        // A Taylor series is enough for a test, and needs no C library.
        let x = (turns - turns.rounded()) * 2 * .pi
        var (term, sum) = (x, x)
        for n in stride(from: 2.0, through: 24, by: 2) {
            term *= -x * x / (n * (n + 1))
            sum += term
        }
        return sum
    }
}
