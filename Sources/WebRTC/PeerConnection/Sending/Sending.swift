import MediaKernel
import RTP

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

    mutating func add(_ streams: [OutboundStream], mid: String) {
        sections[mid] = streams
        for stream in streams { self.streams[stream.ssrc] = stream }
    }

    /// Removes the streams of a section and returns them.
    mutating func remove(mid: String) -> [OutboundStream] {
        let removed = sections.removeValue(forKey: mid) ?? []
        for stream in removed {
            stream.payloadType = nil
            stream.protection = nil
            streams[stream.ssrc] = nil
            receptionLoss.forget(stream.ssrc)
        }
        return removed
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
