import DataChannel
import ICE
public import MediaKernel
public import RTP
import SDP
import SecureTransport

/// Media and its feedback, out and in.
extension PeerConnection {
    // MARK: Media out

    /// Whether packets can leave: an address is known, what goes there is wanted, and the handshake is
    /// over.
    public var canSendMedia: Bool { hasConsent && dtls?.isConnected == true }

    /// Sends one packet of our track. SSRC and payload type are ours; sequence number, timestamp,
    /// marker and extensions (by this connection's ids) are the caller's.
    ///
    /// - Parameter encoding: the layer of a track with `rids`, by its place there.
    public func send(_ packet: RTPPacket, mid: String, encoding: Int = 0, at now: Instant) {
        guard let dtls, dtls.isConnected, let stream = outboundStream(mid, encoding),
            var packet = stream.sent(packet)
        else { return }
        sentRate.sent(bytes: packet.payload.count + Self.packetOverheadBytes, at: now)
        if let rid = stream.rid { name(&packet, HeaderExtensionURI.rid, rid, mid: mid) }
        transmit(packet, counted: stream.countsTransport, over: dtls, at: now)
    }

    /// The same for a track without layers, on the stream that was looked up before.
    public func send(_ packet: RTPPacket, on stream: OutboundStream, at now: Instant) {
        guard let dtls, dtls.isConnected, let packet = stream.sent(packet) else { return }
        sentRate.sent(bytes: packet.payload.count + Self.packetOverheadBytes, at: now)
        transmit(packet, counted: stream.countsTransport, over: dtls, at: now)
    }

    /// Where the packets of our track go, until it is withdrawn.
    public func outboundStream(_ mid: String, _ encoding: Int = 0) -> OutboundStream? {
        guard let streams = outbound[mid], streams.indices.contains(encoding) else { return nil }
        return streams[encoding]
    }

    /// Says on a packet which section and which layer it is of. RFC 8852, RFC 9143 sect. 14.
    private func name(_ packet: inout RTPPacket, _ uri: String, _ rid: String, mid: String) {
        if let id = headerExtensions[HeaderExtensionURI.mid] {
            packet.extensions.set(id, mid.utf8)
        }
        if let id = headerExtensions[uri] { packet.extensions.set(id, rid.utf8) }
    }

    /// Sends packets that were sent before, or fillers, on the stream for repairs.
    func sendRepairs(
        _ packets: [RTPPacket], of stream: OutboundStream, mid: String, over dtls: DTLSTransport,
        at now: Instant
    ) {
        for var packet in packets {
            if let rid = stream.rid {
                name(&packet, HeaderExtensionURI.repairedRid, rid, mid: mid)
            }
            transmit(packet, counted: stream.countsTransport, over: dtls, at: now)
        }
    }

    /// Sends a sender report for our track. RFC 3550 sect. 6.4.1.
    public func sendSenderReport(
        mid: String, encoding: Int = 0, ntp: NTPTime, rtpTimestamp: UInt32
    ) {
        guard let stream = outboundStream(mid, encoding), stream.payloadType != nil else { return }
        let report = stream.senderReport(ntp: ntp, rtpTimestamp: rtpTimestamp)
        send([.senderReport(report), description(of: stream.ssrc)])
    }

    /// Share of our packets that were lost lately, 0…1; nil when nothing tells. Of all packets of
    /// the transport where they are counted, otherwise of what the remote side reports on.
    public func loss(at now: Instant) -> Double? {
        bandwidth.loss(at: now) ?? receptionLoss.share(at: now)
    }

    /// Asks the remote side for a key frame. RFC 4585 sect. 6.3.1.
    public func requestKeyframe(mid: String, encoding: Int = 0) {
        guard let ssrc = activeSSRC(of: mid, encoding: encoding) else { return }
        send([.pictureLossIndication(sender: reporter, media: ssrc)])
    }

    /// Asks the remote side for packets of a track again. RFC 4585 sect. 6.2.1.
    public func requestRetransmission(
        of lost: [SequenceNumber], mid: String, encoding: Int = 0
    ) {
        guard !lost.isEmpty, let ssrc = activeSSRC(of: mid, encoding: encoding) else { return }
        send([.genericNACK(GenericNACK(sender: reporter, media: ssrc, lost: lost))])
    }

    /// - Parameter counted: whether the packet's section takes part in the transport's count.
    func transmit(_ packet: RTPPacket, counted: Bool, over dtls: DTLSTransport, at now: Instant) {
        guard hasConsent, let address = selectedAddress else { return }
        var bytes: [UInt8]
        if counted, measuresBandwidth, let id = transportSequenceID {
            // A filler may be all padding.
            let size = packet.payload.count + packet.paddingLength + Self.packetOverheadBytes
            let number = bandwidth.sent(bytes: size, at: now)
            probe?.sent(bytes: size)
            bytes = packet.serialized(numbered: (id, number))
        } else {
            bytes = packet.serialized()
        }
        guard (try? dtls.protectRTP(&bytes)) != nil else {
            unsentPackets += 1
            return
        }
        emit(.transmit(bytes, to: address))
    }

