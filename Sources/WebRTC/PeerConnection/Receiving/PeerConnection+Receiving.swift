import MediaKernel
public import RTP
import SDP
import SecureTransport

/// Media in, and what its sender is told of it.
extension PeerConnection {
    /// Interval of our reception reports.
    static let reportInterval: Duration = .seconds(1)

    /// Asks the remote side for a key frame. RFC 4585 sect. 6.3.1.
    public func requestKeyframe(mid: String, encoding: Int = 0) {
        guard let section = section(mid: mid) else { return }
        requestKeyframe(in: section, encoding: encoding)
    }

    /// The same by the place of the section.
    public func requestKeyframe(in section: SectionIndex, encoding: Int = 0) {
        guard let ssrc = activeSSRC(in: section, encoding: encoding) else { return }
        send([.pictureLossIndication(sender: reporter, media: ssrc)])
    }

    /// Asks the remote side for packets of a track again. RFC 4585 sect. 6.2.1.
    public func requestRetransmission(
        of lost: [SequenceNumber], mid: String, encoding: Int = 0
    ) {
        guard !lost.isEmpty, let section = section(mid: mid) else { return }
        requestRetransmission(of: lost, in: section, encoding: encoding)
    }

    /// The same by the place of the section.
    public func requestRetransmission(
        of lost: [SequenceNumber], in section: SectionIndex, encoding: Int = 0
    ) {
        guard !lost.isEmpty, let ssrc = activeSSRC(in: section, encoding: encoding) else { return }
        send([.genericNACK(GenericNACK(sender: reporter, media: ssrc, lost: lost))])
    }

    /// The newest stream of an encoding, which is the one feedback is about.
    private func activeSSRC(in section: SectionIndex, encoding: Int) -> SSRC? {
        guard sections.indices.contains(section.rawValue) else { return nil }
        return sections[section.rawValue].activeSSRCs[encoding]
    }

    func sendReceptionReports(at now: Instant) {
        // A report names a stream only while something of it arrives, at most 31 per packet.
        let reports = receiving.reports(at: now)
        for start in stride(from: 0, to: reports.count, by: 31) {
            let part = Array(reports[start..<min(start + 31, reports.count)])
            send([
                .receiverReport(ReceiverReport(ssrc: reporter, reports: part)),
                description(of: reporter),
            ])
        }
    }

    // MARK: Packets

    /// Decrypts a datagram in its own place. Gives whether it is the remote side's by its keys.
    func handleMedia(_ datagram: consuming [UInt8], at now: Instant) -> Bool {
        guard security.isConnected, let dtls = security.dtls else {
            receiving.discardedDatagrams += 1
            return false
        }
        var isAuthentic = false
        do {
            if RTPPacket.isRTCP(datagram) {
                guard receiving.reportAllowance.take(at: now) else {
                    receiving.discardedDatagrams += 1
                    return false
                }
                try dtls.unprotectRTCP(&datagram)
                isAuthentic = true
                handle(try RTCPPacket.parseCompound(datagram), at: now)
            } else {
                try dtls.unprotectRTP(&datagram)
                isAuthentic = true
                handle(try RTPPacket(parsing: datagram), at: now)
            }
        } catch {
            receiving.discardedDatagrams += 1
        }
        return isAuthentic
    }

    private func handle(_ packet: RTPPacket, at now: Instant) {
        if let id = negotiation.extensions.transportSequence {
            receiving.count(packet, extensionID: id, at: now)
        }
        if let original = receiving.repairs[packet.ssrc] {
            handleRepair(packet, of: original)
            return
        }
        guard let stream = receiving.inbound[packet.ssrc] ?? learn(packet) else { return }
        stream.received(packet, at: now)
        emit(.media(stream.incoming(packet, isRetransmission: false)))
    }

    private func handleRepair(_ packet: RTPPacket, of original: SSRC) {
        guard let stream = receiving.inbound[original],
            let packet = try? RTX.unwrap(
                packet, originalSSRC: original, originalPayloadType: stream.payloadType)
        else { return }
        emit(.media(stream.incoming(packet, isRetransmission: true)))
    }

