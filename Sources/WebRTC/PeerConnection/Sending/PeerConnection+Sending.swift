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

    /// Sends a sender report for our track. RFC 3550 sect. 6.4.1.
    public func sendSenderReport(
        mid: String, encoding: Int = 0, ntp: NTPTime, rtpTimestamp: UInt32
    ) {
        guard let stream = outboundStream(mid, encoding) else { return }
        sendSenderReport(on: stream, ntp: ntp, rtpTimestamp: rtpTimestamp)
    }

    /// Like ``sendSenderReport(mid:encoding:ntp:rtpTimestamp:)``, on a stream looked up before.
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
                name(&packet, of: stream, layer: rid, by: negotiation.extensions.repairedRid)
            }
            transmitRepair(packet, counted: stream.countsTransport, over: dtls, at: now)
        }
    }

    /// Marks a packet with its mid and rid. RFC 8852, RFC 9143 sect. 14.
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

    /// - Parameter counted: whether the section uses transport-wide sequence numbers.
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

    /// Creates the streams of a track of ours in a section.
    func addOutbound(_ track: OutgoingTrack, mid: String) {
        // Retransmitted video packets come late; audio is useless then. RTX streams stay in order.
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
            // SSRCs are never reused, so the key state of these is useless now.
            security.dtls?.retireOutboundStream(ssrc: stream.ssrc.rawValue)
            security.dtls?.retireOutboundStream(ssrc: stream.rtxSSRC.rawValue)
        }
    }
}
