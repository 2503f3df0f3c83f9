import MediaKernel
import RTP
import Testing

@Suite struct H264Tests {
    static let sps = SimulatedStream.sequenceParameterSet
    static let pps = SimulatedStream.pictureParameterSet
    static let start: [UInt8] = [0, 0, 0, 1]
    static let idr: [UInt8] = [0x65, 0x88, 0x84, 0x21]
    static let slice: [UInt8] = [0x41, 0x9A, 0x11, 0x22]

    static func aggregate(_ units: [[UInt8]]) -> [UInt8] {
        [0x78] + units.flatMap { [0, UInt8($0.count)] + $0 }
    }

    private func assemble(
        _ payloads: [[UInt8]], with depacketizer: inout H264Depacketizer
    ) throws -> DepacketizedFrame {
        try depacketizer.assemble(payloads.map { $0[...] })
    }

    @Test func singleUnitsAreJoinedInAnnexB() throws {
        var depacketizer = H264Depacketizer()
        let frame = try assemble([Self.sps, Self.pps, Self.idr], with: &depacketizer)
        #expect(
            frame.data == Self.start + Self.sps + Self.start + Self.pps + Self.start + Self.idr)
        #expect(frame.isKeyframe)
        #expect(frame.size == PictureSize(width: 640, height: 360))
    }

    @Test func aggregatedAndFragmentedUnitsAreJoined() throws {
        var depacketizer = H264Depacketizer()
        let frame = try assemble(
            [
                Self.aggregate([Self.sps, Self.pps]), [0x7C, 0x85, 0x88], [0x7C, 0x05, 0x84],
                [0x7C, 0x45, 0x21],
            ], with: &depacketizer)
        #expect(
            frame.data == Self.start + Self.sps + Self.start + Self.pps + Self.start + Self.idr)
        #expect(frame.isKeyframe)
    }

    @Test func rememberedParameterSetsGoBeforeAPictureThatLacksThem() throws {
        var depacketizer = H264Depacketizer()
        _ = try assemble([Self.aggregate([Self.sps, Self.pps, Self.idr])], with: &depacketizer)
        let bare = try assemble([Self.idr], with: &depacketizer)
        #expect(
            bare.data == Self.start + Self.sps + Self.start + Self.pps + Self.start + Self.idr)
        let delimited = try assemble([[0x09, 0xF0], Self.idr], with: &depacketizer)
        #expect(
            delimited.data == Self.start + [0x09, 0xF0] + Self.start + Self.sps + Self.start
                + Self.pps + Self.start + Self.idr)
        #expect(delimited.size == PictureSize(width: 640, height: 360))
        let slice = try assemble([Self.slice], with: &depacketizer)
        #expect(slice.data == Self.start + Self.slice)
        #expect(!slice.isKeyframe)
    }

    @Test func aKeyFrameWithoutAnyParameterSetsIsRefused() {
        var depacketizer = H264Depacketizer()
        #expect(throws: RTPError.malformedPayload(.h264, .noStart)) {
            try assemble([Self.idr], with: &depacketizer)
        }
    }

    @Test func brokenFragmentsAreRefused() {
        var depacketizer = H264Depacketizer()
        let broken: [[[UInt8]]] = [
            [[0x7C, 0x05, 1]], [[0x7C, 0x85, 1]], [[0x7C, 0x85, 1], [0x7C, 0x85, 1]],
            [[0x7C, 0x85, 1], Self.slice],
        ]
        for payloads in broken {
            #expect(throws: RTPError.malformedPayload(.h264, .brokenFragment)) {
                try assemble(payloads, with: &depacketizer)
            }
        }
    }

    @Test func unitsOfOtherModesAndWrongLengthsAreRefused() {
        var depacketizer = H264Depacketizer()
        for kind: UInt8 in [0, 25, 26, 27, 29, 30, 31] {
            #expect(throws: RTPError.malformedPayload(.h264, .unsupportedUnit(kind))) {
                try assemble([[kind, 1, 2, 3, 4]], with: &depacketizer)
            }
        }
        #expect(throws: RTPError.malformedPayload(.h264, .invalidLength)) {
            try assemble([[0x78, 0, 9, 1, 2]], with: &depacketizer)
        }
        #expect(throws: RTPError.malformedPayload(.h264, .invalidLength)) {
            try assemble([[0x78, 0, 0, 0, 1, 0x41]], with: &depacketizer)
        }
    }

    @Test func everyTruncationIsTakenOrRefusedButNeverTraps() {
        var depacketizer = H264Depacketizer()
        for payload in [Self.aggregate([Self.sps, Self.pps, Self.idr]), Self.sps, Self.idr] {
            for count in 0...payload.count {
                _ = try? depacketizer.assemble([payload.prefix(count)])
                _ = KeyframeDetection.isKeyframeStart(payload: payload.prefix(count), codec: .h264)
            }
        }
    }

    @Test func keyFramesBeginWithParameterSetsOrTheFirstSlice() {
        func isStart(_ bytes: [UInt8]) -> Bool {
            KeyframeDetection.isKeyframeStart(payload: bytes[...], codec: .h264)
        }
        #expect(isStart(Self.sps))
        #expect(isStart(Self.idr))
        #expect(isStart(Self.aggregate([[0x09, 0xF0], Self.sps, Self.pps])))
        #expect(isStart([0x7C, 0x85, 0x88, 0x84]))
        #expect(!isStart([0x7C, 0x05, 0x88, 0x84]))
        #expect(!isStart([0x7C, 0x81, 0x88, 0x84]))
        // A later slice of an IDR picture: its first macroblock is not 0.
        #expect(!isStart([0x65, 0x08, 0x84]))
        #expect(!isStart(Self.pps))
        #expect(!isStart(Self.slice))
        #expect(!isStart([0x7C]))
        #expect(!isStart([]))
    }

    @Test func thePacketizerAggregatesSmallUnitsAndFragmentsLargeOnes() throws {
        var packetizer = H264Packetizer(mtu: 150)
        let large = [0x65, 0x88] + [UInt8](repeating: 7, count: 248)
        let data =
            Self.start + [0x09, 0xF0] + Self.start + Self.sps + [0, 0, 1] + Self.pps
            + [0, 0, 1] + large
        let payloads = packetizer.packetize(frame: data, isKeyframe: true)
        #expect(payloads.map(\.marker) == [false, false, false, true])
        #expect(payloads.allSatisfy { $0.payload.count <= 100 })
        #expect(payloads[0].payload == Self.aggregate([Self.sps, Self.pps]))
        #expect(Array(payloads[1].payload.prefix(3)) == [0x7C, 0x85, 0x88])
        #expect(Array(payloads[3].payload.prefix(2)) == [0x7C, 0x45])
        var depacketizer = H264Depacketizer()
        let frame = try assemble(payloads.map(\.payload), with: &depacketizer)
        #expect(
            frame.data == Self.start + Self.sps + Self.start + Self.pps + Self.start + large)
        #expect(packetizer.packetize(frame: [1, 2, 3], isKeyframe: false).isEmpty)
    }

    /// By x264: interlaced 1920x1080; 4:4:4 and grey 642x362.
    static let parameterSets: [([UInt8], PictureSize)] = [
        (
            [
                0x67, 0x64, 0x00, 0x28, 0xAC, 0xD9, 0x40, 0x78, 0x04, 0x4F, 0xDE, 0x02, 0x20, 0x00,
                0x00, 0x03, 0x00, 0x20, 0x00, 0x00, 0x07, 0x83, 0xE2, 0xC5, 0xB2, 0xC0,
            ],
            PictureSize(width: 1920, height: 1080)
        ),
        (
            [
                0x67, 0xF4, 0x00, 0x1E, 0x91, 0x9B, 0x28, 0x14, 0x85, 0xFC, 0x7C, 0xF8, 0x08, 0x80,
                0x00, 0x00, 0x03, 0x00, 0x80, 0x00, 0x00, 0x1E, 0x07, 0x8B, 0x16, 0xCB,
            ],
            PictureSize(width: 642, height: 362)
        ),
        (
            [
                0x67, 0x64, 0x00, 0x1E, 0xF3, 0x65, 0x02, 0x90, 0xBF, 0x8F, 0x9F, 0x01, 0x6C, 0x80,
                0x00, 0x00, 0x03, 0x00, 0x80, 0x00, 0x00, 0x1E, 0x07, 0x8B, 0x16, 0xCB,
            ],
            PictureSize(width: 642, height: 362)
        ),
    ]

    @Test(arguments: parameterSets) func theSizeIsReadWithCropping(_ set: ([UInt8], PictureSize))
        throws
    {
        var depacketizer = H264Depacketizer()
        let frame = try assemble([set.0, Self.pps, Self.idr], with: &depacketizer)
        #expect(frame.size == set.1)
    }
}
