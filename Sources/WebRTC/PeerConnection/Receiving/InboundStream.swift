import MediaKernel
import RTP

/// The state of one SSRC that the remote side sends. RFC 3550 sect. 6.4.
final class InboundStream {
    let mid: String
    /// The index of that section.
    var section: SectionIndex
    /// The index of the encoding in the section's track.
    let encoding: Int
    let payloadType: PayloadType
    private let clockRate: Int
    private var statistics: ReceptionStatistics
    /// Whether packets arrived since the last report: a silent stream is not reported.
    private var isFresh = false

    init(
        mid: String, section: SectionIndex, encoding: Int, ssrc: SSRC, payloadType: PayloadType,
        clockRate: Int
    ) {
        self.mid = mid
        self.section = section
        self.encoding = encoding
        self.payloadType = payloadType
        self.clockRate = clockRate
        statistics = ReceptionStatistics(ssrc: ssrc)
    }

    func received(_ packet: RTPPacket, at now: Instant) {
        isFresh = true
        statistics.received(packet, at: now, clockRate: clockRate)
    }

    func received(_ report: SenderReport, at now: Instant) {
        statistics.senderReport(report, at: now)
    }

    func report(at now: Instant) -> ReceptionReport? {
        guard isFresh else { return nil }
        isFresh = false
        return statistics.report(at: now)
    }

    /// Combines a packet with its stream's section and encoding.
    func incoming(_ packet: RTPPacket, isRetransmission: Bool) -> IncomingPacket {
        IncomingPacket(
            mid: mid, section: section, encoding: encoding, packet: packet,
            isRetransmission: isRetransmission)
    }
}
