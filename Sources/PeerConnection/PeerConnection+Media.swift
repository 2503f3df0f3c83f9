import DataChannel
import ICE
public import MediaKernel
public import RTP
import SDP
import SecureTransport

/// Media and its feedback, out and in.
extension PeerConnection {
    // MARK: Media out

    /// Whether packets can leave: an address is known and the handshake is over.
    public var canSendMedia: Bool { dtls?.isConnected == true && agent.selected != nil }

    /// Sends one packet of our track. SSRC and payload type are ours; sequence number, timestamp,
    /// marker and extensions (by this connection's ids) are the caller's.
    public func send(_ packet: RTPPacket, mid: String, at now: Instant) {
        guard let dtls, dtls.isConnected, let packet = outbound[mid]?.sent(packet, at: now) else {
            return
        }
        transmit(packet, over: dtls)
    }

    /// Sends a sender report for our track. RFC 3550 sect. 6.4.1.
    public func sendSenderReport(mid: String, ntp: NTPTime, rtpTimestamp: UInt32) {
        guard let stream = outbound[mid], stream.payloadType != nil else { return }
        let report = stream.senderReport(ntp: ntp, rtpTimestamp: rtpTimestamp)
        send([.senderReport(report), description(of: stream.ssrc)])
    }

    /// Asks the remote side for a key frame. RFC 4585 sect. 6.3.1.
    public func requestKeyframe(mid: String) {
        guard let ssrc = primarySSRC(of: mid) else { return }
        send([.pictureLossIndication(sender: reporter, media: ssrc)])
    }

    /// Asks the remote side for packets of a track again. RFC 4585 sect. 6.2.1.
    public func requestRetransmission(of lost: [SequenceNumber], mid: String) {
        guard !lost.isEmpty, let ssrc = primarySSRC(of: mid) else { return }
        send([.genericNACK(GenericNACK(sender: reporter, media: ssrc, lost: lost))])
    }

    /// Sends text on a channel. Dropped while the channel is not open.
    public func send(_ text: String, on label: String, at now: Instant) {
        guard let channels, let id = channelLabels.first(where: { $0.value == label })?.key else {
            return
        }
        try? channels.send(text, on: id)
        settleChannels(at: now)
    }

    func transmit(_ packet: RTPPacket, over dtls: DTLSTransport) {
        guard let address = agent.selected else { return }
        var bytes = packet.serialized()
        guard (try? dtls.protectRTP(&bytes)) != nil else { return }
        emit(.transmit(bytes, to: address))
    }