    func send(_ packets: [RTCPPacket]) {
        guard let dtls, dtls.isConnected, let address = selectedAddress else { return }
        var bytes = RTCPPacket.serialize(packets)
        guard (try? dtls.protectRTCP(&bytes)) != nil else {
            unsentPackets += 1
            return
        }
        emit(bytes, to: address)
    }

    func description(of ssrc: SSRC) -> RTCPPacket {
        .sourceDescription([
            SourceDescription(ssrc: ssrc, cname: configuration.canonicalName)
        ])
    }

    func sendReceptionReports(at now: Instant) {
        // A report names a stream only while something of it arrives, at most 31 per packet.
        var reports: [ReceptionReport] = []
        for ssrc in inbound.keys {
            if let report = inbound[ssrc]?.report(at: now) { reports.append(report) }
        }
        guard !reports.isEmpty else { return }
        for start in stride(from: 0, to: reports.count, by: 31) {
            let part = Array(reports[start..<min(start + 31, reports.count)])
            send([
                .receiverReport(ReceiverReport(ssrc: reporter, reports: part)),
                description(of: reporter),
            ])
        }
    }

    // MARK: Media in

    /// Gives whether it is the remote side's by its keys.
    func handleMedia(_ datagram: [UInt8], at now: Instant) -> Bool {
        guard let dtls, dtls.isConnected else {
            discardedDatagrams += 1
            return false
        }
        var isAuthentic = false
        var bytes = datagram
        do {
            if RTPPacket.isRTCP(bytes) {
                guard reportAllowance.take(at: now) else {
                    discardedDatagrams += 1
                    return false
                }
                try dtls.unprotectRTCP(&bytes)
                isAuthentic = true
                let packets = try RTCPPacket.parseCompound(bytes)
                for packet in packets { handle(packet, at: now) }
                for media in Self.keyframesRequested(by: packets) { keyframeRequested(media) }
            } else {
                try dtls.unprotectRTP(&bytes)
                isAuthentic = true
                handle(try RTPPacket(parsing: bytes), at: now)
            }
        } catch {
            discardedDatagrams += 1
        }
        return isAuthentic
    }

    func handle(_ packet: RTPPacket, at now: Instant) {
        if let id = transportSequenceID, let bytes = packet.extensions[id], bytes.count == 2 {
            let first = bytes.startIndex
            // Browsers drop feedback that names none of the streams they send.
            feedback.media = packet.ssrc
            feedback.received(
                sequence: UInt16(bytes[first]) << 8 | UInt16(bytes[first + 1]), at: now)
        }
        if let original = repairs[packet.ssrc] {
            handleRepair(packet, of: original)
            return
        }
        if inbound[packet.ssrc] == nil { learn(packet) }
        guard let stream = inbound[packet.ssrc] else { return }
        inbound[packet.ssrc]?.received(packet, at: now)
        emit(
            .media(
                IncomingPacket(
                    mid: stream.mid, section: stream.section, encoding: stream.encoding,
                    packet: packet, isRetransmission: false)))
    }

    /// Finds the section and the layer of a packet whose SSRC was not announced. RFC 9143
    /// sect. 9.2, RFC 8852.
    func learn(_ packet: RTPPacket) {
        guard inbound.count < Self.inboundStreamsMaximum else { return }
        let mid = text(HeaderExtensionURI.mid, of: packet)
        let type = packet.payloadType.rawValue
        let candidates = sections.filter { section in
            guard let track = section.incoming else { return false }
            if let mid, section.mid != mid { return false }
            return track.codec.payloadType == type || track.rtxPayloadType == type
        }
        guard let section = candidates.first, candidates.count == 1, let track = section.incoming
        else { return }
        let isRepair = track.rtxPayloadType == type
        let uri = isRepair ? HeaderExtensionURI.repairedRid : HeaderExtensionURI.rid
        var encoding = 0
        if track.encodings.first?.rid != nil {
            let rid = text(uri, of: packet)
            // Without its name, nobody can tell which layer it is: a later packet will say.
            guard let index = track.encodings.firstIndex(where: { $0.rid == rid }) else { return }
            encoding = index
        }
        if isRepair {
            guard let primary = section.activeSSRCs[encoding] else { return }
            expectRepairs(packet.ssrc, of: primary)
            handleRepair(packet, of: primary)
        } else {
            register(track, encoding: encoding, ssrc: packet.ssrc, rtxSSRC: nil)
        }
    }

    private func text(_ uri: String, of packet: RTPPacket) -> String? {
        headerExtensions[uri].flatMap { packet.extensions[$0] }
            .map { String(decoding: $0, as: UTF8.self) }
    }

    private func handleRepair(_ packet: RTPPacket, of original: SSRC) {
        guard let stream = inbound[original],
            let packet = try? RTX.unwrap(
                packet, originalSSRC: original, originalPayloadType: stream.payloadType)
        else { return }
        emit(
            .media(
                IncomingPacket(
                    mid: stream.mid, section: stream.section, encoding: stream.encoding,
                    packet: packet, isRetransmission: true)))
    }

