import Codec
import MediaKernel
import RecordedStreams
import Testing

@testable import Recording

@Suite struct SegmentSamplesTests {
    private func clock(_ firstFrame: Int64 = 0) -> SegmentClock {
        SegmentClock(frameRate: 30, origin: RecordedStream.origin, firstFrame: firstFrame)
    }

    private func segments(frames: Int = 60) throws -> [[UInt8]] {
        let stream = try RecordedStream(layers: [RecordedStream.Layer(width: 192, height: 144)])
        try stream.record(run: 1, frames: frames)
        return try stream.records[0].map { try stream.bytes("stream_0/\($0.fileName)") }
    }

    @Test func picturesAndBlocksAreCountedFromTheSegmentsStart() throws {
        let segments = try segments()
        for (number, segment) in segments.enumerated() {
            let samples = try SegmentSamples(
                parsing: segment, clock: clock(Int64(number) * 30))
            #expect(samples.table.pictures.map(\.frame).sorted() == Array(0..<30))
            #expect(samples.table.pictures[0].frame == 0)
            #expect(samples.table.pictures.map(\.isKeyframe).filter { $0 }.count == 1)
            #expect(samples.table.pictures[0].isKeyframe)
            #expect(samples.table.sound?.format.sampleRate == 48_000)
            #expect(samples.table.sound?.format.channels == 2)
            #expect(
                samples.table.sound?.format.audioSpecificConfig
                    == (try AACEncoder(bitrate: 64_000)).audioSpecificConfig.prefix(2).map { $0 })
            #expect(abs((samples.table.sound?.firstSample ?? 0) - Int64(number) * 48_000) <= 1024)
            let sizes = samples.table.pictures.reduce(0) { $0 + Int($1.byteCount) }
            #expect(sizes == samples.pictureBytes.count)
            #expect(
                (samples.table.sound?.blockSizes ?? []).reduce(0) { $0 + Int($1) }
                    == samples.soundBytes.count)
        }
    }

    @Test func unitsStandBehindTheirLengthsWithoutParameterSets() throws {
        let samples = try SegmentSamples(parsing: try segments()[0], clock: clock())
        var position = 0
        var types: Set<UInt8> = []
        while position < samples.pictureBytes.count {
            let length = samples.pictureBytes[position..<position + 4]
                .reduce(0) { $0 << 8 | Int($1) }
            types.insert(samples.pictureBytes[position + 4] & 0x1F)
            position += 4 + length
        }
        #expect(position == samples.pictureBytes.count)
        #expect(types.contains(1) && types.contains(5))
        #expect(types.isDisjoint(with: [7, 8, 9, 12]))
    }

    /// 26.5 hours into a run, timestamps wrap.
    @Test(arguments: [0, 1, 29, 31]) func timestampsMayWrapAround(before: Int64) {
        let period = Int64(1) << 33
        let frame = (period - RecordedStream.origin) / 3000 - before
        let clock = clock(frame)
        for index in 0..<Int64(60) {
            let timestamp = (RecordedStream.origin + (frame + index) * 3000) % period
            #expect(clock.frame(at: timestamp) == index)
            #expect(clock.sample(at: timestamp, rate: 48_000) == (frame + index) * 1600)
        }
    }

    @Test func whateverTheBytesAreNothingTraps() throws {
        let segment = try segments(frames: 30)[0]
        for count in stride(from: 0, to: segment.count, by: 47) {
            _ = try? SegmentSamples(parsing: Array(segment[..<count]), clock: clock())
        }
        var random = SeededRandom(seed: 11)
        for _ in 0..<300 {
            var changed = segment
            for _ in 0..<Int.random(in: 1...30, using: &random) {
                let index = Int.random(in: changed.indices, using: &random)
                changed[index] = UInt8.random(in: 0...255, using: &random)
            }
            // The parser reads the packets' headers.
            let packet = Int.random(in: 0..<segment.count / 188, using: &random) * 188
            changed[packet + Int.random(in: 1...20, using: &random)] ^= 0x55
            _ = try? SegmentSamples(parsing: changed, clock: clock())
        }
    }

    @Test func anEmptySegmentHasNoSamples() throws {
        let samples = try SegmentSamples(parsing: [], clock: clock())
        #expect(samples.table.pictures.isEmpty && samples.table.sound == nil)
    }
}