    func send(_ packets: [RTCPPacket]) {
        guard let dtls, dtls.isConnected, let address = agent.selected else { return }
        var bytes = RTCPPacket.serialize(packets)
        guard (try? dtls.protectRTCP(&bytes)) != nil else { return }
        emit(.transmit(bytes, to: address))
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

    func handleMedia(_ datagram: [UInt8], at now: Instant) {
        guard let dtls, dtls.isConnected else { return discardedDatagrams += 1 }
        var bytes = datagram
        do {
            if RTPPacket.isRTCP(bytes) {
                try dtls.unprotectRTCP(&bytes)
                for packet in try RTCPPacket.parseCompound(bytes) { handle(packet, at: now) }
            } else {
                try dtls.unprotectRTP(&bytes)
                handle(try RTPPacket(parsing: bytes), at: now)
            }
        } catch {
            discardedDatagrams += 1
        }
    }

    func handle(_ packet: RTPPacket, at now: Instant) {
        if let id = headerExtensions[HeaderExtensionURI.transportSequence],
            let bytes = packet.extensions[id], bytes.count == 2
        {
            let first = bytes.startIndex
            // Browsers drop feedback that names none of the streams they send.
            feedback.media = packet.ssrc
            feedback.received(
                sequence: UInt16(bytes[first]) << 8 | UInt16(bytes[first + 1]), at: now)
        }
        if let original = repairs[packet.ssrc] {
            guard let stream = inbound[original],
                let packet = try? RTX.unwrap(
                    packet, originalSSRC: original, originalPayloadType: stream.payloadType)
            else { return }
            emit(.media(IncomingPacket(mid: stream.mid, packet: packet, isRetransmission: true)))
            return
        }
        guard let mid = inbound[packet.ssrc]?.mid ?? learn(packet) else { return }
        inbound[packet.ssrc]?.received(packet, at: now)
        emit(.media(IncomingPacket(mid: mid, packet: packet, isRetransmission: false)))
    }

    /// Finds the section of a packet whose SSRC was not announced. RFC 9143 sect. 9.2.
    func learn(_ packet: RTPPacket) -> String? {
        guard inbound.count < Self.inboundStreamsMaximum else { return nil }
        var mid: String?
        if let id = headerExtensions[HeaderExtensionURI.mid], let bytes = packet.extensions[id] {
            mid = String(decoding: bytes, as: UTF8.self)
        }
        let type = packet.payloadType.rawValue
        let candidates = sections.filter { section in
            guard let track = section.remoteTrack else { return false }
            if let mid, section.mid != mid { return false }
            return track.codec.payloadType == type || track.rtxPayloadType == type
        }
        guard let section = candidates.first, candidates.count == 1, let track = section.remoteTrack
        else { return nil }
        if track.rtxPayloadType == type {
            guard let primary = primarySSRC(of: section.mid) else { return nil }
            // The newest replaces the one before, or a peer could fill our memory with them.
            forgetRepairs(of: primary)
            repairs[packet.ssrc] = primary
            handleLearnedRepair(packet, of: primary, mid: section.mid)
            return nil
        }
        register(track, ssrc: packet.ssrc, rtxSSRC: nil)
        return section.mid
    }

    func handleLearnedRepair(_ packet: RTPPacket, of original: SSRC, mid: String) {
        guard let stream = inbound[original],
            let packet = try? RTX.unwrap(
                packet, originalSSRC: original, originalPayloadType: stream.payloadType)
        else { return }
        emit(.media(IncomingPacket(mid: mid, packet: packet, isRetransmission: true)))
    }

    /// The newest stream of a section, which is the one feedback is about.
    func primarySSRC(of mid: String) -> SSRC? {
        sections.first { $0.mid == mid }?.activeSSRC
    }

    func register(_ track: IncomingTrack, ssrc: SSRC, rtxSSRC: SSRC?) {
        guard let index = sections.firstIndex(where: { $0.mid == track.mid }) else { return }
        if let old = sections[index].activeSSRC, old != ssrc { forget(old) }
        sections[index].activeSSRC = ssrc
        if inbound[ssrc]?.mid != track.mid {
            inbound[ssrc] = InboundStream(
                mid: track.mid, ssrc: ssrc, payloadType: PayloadType(track.codec.payloadType),
                clockRate: track.codec.clockRate)
        }
        if let rtxSSRC {
            forgetRepairs(of: ssrc)
            repairs[rtxSSRC] = ssrc
        }
    }

    func forget(_ ssrc: SSRC) {
        inbound[ssrc] = nil
        forgetRepairs(of: ssrc)
    }

    func forgetRepairs(of ssrc: SSRC) {
        for (repair, original) in repairs where original == ssrc { repairs[repair] = nil }
    }

    func addOutbound(_ stream: OutboundStream, mid: String) {
        outbound[mid] = stream
        outboundBySSRC[stream.ssrc] = mid
    }

    func removeOutbound(mid: String) {
        guard let stream = outbound.removeValue(forKey: mid) else { return }
        outboundBySSRC[stream.ssrc] = nil
    }

    func handle(_ packet: RTCPPacket, at now: Instant) {
        switch packet {
        case .senderReport(let report):
            guard let mid = inbound[report.ssrc]?.mid else { return }
            inbound[report.ssrc]?.statistics.senderReport(report, at: now)
            emit(.senderReport(mid: mid, ntp: report.ntp, rtpTimestamp: report.rtpTimestamp))
        case .genericNACK(let nack):
            guard let mid = outboundBySSRC[nack.media], let dtls,
                let packets = outbound[mid]?.retransmissions(of: nack.lost, at: now)
            else { return }
            for packet in packets { transmit(packet, over: dtls) }
        case .pictureLossIndication(_, let media):
            if let mid = outboundBySSRC[media] { emit(.keyframeRequested(mid: mid)) }
        case .fullIntraRequest(let request):
            for entry in request.entries {
                if let mid = outboundBySSRC[entry.media] { emit(.keyframeRequested(mid: mid)) }
            }
        case .receiverReport, .sourceDescription, .bye, .receiverEstimatedMaximumBitrate,
            .transportFeedback, .unknown:
            break
        }
    }
}
