import MediaKernel
public import RTP
import SDP
import SecureTransport

/// Receiving media, and feedback to its sender.
extension PeerConnection {
    /// Interval of our reception reports.
    static let reportInterval: Duration = .seconds(1)

    /// Asks the remote side for a key frame. RFC 4585 sect. 6.3.1.
    public func requestKeyframe(in section: SectionIndex, encoding: Int = 0) {
        guard let ssrc = negotiation.activeSSRC(in: section, encoding: encoding) else { return }
        send([.pictureLossIndication(sender: reporter, media: ssrc)])
    }

    /// Requests retransmission of lost packets of a track. RFC 4585 sect. 6.2.1.
    public func requestRetransmission(
        of lost: [SequenceNumber], in section: SectionIndex, encoding: Int = 0
    ) {
        guard !lost.isEmpty, let ssrc = negotiation.activeSSRC(in: section, encoding: encoding)
        else { return }
        send([.genericNACK(GenericNACK(sender: reporter, media: ssrc, lost: lost))])
    }

    // MARK: Packets

    /// Decrypts a datagram in place. Returns whether the remote side's keys authenticate it.
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
        // Key frame requests are collected over the whole datagram.
        case .pictureLossIndication, .fullIntraRequest, .sourceDescription, .bye,
            .receiverEstimatedMaximumBitrate, .unknown:
            break
        }
    }

    /// The streams for which a datagram requests key frames, each once however often it is named.
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

    /// Learns the stream of a packet whose SSRC was not announced; nil if it cannot be known, or
    /// the packet is a repair.
    private func learn(_ packet: RTPPacket) -> InboundStream? {
        let extensions = negotiation.extensions
        switch receiving.learn(packet, extensions, of: &sections, keys: security.dtls) {
        case .stream(let stream):
            return stream
        case .repair(let original):
            handleRepair(packet, of: original)
            return nil
        case nil:
            return nil
        }
    }
}
