import Codec
import MediaKernel
import Testing

@testable import Pipeline

@Suite struct AudioOutputTests {
    private struct Deliveries {
        var packets: [Int: [EncodedPacket]] = [:]
        mutating func add(_ layer: Int, _ packets: [EncodedPacket]) {
            self.packets[layer, default: []] += packets
        }
    }

    private func sound(_ samples: Int, from start: Int = 0) -> [Float] {
        (0..<samples).flatMap { n -> [Float] in
            let value = Float((start + n) % 96) / 96 - 0.5
            return [value, value]
        }
    }

    @Test func theMixIsMadeForTheLowestBitrate() throws {
        let output = try AudioOutput(bitrates: [96_000, 24_000, 64_000], firstSample: 0)
        #expect(output.lowestBitrate == 24_000)
    }

    @Test func everyLayerGetsEachBlockOnceWhateverTheStretches() throws {
        var output = try AudioOutput(bitrates: [96_000, 96_000, 64_000], firstSample: -240)
        var got = Deliveries()
        var fed = 0
        for stretch in [1600, 1, 1023, 5000, 1600, 7, 40_000] {
            try output.append(sound(stretch, from: fed)) { got.add($0, $1) }
            fed += stretch
        }
        try output.finish { got.add($0, $1) }

        #expect(Set(got.packets.keys) == [0, 1, 2])
        // One encoder for one bitrate.
        #expect(got.packets[0] == got.packets[1])
        #expect(got.packets[0] != got.packets[2])
        for layer in 0..<3 {
            let packets = try #require(got.packets[layer])
            let times = packets.map { $0.pts.rescaled(to: 48_000).ticks }
            #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 1024 })
            let first = try #require(times.first)
            let last = try #require(times.last)
            #expect(first <= -240)
            #expect(last + 1024 >= Int64(fed - 240))
            #expect(last < Int64(fed - 240) + 2048)
        }
        #expect(output.parameters(ofLayer: 2)?.bitrate == 64_000)
        #expect(output.parameters(ofLayer: 0)?.sampleRate == 48_000)
        #expect(output.parameters(ofLayer: 3) == nil)
    }

    @Test func packetsLieWhereTheirSamplesDo() throws {
        var output = try AudioOutput(bitrates: [128_000], firstSample: 0)
        var packets: [EncodedPacket] = []
        var click = [Float](repeating: 0, count: 48_000 * 2)
        for n in 24_000..<24_480 { (click[2 * n], click[2 * n + 1]) = (0.7, 0.7) }
        try output.append(click) { packets += $1 }
        try output.finish { packets += $1 }
        // A block with a click costs more than silence.
        let loud = try #require(packets.max { $0.data.count < $1.data.count })
        let start = loud.pts.rescaled(to: 48_000).ticks
        #expect(abs(start + 512 - 24_240) <= 1536)
    }

    @Test func nothingInIsNothingBroken() throws {
        var output = try AudioOutput(bitrates: [96_000], firstSample: 0)
        try output.append([]) { _, _ in Issue.record("a packet of nothing") }
        try output.finish { _, packets in #expect(packets.count <= 2) }
    }
}
