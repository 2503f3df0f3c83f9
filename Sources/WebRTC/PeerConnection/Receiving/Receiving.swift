import MediaKernel
import RTP
import SDP
import SecureTransport

/// The media received from the remote side, and the feedback on it.
struct Receiving {
    /// The most SSRCs that one remote side may use at a time.
    static let streamsMaximum = 1024
    /// RTCP datagrams handled per second. A bot that requests lost packets of twenty-five videos
    /// sends some hundred; a sender of more would take all our time.
    static let reportDatagramsPerSecond = 2000
    /// Packets that transport feedback may report per second: as many as 150 Mbit/s need. Two bytes
    /// of feedback may claim thousands, and each is processed.
    static let statusesPerSecond = 16_384

    private(set) var inbound: [SSRC: InboundStream] = [:]
    /// Maps an RTX stream to the stream it repairs; at most one for each of `inbound`.
    private(set) var repairs: [SSRC: SSRC] = [:]
    var feedback: TransportFeedbackRecorder
    var reportAllowance: TokenBucket
    var statusAllowance: TokenBucket
    /// When the next reception reports are due.
    var nextReport: Instant?
    /// Datagrams that were neither valid nor expected.
    var discardedDatagrams = 0

    /// - Parameter reporter: the sender SSRC of the feedback.
    init(reporter: SSRC, at now: Instant) {
        feedback = TransportFeedbackRecorder(sender: reporter)
        reportAllowance = TokenBucket(
            rate: Self.reportDatagramsPerSecond, burst: Self.reportDatagramsPerSecond, at: now)
        statusAllowance = TokenBucket(
            rate: Self.statusesPerSecond, burst: Self.statusesPerSecond, at: now)
    }

    var isFull: Bool { inbound.count >= Self.streamsMaximum }

    /// Records the arrival of a packet with a transport-wide sequence number.
    mutating func count(_ packet: RTPPacket, extensionID id: UInt8, at now: Instant) {
        guard let bytes = packet.extensions[id], bytes.count == 2 else { return }
        let first = bytes.startIndex
        // Browsers drop feedback that names none of the streams they send.
        feedback.media = packet.ssrc
        feedback.received(sequence: UInt16(bytes[first]) << 8 | UInt16(bytes[first + 1]), at: now)
    }

    // MARK: Streams

    /// What a packet whose SSRC was not announced belongs to.
    enum Learned {
        case stream(InboundStream)
        /// It repairs this stream.
        case repair(SSRC)
    }

    /// Finds the section and the layer of a packet whose SSRC was not announced. RFC 9143
    /// sect. 9.2, RFC 8852.
    mutating func learn(
        _ packet: RTPPacket, _ extensions: NegotiatedExtensions, of sections: inout [Section],
        keys: DTLSTransport?
    ) -> Learned? {
        guard !isFull else { return nil }
        let mid = packet.text(extensions.mid)
        let type = packet.payloadType.rawValue
        let named = sections.filter { section in
            section.incoming != nil && (mid == nil || section.mid == mid)
        }
        var candidates = named.filter { section in
            section.incoming?.codec.payloadType == type
                || section.incoming?.rtxPayloadType == type
        }
        // Whoever agreed to several codecs sends any of them, without saying so before.
        if candidates.isEmpty { candidates = named.filter { $0.offeredCodec(type) != nil } }
        guard let section = candidates.first, candidates.count == 1, var track = section.incoming
        else { return nil }
        var isRepair = track.rtxPayloadType == type
        if !isRepair, track.codec.payloadType != type, let codec = section.offeredCodec(type) {
            isRepair = codec.isNamed("rtx")
            if !isRepair { track.codec = codec }
        }
        var encoding = 0
        if track.encodings.first?.rid != nil {
            let rid = packet.text(isRepair ? extensions.repairedRid : extensions.rid)
            // Without a rid the layer is unknown: a later packet will carry it.
            guard let index = track.encodings.firstIndex(where: { $0.rid == rid }) else {
                return nil
            }
            encoding = index
        }
        if isRepair {
            guard let primary = section.activeSSRCs[encoding] else { return nil }
            expectRepairs(packet.ssrc, of: primary, keys: keys)
            return .repair(primary)
        }
        register(track, encoding, packet.ssrc, repairedBy: nil, of: &sections, keys: keys)
        return inbound[packet.ssrc].map(Learned.stream)
    }

