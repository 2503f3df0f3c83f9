import MediaKernel
import RTP
import Testing

@Suite struct AV1Tests {
    /// Sequence header without its size field, as in RTP.
    static let sequenceHeader: [UInt8] = [0x08] + SimulatedStream.av1SequenceHeader.dropFirst(2)
    static let keyFrame: [UInt8] = [0x30, 0x10, 0xAA, 0xBB]
    static let interFrame: [UInt8] = [0x30, 0x30, 0xCC]
    static let delimiter: [UInt8] = [0x12, 0x00]

    private func assemble(_ payloads: [[UInt8]]) throws -> DepacketizedFrame {
        var depacketizer = AV1Depacketizer()
        return try depacketizer.assemble(payloads.map { $0[...] })
    }

    private var keyUnit: [UInt8] {
        Self.delimiter + SimulatedStream.av1SequenceHeader + [0x32, 0x03, 0x10, 0xAA, 0xBB]
    }

    @Test func countedElementsBecomeUnitsWithSizes() throws {
        // W = 2: the first element has a length, the last has none.
        let frame = try assemble([[0x28, 0x0C] + Self.sequenceHeader + Self.keyFrame])
        #expect(frame.data == keyUnit)
        #expect(frame.isKeyframe)
        #expect(frame.size == PictureSize(width: 640, height: 360))
    }

    @Test func uncountedElementsAllHaveLengths() throws {
        let frame = try assemble([[0x08, 0x0C] + Self.sequenceHeader + [0x04] + Self.keyFrame])
        #expect(frame.data == keyUnit)
    }

    @Test func fragmentsAreJoinedOverPackets() throws {
        let frame = try assemble([
            [0x68, 0x0C] + Self.sequenceHeader + Self.keyFrame.prefix(1),
            [0xD0] + Self.keyFrame[1..<3],
            [0x90] + Self.keyFrame[3...],
        ])
        #expect(frame.data == keyUnit)
    }

    @Test func sizesThatCameAlongAreKeptOnce() throws {
        let frame = try assemble([
            [0x28, 0x0D] + SimulatedStream.av1SequenceHeader + [0x32, 0x03, 0x10, 0xAA, 0xBB]
        ])
        #expect(frame.data == keyUnit)
    }

    @Test func delimitersTileListsAndPaddingAreLeftOut() throws {
        let frame = try assemble([
            [0x00, 0x01, 0x10, 0x02, 0x40, 0x01, 0x02, 0x78, 0x00, 0x03] + Self.interFrame
        ])
        #expect(frame.data == Self.delimiter + [0x32, 0x02, 0x30, 0xCC])
        #expect(!frame.isKeyframe)
        #expect(frame.size == nil)
    }

    @Test func extensionBytesAreKept() throws {
        let frame = try assemble([[0x10, 0x34, 0x28, 0x30, 0xCC]])
        #expect(frame.data == Self.delimiter + [0x36, 0x28, 0x02, 0x30, 0xCC])
    }

    @Test func brokenFragmentsAndLengthsAreRefused() {
        #expect(throws: RTPError.malformedPayload(.av1, .noStart)) {
            try assemble([[0x90] + Self.interFrame])
        }
        #expect(throws: RTPError.malformedPayload(.av1, .brokenFragment)) {
            try assemble([[0x50] + Self.interFrame])
        }
        #expect(throws: RTPError.malformedPayload(.av1, .brokenFragment)) {
            try assemble([[0x50] + Self.interFrame, [0x10] + Self.interFrame])
        }
        #expect(throws: RTPError.malformedPayload(.av1, .invalidLength)) {
            try assemble([[0x00, 0x09, 0x30]])
        }
        #expect(throws: RTPError.malformedPayload(.av1, .invalidLength)) {
            try assemble([[0x00] + [UInt8](repeating: 0x80, count: 12)])
        }
        #expect(throws: RTPError.malformedPayload(.av1, .invalidLength)) { try assemble([[]]) }
        #expect(throws: RTPError.malformedPayload(.av1, .empty)) { try assemble([[0x00]]) }
        #expect(throws: RTPError.malformedPayload(.av1, .empty)) { try assemble([[0x10, 0x10]]) }
        #expect(throws: RTPError.malformedPayload(.av1, .invalidLength)) {
            try assemble([[0x10, 0xB0, 0x10]])
        }
    }

    @Test func keyFramesAreFoundByTheNBitOrTheSequenceHeader() {
        func isStart(_ bytes: [UInt8]) -> Bool {
            KeyframeDetection.isKeyframeStart(payload: bytes[...], codec: .av1)
        }
        #expect(isStart([0x18] + Self.keyFrame))
        #expect(isStart([0x20, 0x0C] + Self.sequenceHeader + Self.keyFrame))
        #expect(!isStart([0x98] + Self.keyFrame))
        #expect(!isStart([0x10] + Self.interFrame))
        #expect(!isStart([0x18]))
        #expect(!isStart([]))
    }

    /// Sequence headers by libaom and rav1e, both 1280x718.
    static let headers: [[UInt8]] = [
        [0x08, 0x00, 0x00, 0x00, 0x2D, 0x4C, 0xFF, 0xB3, 0x4D, 0xAF, 0x90, 0x04],
        [0x08, 0x00, 0x00, 0x00, 0xFA, 0xA6, 0x7F, 0xD9, 0xA2, 0x10, 0xA8, 0x81, 0x01, 0x01, 0x0A],
    ]

    @Test(arguments: headers) func theSizeIsRead(_ header: [UInt8]) throws {
        let frame = try assemble([[0x28, UInt8(header.count)] + header + Self.keyFrame])
        #expect(frame.size == PictureSize(width: 1280, height: 718))
    }

    @Test func thePacketizerFillsPacketsAndFlagsFragments() throws {
        var packetizer = AV1Packetizer(mtu: 150)
        let body = (0..<250).map { UInt8(truncatingIfNeeded: $0 | 1) }
        let data =
            Self.delimiter + SimulatedStream.av1SequenceHeader + [0x32, 0xFB, 0x01, 0x10] + body
        let payloads = packetizer.packetize(frame: data, isKeyframe: true)
        #expect(payloads.map(\.marker) == [false, false, true])
        #expect(payloads.allSatisfy { $0.payload.count <= 100 })
        #expect(payloads.map { $0.payload[0] & 0xC8 } == [0x48, 0xC0, 0x80])
        let frame = try assemble(payloads.map(\.payload))
        #expect(frame.data == data)
        #expect(packetizer.packetize(frame: [0xFF], isKeyframe: false).isEmpty)
        #expect(packetizer.packetize(frame: Self.delimiter, isKeyframe: false).isEmpty)
    }

    @Test func manySmallUnitsSurviveTheRoundTrip() throws {
        var random = SeededRandom(seed: 5)
        for mtu in [100, 130, 300, 1200] {
            var packetizer = AV1Packetizer(mtu: mtu)
            for _ in 0..<50 {
                var data = Self.delimiter
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    let count = Int.random(in: 1...120, using: &random)
                    data += [0x32, UInt8(count), 0x30]
                    data += (1..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
                }
                let payloads = packetizer.packetize(frame: data, isKeyframe: false)
                #expect(payloads.allSatisfy { $0.payload.count <= mtu - 50 })
                #expect(try assemble(payloads.map(\.payload)).data == data)
            }
        }
    }
}
