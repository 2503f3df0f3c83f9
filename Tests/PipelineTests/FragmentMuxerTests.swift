import Codec
import HLS
import ISOMedia
import MediaKernel
import Recording
import Testing

@testable import Pipeline

/// Fragments have the same packets, boundaries and times as transport streams.
@Suite struct FragmentMuxerTests {
    static let frameRate = 30
    static let origin = TransportStreamMuxer.timestampOffset.rescaled(to: 90_000).ticks

    static func time(frame: Int64) -> MediaTime {
        MediaTime(ticks: frame, timescale: Int32(frameRate))
    }

    static func unit(
        _ header: UInt8, bytes count: Int, _ random: inout SeededRandom
    ) -> [UInt8] {
        [0, 0, 0, 1, header] + (0..<count).map { _ in UInt8.random(in: 1...255, using: &random) }
    }

    static func block(_ number: Int64, _ random: inout SeededRandom) -> EncodedPacket {
        func time(_ samples: Int64) -> MediaTime {
            MediaTime(ticks: samples, timescale: Int32(AACEncoder.sampleRate))
        }
        return EncodedPacket(
            data: [0x21]
                + (0..<Int.random(in: 5...700, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random)
                }, pts: time(number * 1024), dts: time(number * 1024), duration: time(1024),
            isKeyframe: true)
    }

    /// Some thousand packets a seed, in segments of all lengths, with reordered and left-out
    /// pictures, in the order in which encoders may give them.
    @Test(arguments: UInt64(1)...20) func bothAgree(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let sets = try #require(
            H264ParameterSets(
                annexB: [0, 0, 0, 1, 0x67, 0x64, 0, 0x1F, 0xAC, 0, 0, 0, 1, 0x68, 0xEE, 0x3C]))
        let hasPictures = seed % 5 != 0
        let audio = AudioStreamParameters(
            sampleRate: AACEncoder.sampleRate, channels: 2, bitrate: 64_000,
            audioSpecificConfig: [0x11, 0x90])
        let video = VideoStreamParameters(
            width: 320, height: 180, frameRate: Self.frameRate, parameterSets: sets)
        let containers: [any SegmentContainer] = try [
            ContainerFiles.transportStream, ContainerFiles(format: .fragments),
        ].map { try $0.container(video: hasPictures ? video : nil, audio: audio) }
        var first: Int64 = seed.isMultiple(of: 3) ? ((1 << 33) / 3000) - 40 : 0
        var block = (first * 1600 + 1023) / 1024
        var pictureEnd: UInt64?
        var soundEnd: UInt64?
        for _ in 0..<100 {
            let count = Int64.random(in: 2...12, using: &random)
            if hasPictures {
                var shown = Array(0..<count)
                for index in shown.indices.dropFirst().dropLast()
                where Bool.random(using: &random) && shown[index] == index {
                    shown.swapAt(index, index + 1)
                }
                for frame in 0..<count {
                    var data: [UInt8] = []
                    if frame == 0, seed.isMultiple(of: 2) { data += sets.annexB }
                    data += Self.unit(
                        frame == 0 ? 0x65 : 0x41, bytes: Int.random(in: 1...900, using: &random),
                        &random)
                    let packet = EncodedPacket(
                        data: data, pts: Self.time(frame: first + shown[Int(frame)]),
                        dts: Self.time(frame: first + frame - 1), duration: Self.time(frame: 1),
                        isKeyframe: frame == 0)
                    for container in containers { try container.write(video: packet) }
                }
            }
            while block * 1024 < (first + count) * 1600 + 2048 {
                let packet = Self.block(block, &random)
                for container in containers { try container.write(audio: packet) }
                block += 1
            }
            let end = Self.time(frame: first + count)
            #expect(Set(containers.map { $0.isAudioComplete(until: end) }).count == 1)
            let segments = try containers.map {
                try hasPictures ? $0.cut(before: end) : $0.cut(at: end)
            }
            let clock = SegmentClock(
                frameRate: Self.frameRate, origin: Self.origin, firstFrame: first)
            let table = try SegmentTable(segments[0], clock: clock)
            let samples = try SegmentSamples(
                fragments: segments[1].bytes, clock: clock, parameterSets: table.parameterSets,
                format: table.sound?.format)
            #expect(segments[0].video == segments[1].video)
            #expect(segments[0].audio == segments[1].audio)
            #expect(samples == (try SegmentSamples(parsing: segments[0].bytes, clock: clock)))
            // Each segment goes on where the last one ended.
            let read = try FragmentReader(segments[1].bytes).samples
            if let pictures = read[1], let last = pictures.last {
                #expect(pictureEnd == nil || pictures[0].decodingTime == pictureEnd)
                pictureEnd = last.decodingTime + UInt64(last.duration)
            }
            if let sound = read[2], let last = sound.last {
                #expect(soundEnd == nil || sound[0].decodingTime == soundEnd)
                soundEnd = last.decodingTime + UInt64(last.duration)
            }
            first += count
        }
    }

    @Test func aHeaderIsNamedAfterItsContent() throws {
        let sound = try #require(SoundFormat(sampleRate: 48_000, channels: 2))
        func header(_ bitrate: Int) -> FragmentHeader {
            FragmentHeader(picture: nil, sound: sound, bitrate: bitrate)
        }
        #expect(header(64_000).fileName == header(64_000).fileName)
        #expect(header(64_000).fileName != header(96_000).fileName)
    }
}
