import Codec
import HLS
import ISOMedia
import MediaKernel
import Recording
import Testing

@testable import Pipeline

/// A segment cut into parts has the same samples at the same times as one that is a single
/// fragment, so that recordings do not depend on it.
@Suite struct FragmentPartsTests {
    private typealias Drawn = FragmentMuxerTests

    private static let sets: [UInt8] = [
        0, 0, 0, 1, 0x67, 0x64, 0, 0x1F, 0xAC, 0, 0, 0, 1, 0x68, 0xEE, 0x3C,
    ]

    private static func muxer(hasPictures: Bool) throws -> FragmentMuxer {
        let sets = try #require(H264ParameterSets(annexB: sets))
        return try FragmentMuxer(
            video: hasPictures
                ? VideoStreamParameters(
                    width: 320, height: 180, frameRate: Drawn.frameRate, parameterSets: sets) : nil,
            audio: AudioStreamParameters(
                sampleRate: AACEncoder.sampleRate, channels: 2, bitrate: 64_000,
                audioSpecificConfig: [0x11, 0x90]))
    }

    /// Segments of all lengths, in parts of all lengths, with left-out pictures.
    @Test(arguments: UInt64(1)...20) func partsHaveWhatTheirSegmentHas(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let hasPictures = seed % 5 != 0
        let whole = try Self.muxer(hasPictures: hasPictures)
        let parted = try Self.muxer(hasPictures: hasPictures)
        let partFrames = Int64.random(in: 1...12, using: &random)
        var first: Int64 = 0
        var block: Int64 = 0
        var ends: [UInt32: UInt64] = [:]
        for _ in 0..<40 {
            let count = Int64.random(in: 2...40, using: &random)
            var collected = MultiplexedSegment()
            var concatenation: [UInt8] = []
            for start in stride(from: first, to: first + count, by: Int(partFrames)) {
                let end = min(start + partFrames, first + count)
                for frame in start..<end where hasPictures {
                    guard frame == start || Int.random(in: 0..<4, using: &random) > 0 else {
                        continue
                    }
                    let isKeyframe = frame == first
                    let packet = EncodedPacket(
                        data: Drawn.unit(
                            isKeyframe ? 0x65 : 0x41,
                            bytes: Int.random(in: 1...900, using: &random),
                            &random), pts: Drawn.time(frame: frame), dts: Drawn.time(frame: frame),
                        duration: Drawn.time(frame: 1), isKeyframe: isKeyframe)
                    for muxer in [whole, parted] { try muxer.write(video: packet) }
                }
                let time = Drawn.time(frame: end)
                while !parted.hasAllAudio(endingBy: time)
                    || (!hasPictures && !parted.isAudioComplete(until: time))
                {
                    let packet = Drawn.block(block, &random)
                    for muxer in [whole, parted] { try muxer.write(audio: packet) }
                    block += 1
                }
                let part = try hasPictures ? parted.cut(before: time) : parted.cut(at: time)
                try expectContinuous(part, from: start, to: end, hasPictures, &ends)
                concatenation += part.bytes
                collected.append(part)
            }
            let end = Drawn.time(frame: first + count)
            let segment = try hasPictures ? whole.cut(before: end) : whole.cut(at: end)
            #expect(collected.bytes == concatenation && collected.header == segment.header)
            #expect(collected.video == segment.video && collected.audio == segment.audio)
            let clock = SegmentClock(
                frameRate: Drawn.frameRate, origin: Drawn.origin, firstFrame: first)
            let table = try SegmentTable(segment, clock: clock)
            #expect(try SegmentTable(collected, clock: clock) == table)
            func samples(_ bytes: [UInt8]) throws -> SegmentSamples {
                try SegmentSamples(
                    fragments: bytes, clock: clock, parameterSets: table.parameterSets,
                    format: table.sound?.format)
            }
            #expect(try samples(collected.bytes) == samples(segment.bytes))
            first += count
        }
    }

    /// Every part begins where the last one ended; its pictures last exactly as long as it.
    private func expectContinuous(
        _ part: MultiplexedSegment, from start: Int64, to end: Int64, _ hasPictures: Bool,
        _ ends: inout [UInt32: UInt64]
    ) throws {
        let samples = try FragmentReader(part.bytes).samples
        for (track, samples) in samples {
            let first = try #require(samples.first)
            let last = try #require(samples.last)
            #expect(ends[track] == nil || ends[track] == first.decodingTime)
            ends[track] = last.decodingTime + UInt64(last.duration)
        }
        guard hasPictures else { return }
        let pictures = try #require(samples[1])
        let ticks =
            try #require(pictures.last).decodingTime
            + UInt64(try #require(pictures.last).duration) - pictures[0].decodingTime
        // Frame 0 is at one second.
        if start == 0 { ends[0] = pictures[0].decodingTime }
        let second = try #require(ends[0])
        #expect(ticks * 30 == second * UInt64(end - start))
    }

    /// The block that ends behind the part is the first of the next one, and need not be waited for.
    @Test func soundIsCompleteOnceTheNextBlockEndsBehindThePart() throws {
        var random = SeededRandom(seed: 1)
        var packets = SegmentPackets()
        let end = Drawn.time(frame: 10)
        #expect(!packets.hasAllAudio(endingBy: end))
        // 333 ms are 15.6 blocks.
        for block in 0..<14 { try packets.append(audio: Drawn.block(Int64(block), &random)) }
        #expect(!packets.hasAllAudio(endingBy: end))
        try packets.append(audio: Drawn.block(14, &random))
        #expect(packets.hasAllAudio(endingBy: end) && !packets.isAudioComplete(until: end))
        try packets.append(
            video: EncodedPacket(
                data: [0, 0, 0, 1, 0x41, 1], pts: Drawn.time(frame: 0), dts: Drawn.time(frame: 0),
                duration: Drawn.time(frame: 1), isKeyframe: false))
        #expect(try packets.take(before: end).audio.count == 15)
        #expect(packets.hasAllAudio(endingBy: end), "nothing that is taken out is missing")
    }
}
