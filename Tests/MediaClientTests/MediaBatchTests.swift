import MediaKernel
import RTP
import SDP
import Testing

@testable import MediaClient
@testable import PeerConnection

@Suite struct MediaBatchTests {
    private let track = IncomingTrack(
        mid: "s1", streamID: "a", trackID: "a-v0", kind: .video,
        codec: CodecDescription(payloadType: 41, name: "AV1", clockRate: 90_000), isSending: true)

    private func packet(_ number: Int64) -> IncomingPacket {
        IncomingPacket(
            mid: "s1", section: SectionIndex(0), encoding: 0,
            packet: RTPPacket(
                payloadType: PayloadType(41), sequenceNumber: SequenceNumber(extended: number),
                timestamp: 0, ssrc: SSRC(1), payload: [0]),
            isRetransmission: false)
    }

    @Test func packetsWaitFromAChangeToTheEndOfTheBatch() {
        var batch = MediaBatch()
        let now = Instant.zero + .seconds(1)
        let later = now + .milliseconds(1)
        var waits = [batch.holds(packet(1), of: track, at: now)]
        #expect(!batch.hasChanges)
        batch.trackChanged()
        waits.append(batch.holds(packet(2), of: track, at: now))
        batch.trackChanged()
        waits.append(batch.holds(packet(3), of: track, at: later))
        #expect(batch.hasChanges)
        let entries = batch.takeAll()
        #expect(entries.map(\.packet.packet.sequenceNumber.rawValue) == [2, 3])
        #expect(entries.map(\.arrival) == [now, later])
        waits.append(batch.holds(packet(4), of: track, at: later))
        #expect(waits == [false, true, true, false])
        #expect(!batch.hasChanges)
    }
}
