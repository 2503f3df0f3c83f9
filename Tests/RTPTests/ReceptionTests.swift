import MediaKernel
import RTP
import Testing

@Suite struct ReceptionStatisticsTests {
    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    private func packet(_ sequence: Int, timestamp: UInt32 = 0) -> RTPPacket {
        RTPPacket(
            payloadType: PayloadType(96),
            sequenceNumber: SequenceNumber(UInt16(truncatingIfNeeded: sequence)),
            timestamp: timestamp, ssrc: SSRC(7), payload: [1, 2, 3])
    }

    @Test func lossIsCountedOverTheWrapAndPerInterval() {
        var statistics = ReceptionStatistics(ssrc: SSRC(7))
        for sequence in 65_530..<65_550 where sequence % 4 != 0 {
            statistics.received(packet(sequence), at: at(0), clockRate: 90_000)
        }
        var report = statistics.report(at: at(0))
        #expect(report.ssrc == SSRC(7))
        #expect(report.cumulativeLost == 5)
        #expect(report.fractionLost == 64)
        #expect(report.extendedHighestSequence == 65_549)
        for sequence in 65_550..<65_560 {
            statistics.received(packet(sequence), at: at(0), clockRate: 90_000)
        }
        report = statistics.report(at: at(0))
        #expect(report.fractionLost == 0)
        #expect(report.cumulativeLost == 5)
        #expect(statistics.packetCount == 25)
        #expect(statistics.octetCount == 75)
    }

    @Test func duplicatesCountAgainstLoss() {
        var statistics = ReceptionStatistics(ssrc: SSRC(7))
        for sequence in [1, 1, 1] {
            statistics.received(packet(sequence), at: at(0), clockRate: 90_000)
        }
        let report = statistics.report(at: at(0))
        #expect(report.cumulativeLost == -2)
        #expect(report.fractionLost == 0)
    }

    @Test func jitterFollowsTheFormulaOfTheStandard() {
        var statistics = ReceptionStatistics(ssrc: SSRC(7))
        var expected = 0.0
        for index in 0..<200 {
            let late = index % 2 == 0 ? 0 : 8
            statistics.received(
                packet(index, timestamp: 0xFFFF_0000 &+ UInt32(index * 1800)),
                at: at(index * 20 + late), clockRate: 90_000)
            if index > 0 { expected += (720 - expected) / 16 }
        }
        let jitter = Double(statistics.report(at: at(0)).jitter)
        #expect(abs(jitter - expected) <= 2)
    }

    @Test func aSteadyStreamHasNoJitter() {
        var statistics = ReceptionStatistics(ssrc: SSRC(7))
        for index in 0..<100 {
            statistics.received(
                packet(index, timestamp: UInt32(index * 960)), at: at(index * 20),
                clockRate: 48_000)
        }
        #expect(statistics.report(at: at(0)).jitter == 0)
    }

    @Test func timestampsThatJumpAreNoJitter() {
        var statistics = ReceptionStatistics(ssrc: SSRC(7))
        for index in 0..<50 {
            let jump: UInt32 = index < 25 ? 0 : 90_000 * 10
            statistics.received(
                packet(index, timestamp: UInt32(index * 1800) + jump), at: at(index * 20),
                clockRate: 90_000)
        }
        #expect(statistics.report(at: at(0)).jitter == 0)
    }

    @Test func theDelaySinceTheSenderReportIsTold() {
        var statistics = ReceptionStatistics(ssrc: SSRC(7))
        #expect(statistics.report(at: at(0)).lastSenderReport == 0)
        statistics.senderReport(
            SenderReport(
                ssrc: SSRC(7), ntp: NTPTime(rawValue: 0x1111_2222_3333_4444), rtpTimestamp: 0,
                packetCount: 0, octetCount: 0), at: at(1000))
        let report = statistics.report(at: at(1500))
        #expect(report.lastSenderReport == 0x2222_3333)
        #expect(report.delaySinceLastSenderReport == 32_768)
    }

    @Test func oneStrayPacketDoesNotRestartTheCountButTwoDo() {
        var statistics = ReceptionStatistics(ssrc: SSRC(7))
        for sequence in [10, 11, 30_000, 12] {
            statistics.received(packet(sequence), at: at(0), clockRate: 90_000)
        }
        #expect(statistics.report(at: at(0)).extendedHighestSequence == 12)
        #expect(statistics.report(at: at(0)).cumulativeLost == 0)
        for sequence in [30_000, 30_001, 30_002] {
            statistics.received(packet(sequence), at: at(0), clockRate: 90_000)
        }
        #expect(statistics.report(at: at(0)).extendedHighestSequence == 30_002)
        #expect(statistics.report(at: at(0)).cumulativeLost == 0)
    }
}

