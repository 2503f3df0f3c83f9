public import MediaKernel
public import RTP
import SDP
import SecureTransport

/// Sending media, sender reports and retransmissions.
extension PeerConnection {
    /// Whether packets can be sent: an address is known, the remote side consents, and the
    /// handshake is complete.
    public var canSendMedia: Bool { connectivity.hasConsent && security.isConnected }

    /// Sends one packet of our track. We set SSRC and payload type; the caller sets sequence
    /// number, timestamp, marker and extensions (by this connection's ids).
    ///
    /// - Parameter encoding: the index of the layer in the track's `rids`.
    public func send(_ packet: RTPPacket, mid: String, encoding: Int = 0, at now: Instant) {
        guard let stream = outboundStream(mid, encoding) else { return }
        send(packet, on: stream, at: now)
    }

    /// Like ``send(_:mid:encoding:at:)``, on a stream looked up before.
    public func send(_ packet: consuming RTPPacket, on stream: OutboundStream, at now: Instant) {
        if let datagram = datagram(of: packet, on: stream, at: now) {
            emit(.transmit(datagram.bytes, to: datagram.address))
        }
    }

    /// Returns the datagram for a packet, for an owner that sends it at once: it does not appear in
    /// `poll`. Nil if nothing can be sent or the track is not wanted.
    public func datagram(
        of packet: consuming RTPPacket, on stream: OutboundStream, at now: Instant
    ) -> (bytes: [UInt8], address: TransportAddress)? {
        guard security.isConnected, stream.dress(&packet) else { return nil }
        sending.rate.sent(bytes: packet.payload.count + Self.packetOverheadBytes, at: now)
        if let rid = stream.rid {
            negotiation.extensions.name(
                &packet, of: stream, layer: rid, by: negotiation.extensions.rid)
        }
        guard connectivity.hasConsent, let address = connectivity.selectedAddress else {
            return nil
        }
        var bytes = sending.serialize(
            packet,
            numberedBy: stream.countsTransport ? negotiation.extensions.transportSequence : nil,
            room: OutboundProtection.roomBytes, at: now)
        if stream.protection == nil {
            stream.protection = try? security.dtls?.outboundProtection(ssrc: stream.ssrc.rawValue)
        }
        guard (try? stream.protection?.protect(&bytes)) != nil else {
            sending.countUnsent()
            return nil
        }
        return (bytes, address)
    }

    /// The stream of our track, until it is withdrawn.
    public func outboundStream(_ mid: String, _ encoding: Int = 0) -> OutboundStream? {
        sending.stream(mid, encoding)
    }

    /// Estimates the bandwidth to the remote side, from packets with transport-wide sequence
    /// numbers.
    public var bandwidth: BandwidthEstimator { sending.bandwidth }

    /// Whether packets are numbered for transport feedback. Off if the path is no limit.
    public var measuresBandwidth: Bool {
        get { sending.measuresBandwidth }
        set { sending.measuresBandwidth = newValue }
    }

    /// Share of our packets lost recently, 0…1; nil if unknown. Covers all numbered packets of the
    /// transport; without numbering, the streams in the remote side's reports.
    public func loss(at now: Instant) -> Double? { sending.loss(at: now) }

    /// Returns how many packets could not be encrypted, and so were not sent, since the last call.
    public func takeUnsentPackets() -> Int { sending.takeUnsent() }

    // MARK: Control packets

    /// Sends a sender report for a stream of our track. RFC 3550 sect. 6.4.1.
    public func sendSenderReport(on stream: OutboundStream, ntp: NTPTime, rtpTimestamp: UInt32) {
        guard stream.payloadType != nil else { return }
        let report = stream.senderReport(ntp: ntp, rtpTimestamp: rtpTimestamp)
        send([
            .senderReport(report),
            .description(of: stream.ssrc, canonicalName: configuration.canonicalName),
        ])
    }

    func send(_ packets: [RTCPPacket]) {
        guard security.isConnected, let dtls = security.dtls,
            let address = connectivity.selectedAddress
        else { return }
        var bytes = RTCPPacket.serialize(packets)
        guard (try? dtls.protectRTCP(&bytes)) != nil else { return sending.countUnsent() }
        emit(bytes, to: address)
    }

    /// Retransmits packets that the remote side requests. RFC 4585 sect. 6.2.1.
    func retransmit(_ nack: GenericNACK, at now: Instant) {
        guard let stream = sending.stream(nack.media), let dtls = security.dtls else { return }
        let packets = sending.retransmissions(of: nack.lost, on: stream, at: now)
        sendRepairs(packets, of: stream, over: dtls, at: now)
    }

    // MARK: Packets

    /// Sends retransmissions or fillers on the RTX stream.
    func sendRepairs(
        _ packets: [RTPPacket], of stream: OutboundStream, over dtls: DTLSTransport,
        at now: Instant
    ) {
        for var packet in packets {
            if let rid = stream.rid {
                negotiation.extensions.name(
                    &packet, of: stream, layer: rid, by: negotiation.extensions.repairedRid)
            }
            guard connectivity.hasConsent, let address = connectivity.selectedAddress else {
                return
            }
            var bytes = sending.serialize(
                packet,
                numberedBy: stream.countsTransport ? negotiation.extensions.transportSequence : nil,
                at: now)
            guard (try? dtls.protectRTP(&bytes)) != nil else {
                sending.countUnsent()
                continue
            }
            emit(.transmit(bytes, to: address))
        }
    }
}
