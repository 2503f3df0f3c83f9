import Foundation
import MediaKernel
import Testing

@testable import Speech

@Suite struct SpeechTests {
    private static let start = Instant(nanoseconds: 5_000_000_000)

    private func sound(_ speaker: UInt32, _ count: Int = 3200) -> SpeechFrame {
        SpeechFrame(
            .sound, speaker: speaker, time: 7, payload: [UInt8](repeating: 1, count: count))
    }

    private func begin(_ speaker: UInt32) -> SpeechFrame {
        SpeechFrame(.begin, speaker: speaker, time: 0, payload: Array("{}".utf8))
    }

    // MARK: Frames

    @Test func aFrameIsTwentyBytesAndItsPayload() {
        let frame = SpeechFrame(.sound, speaker: 258, time: -2, payload: [9, 8])
        #expect(
            frame.bytes == Array("PCM ".utf8) + [2, 1, 0, 0] + [254]
                + [UInt8](repeating: 255, count: 7) + [2, 0, 0, 0, 9, 8])
    }

    @Test func framesAreReadHoweverTheyAreCut() {
        let frames = [begin(1), sound(1, 5), SpeechFrame(.end, speaker: 1, time: 0), sound(2, 0)]
        let bytes = frames.flatMap(\.bytes)
        for size in 1...bytes.count {
            var reader = SpeechFrameReader()
            var found: [SpeechFrame] = []
            for place in stride(from: 0, to: bytes.count, by: size) {
                found += reader.read(bytes[place..<min(bytes.count, place + size)])
            }
            #expect(found == frames && !reader.isBroken)
        }
    }

    @Test func whatIsNoFrameEndsTheReading() {
        var large = sound(1).bytes
        large[18] = 1
        for bytes in [Array("nonsense nonsense nonsense".utf8), large] {
            var reader = SpeechFrameReader()
            #expect(reader.read(sound(3).bytes + bytes) == [sound(3)])
            #expect(reader.isBroken && reader.read(sound(3).bytes) == [])
        }
    }

    // MARK: Lines

    @Test func onlyObjectsAreTaken() {
        var lines = SpeechLines(at: Self.start)
        #expect(lines.read(Array("{\"te".utf8), at: Self.start) == [])
        #expect(
            lines.read(Array("xt\":1}\nloading model\n\n{}\n".utf8), at: Self.start)
                == ["{\"text\":1}", "{}"])
        #expect(lines.read([UInt8(ascii: "{"), 0xFF, 10], at: Self.start) == [])
        #expect(lines.leftOut == 1)
    }

    @Test func longAndTooManyLinesAreLeftOut() {
        var lines = SpeechLines(at: Self.start)
        let long = "{" + String(repeating: "x", count: SpeechLines.bytesMaximum) + "\n{}\n"
        #expect(lines.read(Array(long.utf8), at: Self.start) == ["{}"])
        let many = Array(String(repeating: "{}\n", count: 1000).utf8)
        #expect(lines.read(many, at: Self.start).count == SpeechLines.burst - 1)
        let later = Self.start + .seconds(1)
        #expect(lines.read(many, at: later).count == SpeechLines.ratePerSecond)
    }

    @Test func aLineIsATextWithItsSpeaker() {
        #expect(
            SpokenText(line: #"{"speaker":3,"text":"hi","start_ms":5,"end_ms":9,"x":[]}"#)
                == SpokenText(speaker: 3, text: "hi", start: 5, end: 9))
        #expect(SpokenText(line: #"{"text":"hi"}"#) == SpokenText(text: "hi"))
        for line in ["{}", #"{"text":5}"#, #"{"text":"a","speaker":-1}"#, "", "{"] {
            #expect(SpokenText(line: line) == nil)
        }
    }

    // MARK: The program

    private func waiting(_ relay: SpeechRelay) -> [SpeechFrame] {
        var reader = SpeechFrameReader()
        return relay.withOutput { reader.read($0) }
    }

    @Test func aProgramThatIsStartedAgainIsToldWhoIsThere() {
        var relay = SpeechRelay(at: Self.start)
        #expect(relay.start(at: Self.start)?.isDue == true)
        relay.started(at: Self.start)
        #expect(relay.start(at: Self.start) == nil)
        for frame in [begin(1), begin(2), sound(1)] { #expect(relay.received(frame.bytes) == true) }
        #expect(waiting(relay) == [begin(1), begin(2), sound(1)])
        #expect(relay.ended(at: Self.start) == .seconds(1))
        #expect(!relay.hasOutput)
        // Nobody hears it.
        #expect(relay.received(sound(2).bytes) == true)
        #expect(relay.received(SpeechFrame(.end, speaker: 1, time: 0).bytes) == true)
        #expect(relay.leftOut == 1)
        #expect(relay.start(at: Self.start)?.isDue == false)
        #expect(relay.start(at: Self.start + .seconds(1))?.isDue == true)
        relay.started(at: Self.start + .seconds(1))
        #expect(waiting(relay) == [begin(2)])
    }

    @Test func pausesGrowUntilAProgramHasRunForAWhile() {
        var relay = SpeechRelay(at: Self.start)
        var now = Self.start
        var pauses: [Duration] = []
        for _ in 0..<8 {
            relay.started(at: now)
            let pause = relay.ended(at: now)
            pauses.append(pause)
            now = now + pause
        }
        #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) })
        relay.started(at: now)
        #expect(relay.ended(at: now + .seconds(61)) == .seconds(1))
    }

    @Test func soundIsLeftOutWhileTheProgramDoesNotRead() {
        var relay = SpeechRelay(at: Self.start)
        relay.started(at: Self.start)
        for _ in 0..<1000 { #expect(relay.received(sound(1).bytes) == true) }
        let count = relay.withOutput { $0.count }
        #expect(count <= SpeechRelay.waitingBytesMaximum + sound(1).bytes.count)
        #expect(relay.leftOut > 800)
        // But not who is there.
        #expect(relay.received(begin(5).bytes) == true)
        #expect(waiting(relay).last == begin(5))
        relay.written(count)
        #expect(waiting(relay) == [begin(5)])
    }

    @Test func aProgramThatDoesNotLearnWhoIsThereHangs() {
        var relay = SpeechRelay(at: Self.start)
        relay.started(at: Self.start)
        let coming = begin(1).bytes + SpeechFrame(.end, speaker: 1, time: 0).bytes
        let most = SpeechRelay.hangingBytes
        for _ in 0..<(most / coming.count) {
            let isTaken = relay.received(coming)
            #expect(isTaken)
        }
        #expect(!relay.hangs)
        for _ in 0..<1000 {
            let isTaken = relay.received(coming)
            #expect(isTaken)
        }
        #expect(relay.hangs && relay.withOutput { $0.count } <= most + coming.count)
        _ = relay.ended(at: Self.start)
        #expect(!relay.hangs)
        relay.started(at: Self.start)
        #expect(!relay.hangs && !relay.hasOutput)
    }

    @Test func bytesThatAreNoFramesEndIt() {
        var relay = SpeechRelay(at: Self.start)
        #expect(relay.received([UInt8](repeating: 65, count: 100)) == false)
    }

    @Test func whatIsLeftOutIsToldOnceAMinute() {
        var losses = SpeechLosses(at: Self.start)
        func notice(_ sound: Int, _ lines: Int, after seconds: Int) -> String? {
            losses.notice(sound: sound, lines: lines, at: Self.start + .seconds(seconds))
        }
        #expect(notice(0, 0, after: 0) == nil)
        #expect(notice(1, 0, after: 5)?.contains("1 frames of sound, 0 lines") == true)
        #expect(notice(9, 2, after: 64) == nil)
        #expect(notice(9, 3, after: 65)?.contains("9 frames of sound, 3 lines") == true)
        #expect(notice(9, 3, after: 200) == nil)
    }

    // MARK: Samples

    /// - Parameter frequency: in Hz.
    private func tone(_ frequency: Double, _ count: Int) -> [Float] {
        (0..<count).flatMap { index -> [Float] in
            let value = Float(0.5 * sin(2 * .pi * frequency * Double(index) / 48_000))
            return [value, value]
        }
    }

    private func values(_ bytes: [UInt8]) -> [Int] {
        stride(from: 0, to: bytes.count, by: 2).map {
            Int(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8))
        }
    }

    @Test(arguments: [1600, 801, 1, 2, 7])
    func everyThirdSampleIsKeptHoweverTheSoundIsCut(size: Int) throws {
        let sound = tone(1000, 4800)
        var whole = SpeechSampler()
        let all = whole.sample(sound)
        let expected = try #require(all).bytes
        #expect(expected.count == 2 * 1600)
        var sampler = SpeechSampler()
        var found: [UInt8] = []
        for place in stride(from: 0, to: 4800, by: size) {
            let part = Array(sound[(2 * place)..<(2 * min(4800, place + size))])
            guard let (bytes, first) = sampler.sample(part) else { continue }
            #expect((place + first).isMultiple(of: 3))
            found += bytes
        }
        #expect(found == expected)
    }

    @Test func wordsPassAndWhatWouldFoldDoesNot() throws {
        func loudness(_ frequency: Double) throws -> Double {
            var sampler = SpeechSampler()
            let sampled = sampler.sample(tone(frequency, 9600))
            let heard = values(try #require(sampled).bytes).dropFirst(100).map { Double($0) }
            return (heard.reduce(0) { $0 + $1 * $1 } / Double(heard.count)).squareRoot()
        }
        for frequency in [200.0, 1000, 4000] {
            #expect(try abs(loudness(frequency) - 11_585) < 300, "\(frequency) Hz")
        }
        for frequency in [10_000.0, 15_000, 20_000] {
            #expect(try loudness(frequency) < 100, "\(frequency) Hz")
        }
        #expect(try loudness(0) == 0)
    }
}
