import MediaKernel
import RTP
import Testing

@Suite struct RTPPacketTests {
    /// Marker, PT 96, one CSRC, a one-byte extension (id 1 = AA, id 3 = 01 02, padded), payload.
    static let golden: [UInt8] = [
        0x91, 0xE0, 0x12, 0x34, 0x01, 0x02, 0x03, 0x04, 0xDE, 0xAD, 0xBE, 0xEF,
        0x00, 0x00, 0x00, 0x07,
        0xBE, 0xDE, 0x00, 0x02, 0x10, 0xAA, 0x31, 0x01, 0x02, 0x00, 0x00, 0x00,
        0xCA, 0xFE, 0x42,
    ]

    @Test func aPacketIsReadFieldByField() throws {
        let packet = try RTPPacket(parsing: Self.golden)
        #expect(packet.marker)
        #expect(packet.payloadType == PayloadType(96))
        #expect(packet.sequenceNumber == SequenceNumber(0x1234))
        #expect(packet.timestamp == 0x0102_0304)
        #expect(packet.ssrc == SSRC(0xDEAD_BEEF))
        #expect(packet.csrcs == [7])
        #expect(packet.extensions[1].map(Array.init) == [0xAA])
        #expect(packet.extensions[3].map(Array.init) == [1, 2])
        #expect(packet.extensions[2] == nil)
        #expect(Array(packet.payload) == [0xCA, 0xFE, 0x42])
        #expect(packet.paddingLength == 0)
    }

    @Test func aPacketIsWrittenAsItWasRead() throws {
        #expect(try RTPPacket(parsing: Self.golden).serialized() == Self.golden)
    }

    @Test func aPacketBuiltByHandHasTheGoldenBytes() {
        var extensions = HeaderExtensions()
        extensions.set(1, [0xAA])
        extensions.set(3, [1, 2])
        let packet = RTPPacket(
            marker: true, payloadType: PayloadType(96), sequenceNumber: SequenceNumber(0x1234),
            timestamp: 0x0102_0304, ssrc: SSRC(0xDEAD_BEEF), csrcs: [7], extensions: extensions,
            payload: [0xCA, 0xFE, 0x42])
        #expect(packet.serialized() == Self.golden)
    }

    @Test func paddingIsTakenOffAndPutBack() throws {
        let bytes: [UInt8] = [
            0xA0, 0x60, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0x55, 0, 0, 3,
        ]
        let packet = try RTPPacket(parsing: bytes)
        #expect(Array(packet.payload) == [0x55])
        #expect(packet.paddingLength == 3)
        #expect(packet.serialized() == bytes)
    }

    @Test func aPacketOfPaddingOnlyHasAnEmptyPayload() throws {
        let bytes: [UInt8] = [0xA0, 0x60, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 2]
        let packet = try RTPPacket(parsing: bytes)
        #expect(packet.payload.isEmpty)
        #expect(packet.paddingLength == 2)
    }

    @Test func impossiblePaddingIsRefused() {
        let head: [UInt8] = [0xA0, 0x60, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3]
        #expect(throws: RTPError.invalidPadding(count: 0, available: 2)) {
            try RTPPacket(parsing: head + [1, 0])
        }
        #expect(throws: RTPError.invalidPadding(count: 3, available: 2)) {
            try RTPPacket(parsing: head + [1, 3])
        }
        #expect(throws: RTPError.invalidPadding(count: 3, available: 0)) {
            try RTPPacket(parsing: head)
        }
    }

    @Test func anotherVersionIsRefused() {
        var bytes = Self.golden
        bytes[0] = 0x51
        #expect(throws: RTPError.unsupportedVersion(1)) { try RTPPacket(parsing: bytes) }
    }

    @Test func moreThanADatagramIsRefused() {
        let bytes = Self.golden + [UInt8](repeating: 0, count: 65_536)
        #expect(throws: RTPError.oversized(count: bytes.count, maximum: 65_535)) {
            try RTPPacket(parsing: bytes)
        }
    }

    @Test func everyTruncationOfTheHeaderThrows() {
        for count in 0..<28 {
            #expect {
                try RTPPacket(parsing: Array(Self.golden.prefix(count)))
            } throws: { error in
                if case RTPError.truncated(_, let available) = error {
                    available <= count
                } else {
                    false
                }
            }
        }
        for count in 28...Self.golden.count {
            #expect(throws: Never.self) {
                try RTPPacket(parsing: Array(Self.golden.prefix(count)))
            }
        }
    }

    @Test func roomIsLeftBehindAPacket() {
        var packet = RTPPacket(
            payloadType: PayloadType(96), sequenceNumber: SequenceNumber(1), timestamp: 2,
            ssrc: SSRC(3), payload: [4, 5, 6], paddingLength: 3)
        // More than there are zeros at hand.
        for id in 1...14 as ClosedRange<UInt8> {
            packet.extensions.set(id, [UInt8](repeating: id, count: 30))
        }
        let plain = packet.serialized(numbered: (15, TransportSequence(7)))
        #expect(Array(plain.suffix(6)) == [4, 5, 6, 0, 0, 3])
        #expect(
            packet.serialized(numbered: (15, TransportSequence(7)), room: 148)
                == plain + [UInt8](repeating: 0, count: 148))
    }

    @Test func mutatedPacketsNeverTrapAndSurviveTheirOwnRoundTrip() throws {
        var random = SeededRandom(seed: 1)
        for _ in 0..<4000 {
            var bytes = Self.golden
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] =
                    UInt8.random(in: 0...255, using: &random)
            }
            guard let packet = try? RTPPacket(parsing: bytes) else { continue }
            var changed = packet
            changed.extensions.set(5, [1, 2, 3])
            changed.extensions = changed.extensions.remapped { [1: 9, 5: 200][$0] }
            #expect(try RTPPacket(parsing: packet.serialized()) == packet)
            #expect(try RTPPacket(parsing: changed.serialized()) == changed)
        }
    }

    @Test func rtcpIsToldFromRTPByTheSecondByte() {
        #expect(RTPPacket.isRTCP([0x80, 200]))
        #expect(RTPPacket.isRTCP([0x81, 205]))
        #expect(!RTPPacket.isRTCP([0x80, 96]))
        #expect(!RTPPacket.isRTCP([0x80, 0xE0]))
        #expect(!RTPPacket.isRTCP([0x80]))
    }
}
