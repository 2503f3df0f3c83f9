import MediaKernel
import RTP
import Testing

@Suite struct RTCPPacketTests {
    struct Golden: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let bytes: [UInt8]
        let packets: [RTCPPacket]
    }

    static let block: [UInt8] = [
        0x00, 0x00, 0x00, 0x09, 0x40, 0xFF, 0xFF, 0xFE, 0x00, 0x01, 0x12, 0x34,
        0x00, 0x00, 0x00, 0x10, 0xAA, 0xBB, 0xCC, 0xDD, 0x00, 0x01, 0x00, 0x00,
    ]
    static let report = ReceptionReport(
        ssrc: SSRC(9), fractionLost: 64, cumulativeLost: -2, extendedHighestSequence: 0x11234,
        jitter: 16, lastSenderReport: 0xAABB_CCDD, delaySinceLastSenderReport: 65_536)

    static let goldens: [Golden] = [
        Golden(
            testDescription: "sender report",
            bytes: [
                0x81, 0xC8, 0x00, 0x0C, 0x00, 0x00, 0x00, 0x01, 0xE1, 0x00, 0x00, 0x00,
                0x80, 0x00, 0x00, 0x00, 0x00, 0x01, 0x5F, 0x90, 0x00, 0x00, 0x00, 0x05,
                0x00, 0x00, 0x10, 0x00,
            ] + block,
            packets: [
                .senderReport(
                    SenderReport(
                        ssrc: SSRC(1), ntp: NTPTime(rawValue: 0xE100_0000_8000_0000),
                        rtpTimestamp: 90_000, packetCount: 5, octetCount: 4096,
                        reports: [report]))
            ]),
        Golden(
            testDescription: "receiver report",
            bytes: [0x81, 0xC9, 0x00, 0x07, 0x00, 0x00, 0x00, 0x02] + block,
            packets: [.receiverReport(ReceiverReport(ssrc: SSRC(2), reports: [report]))]),
        Golden(
            testDescription: "source description",
            bytes: [
                0x82, 0xCA, 0x00, 0x05, 0x00, 0x00, 0x00, 0x01, 0x01, 0x03, 0x61, 0x62,
                0x63, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00,
            ],
            packets: [
                .sourceDescription([
                    SourceDescription(ssrc: SSRC(1), cname: "abc"),
                    SourceDescription(ssrc: SSRC(2), cname: nil),
                ])
            ]),
        Golden(
            testDescription: "bye",
            bytes: [0x82, 0xCB, 0x00, 0x02, 0, 0, 0, 1, 0, 0, 0, 2],
            packets: [.bye([SSRC(1), SSRC(2)])]),
        Golden(
            testDescription: "generic NACK over the wrap",
            bytes: [
                0x81, 0xCD, 0x00, 0x04, 0, 0, 0, 1, 0, 0, 0, 2, 0xFF, 0xFE, 0x80, 0x03,
                0x00, 0x50, 0x00, 0x00,
            ],
            packets: [
                .genericNACK(
                    GenericNACK(
                        sender: SSRC(1), media: SSRC(2),
                        lost: [65_534, 65_535, 0, 14, 80].map { SequenceNumber($0) }))
            ]),
        Golden(
            testDescription: "picture loss indication",
            bytes: [0x81, 0xCE, 0x00, 0x02, 0, 0, 0, 1, 0, 0, 0, 2],
            packets: [.pictureLossIndication(sender: SSRC(1), media: SSRC(2))]),
        Golden(
            testDescription: "full intra request",
            bytes: [
                0x84, 0xCE, 0x00, 0x04, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0x07, 0, 0, 0,
            ],
            packets: [
                .fullIntraRequest(
                    FullIntraRequest(
                        sender: SSRC(1), entries: [.init(media: SSRC(2), sequenceNumber: 7)]))
            ]),
        Golden(
            testDescription: "receiver estimated maximum bitrate",
            bytes: [
                0x8F, 0xCE, 0x00, 0x06, 0, 0, 0, 1, 0, 0, 0, 0, 0x52, 0x45, 0x4D, 0x42,
                0x02, 0x0F, 0xD0, 0x90, 0, 0, 0, 2, 0, 0, 0, 3,
            ],
            packets: [
                .receiverEstimatedMaximumBitrate(
                    ReceiverEstimatedMaximumBitrate(
                        sender: SSRC(1), bitrate: 2_000_000, media: [SSRC(2), SSRC(3)]))
            ]),
        Golden(
            testDescription: "unknown kind",
            bytes: [0x83, 0xCC, 0x00, 0x01, 1, 2, 3, 4],
            packets: [.unknown(type: 204, count: 3, bytes: [1, 2, 3, 4])]),
        Golden(
            testDescription: "transport feedback",
            bytes: TransportFeedbackTests.golden,
            packets: [.transportFeedback(TransportFeedbackTests.value)]),
    ]

    @Test(arguments: goldens) func eachKindIsReadAndWritten(_ golden: Golden) throws {
        #expect(try RTCPPacket.parseCompound(golden.bytes) == golden.packets)
        #expect(RTCPPacket.serialize(golden.packets) == golden.bytes)
    }

    static let compound = goldens.flatMap(\.bytes)

    @Test func aCompoundKeepsItsOrder() throws {
        #expect(
            try RTCPPacket.parseCompound(Self.compound) == Self.goldens.flatMap(\.packets))
    }

    @Test func everyTruncationThrowsUnlessItEndsBetweenPackets() {
        var ends: Set<Int> = [0]
        var end = 0
        for golden in Self.goldens {
            end += golden.bytes.count
            ends.insert(end)
        }
        for count in 0...Self.compound.count {
            let bytes = Array(Self.compound.prefix(count))
            if ends.contains(count) {
                #expect(throws: Never.self) { try RTCPPacket.parseCompound(bytes) }
            } else {
                #expect(throws: RTPError.self) { try RTCPPacket.parseCompound(bytes) }
            }
        }
    }

    /// Bodies cut short within a packet whose length field agrees.
    @Test(arguments: goldens) func aBodyCutShortThrowsOrIsTakenButNeverTraps(_ golden: Golden) {
        for words in 0..<(golden.bytes.count / 4) {
            var bytes = Array(golden.bytes.prefix((words + 1) * 4))
            bytes[3] = UInt8(words)
            _ = try? RTCPPacket.parseCompound(bytes)
        }
    }

    @Test func mutatedCompoundsNeverTrapAndWhatIsReadCanBeWritten() throws {
        var random = SeededRandom(seed: 2)
        for _ in 0..<4000 {
            var bytes = Self.goldens.randomElement(using: &random)?.bytes ?? []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] =
                    UInt8.random(in: 0...255, using: &random)
            }
            guard let packets = try? RTCPPacket.parseCompound(bytes) else { continue }
            let written = RTCPPacket.serialize(packets)
            #expect(throws: Never.self) { try RTCPPacket.parseCompound(written) }
        }
    }

    @Test func paddingIsTakenOff() throws {
        let bytes: [UInt8] = [0xA1, 0xCB, 0x00, 0x02, 0, 0, 0, 1, 0, 0, 0, 4]
        #expect(try RTCPPacket.parseCompound(bytes) == [.bye([SSRC(1)])])
        var wrong = bytes
        wrong[11] = 9
        #expect(throws: RTPError.invalidPadding(count: 9, available: 8)) {
            try RTCPPacket.parseCompound(wrong)
        }
    }

    @Test func aReasonForLeavingIsPassedOver() throws {
        let bytes: [UInt8] = [0x81, 0xCB, 0x00, 0x02, 0, 0, 0, 1, 2, 0x6F, 0x6B, 0]
        #expect(try RTCPPacket.parseCompound(bytes) == [.bye([SSRC(1)])])
    }

    @Test func aCompoundHasAMaximumOfPackets() {
        let bye: [UInt8] = [0x80, 0xCB, 0, 0]
        let full = Array(repeatElement(bye, count: RTCPPacket.compoundMaximum).joined())
        #expect(throws: Never.self) { try RTCPPacket.parseCompound(full) }
        #expect(throws: RTPError.oversized(count: 65, maximum: 64)) {
            try RTCPPacket.parseCompound(full + bye)
        }
    }

    @Test func aNACKAsksForNoMoreThanItsMaximum() throws {
        let numbers = (0..<5000).map { SequenceNumber(UInt16($0)) }
        let nack = GenericNACK(sender: SSRC(1), media: SSRC(2), lost: numbers)
        let written = RTCPPacket.serialize([.genericNACK(nack)])
        guard case .genericNACK(let read) = try RTCPPacket.parseCompound(written).first else {
            Issue.record("not a NACK")
            return
        }
        #expect(read.lost == Array(numbers.prefix(GenericNACK.lostMaximum)))
        let flood: [UInt8] =
            [0x81, 0xCD, 0x01, 0x02, 0, 0, 0, 1, 0, 0, 0, 2]
            + [UInt8](repeating: 0xFF, count: 256 * 4)
        guard case .genericNACK(let taken) = try RTCPPacket.parseCompound(flood).first else {
            Issue.record("not a NACK")
            return
        }
        #expect(taken.lost.count == GenericNACK.lostMaximum)
    }

    @Test(arguments: [0, 1, 262_143, 262_144, 2_500_000, 999_999_999_999] as [UInt64])
    func bitratesKeepEighteenSignificantBits(_ bitrate: UInt64) throws {
        let estimate = ReceiverEstimatedMaximumBitrate(
            sender: SSRC(1), bitrate: bitrate, media: [])
        let written = RTCPPacket.serialize([.receiverEstimatedMaximumBitrate(estimate)])
        guard
            case .receiverEstimatedMaximumBitrate(let read) =
                try RTCPPacket.parseCompound(written).first
        else {
            Issue.record("not an estimate")
            return
        }
        #expect(read.bitrate <= bitrate)
        #expect(bitrate - read.bitrate <= bitrate >> 17)
    }

    @Test func anEndlessBitrateIsNoTrap() throws {
        let bytes: [UInt8] = [
            0x8F, 0xCE, 0x00, 0x04, 0, 0, 0, 1, 0, 0, 0, 0, 0x52, 0x45, 0x4D, 0x42,
            0x00, 0xFF, 0xFF, 0xFF,
        ]
        #expect(
            try RTCPPacket.parseCompound(bytes) == [
                .receiverEstimatedMaximumBitrate(
                    ReceiverEstimatedMaximumBitrate(sender: SSRC(1), bitrate: .max, media: []))
            ])
    }

    @Test func aLongNameIsCutBetweenCharacters() throws {
        let name = String(repeating: "é", count: 200)
        let description = SourceDescription(ssrc: SSRC(1), cname: name)
        let written = RTCPPacket.serialize([.sourceDescription([description])])
        let read = try RTCPPacket.parseCompound(written)
        #expect(
            read == [
                .sourceDescription([
                    SourceDescription(ssrc: SSRC(1), cname: String(name.prefix(127)))
                ])
            ])
    }
}
