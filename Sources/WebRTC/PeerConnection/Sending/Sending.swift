import MediaKernel
import RTP
import SDP
import SecureTransport

/// The streams that this side sends, and the measurements of their path.
struct Sending {
    /// By mid; one stream for each encoding.
    private var sections: [String: [OutboundStream]] = [:]
    private var streams: [SSRC: OutboundStream] = [:]
    /// Fed while packets carry transport-wide sequence numbers.
    var bandwidth = BandwidthEstimator()
    /// Whether packets are numbered for transport feedback.
    var measuresBandwidth = true
    private var receptionLoss = ReceptionLoss()
    private var repairBudget = RepairBudget()
    var rate = SentRate()
    var probe: ProbeSchedule?
    /// Packets that could not be encrypted.
    private var unsentPackets = 0

    // MARK: Streams

    /// The streams of one section, by encoding.
    func streams(mid: String) -> [OutboundStream] { sections[mid] ?? [] }

    func stream(_ mid: String, _ encoding: Int) -> OutboundStream? {
        guard let streams = sections[mid], streams.indices.contains(encoding) else { return nil }
        return streams[encoding]
    }

    func stream(_ ssrc: SSRC) -> OutboundStream? { streams[ssrc] }

    /// Creates the streams of a track of ours in a section.
    mutating func add(_ track: OutgoingTrack, mid: String, using random: inout SeededRandom) {
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
        sections[mid] = streams
        for stream in streams { self.streams[stream.ssrc] = stream }
    }

    /// Removes the streams of a section.
    ///
    /// - Parameter keys: forgets their keys.
    mutating func remove(mid: String, keys: DTLSTransport?) {
        let removed = sections.removeValue(forKey: mid) ?? []
        for stream in removed {
            stream.payloadType = nil
            stream.protection = nil
            streams[stream.ssrc] = nil
            receptionLoss.forget(stream.ssrc)
            // SSRCs are never reused, so the key state of these is useless now.
            keys?.retireOutboundStream(ssrc: stream.ssrc.rawValue)
            keys?.retireOutboundStream(ssrc: stream.rtxSSRC.rawValue)
        }
    }

    /// Binds the streams of a section offered by the remote side to our answer.
    func bind(_ section: Section) {
        guard let track = section.outgoing, let remote = section.remote else { return }
        let described = Set(section.local.rtp.codecs.map(\.payloadType))
        var codec = section.local.direction.sends ? track.codec(in: remote) : nil
        if let type = codec?.codec.payloadType, !described.contains(type) { codec = nil }
        let name = section.local.rtp.headerExtensions.first { $0.uri == HeaderExtensionURI.mid }
        bind(
            section.mid, to: codec, accepted: remote.rtp.simulcast?.receiveRIDs ?? [],
            counts: section.local.rtp.headerExtensions.countsTransport)
        for stream in streams(mid: section.mid) {
            stream.sectionName = name.map { ($0.id, Array(section.mid.utf8)) }
        }
    }

    /// Binds the streams of a section to what both sides have agreed.
    ///
    /// - Parameters:
    ///   - accepted: the rids that the remote side receives.
    ///   - counts: whether packets get transport-wide sequence numbers.
    func bind(_ mid: String, to codec: NegotiatedCodec?, accepted: [String], counts: Bool) {
        for (encoding, stream) in streams(mid: mid).enumerated() {
            // A receiver without simulcast takes the first layer alone. RFC 8853 sect. 5.3.2.
            let isTaken = stream.rid.map {
                accepted.contains($0) || (accepted.isEmpty && encoding == 0)
            }
            let type = isTaken != false ? codec?.codec.payloadType : nil
            stream.payloadType = type.map { PayloadType($0) }
            stream.rtxPayloadType = codec?.rtxPayloadType.map { PayloadType($0) }
            stream.countsTransport = counts
        }
    }

    /// The stream for a probe's fillers: any with RTX and transport-wide numbers. One with packets
    /// to repeat is preferred: padding needs many small packets to fill the path.
    var filledStream: OutboundStream? {
        let fillable = streams.values.filter(\.isFillable)
        return fillable.first(where: \.hasSent) ?? fillable.first
    }

    // MARK: What is known of the way

    /// See `PeerConnection.loss`.
    func loss(at now: Instant) -> Double? {
        bandwidth.loss(at: now) ?? receptionLoss.share(at: now)
    }

    mutating func received(_ report: ReceptionReport, at now: Instant) {
        guard streams[report.ssrc] != nil else { return }
        receptionLoss.received(report, at: now)
    }

    /// The bytes of a packet, counted for the estimate of the bandwidth if it gets a number.
    ///
    /// - Parameter id: the extension of transport-wide sequence numbers, if the section uses them.
    mutating func serialize(
        _ packet: RTPPacket, numberedBy id: UInt8?, room: Int = 0, at now: Instant
    ) -> [UInt8] {
        guard let id, measuresBandwidth else { return packet.serialized(room: room) }
        // A filler may be all padding.
        let size =
            packet.payload.count + packet.paddingLength + PeerConnection.packetOverheadBytes
        let number = bandwidth.sent(bytes: size, at: now)
        probe?.sent(bytes: size)
        return packet.serialized(numbered: (id, number), room: room)
    }

    /// The packets of a stream to retransmit.
    mutating func retransmissions(
        of lost: [SequenceNumber], on stream: OutboundStream, at now: Instant
    ) -> [RTPPacket] {
        // Use the limit by delay: random loss does not mean lack of capacity.
        let limit = measuresBandwidth ? bandwidth.bitsPerSecondByDelay : nil
        repairBudget.refill(limit: limit, sent: rate.bitsPerSecond(at: now), at: now)
        return stream.retransmissions(of: lost, within: &repairBudget, at: now)
    }

    /// Resets the measurements after a change of network, which make no sense for the new one.
    mutating func routeChanged() { bandwidth.routeChanged() }

    // MARK: What could not be sent

    mutating func countUnsent() { unsentPackets += 1 }

    mutating func takeUnsent() -> Int {
        defer { unsentPackets = 0 }
        return unsentPackets
    }
}