    /// The newest stream of an encoding, which is the one feedback is about.
    func activeSSRC(of mid: String, encoding: Int) -> SSRC? {
        sections.first { $0.mid == mid }?.activeSSRCs[encoding]
    }

    func register(_ track: IncomingTrack, encoding: Int, ssrc: SSRC, rtxSSRC: SSRC?) {
        guard let index = sections.firstIndex(where: { $0.mid == track.mid }) else { return }
        if let old = sections[index].activeSSRCs[encoding], old != ssrc { forget(old) }
        sections[index].activeSSRCs[encoding] = ssrc
        guard inbound[ssrc] != nil || inbound.count < Self.inboundStreamsMaximum else { return }
        if inbound[ssrc]?.mid != track.mid || inbound[ssrc]?.encoding != encoding {
            inbound[ssrc] = InboundStream(
                mid: track.mid, section: SectionIndex(index), encoding: encoding, ssrc: ssrc,
                payloadType: PayloadType(track.codec.payloadType),
                clockRate: track.codec.clockRate)
            dtls?.expectInboundStream(ssrc: ssrc.rawValue)
        }
        if let rtxSSRC { expectRepairs(rtxSSRC, of: ssrc) }
    }

    func forget(_ ssrc: SSRC) {
        inbound[ssrc] = nil
        dtls?.retireInboundStream(ssrc: ssrc.rawValue)
        forgetRepairs(of: ssrc)
    }

    private func forgetRepairs(of ssrc: SSRC) {
        for (repair, original) in repairs where original == ssrc {
            repairs[repair] = nil
            dtls?.retireInboundStream(ssrc: repair.rawValue)
        }
    }

    private func expectRepairs(_ repair: SSRC, of ssrc: SSRC) {
        guard repairs[repair] != ssrc else { return }
        // The newest replaces the one before, or a peer could fill our memory with them.
        forgetRepairs(of: ssrc)
        repairs[repair] = ssrc
        dtls?.expectInboundStream(ssrc: repair.rawValue)
    }

    func addOutbound(_ streams: [OutboundStream], mid: String) {
        outbound[mid] = streams
        for (encoding, stream) in streams.enumerated() {
            outboundBySSRC[stream.ssrc] = (mid, encoding)
        }
    }

    func removeOutbound(mid: String) {
        for stream in outbound.removeValue(forKey: mid) ?? [] {
            stream.payloadType = nil
            outboundBySSRC[stream.ssrc] = nil
            receptionLoss.forget(stream.ssrc)
            // SSRCs are never taken again, so the keys' state of these is of no more use.
            dtls?.retireOutboundStream(ssrc: stream.ssrc.rawValue)
            dtls?.retireOutboundStream(ssrc: stream.rtxSSRC.rawValue)
        }
    }

    func handle(_ packet: RTCPPacket, at now: Instant) {
        switch packet {
        case .senderReport(let report):
            guard let stream = inbound[report.ssrc] else { return }
            inbound[report.ssrc]?.statistics.senderReport(report, at: now)
            emit(
                .senderReport(
                    mid: stream.mid, encoding: stream.encoding, ntp: report.ntp,
                    rtpTimestamp: report.rtpTimestamp))
        case .genericNACK(let nack):
            guard let (mid, encoding) = outboundBySSRC[nack.media], let dtls,
                let stream = outboundStream(mid, encoding)
            else { return }
            // What is lost by chance is not lost for want of room.
            let limit = measuresBandwidth ? bandwidth.bitsPerSecondByDelay : nil
            repairBudget.refill(limit: limit, sent: sentRate.bitsPerSecond(at: now), at: now)
            let packets = stream.retransmissions(of: nack.lost, within: &repairBudget, at: now)
            sendRepairs(packets, of: stream, mid: mid, over: dtls, at: now)
        case .transportFeedback(let feedback):
            guard statusAllowance.take(feedback.deltas.count, at: now) else { return }
            bandwidth.received(feedback, at: now)
        case .receiverReport(let report):
            for block in report.reports where outboundBySSRC[block.ssrc] != nil {
                receptionLoss.received(block, at: now)
            }
        // Those for key frames are gathered over the datagram.
        case .pictureLossIndication, .fullIntraRequest, .sourceDescription, .bye,
            .receiverEstimatedMaximumBitrate, .unknown:
            break
        }
    }

    /// The streams of which a datagram asks for key frames, each once however often it is named.
    private static func keyframesRequested(by packets: [RTCPPacket]) -> Set<SSRC> {
        var streams: Set<SSRC> = []
        for packet in packets {
            switch packet {
            case .pictureLossIndication(_, let media): streams.insert(media)
            case .fullIntraRequest(let request): streams.formUnion(request.entries.map(\.media))
            default: break
            }
        }
        return streams
    }

    private func keyframeRequested(_ media: SSRC) {
        guard let (mid, encoding) = outboundBySSRC[media] else { return }
        emit(.keyframeRequested(mid: mid, encoding: encoding))
    }
}
