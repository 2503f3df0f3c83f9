import Codec
import MediaKernel
import Testing

@Suite struct DecoderTests {
    @Test(arguments: [VPXEncoder.Format.vp8, .vp9])
    func aVPXStreamDecodesPictureForPicture(format: VPXEncoder.Format) throws {
        let packets = try vpxPackets(format, width: 320, height: 180, count: 12)
        #expect(packets.count == 12)
        #expect(packets.first?.isKeyframe == true)
        let decoder = try VideoDecoder(codec: format == .vp8 ? .vp8 : .vp9)
        for packet in packets {
            let decoded = try decoder.decode(packet.data, timestamp: packet.pts.ticks)
            #expect(decoded.map(\.timestamp) == [packet.pts.ticks])
            #expect(decoded.first?.frame.width == 320)
            #expect(decoded.first?.frame.height == 180)
        }
    }

    @Test func anH264PictureComesOutAtOnceAndResemblesWhatWentIn() throws {
        let packets = try h264Packets(width: 320, height: 180, count: 10, bFrames: 0)
        let decoder = try VideoDecoder(codec: .h264)
        for packet in packets {
            let decoded = try decoder.decode(packet.data, timestamp: packet.pts.ticks)
            #expect(decoded.map(\.timestamp) == [packet.pts.ticks])
            let original = try TestSignals.movingBar(
                width: 320, height: 180, index: Int(packet.pts.ticks))
            let frame = try #require(decoded.first).frame
            #expect(meanDifference(frame, original) < 4)
        }
    }

    @Test func reorderedPicturesComeInPresentationOrderWhenAskedFor() throws {
        let packets = try h264Packets(width: 320, height: 180, count: 20, bFrames: 3)
        #expect(packets.map(\.pts.ticks) != packets.map(\.pts.ticks).sorted())
        let decoder = try VideoDecoder(codec: .h264, allowsReordering: true)
        var shown: [Int64] = []
        for packet in packets {
            shown += try decoder.decode(packet.data, timestamp: packet.pts.ticks).map(\.timestamp)
        }
        shown += try decoder.flush().map(\.timestamp)
        #expect(shown == Array(0..<20))
    }

    @Test func theResolutionMayChangeAtAKeyframe() throws {
        for codec in [VideoCodecKind.vp8, .h264] {
            let decoder = try VideoDecoder(codec: codec)
            var widths: [Int] = []
            for (width, height) in [(320, 180), (640, 360), (162, 90)] {
                let packets =
                    codec == .vp8
                    ? try vpxPackets(.vp8, width: width, height: height, count: 3)
                    : try h264Packets(width: width, height: height, count: 3, bFrames: 0)
                for packet in packets {
                    let decoded = try decoder.decode(packet.data, timestamp: 0)
                    widths += decoded.map(\.frame.width)
                }
            }
            #expect(widths == [320, 320, 320, 640, 640, 640, 162, 162, 162], "\(codec)")
        }
    }

    @Test(arguments: VideoCodecKind.allCases)
    func damagedPacketsNeverStopADecoder(codec: VideoCodecKind) throws {
        let good = try goodPackets(for: codec)
        let decoder = try VideoDecoder(codec: codec)
        var random = SeededRandom(seed: 7)
        let first = try #require(good.first?.data)
        let step = max(1, first.count / 120)
        for length in stride(from: 0, to: first.count, by: step) {
            _ = try? decoder.decode(Array(first.prefix(length)), timestamp: 0)
        }
        for _ in 0..<150 {
            var data = good[Int.random(in: 0..<good.count, using: &random)].data
            for _ in 0..<Int.random(in: 1...12, using: &random) {
                data[Int.random(in: 0..<data.count, using: &random)] = UInt8.random(
                    in: 0...255, using: &random)
            }
            _ = try? decoder.decode(data, timestamp: 0)
        }
        for _ in 0..<50 {
            let noise = (0..<Int.random(in: 1...400, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            _ = try? decoder.decode(noise, timestamp: 0)
        }
        var recovered = 0
        for packet in good {
            recovered += (try? decoder.decode(packet.data, timestamp: packet.pts.ticks).count) ?? 0
        }
        #expect(recovered > 0)
    }

    @Test func emptyAndOversizedPacketsAreRefused() throws {
        let decoder = try VideoDecoder(codec: .vp8)
        let maximum = VideoDecoder.packetBytesMaximum
        #expect(throws: CodecError.packetSize(count: 0, maximum: maximum)) {
            try decoder.decode([], timestamp: 0)
        }
        #expect(throws: CodecError.packetSize(count: maximum + 1, maximum: maximum)) {
            try decoder.decode([UInt8](repeating: 0, count: maximum + 1), timestamp: 0)
        }
    }

    @Test func aDecodedPictureOutlivesItsDecoder() throws {
        var frame: VideoFrame?
        do {
            let decoder = try VideoDecoder(codec: .vp8)
            for packet in try vpxPackets(.vp8, width: 64, height: 48, count: 4) {
                frame = try decoder.decode(packet.data, timestamp: 0).first?.frame
            }
        }
        #expect(try #require(frame).withPlanes { $0.u[3, 3] } > 90)
    }

    /// Rows and planes are laid out as the decoder needs them, at any size.
    @Test(arguments: [(16, 16), (34, 18), (162, 90), (322, 182), (1282, 722)])
    func picturesOfAllSizesAreWhatWentIn(width: Int, height: Int) throws {
        for codec in [VideoCodecKind.vp8, .vp9, .h264] {
            let decoder = try VideoDecoder(codec: codec)
            for packet in try codedPackets(codec, width: width, height: height, count: 3) {
                let decoded = try decoder.decode(packet.data, timestamp: packet.pts.ticks)
                let original = try TestSignals.movingBar(
                    width: width, height: height, index: Int(packet.pts.ticks))
                let frame = try #require(decoded.first).frame
                #expect(frame.width == width && frame.height == height)
                #expect(meanDifference(frame, original) < 6, "\(codec)")
                frame.withPlanes { planes in
                    #expect(abs(Int(planes.u[width / 4, height / 4]) - 110) < 6)
                    #expect(abs(Int(planes.v[width / 4, height / 4]) - 140) < 6)
                }
            }
        }
    }

    private func goodPackets(for codec: VideoCodecKind) throws -> [EncodedPacket] {
        switch codec {
        case .vp8: return try vpxPackets(.vp8, width: 160, height: 96, count: 6)
        case .vp9: return try vpxPackets(.vp9, width: 160, height: 96, count: 6)
        case .h264: return try h264Packets(width: 160, height: 96, count: 6, bFrames: 0)
        case .av1:
            let time = MediaTime(ticks: 0, timescale: 30)
            return [
                EncodedPacket(
                    data: GoldenStreams.av1TemporalUnit, pts: time, dts: time, duration: time,
                    isKeyframe: true)
            ]
        }
    }

    private func meanDifference(_ a: VideoFrame, _ b: VideoFrame) -> Double {
        a.withPlanes { a in
            b.withPlanes { b in
                var sum = 0
                for y in 0..<a.y.height {
                    for x in 0..<a.y.width { sum += abs(Int(a.y[x, y]) - Int(b.y[x, y])) }
                }
                return Double(sum) / Double(a.y.width * a.y.height)
            }
        }
    }
}