    /// Registers the SSRCs that the remote side announces in a section.
    mutating func registerAnnounced(
        at index: Int, of sections: inout [Section], keys: DTLSTransport?
    ) {
        // A track that is not sent has no streams yet. It is announced again when it is sent.
        guard let track = sections[index].incoming, track.isSending else { return }
        for (encoding, announced) in track.encodings.enumerated() {
            guard let ssrc = announced.ssrc else { continue }
            register(
                track, encoding, ssrc, repairedBy: announced.rtxSSRC, of: &sections, keys: keys)
        }
    }

    private mutating func register(
        _ track: IncomingTrack, _ encoding: Int, _ ssrc: SSRC, repairedBy rtxSSRC: SSRC?,
        of sections: inout [Section], keys: DTLSTransport?
    ) {
        guard let index = sections.firstIndex(where: { $0.mid == track.mid }) else { return }
        let old = sections[index].activeSSRCs[encoding]
        if let old, old != ssrc { forget(old, keys: keys) }
        sections[index].activeSSRCs[encoding] = ssrc
        if expect(ssrc, of: track, encoding: encoding, in: SectionIndex(index)) {
            keys?.expectInboundStream(ssrc: ssrc.rawValue)
        }
        if let rtxSSRC, inbound[ssrc] != nil { expectRepairs(rtxSSRC, of: ssrc, keys: keys) }
    }

    /// Expects a stream of a track. Returns false if it is expected already or there are too many.
    private mutating func expect(
        _ ssrc: SSRC, of track: IncomingTrack, encoding: Int, in section: SectionIndex
    ) -> Bool {
        if let known = inbound[ssrc] {
            guard known.mid != track.mid || known.encoding != encoding else { return false }
        } else if isFull {
            return false
        }
        inbound[ssrc] = InboundStream(
            mid: track.mid, section: section, encoding: encoding, ssrc: ssrc,
            payloadType: PayloadType(track.codec.payloadType), clockRate: track.codec.clockRate)
        return true
    }

    /// Expects an RTX stream for a stream. It replaces the former ones, so that a peer cannot fill
    /// our memory.
    private mutating func expectRepairs(_ repair: SSRC, of ssrc: SSRC, keys: DTLSTransport?) {
        guard repairs[repair] != ssrc else { return }
        let replaced = forgetRepairs(of: ssrc)
        repairs[repair] = ssrc
        keys?.retireInboundStreams(replaced)
        keys?.expectInboundStream(ssrc: repair.rawValue)
    }

    /// Forgets a stream and its RTX streams.
    mutating func forget(_ ssrc: SSRC, keys: DTLSTransport?) {
        inbound[ssrc] = nil
        keys?.retireInboundStreams([ssrc] + forgetRepairs(of: ssrc))
    }

    private mutating func forgetRepairs(of ssrc: SSRC) -> [SSRC] {
        let gone = repairs.filter { $0.value == ssrc }.map(\.key)
        for repair in gone { repairs[repair] = nil }
        return gone
    }

    /// Updates the section indices after a change.
    func place(_ section: (_ mid: String) -> SectionIndex?) {
        for stream in inbound.values {
            if let section = section(stream.mid) { stream.section = section }
        }
    }

    // MARK: Reports

    /// The packets that report on all streams that have received packets since the last time.
    func reports(
        from reporter: SSRC, named canonicalName: String, at now: Instant
    ) -> [[RTCPPacket]] {
        let reports = inbound.values.compactMap { $0.report(at: now) }
        // At most 31 reports per packet.
        return stride(from: 0, to: reports.count, by: 31).map { start in
            let part = Array(reports[start..<min(start + 31, reports.count)])
            return [
                .receiverReport(ReceiverReport(ssrc: reporter, reports: part)),
                .description(of: reporter, canonicalName: canonicalName),
            ]
        }
    }
}

extension RTCPPacket {
    /// Names a sender.
    static func description(of ssrc: SSRC, canonicalName: String) -> RTCPPacket {
        .sourceDescription([SourceDescription(ssrc: ssrc, cname: canonicalName)])
    }
}

extension RTPPacket {
    fileprivate func text(_ id: UInt8?) -> String? {
        id.flatMap { extensions[$0] }.map { String(decoding: $0, as: UTF8.self) }
    }
}

extension DTLSTransport {
    /// Lets the key state of ended streams be discarded when room is needed.
    fileprivate func retireInboundStreams(_ streams: [SSRC]) {
        for ssrc in streams { retireInboundStream(ssrc: ssrc.rawValue) }
    }
}

extension Section {
    /// A codec that we have offered to receive, or its retransmissions, in a section that only
    /// receives.
    fileprivate func offeredCodec(_ payloadType: UInt8) -> CodecDescription? {
        guard !local.direction.sends else { return nil }
        return local.rtp.codecs.first { $0.payloadType == payloadType }
    }
}
