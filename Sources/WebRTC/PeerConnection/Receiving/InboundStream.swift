import MediaKernel
import RTP

/// What is known of one SSRC that the remote side sends. RFC 3550 sect. 6.4.
final class InboundStream {
    let mid: String
    /// The place of that section.
    var section: SectionIndex
    /// Which encoding of the section's track it is.
    let encoding: Int
    let payloadType: PayloadType
    private let clockRate: Int
    private var statistics: ReceptionStatistics
    /// Whether anything came since the last report: a silent stream is not reported on.
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

    /// A packet of the stream with what is known of it.
    func incoming(_ packet: RTPPacket, isRetransmission: Bool) -> IncomingPacket {
        IncomingPacket(
            mid: mid, section: section, encoding: encoding, packet: packet,
            isRetransmission: isRetransmission)
    }
}
