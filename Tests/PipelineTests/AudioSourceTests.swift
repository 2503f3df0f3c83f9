import Foundation
import MediaKernel
import Testing

@testable import Pipeline

/// The audible result of a voice on a bad network, judged by the waveform.
@Suite struct AudioSourceTests {
    /// The loudness of the hum in any 10 ms.
    private let levelRange: ClosedRange<Float> = 0.14...0.24
    /// The hum's own second difference is up to 0.03, and a cut's 0.1 and more.
    private let clickLimit: Float = 0.04
    private let silence: Float = 1e-4

    private func heard(_ seconds: Double, arrives: (Int) -> Bool?) throws -> [Float] {
        try Voice(seconds: seconds, signal: Voice.hum).heard(arrives: arrives)
    }

    private func worstEdge(_ samples: [Float]) -> Float { Voice.edges(samples).max() ?? 0 }

    @Test func aWholeStreamBeginsWithAFadeAndHasNoSeam() throws {
        let samples = try heard(3) { _ in true }
        #expect(worstEdge(samples) <= clickLimit)
        let levels = Voice.levels(samples)
        #expect(levels[..<9].allSatisfy { $0 == 0 }, "one delay of silence")
        #expect(levels[20...].allSatisfy(levelRange.contains))
    }

    /// No audible sound is missing at the beginning of a stream, so none is concealed.
    @Test func ofWhatCameBeforeTheStreamNothingIsHeardEarly() throws {
        let samples = try Voice(seconds: 3, signal: Voice.hum).heard(beginning: 20) { _ in true }
        let levels = Voice.levels(samples)
        #expect(levels[..<9].allSatisfy { $0 == 0 }, "\(levels[..<9])")
        #expect(levels[20...].allSatisfy(levelRange.contains))
        #expect(worstEdge(samples) <= clickLimit)
    }

    @Test(arguments: [5, 20])
    func randomLossIsNotHeardAsClicksOrHoles(percent: Int) throws {
        var random = SeededRandom(seed: UInt64(percent))
        let samples = try heard(10) { index in
            index < 20 || Int.random(in: 0..<100, using: &random) >= percent
        }
        let worst = worstEdge(samples)
        #expect(worst <= clickLimit, "an edge of \(worst)")
        let levels = Voice.levels(samples)[20..<980]
        // Opus is some decibels quieter when it conceals a packet, but never silent.
        let holes = levels.filter { $0 < 0.02 }.count
        #expect(holes <= levels.count / 100, "\(holes) of \(levels.count) stretches are silent")
        #expect(levels.allSatisfy { $0 < levelRange.upperBound * 1.3 })
    }

    @Test func aLongLossFadesIntoTrueSilenceAndBack() throws {
        let samples = try heard(3) { !(50..<80).contains($0) }
        let worst = worstEdge(samples)
        #expect(worst <= clickLimit, "an edge of \(worst)")
        let levels = Voice.levels(samples)
        // The loss is from 1.0 s to 1.6 s of the signal, 0.1 s later in the output.
        #expect(levels[111..<115].allSatisfy { $0 > 0.03 }, "held at first")
        #expect(levels[124..<168].allSatisfy { $0 < silence }, "then nothing at all")
        let falling = levels[114..<124]
        #expect(zip(falling, falling.dropFirst()).allSatisfy { $0 >= $1 })
        #expect(levels[174...].allSatisfy(levelRange.contains))
    }

    @Test func aPacketThatIsDamagedIsMadeUpForAsALostOne() throws {
        var voice = try Voice(seconds: 3, signal: Voice.hum)
        // RFC 6716 sect. 3.2.5: any number of frames, and no number.
        for index in [70, 100, 101] { voice.packets[index] = [0xFF] }
        let samples = try voice.heard { _ in true }
        #expect(worstEdge(samples) <= clickLimit)
        #expect(Voice.levels(samples)[20...].allSatisfy { $0 > 0.01 })
    }

