import MediaKernel
public import RTP
import SecureTransport

/// One outgoing track: its SSRCs, its payload types on this connection, its counters and the
/// packets kept for retransmission. RFC 3550 sect. 6.4.1, RFC 4588.
public final class OutboundStream {
    /// The section that carries it.
    let mid: String
    /// The index of the layer in the track.
    let encoding: Int
    public let ssrc: SSRC
    public let rtxSSRC: SSRC
    /// The layer's rid, if the track has several layers.
    let rid: String?
    /// Encrypts its packets; created for the first one.
    var protection: OutboundProtection?
    /// The section has negotiated transport-wide sequence numbers.
    var countsTransport = false
    /// The mid extension for its packets, if the remote side has offered that.
    var sectionName: (id: UInt8, mid: [UInt8])?
    /// Set once an answer accepted the section; nil while the remote side does not want the track.
    var payloadType: PayloadType?
    var rtxPayloadType: PayloadType?
    /// Whether the remote side has agreed to receive it.
    public var isWanted: Bool { payloadType != nil }
    /// Whether lost packets are repeated, by `rtxSSRC`.
    public var isRepaired: Bool { rtxPayloadType != nil }
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

    /// Adapts a packet to this connection and stores it. Returns false if the track is not wanted.
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

    /// Whether there is any packet to retransmit.
    var hasSent: Bool { cache.newestPacket != nil }

    /// Whether the stream can carry filler packets for a probe.
    var isFillable: Bool { rtxPayloadType != nil && payloadType != nil && countsTransport }

    /// Discards the packets kept for retransmission.
    public func forgetSent() { cache.removeAll() }

    /// The RTX packets to send for a NACK. Unknown numbers, repeats within a round trip and packets
    /// beyond the budget are left out.
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

    /// A packet to fill the path for a probe: the newest packet again, or padding.
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

    /// A sender report that maps this stream's RTP clock to a wall clock.
    func senderReport(ntp: NTPTime, rtpTimestamp: UInt32) -> SenderReport {
        SenderReport(
            ssrc: ssrc, ntp: ntp, rtpTimestamp: rtpTimestamp, packetCount: packetCount,
            octetCount: octetCount, reports: [])
    }
}
