import MediaKernel
import RTP
import Testing

@Suite struct VP9Tests {
    /// By libvpx: the starts of key frames of 640x360, profile 0, and profile 2 with 10 bits.
    static let keyframe: [UInt8] = [0x82, 0x49, 0x83, 0x42, 0x00, 0x27, 0xF0, 0x16, 0x76, 0x04]
    static let tenBitKeyframe: [UInt8] = [
        0x92, 0x49, 0x83, 0x42, 0x00, 0x13, 0xF8, 0x0B, 0x3B, 0x03,
    ]

    /// Non-flexible, with a structure of two layers and a group of two pictures.
    static let structured: [UInt8] = [
        0xAA, 0x81, 0x23, 0x00, 0x07,
        0x38, 0x01, 0x40, 0x00, 0xB4, 0x02, 0x80, 0x01, 0x68, 0x02, 0x10, 0x24, 0x01,
    ]
    /// Flexible, with three references.
    static let flexible: [UInt8] = [0xFD, 0x05, 0x52, 0x03, 0x05, 0x06]

    @Test func aDescriptorWithAStructureIsReadAndWritten() throws {
        let (descriptor, rest) = try VP9PayloadDescriptor.parse((Self.structured + [9])[...])
        #expect(descriptor.pictureID == 0x123)
        #expect(descriptor.layer?.temporalLayerZeroIndex == 7)
        #expect(descriptor.startsLayerFrame && !descriptor.endsLayerFrame)
        #expect(descriptor.startsKeyPicture)
        let structure = try #require(descriptor.structure)
        #expect(structure.spatialLayers == 2)
        #expect(
            structure.sizes
                == [PictureSize(width: 320, height: 180), PictureSize(width: 640, height: 360)])
        #expect(structure.pictureGroup?.map(\.isSwitchingUpPoint) == [true, false])
        #expect(structure.pictureGroup?.map(\.temporal) == [0, 1])
        #expect(structure.pictureGroup?.map(\.references) == [[], [1]])
        #expect(Array(rest) == [9])
        #expect(descriptor.serialized() == Self.structured)
    }

    @Test func aFlexibleDescriptorIsReadAndWritten() throws {
        let (descriptor, rest) = try VP9PayloadDescriptor.parse((Self.flexible + [9])[...])
        #expect(descriptor.isFlexible && descriptor.isInterPicturePredicted)
        #expect(descriptor.isNotReferenceForUpper)
        #expect(descriptor.pictureID == 5 && !descriptor.hasLongPictureID)
        #expect(descriptor.layer?.temporal == 2)
        #expect(descriptor.layer?.isSwitchingUpPoint == true)
        #expect(descriptor.layer?.spatial == 1)
        #expect(descriptor.references == [1, 2, 3])
        #expect(Array(rest) == [9])
        #expect(descriptor.serialized() == Self.flexible)
    }

    @Test func everyTruncationOfADescriptorThrows() {
        for bytes in [Self.structured, Self.flexible] {
            for count in 0..<bytes.count {
                #expect {
                    try VP9PayloadDescriptor.parse(bytes.prefix(count))
                } throws: { error in
                    if case RTPError.truncated = error { true } else { false }
                }
            }
        }
    }

    @Test func moreThanThreeReferencesAreRefused() {
        #expect(throws: RTPError.malformedPayload(.vp9, .invalidLength)) {
            try VP9PayloadDescriptor.parse([0x58, 3, 3, 3, 3, 3, 2, 9])
        }
    }

    @Test(arguments: [keyframe, tenBitKeyframe]) func aKeyFrameTellsItsSize(_ bytes: [UInt8]) throws
    {
        var depacketizer = VP9Depacketizer()
        let frame = try depacketizer.assemble([
            [0x88, 0x01] + bytes.prefix(4), [0x84, 0x01] + bytes[4...],
        ])
        #expect(frame.data == bytes)
        #expect(frame.isKeyframe)
        #expect(frame.size == PictureSize(width: 640, height: 360))
    }

    @Test func spatialLayersBecomeASuperframeWithItsIndex() throws {
        var depacketizer = VP9Depacketizer()
        // Two layer frames of 300 and 2 bytes, the first in two packets.
        let lower = [UInt8](repeating: 0x11, count: 300)
        let frame = try depacketizer.assemble([
            Self.structured + lower.prefix(200),
            [0xA0, 0x81, 0x23, 0x00, 0x07] + lower.dropFirst(200),
            [0xAC, 0x81, 0x23, 0x03, 0x07] + [0x22, 0x22],
        ])
        #expect(frame.isKeyframe)
        #expect(frame.size == PictureSize(width: 640, height: 360))
        #expect(frame.data == lower + [0x22, 0x22] + [0xC9, 0x2C, 0x01, 0x02, 0x00, 0xC9])
    }

    @Test func aMissingUpperLayerLeavesTheLowerOnesSize() throws {
        var depacketizer = VP9Depacketizer()
        let frame = try depacketizer.assemble([Self.structured + [0x82, 0x49]])
        #expect(frame.size == PictureSize(width: 320, height: 180))
    }

    @Test func tooManyLayerFramesAreRefused() {
        var depacketizer = VP9Depacketizer()
        let payload: ArraySlice<UInt8> = [0x08, 1]
        #expect(throws: Never.self) {
            try depacketizer.assemble(Array(repeating: payload, count: 8))
        }
        #expect(throws: RTPError.malformedPayload(.vp9, .invalidLength)) {
            try depacketizer.assemble(Array(repeating: payload, count: 9))
        }
        #expect(throws: RTPError.malformedPayload(.vp9, .noStart)) {
            try depacketizer.assemble([[0x00, 1]])
        }
    }

    @Test func keyPicturesAreFoundByTheDescriptor() {
        func isStart(_ bytes: [UInt8]) -> Bool {
            KeyframeDetection.isKeyframeStart(payload: bytes[...], codec: .vp9)
        }
        #expect(isStart([0x88, 0x01, 0x82]))
        #expect(isStart(Self.structured + [0x82]))
        #expect(!isStart([0xC8, 0x01, 0x86]))
        #expect(!isStart([0x80, 0x01, 0x86]))
        // An upper layer of a key picture refers to the lower one.
        #expect(!isStart([0xA8, 0x01, 0x03, 0x07, 0x86]))
        #expect(!isStart([0x88]))
        #expect(!isStart([]))
    }
}
