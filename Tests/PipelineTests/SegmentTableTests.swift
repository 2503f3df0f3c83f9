import Codec
import MediaKernel
import Recording
import Testing

@testable import Pipeline

/// The table of a segment's samples, made from the packets, equals the table that a reader finds.
@Suite struct SegmentTableTests {
    private static let origin = TransportStreamMuxer.timestampOffset.rescaled(to: 90_000).ticks
    private static let frameRate = 30

    /// Packets as encoders make them, and unusual but valid ones.
    private struct Packets {
        var random: SeededRandom
        /// Whether keyframes carry the parameter sets.
        let hasSets: Bool
        let sets: H264ParameterSets

        /// A unit of any bytes without a start code and without a zero at the end.
        private mutating func unit(_ header: UInt8, bytes count: Int) -> [UInt8] {
            [0, 0, 0, 1, header]
                + (0..<count).map { _ in UInt8.random(in: 1...255, using: &random) }
        }

        mutating func picture(_ frame: Int64, shownAt shown: Int64, isKeyframe: Bool)
            -> EncodedPacket
        {
            let isLarge = Int.random(in: 0..<50, using: &random) == 0
            let count = Int.random(in: isLarge ? 1...70_000 : 1...900, using: &random)
            var data: [UInt8] = hasSets && Bool.random(using: &random) ? [0, 0, 0, 1, 9, 0xF0] : []
            if isKeyframe, hasSets { data += sets.annexB }
            for _ in 0...Int.random(in: 0...2, using: &random) {
                data += unit(isKeyframe ? 0x65 : 0x41, bytes: count)
            }
            func time(_ frame: Int64) -> MediaTime {
                MediaTime(ticks: frame, timescale: Int32(SegmentTableTests.frameRate))
            }
            return EncodedPacket(
                data: data, pts: time(shown), dts: time(frame - 1), duration: time(1),
                isKeyframe: isKeyframe)
        }

        mutating func block(_ number: Int64) -> EncodedPacket {
            func time(_ samples: Int64) -> MediaTime {
                MediaTime(ticks: samples, timescale: Int32(AACEncoder.sampleRate))
            }
            return EncodedPacket(
                // A raw block of two channels begins like this (ISO/IEC 14496-3 table 4.85).
                data: [0x21]
                    + (0..<Int.random(in: 5...700, using: &random)).map { _ in
                        UInt8.random(in: 0...255, using: &random)
                    }, pts: time(number * 1024), dts: time(number * 1024), duration: time(1024),
                isKeyframe: true)
        }
    }

    /// - Parameter seed: the seed of the random choices.
    @Test(arguments: UInt64(1)...20) func bothAgree(seed: UInt64) throws {
        let sets = try #require(
            H264ParameterSets(
                annexB: [0, 0, 0, 1, 0x67, 0x64, 0, 0x1F, 0xAC, 0, 0, 0, 1, 0x68, 0xEE, 0x3C]))
        var packets = Packets(
            random: SeededRandom(seed: seed), hasSets: seed.isMultiple(of: 2), sets: sets)
        let hasPictures = seed % 5 != 0
        let audio = AudioStreamParameters(
            sampleRate: AACEncoder.sampleRate, channels: 2, bitrate: 64_000,
            audioSpecificConfig: [0x11, 0x90])
        let muxer = try TransportStreamMuxer(
            video: hasPictures
                ? VideoStreamParameters(
                    width: 320, height: 180, frameRate: Self.frameRate, parameterSets: sets) : nil,
            audio: audio)
        // Some go beyond the wrap of timestamps.
        var first: Int64 = seed.isMultiple(of: 3) ? ((1 << 33) / 3000) - 40 : 0
        var block = (first * 1600 + 1023) / 1024
        for number in 0..<100 {
            let count = Int64.random(in: 1...12, using: &packets.random)
            if hasPictures {
                for (frame, shown) in Self.order(of: count, &packets.random) {
                    try muxer.write(
                        video: packets.picture(
                            first + frame, shownAt: first + shown, isKeyframe: frame == 0))
                }
            }
            while block * 1024 < (first + count) * 1600 + 2048 {
                try muxer.write(audio: packets.block(block))
                block += 1
            }
            let end = MediaTime(ticks: first + count, timescale: Int32(Self.frameRate))
            let segment = try hasPictures ? muxer.cut(before: end) : muxer.cut(at: end)
            let clock = SegmentClock(
                frameRate: Self.frameRate, origin: Self.origin, firstFrame: first)
            let table = try SegmentTable(segment, clock: clock)
            #expect(
                try SegmentSamples(parsing: segment.bytes, clock: clock).table == table,
                "segment \(number)")
            #expect(table.pictures.count == (hasPictures ? Int(count) : 0))
            first += count
        }
    }

    /// Frames in decoding order, and their presentation times: some are shown after their
    /// successor.
    private static func order(
        of count: Int64, _ random: inout SeededRandom
    ) -> [(frame: Int64, shown: Int64)] {
        var shown = Array(0..<count)
        for index in shown.indices.dropFirst().dropLast()
        where Bool.random(using: &random) && shown[index] == index {
            shown.swapAt(index, index + 1)
        }
        return zip(0..<count, shown).map { ($0, $1) }
    }
}
