import Codec
import MediaKernel
import Testing

@Suite struct H264EncoderTests {
    private typealias Bucket = VideoEncoderSettings.LeakyBucket

    private func settings() -> VideoEncoderSettings {
        var settings = VideoEncoderSettings(
            width: 320, height: 180, frameRate: 30, bitrate: 400_000, keyframeInterval: 60)
        settings.preset = "ultrafast"
        return settings
    }

    @Test func theParameterSetsAreKnownBeforeTheFirstPicture() throws {
        let encoder = try H264Encoder(settings())
        // profile_idc, constraint flags, level_idc: 320x180 at 30 is level 1.2 or 1.3.
        #expect(encoder.parameterSets.sequence[0] & 0x1F == 7)
        #expect(encoder.parameterSets.picture[0] & 0x1F == 8)
        #expect(encoder.parameterSets.codecString.hasPrefix("avc1."))
        var veryfast = settings()
        veryfast.preset = "veryfast"
        veryfast.width = 1280
        veryfast.height = 720
        let high = try H264Encoder(veryfast).parameterSets.codecString
        #expect(high == "avc1.64001F")
    }

    @Test func keyframesAreExactlyWhereTheyAreForced() throws {
        var settings = settings()
        settings.preset = "veryfast"
        let encoder = try H264Encoder(settings)
        var packets: [EncodedPacket] = []
        for index in 0..<150 {
            // A cut to another picture must not cause an extra key frame.
            let frame =
                try index % 40 < 20
                ? TestSignals.movingBar(width: 320, height: 180, index: index)
                : VideoFrame.solid(width: 320, height: 180, colour: .white)
            packets += try encoder.encode(
                frame, index: Int64(index), forceKeyframe: index % 50 == 0)
        }
        packets += try encoder.flush()
        #expect(packets.count == 150)
        #expect(packets.filter(\.isKeyframe).map(\.pts.ticks) == [0, 50, 100])
        #expect(packets.map(\.pts.ticks).sorted() == Array(0..<150))
        for (a, b) in zip(packets, packets.dropFirst()) { #expect(a.dts.ticks < b.dts.ticks) }
        // Closed groups: no picture after a key frame is shown before it.
        var keyframe: Int64 = 0
        for packet in packets {
            if packet.isKeyframe { keyframe = packet.pts.ticks }
            #expect(packet.pts.ticks >= keyframe)
        }
    }

    /// Parts of low-latency streams must not wait for pictures that the encoder holds.
    @Test(arguments: H264Encoder.presets)
    func nothingIsHeldBackForLowLatency(preset: String) throws {
        var settings = settings()
        settings.preset = preset
        settings.isImmediate = true
        let encoder = try H264Encoder(settings)
        for index in Int64(0)..<12 {
            let picture = try TestSignals.movingBar(width: 320, height: 180, index: Int(index))
            let packets = try encoder.encode(
                picture, index: index, forceKeyframe: index.isMultiple(of: 10))
            #expect(packets.map(\.pts.ticks) == [index])
            #expect(packets.map(\.dts) == packets.map(\.pts))
            #expect(packets.map(\.isKeyframe) == [index.isMultiple(of: 10)])
        }
        #expect(try encoder.flush().isEmpty)
    }

    @Test func aBurstStaysWithinTheBucket() throws {
        var settings = settings()
        settings.preset = "veryfast"
        let bucket = Bucket(bitrateMaximum: 440_000, bufferBits: 220_000)
        settings.bucket = bucket
        let encoder = try H264Encoder(settings)
        var random = SeededRandom(seed: 8)
        var packets: [EncodedPacket] = []
        let still = try VideoFrame.solid(width: 320, height: 180, colour: .black)
        for index in 0..<240 {
            // A still picture fills the buffer; noise, which is unpredictable, then empties it.
            let frame = try index < 120 ? still : noise(&random)
            packets += try encoder.encode(
                frame, index: Int64(index), forceKeyframe: index % 60 == 0)
        }
        packets += try encoder.flush()
        for segment in 0..<4 {
            let bits = packets.filter { $0.pts.ticks / 60 == segment }
                .reduce(0) { $0 + $1.data.count * 8 }
            #expect(bits <= 2 * bucket.bitrateMaximum + bucket.bufferBits)
        }
    }

    private func noise(_ random: inout SeededRandom) throws -> VideoFrame {
        try VideoFrame.make(width: 320, height: 180) { planes in
            for plane in [planes.y, planes.u, planes.v] {
                // Blocks of 8 bytes, which are cheap to make and equally hard to predict.
                for offset in stride(from: 0, to: plane.bytes.count, by: 8) {
                    let value = UInt8(truncatingIfNeeded: random.next() >> 56)
                    for n in offset..<min(offset + 8, plane.bytes.count) {
                        plane.bytes[n] = 16 + value / 2
                    }
                }
            }
        }
    }

    @Test func aPictureOfAnotherSizeAndSettingsOutOfRangeAreRefused() throws {
        let encoder = try H264Encoder(settings())
        let frame = try VideoFrame.solid(width: 64, height: 64, colour: .black)
        #expect(throws: CodecError.pictureSize(width: 64, height: 64)) {
            try encoder.encode(frame, index: 0, forceKeyframe: true)
        }
        let mistakes: [(inout VideoEncoderSettings) -> Void] = [
            { $0.width = 321 }, { $0.height = 0 }, { $0.frameRate = 0 }, { $0.bitrate = 1 },
            { $0.keyframeInterval = 0 }, { $0.preset = "plaid" }, { $0.threads = -1 },
            { $0.bFramesMaximum = 17 },
            { $0.bucket = Bucket(bitrateMaximum: 399_999, bufferBits: 200_000) },
            { $0.bucket = Bucket(bitrateMaximum: 440_000, bufferBits: 43_999) },
        ]
        for mistake in mistakes {
            var wrong = settings()
            mistake(&wrong)
            #expect {
                try H264Encoder(wrong)
            } throws: { error in
                switch error as? CodecError {
                case .setting, .pictureSize: true
                default: false
                }
            }
        }
    }

    @Test func parameterSetsAreFoundInAnyByteStream() {
        let sps: [UInt8] = [0x67, 0x64, 0x00, 0x1F, 0xAC]
        let pps: [UInt8] = [0x68, 0xEE, 0x01]
        let stream: [UInt8] = [0, 0, 0, 1, 9, 0xF0, 0, 0, 0, 1] + sps + [0, 0, 1] + pps
        let found = H264ParameterSets(annexB: stream + [0, 0, 0, 1, 0x65, 0x88])
        #expect(found?.sequence == sps)
        #expect(found?.picture == pps)
        #expect(found?.codecString == "avc1.64001F")
        for length in 0..<stream.count - pps.count {
            #expect(H264ParameterSets(annexB: Array(stream.prefix(length))) == nil)
        }
        var random = SeededRandom(seed: 11)
        for _ in 0..<500 {
            let noise = (0..<Int.random(in: 0...60, using: &random)).map { _ in
                UInt8.random(in: 0...1, using: &random)
            }
            _ = H264ParameterSets(annexB: noise)
        }
    }
}
