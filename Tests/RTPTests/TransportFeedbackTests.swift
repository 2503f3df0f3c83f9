import MediaKernel
import RTP
import Testing

@Suite struct TransportFeedbackTests {
    /// A vector of one-bit symbols, one of two-bit symbols with large deltas, and two runs.
    static let golden: [UInt8] = [
        0x8F, 0xCD, 0x00, 0x09, 0, 0, 0, 1, 0, 0, 0, 2,
        0xFF, 0xF0, 0x00, 0x2B, 0xFF, 0xFF, 0xFE, 0x05,
        0xB4, 0x00, 0xE1, 0x81, 0x00, 0x15, 0x20, 0x01,
        0x04, 0x00, 0xFF, 0x01, 0x2C, 0x08, 0xFF, 0xF8, 0x10, 0x20, 0x00, 0x00,
    ]
    static let value = TransportFeedback(
        sender: SSRC(1), media: SSRC(2), baseSequence: 0xFFF0, referenceTime: -2,
        feedbackCount: 5,
        deltas: [4, 0, nil, 255] + [Int16?](repeating: nil, count: 10)
            + [300, nil, 8, -8, nil, nil, 16] + [Int16?](repeating: nil, count: 21) + [32])

    private func message(_ tail: [UInt8], statuses: UInt16) -> [UInt8] {
        var body: [UInt8] = [0, 0, 0, 1, 0, 0, 0, 2, 0, 0]
        body += [UInt8(statuses >> 8), UInt8(statuses & 0xFF), 0, 0, 1, 0] + tail
        while body.count % 4 != 0 { body.append(0) }
        return [0x8F, 0xCD, 0, UInt8(body.count / 4)] + body
    }

    private func deltas(_ bytes: [UInt8]) throws -> [Int16?] {
        guard case .transportFeedback(let feedback) = try RTCPPacket.parseCompound(bytes).first
        else { return [] }
        return feedback.deltas
    }

    @Test func arrivalsAddUpFromTheReferenceTime() {
        let arrivals = Self.value.arrivals
        #expect(arrivals[0].sequence == 0xFFF0)
        #expect(arrivals[0].time == .milliseconds(-127))
        #expect(arrivals[2].time == nil)
        #expect(arrivals[3].time == .milliseconds(-127) + .microseconds(63_750))
        #expect(arrivals[16].sequence == 0)
        #expect(arrivals[17].time == arrivals[14].time)
    }

    @Test func runsOfEverySymbolAreRead() throws {
        let bytes = message([0x20, 0x02, 0x40, 0x01, 0x00, 0x03, 1, 2, 0xFF, 0xFF], statuses: 6)
        #expect(try deltas(bytes) == [1, 2, -1, nil, nil, nil])
    }

    @Test func aRunLongerThanTheCountIsCutToIt() throws {
        #expect(try deltas(message([0x3F, 0xFF, 7, 8], statuses: 2)) == [7, 8])
    }

    @Test func theReservedSymbolIsRefused() {
        #expect(throws: RTPError.malformedFeedback(packetType: 205, format: 15)) {
            try RTCPPacket.parseCompound(message([0x60, 0x01, 0, 0], statuses: 1))
        }
        #expect(throws: RTPError.malformedFeedback(packetType: 205, format: 15)) {
            try RTCPPacket.parseCompound(message([0xF0, 0x00, 0, 0], statuses: 1))
        }
    }

    @Test func moreStatusesThanTheMaximumAreRefused() {
        let chunks = [UInt8](repeating: 0x1F, count: 8)
        #expect(throws: RTPError.oversized(count: 4097, maximum: 4096)) {
            try RTCPPacket.parseCompound(message(chunks, statuses: 16_385))
        }
    }

    @Test func aDatagramFullOfFeedbackIsRefused() throws {
        let one = message([0x20, 0x01, 0, 7], statuses: 1)
        #expect(try RTCPPacket.parseCompound((0..<4).flatMap { _ in one }).count == 4)
        #expect(throws: RTPError.oversized(count: 5, maximum: 4)) {
            try RTCPPacket.parseCompound((0..<5).flatMap { _ in one })
        }
    }

    @Test func emptyRunsAndMissingDeltasAreRefused() {
        for (chunks, statuses) in [([0x00, 0x00, 0x00, 0x00], 3), ([0x40, 0x05, 0, 1], 5)]
            as [([UInt8], UInt16)]
        {
            #expect {
                try RTCPPacket.parseCompound(message(chunks, statuses: statuses))
            } throws: { error in
                if case RTPError.truncated = error { true } else { false }
            }
        }
    }

    @Test func anyPatternSurvivesTheRoundTrip() throws {
        var random = SeededRandom(seed: 3)
        for _ in 0..<500 {
            var feedback = Self.value
            let density = Int.random(in: 0...10, using: &random)
            let largeness = Int.random(in: 0...10, using: &random)
            feedback.deltas = (0..<Int.random(in: 1...120, using: &random)).map { _ in
                guard Int.random(in: 0..<10, using: &random) < density else { return nil }
                return Int.random(in: 0..<10, using: &random) < largeness
                    ? Int16.random(in: .min ... .max, using: &random)
                    : Int16.random(in: 0...255, using: &random)
            }
            let written = RTCPPacket.serialize([.transportFeedback(feedback)])
            #expect(try RTCPPacket.parseCompound(written) == [.transportFeedback(feedback)])
        }
    }

    @Test func aLongRunTakesOneChunk() throws {
        var feedback = Self.value
        feedback.deltas = [Int16?](repeating: nil, count: 4000) + [1]
        let written = RTCPPacket.serialize([.transportFeedback(feedback)])
        #expect(written.count == 28)
        #expect(try RTCPPacket.parseCompound(written) == [.transportFeedback(feedback)])
    }
}