    @Test func aPauseOfTheSenderIsSilenceAndKeepsItsLength() throws {
        let samples = try heard(3) { (60..<90).contains($0) ? nil : true }
        let worst = worstEdge(samples)
        #expect(worst <= clickLimit, "an edge of \(worst)")
        let levels = Voice.levels(samples)
        // From 1.2 s to 1.8 s of the signal, 0.1 s later in the output.
        #expect(levels[143..<189].allSatisfy { $0 < silence })
        #expect(levels[..<129].suffix(40).allSatisfy(levelRange.contains))
        #expect(levels[195...].allSatisfy(levelRange.contains))
    }

    /// A tick of some milliseconds in every second.
    private static func ticks(_ time: Double) -> Double {
        let distance = time - time.rounded()
        return 0.5 * exp(-pow(distance / 0.003, 2)) * cos(2 * .pi * 1000 * distance)
    }

    /// Where the tick's energy lies that is expected at a time.
    private func centre(of samples: [Float], near time: Double) -> Double {
        var energy = 0.0
        var moment = 0.0
        for n in Int((time - 0.05) * 48_000)..<Int((time + 0.05) * 48_000) {
            let power = pow(Double(samples[n]), 2)
            energy += power
            moment += power * Double(n) / 48_000
        }
        return moment / energy
    }

    @Test(arguments: [-0.090, 0.090])
    func ticksAreWhereTheyBelongWhileTheDelaySlides(distance: Double) throws {
        // From the second 2 on at 4 ms a second.
        func delay(_ time: Double) -> Double {
            0.150 + (distance < 0 ? -1 : 1) * min(abs(distance), max(0, time - 2) * 0.004)
        }
        let samples = try Voice(seconds: 30, signal: Self.ticks).heard(
            delay: { .nanoseconds(Int64(delay(Double($0) * 0.020) * 1e9)) }, arrives: { _ in true })
        let errors = (1...28).map { second -> Double in
            let expected = Double(second) + delay(Double(second))
            return centre(of: samples, near: expected) - expected
        }
        // Opus itself takes 6.5 ms.
        let worst = errors.map { abs($0 - 0.0065) }.max() ?? 1
        #expect(worst <= 0.003, "\(errors.map { ($0 * 10_000).rounded() / 10 }) ms")
    }

    /// Audio that is permanently late on the clock is permanently late on the picture.
    @Test func whatTheFullQueueRefusedMovesNothingThatFollows() throws {
        let samples = try Voice(seconds: 14, signal: Self.ticks).heard(
            held: 100..<350, delay: { _ in .milliseconds(150) }, arrives: { _ in true })
        for second in [1, 2, 3, 4, 5, 8, 9, 10, 11, 12] {
            let expected = Double(second) + 0.150
            let error = centre(of: samples, near: expected) - expected
            #expect(abs(error - 0.0065) <= 0.003, "\(error) s at \(second) s")
        }
    }

    /// If a voice begins in the very packet that is lost, only the redundancy has it.
    @Test(arguments: [-200, -5, -1, 0, 1, 5, 200])
    func aPacketThatIsLostIsTakenFromTheOneBehindIt(error: Int) throws {
        func isLoud(_ time: Double) -> Bool {
            (time + 0.0065).truncatingRemainder(dividingBy: 0.6) < 0.3
        }
        let voice = try Voice(seconds: 6) { Voice.hum($0) * (isLoud($0) ? 1 : 0.01) }
        let samples = try voice.heard(
            delay: { .milliseconds(100) + .nanoseconds($0 < 20 ? 0 : error * 20_833) },
            arrives: { $0 % 30 != 0 || $0 < 50 })
        let levels = Voice.levels(samples)
        for packet in stride(from: 60, to: 290, by: 30) {
            let middle = levels[packet * 2 + 10]
            #expect(middle > 0.05, "\(middle) in place of packet \(packet)")
        }
    }

    @Test func aSpeakerWhoFallsSilentForGoodIsFadedOut() throws {
        let samples = try heard(3) { $0 < 100 ? true : nil }
        #expect(worstEdge(samples) <= clickLimit)
        #expect(Voice.levels(samples)[223...].allSatisfy { $0 < silence })
    }
}
