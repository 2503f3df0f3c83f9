import MediaKernel
import RTP
import Testing

@Suite struct VP8Tests {
    /// By libvpx: the start of a key frame of 640x360.
    static let keyframe: [UInt8] = [
        0xF0, 0xC6, 0x00, 0x9D, 0x01, 0x2A, 0x80, 0x02, 0x68, 0x01, 0x00, 0x07, 0x08,
    ]

    @Test func theShortestDescriptorIsOneByte() throws {
        let (descriptor, rest) = try VP8PayloadDescriptor.parse([0x10, 0x42])
        #expect(descriptor.startsFrame)
        #expect(descriptor.pictureID == nil)
        #expect(Array(rest) == [0x42])
        #expect(descriptor.serialized() == [0x10])
    }

    @Test func everyFieldIsReadAndWritten() throws {
        let bytes: [UInt8] = [0xB3, 0xF0, 0x92, 0x34, 0x56, 0xB7]
        let (descriptor, rest) = try VP8PayloadDescriptor.parse((bytes + [1])[...])
        #expect(descriptor.isNonReference)
        #expect(descriptor.startsPartition && descriptor.partition == 3)
        #expect(!descriptor.startsFrame)
        #expect(descriptor.pictureID == 0x1234 && descriptor.hasLongPictureID)
        #expect(descriptor.temporalLayerZeroIndex == 0x56)
        #expect(descriptor.temporalLayer?.index == 2)
        #expect(descriptor.temporalLayer?.isSync == true)
        #expect(descriptor.keyIndex == 0x17)
        #expect(Array(rest) == [1])
        #expect(descriptor.serialized() == bytes)
    }

    @Test func aPictureIDMayHaveSevenBits() throws {
        let bytes: [UInt8] = [0x90, 0x80, 0x7F]
        let (descriptor, _) = try VP8PayloadDescriptor.parse(bytes[...])
        #expect(descriptor.pictureID == 127 && !descriptor.hasLongPictureID)
        #expect(descriptor.serialized() == bytes)
    }

    @Test func everyTruncationOfTheDescriptorThrows() {
        let bytes: [UInt8] = [0xB3, 0xF0, 0x92, 0x34, 0x56, 0xB7]
        for count in 0..<bytes.count {
            #expect {
                try VP8PayloadDescriptor.parse(bytes.prefix(count))
            } throws: { error in
                if case RTPError.truncated = error { true } else { false }
            }
        }
    }

    @Test func aKeyFrameIsJoinedAndItsSizeRead() throws {
        var depacketizer = VP8Depacketizer()
        let frame = try depacketizer.assemble([
            [0x90, 0x80, 0x01] + Self.keyframe.prefix(5), [0x80, 0x80, 0x01] + Self.keyframe[5...],
        ])
        #expect(frame.data == Self.keyframe)
        #expect(frame.isKeyframe)
        #expect(frame.size == PictureSize(width: 640, height: 360))
    }

    @Test func framesThatDoNotBeginOrBeginTwiceAreRefused() {
        var depacketizer = VP8Depacketizer()
        #expect(throws: RTPError.malformedPayload(.vp8, .noStart)) {
            try depacketizer.assemble([[0x00, 1, 2, 3]])
        }
        #expect(throws: RTPError.malformedPayload(.vp8, .brokenFragment)) {
            try depacketizer.assemble([[0x10, 1], [0x10, 1]])
        }
        #expect(throws: RTPError.malformedPayload(.vp8, .empty)) {
            try depacketizer.assemble([[0x10]])
        }
        #expect(throws: RTPError.malformedPayload(.vp8, .empty)) { try depacketizer.assemble([]) }
    }

    @Test func keyFramesAreFoundByTheFirstPacketAlone() {
        func isStart(_ bytes: [UInt8]) -> Bool {
            KeyframeDetection.isKeyframeStart(payload: bytes[...], codec: .vp8)
        }
        #expect(isStart([0x90, 0x80, 0x01] + Self.keyframe))
        #expect(!isStart([0x80, 0x80, 0x01] + Self.keyframe))
        #expect(!isStart([0x11] + Self.keyframe))
        #expect(!isStart([0x10, 0xF1]))
        #expect(!isStart([0x10]))
        #expect(!isStart([]))
    }

    @Test func thePacketizerCountsPicturesAndBalancesPackets() throws {
        var packetizer = VP8Packetizer(mtu: 150, firstPictureID: 0x7FFF, countsBaseLayer: true)
        let data = [UInt8](repeating: 0xF0, count: 200)
        let payloads = packetizer.packetize(frame: data, isKeyframe: true)
        #expect(payloads.map(\.marker) == [false, false, true])
        #expect(payloads.allSatisfy { $0.payload.count <= 100 })
        #expect(Set(payloads.map { $0.payload.count / 5 }).count == 1)
        let next = packetizer.packetize(frame: [1], isKeyframe: false)
        let (first, _) = try VP8PayloadDescriptor.parse(payloads[1].payload[...])
        let (second, _) = try VP8PayloadDescriptor.parse(next[0].payload[...])
        #expect(first.pictureID == 0x7FFF && second.pictureID == 0)
        #expect(first.temporalLayerZeroIndex == 0 && second.temporalLayerZeroIndex == 1)
        #expect(second.startsFrame && !first.startsFrame)
        #expect(packetizer.packetize(frame: [], isKeyframe: true).isEmpty)
    }
}