@Suite struct RetransmissionCacheTests {
    private func at(_ milliseconds: Int) -> Instant { .zero + .milliseconds(milliseconds) }

    private func packet(_ sequence: Int) -> RTPPacket {
        RTPPacket(
            payloadType: PayloadType(96),
            sequenceNumber: SequenceNumber(UInt16(truncatingIfNeeded: sequence)), timestamp: 0,
            ssrc: SSRC(7), payload: [UInt8(truncatingIfNeeded: sequence)])
    }

    @Test func aPacketIsNotGivenOutTwiceAtOnce() {
        var cache = RetransmissionCache(packetsMaximum: 16)
        cache.store(packet(5))
        #expect(cache.packet(SequenceNumber(5), at: at(0)) == packet(5))
        #expect(cache.packet(SequenceNumber(5), at: at(14)) == nil)
        #expect(cache.packet(SequenceNumber(5), at: at(15)) == packet(5))
        #expect(cache.packet(SequenceNumber(6), at: at(15)) == nil)
    }

    @Test func onlyTheNewestAreKeptOverTheWrap() {
        var cache = RetransmissionCache(packetsMaximum: 100)
        for sequence in 65_000..<66_000 { cache.store(packet(sequence)) }
        for sequence in 65_000..<66_000 {
            let found = cache.packet(
                SequenceNumber(UInt16(truncatingIfNeeded: sequence)), at: at(0))
            #expect((found != nil) == (sequence >= 66_000 - 128))
        }
        #expect(cache.count == 128)
    }

    @Test func whatIsForgottenIsGoneAndWhatFollowsIsKept() {
        var cache = RetransmissionCache(packetsMaximum: 64)
        for sequence in 1...5 { cache.store(packet(sequence)) }
        cache.removeAll()
        #expect(cache.count == 0 && cache.newestPacket == nil)
        #expect(cache.packet(SequenceNumber(5), at: at(0)) == nil)
        cache.store(packet(6))
        #expect(cache.packet(SequenceNumber(6), at: at(0)) == packet(6))
    }

    @Test func skippedNumbersLeaveNoStaleAnswers() {
        var cache = RetransmissionCache(packetsMaximum: 64)
        cache.store(packet(1))
        cache.store(packet(100))
        #expect(cache.packet(SequenceNumber(1), at: at(0)) == nil)
        #expect(cache.packet(SequenceNumber(100), at: at(0)) != nil)
    }

    @Test func aStreamThatBeginsAnewReplacesTheOld() {
        var cache = RetransmissionCache(packetsMaximum: 64)
        cache.store(packet(30_000))
        cache.store(packet(10))
        #expect(cache.packet(SequenceNumber(10), at: at(0)) == packet(10))
        #expect(cache.packet(SequenceNumber(30_000), at: at(0)) == nil)
    }
}

@Suite struct RTXTests {
    private let original = RTPPacket(
        marker: true, payloadType: PayloadType(96), sequenceNumber: SequenceNumber(0xABCD),
        timestamp: 77, ssrc: SSRC(1), payload: [9, 8, 7])

    @Test func wrappingPutsTheOriginalNumberFirst() {
        let wrapped = RTX.wrap(
            original, ssrc: SSRC(2), payloadType: PayloadType(97), sequence: SequenceNumber(3))
        #expect(wrapped.ssrc == SSRC(2))
        #expect(wrapped.payloadType == PayloadType(97))
        #expect(wrapped.sequenceNumber == SequenceNumber(3))
        #expect(wrapped.timestamp == 77 && wrapped.marker)
        #expect(Array(wrapped.payload) == [0xAB, 0xCD, 9, 8, 7])
    }

    @Test func unwrappingGivesTheOriginalBack() throws {
        let wrapped = RTX.wrap(
            original, ssrc: SSRC(2), payloadType: PayloadType(97), sequence: SequenceNumber(3))
        let unwrapped = try RTX.unwrap(
            wrapped, originalSSRC: SSRC(1), originalPayloadType: PayloadType(96))
        #expect(unwrapped == original)
    }

    /// Padding follows the payload; a packet that claims padding but has none is malformed.
    @Test func whatAPacketWasFilledUpWithIsNotWrapped() throws {
        var padded = original
        padded.paddingLength = 5
        let wrapped = RTX.wrap(
            padded, ssrc: SSRC(2), payloadType: PayloadType(97), sequence: SequenceNumber(9))
        #expect(wrapped.paddingLength == 0)
    }

    @Test(arguments: 0...1) func anEmptyProbeIsNoPacket(bytes: Int) {
        var probe = original
        probe.payload = probe.payload.prefix(bytes)
        #expect(throws: RTPError.truncated(needed: 2, available: bytes)) {
            try RTX.unwrap(probe, originalSSRC: SSRC(1), originalPayloadType: PayloadType(96))
        }
    }
}
