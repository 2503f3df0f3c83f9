import Codec
import MediaKernel
import Testing

@Suite struct OpusTests {
    @Test func aToneSurvivesAndComesOutAsStereo() throws {
        let packets = try encodedTone(packets: 50)
        let decoder = try OpusDecoder()
        var decoded: [Float] = []
        for packet in packets {
            #expect(OpusDecoder.sampleCount(of: packet) == 960)
            let block = try decoder.decode(packet)
            #expect(block.count == 1920)
            decoded += block
        }
        let steady = decoded.dropFirst(9_600)
        let power = steady.reduce(0) { $0 + $1 * $1 } / Float(steady.count)
        // A sine of half amplitude: 0.5² / 2.
        #expect(abs(power - 0.125) < 0.02)
    }

    /// The sound is 0.5 loud. Without a soft beginning the decoder gives 1.5 at places.
    @Test func aDecoderThatBeginsWithinAStreamPlaysNoClick() throws {
        let packets = try encodedTone(packets: 120, frequency: 2700) { $0 % 24_000 < 4800 }
        for first in 1..<110 {
            let decoder = try OpusDecoder()
            let sound = try packets[first..<first + 10].flatMap { try decoder.decode($0) }
            let left = stride(from: 0, to: sound.count, by: 2).map { sound[$0] }
            let peak = try #require(left.map(abs).max())
            #expect(peak < 0.6, "packet \(first)")
            #expect(left[..<3840].allSatisfy { $0 == 0 })
        }
        let decoder = try OpusDecoder()
        let sound = try packets[22..<29].flatMap { try decoder.decode($0) }
        #expect(sound[8160...].contains { $0 > 0.3 }, "the tone is heard after 85 ms")
    }

    @Test func aLostPacketIsConcealedAtTheSameLength() throws {
        let packets = try encodedTone(packets: 20)
        let decoder = try OpusDecoder()
        for packet in packets.prefix(10) { _ = try decoder.decode(packet) }
        let concealed = try decoder.decodeLost(samples: 960)
        #expect(concealed.count == 1920)
        #expect(concealed.contains { abs($0) > 0.1 })
        #expect(try decoder.decodeLost(samples: 1001).count == 2002)
        #expect(try decoder.decodeLost(samples: 0) == [])
        let limit = OpusDecoder.concealedSamplesMaximum
        let long = try decoder.decodeLost(samples: limit * 2)
        #expect(long.count == limit * 2)
        #expect(long.suffix(200).allSatisfy { abs($0) < 0.01 })
        #expect(try decoder.decode(packets[11]).count == 1920)
    }

    @Test func redundancyYieldsTheLostPacketsLength() throws {
        let packets = try encodedTone(packets: 20)
        let decoder = try OpusDecoder()
        for packet in packets.prefix(10) { _ = try decoder.decode(packet) }
        #expect(try decoder.decodeFEC(packets[11], samples: 960).count == 1920)
        #expect(
            throws: CodecError.sampleCount(count: 961, expected: 120)
        ) { try decoder.decodeFEC(packets[12], samples: 961) }
    }

    @Test func damagedPacketsNeverStopTheDecoder() throws {
        let packets = try encodedTone(packets: 10)
        let decoder = try OpusDecoder()
        var random = SeededRandom(seed: 3)
        for length in 0...packets[0].count {
            _ = try? decoder.decode(Array(packets[0].prefix(length)))
        }
        for _ in 0..<300 {
            let noise = (0..<Int.random(in: 1...200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            _ = OpusDecoder.sampleCount(of: noise)
            _ = try? decoder.decode(noise)
            _ = try? decoder.decodeFEC(noise, samples: 960)
        }
        #expect(try decoder.decode(packets[5]).count == 1920)
        #expect {
            try decoder.decode([])
        } throws: { error in
            if case CodecError.packetSize(0, _) = error { true } else { false }
        }
    }

    @Test func aBlockOfTheWrongLengthIsRefused() throws {
        let encoder = try OpusEncoder()
        #expect(throws: CodecError.sampleCount(count: 3, expected: 1920)) {
            try encoder.encode([0, 0, 0])
        }
        #expect(throws: CodecError.setting(name: "bitrate", value: "1")) {
            try OpusEncoder(bitrate: 1)
        }
    }

    private func encodedTone(
        packets: Int, frequency: Double = 440, isHeard: (Int) -> Bool = { _ in true }
    ) throws -> [[UInt8]] {
        var tone = TestSignals.sine(samples: packets * 960, frequency: frequency)
        for n in tone.indices where !isHeard(n / 2) { tone[n] = 0 }
        let encoder = try OpusEncoder()
        return try (0..<packets).map { n in
            try encoder.encode(Array(tone[n * 1920..<(n + 1) * 1920]))
        }
    }
}
