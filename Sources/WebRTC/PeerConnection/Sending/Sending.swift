import MediaKernel
import RTP

/// What this side sends, and what is known of the way that it goes.
struct Sending {
    /// By section; one stream for each encoding.
    private var sections: [String: [OutboundStream]] = [:]
    private var streams: [SSRC: OutboundStream] = [:]
    /// What the way out can carry; fed while packets carry the transport's count.
    var bandwidth = BandwidthEstimator()
    /// Whether packets are counted for the receiver's feedback.
    var measuresBandwidth = true
    private var receptionLoss = ReceptionLoss()
    private var repairBudget = RepairBudget()
    var rate = SentRate()
    var probe: ProbeSchedule?
    /// Packets that could not be encrypted.
    private var unsentPackets = 0

    // MARK: Streams

    /// Those of one section, by encoding.
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

    /// Gives those that were sent in the section.
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

    /// The stream to repeat for a probe: any that can be repaired and is counted. One that has
    /// something to repeat goes first: of padding it takes many small packets to fill the way.
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

    /// What is to be sent again of a stream.
    mutating func retransmissions(
        of lost: [SequenceNumber], on stream: OutboundStream, at now: Instant
    ) -> [RTPPacket] {
        // What is lost by chance is not lost for want of room.
        let limit = measuresBandwidth ? bandwidth.bitsPerSecondByDelay : nil
        repairBudget.refill(limit: limit, sent: rate.bitsPerSecond(at: now), at: now)
        return stream.retransmissions(of: lost, within: &repairBudget, at: now)
    }

    /// From one network to another: what is known of the old one says nothing of the new one.
    mutating func routeChanged() { bandwidth.routeChanged() }

    // MARK: What could not be sent

    mutating func countUnsent() { unsentPackets += 1 }

    mutating func takeUnsent() -> Int {
        defer { unsentPackets = 0 }
        return unsentPackets
    }
}