    // MARK: Control packets

    private func handle(_ packets: [RTCPPacket], at now: Instant) {
        for packet in packets { handle(packet, at: now) }
        for media in Self.keyframesRequested(by: packets) {
            guard let stream = sending.stream(media) else { continue }
            emit(.keyframeRequested(mid: stream.mid, encoding: stream.encoding))
        }
    }

    func handle(_ packet: RTCPPacket, at now: Instant) {
        switch packet {
        case .senderReport(let report):
            guard let stream = receiving.inbound[report.ssrc] else { return }
            stream.received(report, at: now)
            emit(
                .senderReport(
                    mid: stream.mid, encoding: stream.encoding, ntp: report.ntp,
                    rtpTimestamp: report.rtpTimestamp))
        case .genericNACK(let nack):
            retransmit(nack, at: now)
        case .transportFeedback(let feedback):
            guard receiving.statusAllowance.take(feedback.deltas.count, at: now) else { return }
            sending.bandwidth.received(feedback, at: now)
        case .receiverReport(let report):
            for block in report.reports { sending.received(block, at: now) }
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

    // MARK: Streams

    /// Finds the section and the layer of a packet whose SSRC was not announced. RFC 9143
    /// sect. 9.2, RFC 8852.
    private func learn(_ packet: RTPPacket) -> InboundStream? {
        guard !receiving.isFull else { return nil }
        let extensions = negotiation.extensions
        let mid = text(extensions.mid, of: packet)
        let type = packet.payloadType.rawValue
        let candidates = sections.filter { section in
            guard let track = section.incoming else { return false }
            if let mid, section.mid != mid { return false }
            return track.codec.payloadType == type || track.rtxPayloadType == type
        }
        guard let section = candidates.first, candidates.count == 1, let track = section.incoming
        else { return nil }
        let isRepair = track.rtxPayloadType == type
        var encoding = 0
        if track.encodings.first?.rid != nil {
            let rid = text(isRepair ? extensions.repairedRid : extensions.rid, of: packet)
            // Without its name, nobody can tell which layer it is: a later packet will say.
            guard let index = track.encodings.firstIndex(where: { $0.rid == rid }) else {
                return nil
            }
            encoding = index
        }
        if isRepair {
            guard let primary = section.activeSSRCs[encoding] else { return nil }
            expectRepairs(packet.ssrc, of: primary)
            handleRepair(packet, of: primary)
            return nil
        }
        register(track, encoding: encoding, ssrc: packet.ssrc, rtxSSRC: nil)
        return receiving.inbound[packet.ssrc]
    }

    private func text(_ id: UInt8?, of packet: RTPPacket) -> String? {
        id.flatMap { packet.extensions[$0] }.map { String(decoding: $0, as: UTF8.self) }
    }

    func register(_ track: IncomingTrack, encoding: Int, ssrc: SSRC, rtxSSRC: SSRC?) {
        guard let index = section(mid: track.mid)?.rawValue else { return }
        let old = sections[index].activeSSRCs[encoding]
        if let old, old != ssrc { forget(old) }
        sections[index].activeSSRCs[encoding] = ssrc
        if receiving.expect(ssrc, of: track, encoding: encoding, in: SectionIndex(index)) {
            security.dtls?.expectInboundStream(ssrc: ssrc.rawValue)
        }
        if let rtxSSRC, receiving.inbound[ssrc] != nil { expectRepairs(rtxSSRC, of: ssrc) }
    }

    func forget(_ ssrc: SSRC) { retire(receiving.forget(ssrc)) }

    private func expectRepairs(_ repair: SSRC, of ssrc: SSRC) {
        guard let replaced = receiving.expectRepairs(repair, of: ssrc) else { return }
        retire(replaced)
        security.dtls?.expectInboundStream(ssrc: repair.rawValue)
    }

    /// The keys' state of streams that have ended makes room when it is needed.
    private func retire(_ streams: [SSRC]) {
        for ssrc in streams { security.dtls?.retireInboundStream(ssrc: ssrc.rawValue) }
    }
}
