public import MediaKernel
public import RTP
import SDP
import SecureTransport

/// Media out, and what keeps its receiver in step.
extension PeerConnection {
    /// Whether packets can leave: an address is known, what goes there is wanted, and the handshake is
    /// over.
    public var canSendMedia: Bool { connectivity.hasConsent && security.isConnected }

    /// Sends one packet of our track. SSRC and payload type are ours; sequence number, timestamp,
    /// marker and extensions (by this connection's ids) are the caller's.
    ///
    /// - Parameter encoding: the layer of a track with `rids`, by its place there.
    public func send(_ packet: RTPPacket, mid: String, encoding: Int = 0, at now: Instant) {
        guard let stream = outboundStream(mid, encoding) else { return }
        send(packet, on: stream, at: now)
    }

    /// The same on the stream that was looked up before.
    public func send(_ packet: consuming RTPPacket, on stream: OutboundStream, at now: Instant) {
        if let datagram = datagram(of: packet, on: stream, at: now) {
            emit(.transmit(datagram.bytes, to: datagram.address))
        }
    }

    /// The datagram to send for a packet, for an owner who sends it at once: it does not come out
    /// of `poll`. Nil where nothing can be sent or nobody wants the track.
    public func datagram(
        of packet: consuming RTPPacket, on stream: OutboundStream, at now: Instant
    ) -> (bytes: [UInt8], address: TransportAddress)? {
        guard security.isConnected, stream.dress(&packet) else { return nil }
        sending.rate.sent(bytes: packet.payload.count + Self.packetOverheadBytes, at: now)
        if let rid = stream.rid {
            name(&packet, of: stream, layer: rid, by: negotiation.extensions.rid)
        }
        guard connectivity.hasConsent, let address = connectivity.selectedAddress else {
            return nil
        }
        var bytes = serialized(
            packet, counted: stream.countsTransport, room: OutboundProtection.roomBytes, at: now)
        if stream.protection == nil {
            stream.protection = try? security.dtls?.outboundProtection(ssrc: stream.ssrc.rawValue)
        }
        guard (try? stream.protection?.protect(&bytes)) != nil else {
            sending.countUnsent()
            return nil
        }
        return (bytes, address)
    }

    /// Where the packets of our track go, until it is withdrawn.
    public func outboundStream(_ mid: String, _ encoding: Int = 0) -> OutboundStream? {
        sending.stream(mid, encoding)
    }

    /// What the way out can carry; fed while packets carry the transport's count.
    public var bandwidth: BandwidthEstimator { sending.bandwidth }

    /// Whether packets are counted for the receiver's feedback. Off where the way is no limit.
    public var measuresBandwidth: Bool {
        get { sending.measuresBandwidth }
        set { sending.measuresBandwidth = newValue }
    }

    /// Share of our packets that were lost lately, 0…1; nil when nothing tells. Of all packets of
    /// the transport where they are counted, otherwise of what the remote side reports on.
    public func loss(at now: Instant) -> Double? { sending.loss(at: now) }

    /// How many packets of ours could not be encrypted, and so were not sent, since the last call.
    public func takeUnsentPackets() -> Int { sending.takeUnsent() }

    // MARK: Control packets

    /// Sends a sender report for our track. RFC 3550 sect. 6.4.1.
    public func sendSenderReport(
        mid: String, encoding: Int = 0, ntp: NTPTime, rtpTimestamp: UInt32
    ) {
        guard let stream = outboundStream(mid, encoding) else { return }
        sendSenderReport(on: stream, ntp: ntp, rtpTimestamp: rtpTimestamp)
    }

    /// The same on the stream that was looked up before.
    public func sendSenderReport(on stream: OutboundStream, ntp: NTPTime, rtpTimestamp: UInt32) {
        guard stream.payloadType != nil else { return }
        let report = stream.senderReport(ntp: ntp, rtpTimestamp: rtpTimestamp)
        send([.senderReport(report), description(of: stream.ssrc)])
    }

