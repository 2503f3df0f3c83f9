import MediaKernel
import Testing

@testable import RTP

@Suite struct StreamContinuityTests {
    private func packet(_ sequence: UInt16) -> RTPPacket {
        RTPPacket(
            payloadType: PayloadType(96), sequenceNumber: SequenceNumber(sequence), timestamp: 0,
            ssrc: SSRC(7), payload: [1])
    }

    /// A restarted stream is delivered in order, regardless of the order of its first two packets.
    @Test(arguments: [[20_000, 20_001], [20_001, 20_000]] as [[UInt16]])
    func aRestartIsInOrder(arrivals: [UInt16]) throws {
        var continuity = StreamContinuity()
        guard case .placed = continuity.place(packet(1)) else {
            Issue.record("the first packet was not taken")
            return
        }
        guard case .setAside = continuity.place(packet(arrivals[0])) else {
            Issue.record("one stray packet restarted the stream")
            return
        }
        guard case .restarted(let packets) = continuity.place(packet(arrivals[1])) else {
            Issue.record("two did not")
            return
        }
        #expect(packets.map(\.sequenceNumber.rawValue) == [20_000, 20_001])
    }
}
