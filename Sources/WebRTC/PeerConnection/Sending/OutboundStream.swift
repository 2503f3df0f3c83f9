import MediaKernel
import RTP
import SecureTransport

/// One track on its way out: its SSRCs, its payload types on this connection, what it has sent and
/// what can be sent again. RFC 3550 sect. 6.4.1, RFC 4588.
public final class OutboundStream {
    /// The section that it is sent in.
    let mid: String
    /// Which of the track's layers it is, by their order.
    let encoding: Int
    let ssrc: SSRC
    let rtxSSRC: SSRC
    /// The layer's name, where the track has several.
    let rid: String?
    /// What encrypts its packets; made for the first one.
    var protection: OutboundProtection?
    /// The section agreed upon one count over all packets of the transport.
    var countsTransport = false
    /// What its packets say of their section, where the remote side has offered that.
    var sectionName: (id: UInt8, mid: [UInt8])?
    /// Set once an answer took the section; nil while the remote side does not want the track.
    var payloadType: PayloadType?
    var rtxPayloadType: PayloadType?
    private var packetCount: UInt32 = 0
    private var octetCount: UInt32 = 0
    private var rtxSequence: SequenceNumber
    private var cache: RetransmissionCache

    /// Packets kept for retransmission: two seconds of 720p at 2.5 Mbit/s are about 520.
    static let retransmissionPacketsMaximum = 1024

    init(
        mid: String, encoding: Int = 0, ssrc: SSRC, rtxSSRC: SSRC, rtxSequence: SequenceNumber,
        rid: String? = nil
    ) {
        self.mid = mid
        self.encoding = encoding
        self.rid = rid
        self.ssrc = ssrc
        self.rtxSSRC = rtxSSRC
        self.rtxSequence = rtxSequence
        cache = RetransmissionCache(packetsMaximum: Self.retransmissionPacketsMaximum)
    }

    /// Dresses a packet for this connection and remembers it. Gives false while nobody wants it.
    func dress(_ packet: inout RTPPacket) -> Bool {
        guard let payloadType else { return false }
        packet.ssrc = ssrc
        packet.payloadType = payloadType
        if let sectionName { packet.extensions.set(sectionName.id, sectionName.mid) }
        packetCount &+= 1
        octetCount &+= UInt32(packet.payload.count)
        if rtxPayloadType != nil { cache.store(packet) }
        return true
    }

    /// Whether there is anything that could be sent again.
    var hasSent: Bool { cache.newestPacket != nil }

    /// Whether it may be filled up for a probe.
    var isFillable: Bool { rtxPayloadType != nil && payloadType != nil && countsTransport }

    /// Nothing that was sent so far is sent again.
    public func forgetSent() { cache.removeAll() }

    /// The packets to send for a NACK: wrapped in RTX. Unknown numbers and repeats within a
    /// round trip are left out, and what is over the budget.
    func retransmissions(
        of lost: [SequenceNumber], within budget: inout RepairBudget, at now: Instant
    ) -> [RTPPacket] {
        guard let rtxPayloadType else { return [] }
        return lost.compactMap { number -> RTPPacket? in
            guard budget.hasRoom, let packet = cache.packet(number, at: now) else { return nil }
            budget.spend(bytes: packet.payload.count + PeerConnection.packetOverheadBytes)
            rtxSequence = rtxSequence.advanced(by: 1)
            return RTX.wrap(
                packet, ssrc: rtxSSRC, payloadType: rtxPayloadType, sequence: rtxSequence)
        }
    }

    /// A packet that carries nothing new, to fill the way: the newest one again, or padding.
    func filler() -> RTPPacket? {
        guard let rtxPayloadType, payloadType != nil else { return nil }
        rtxSequence = rtxSequence.advanced(by: 1)
        if let packet = cache.newestPacket {
            return RTX.wrap(
                packet, ssrc: rtxSSRC, payloadType: rtxPayloadType, sequence: rtxSequence)
        }
        return RTPPacket(
            payloadType: rtxPayloadType, sequenceNumber: rtxSequence, timestamp: 0, ssrc: rtxSSRC,
            payload: [], paddingLength: 255)
    }

    /// A sender report that ties this stream's RTP clock to a wall clock.
    func senderReport(ntp: NTPTime, rtpTimestamp: UInt32) -> SenderReport {
        SenderReport(
            ssrc: ssrc, ntp: ntp, rtpTimestamp: rtpTimestamp, packetCount: packetCount,
            octetCount: octetCount, reports: [])
    }
}