    func send(_ packets: [RTCPPacket]) {
        guard security.isConnected, let dtls = security.dtls,
            let address = connectivity.selectedAddress
        else { return }
        var bytes = RTCPPacket.serialize(packets)
        guard (try? dtls.protectRTCP(&bytes)) != nil else { return sending.countUnsent() }
        emit(bytes, to: address)
    }

    func description(of ssrc: SSRC) -> RTCPPacket {
        .sourceDescription([
            SourceDescription(ssrc: ssrc, cname: configuration.canonicalName)
        ])
    }

    /// The remote side asks for packets of ours again. RFC 4585 sect. 6.2.1.
    func retransmit(_ nack: GenericNACK, at now: Instant) {
        guard let stream = sending.stream(nack.media), let dtls = security.dtls else { return }
        let packets = sending.retransmissions(of: nack.lost, on: stream, at: now)
        sendRepairs(packets, of: stream, over: dtls, at: now)
    }

    // MARK: Packets

    /// Sends packets that were sent before, or fillers, on the stream for repairs.
    func sendRepairs(
        _ packets: [RTPPacket], of stream: OutboundStream, over dtls: DTLSTransport,
        at now: Instant
    ) {
        for var packet in packets {
            if let rid = stream.rid {
                name(&packet, of: stream, layer: rid, by: negotiation.extensions.repairedRid)
            }
            transmitRepair(packet, counted: stream.countsTransport, over: dtls, at: now)
        }
    }

    /// Says on a packet which section and which layer it is of. RFC 8852, RFC 9143 sect. 14.
    private func name(
        _ packet: inout RTPPacket, of stream: OutboundStream, layer rid: String, by id: UInt8?
    ) {
        if let mid = negotiation.extensions.mid { packet.extensions.set(mid, stream.mid.utf8) }
        if let id { packet.extensions.set(id, rid.utf8) }
    }

    private func transmitRepair(
        _ packet: RTPPacket, counted: Bool, over dtls: DTLSTransport, at now: Instant
    ) {
        guard connectivity.hasConsent, let address = connectivity.selectedAddress else { return }
        var bytes = serialized(packet, counted: counted, at: now)
        guard (try? dtls.protectRTP(&bytes)) != nil else { return sending.countUnsent() }
        emit(.transmit(bytes, to: address))
    }

    /// - Parameter counted: whether the packet's section takes part in the transport's count.
    private func serialized(
        _ packet: RTPPacket, counted: Bool, room: Int = 0, at now: Instant
    ) -> [UInt8] {
        if counted, sending.measuresBandwidth, let id = negotiation.extensions.transportSequence {
            // A filler may be all padding.
            let size = packet.payload.count + packet.paddingLength + Self.packetOverheadBytes
            let number = sending.bandwidth.sent(bytes: size, at: now)
            sending.probe?.sent(bytes: size)
            return packet.serialized(numbered: (id, number), room: room)
        }
        return packet.serialized(room: room)
    }

    // MARK: Streams

    /// Makes the streams of a track of ours in a section.
    func addOutbound(_ track: OutgoingTrack, mid: String) {
        // A repaired picture comes late; sound is of no use then, and repairs are in order.
        let ssrcs = DTLSTransport.outboundSSRCs(areInOrder: track.kind == .audio)
        let repairSSRCs = DTLSTransport.outboundSSRCs(areInOrder: true)
        let streams = (0..<max(track.rids.count, 1)).map { encoding in
            OutboundStream(
                mid: mid, encoding: encoding,
                ssrc: SSRC(UInt32.random(in: ssrcs, using: &random)),
                rtxSSRC: SSRC(UInt32.random(in: repairSSRCs, using: &random)),
                rtxSequence: SequenceNumber(
                    UInt16.random(in: SequenceNumber.beginnings, using: &random)),
                rid: track.rids.isEmpty ? nil : track.rids[encoding])
        }
        sending.add(streams, mid: mid)
    }

    func removeOutbound(mid: String) {
        for stream in sending.remove(mid: mid) {
            // SSRCs are never taken again, so the keys' state of these is of no more use.
            security.dtls?.retireOutboundStream(ssrc: stream.ssrc.rawValue)
            security.dtls?.retireOutboundStream(ssrc: stream.rtxSSRC.rawValue)
        }
    }
}
