import MediaKernel
import RTP

/// One track on its way out: its SSRCs, its payload types on this connection, what it has sent and
/// what can be sent again. RFC 3550 sect. 6.4.1, RFC 4588.
struct OutboundStream {
    let ssrc: SSRC
    let rtxSSRC: SSRC
    /// Set once an answer took the section; nil while the remote side does not want the track.
    var payloadType: PayloadType?
    var rtxPayloadType: PayloadType?
    private var packetCount: UInt32 = 0
    private var octetCount: UInt32 = 0
    private var rtxSequence: SequenceNumber
    private var cache: RetransmissionCache

    /// Packets kept for retransmission: two seconds of 720p at 2.5 Mbit/s are about 520.
    static let retransmissionPacketsMaximum = 1024

    init(ssrc: SSRC, rtxSSRC: SSRC, rtxSequence: SequenceNumber) {
        self.ssrc = ssrc
        self.rtxSSRC = rtxSSRC
        self.rtxSequence = rtxSequence
        cache = RetransmissionCache(maximumPackets: Self.retransmissionPacketsMaximum)
    }

    /// Dresses a packet for this connection and remembers it. Nil while nobody wants it.
    mutating func sent(_ packet: RTPPacket, at now: Instant) -> RTPPacket? {
        guard let payloadType else { return nil }
        var packet = packet
        packet.ssrc = ssrc
        packet.payloadType = payloadType
        packetCount &+= 1
        octetCount &+= UInt32(packet.payload.count)
        if rtxPayloadType != nil { cache.store(packet) }
        return packet
    }

    /// The packets to send for a NACK: wrapped in RTX. Unknown numbers and repeats within a
    /// round trip are left out.
    mutating func retransmissions(of lost: [SequenceNumber], at now: Instant) -> [RTPPacket] {
        guard let rtxPayloadType else { return [] }
        return lost.compactMap { number -> RTPPacket? in
            guard let packet = cache.packet(number, at: now) else { return nil }
            rtxSequence = rtxSequence.advanced(by: 1)
            return RTX.wrap(
                packet, ssrc: rtxSSRC, payloadType: rtxPayloadType, sequence: rtxSequence)
        }
    }

    /// A sender report that ties this stream's RTP clock to a wall clock.
    func senderReport(ntp: NTPTime, rtpTimestamp: UInt32) -> SenderReport {
        SenderReport(
            ssrc: ssrc, ntp: ntp, rtpTimestamp: rtpTimestamp, packetCount: packetCount,
            octetCount: octetCount, reports: [])
    }
}
