public import MediaKernel

/// Estimates a transport's capacity at the sender, from the receiver's transport-wide feedback: the
/// estimator of draft-ietf-rmcat-gcc-02, with probes.
///
/// It starts without an estimate and assumes no limit until delay or loss reveals one. From then on
/// the estimate follows the received rate, and only a probe can show that there is more room than
/// the current sending rate.
public struct BandwidthEstimator: Sendable {
    /// The lowest estimate: it must still allow sending a probe.
    public static let bitsPerSecondMinimum = 30_000
    /// The highest estimate, beyond any path's capacity: a receiver's feedback may lead to any
    /// number.
    static let bitsPerSecondMaximum = 1_000_000_000_000
    /// Probes awaiting their feedback.
    static let probesMaximum = 4

    private var log = SentPacketLog()
    private var trend = DelayTrend()
    private var acknowledgedRate = AcknowledgedRate()
    private var delayControl = DelayRateControl()
    private var lossControl = LossRateControl()
    private var probes: [ProbeMeter] = []
    private var nextProbe = 0
    private var activeProbe: Int?
    private var clock = ReferenceClock()
    private var congestion = CongestionWatch()
    /// From sending a packet to receiving its feedback.
    public private(set) var roundTripTime: Duration = .milliseconds(100)
    /// The last rate that a probe measured, in bits per second.
    public private(set) var lastProbeResult: (bitsPerSecond: Int, at: Instant)?

    public init() {}

    /// Bits per second; nil while nothing has shown a limit.
    public var bitsPerSecond: Int? {
        let rates = [delayControl.bitsPerSecond, lossControl.bitsPerSecond].compactMap { $0 }
        return rates.min().map(bounded)
    }

    /// The estimate without the effect of losses, which congestion does not always cause. In bits
    /// per second; nil while no queue has revealed a limit.
    public var bitsPerSecondByDelay: Int? {
        delayControl.bitsPerSecond.map(bounded)
    }

    private func bounded(_ bitsPerSecond: Double) -> Int {
        let (least, most) = (Double(Self.bitsPerSecondMinimum), Double(Self.bitsPerSecondMaximum))
        // This order yields a number even for NaN.
        return Int(min(max(least, bitsPerSecond), most))
    }

    /// Whether the path was congested recently, so that the sending rate exceeds its capacity. If
    /// false, the sending rate fits, whatever the estimate says: that falls at the first sign.
    public func isCongested(at now: Instant) -> Bool { congestion.isCongested(at: now) }

    /// The rate received recently, in bits per second.
    public var acknowledgedBitsPerSecond: Int? { acknowledgedRate.bitsPerSecond }

    /// An older loss measurement says nothing about the present.
    public static let lossLifetime: Duration = .seconds(3)

    /// Share of packets that were lost lately, 0...1; nil when too few were sent to tell.
    public func loss(at now: Instant) -> Double? {
        guard let measured = lossControl.lossMeasured, now - measured < Self.lossLifetime else {
            return nil
        }
        return lossControl.loss
    }

    /// Records a packet about to be sent. Returns the transport-wide sequence number to put on it.
    public mutating func sent(bytes: Int, at now: Instant) -> TransportSequence {
        if activeProbe != nil, !probes.isEmpty { probes[probes.count - 1].sent() }
        return log.sent(bytes: bytes, probe: activeProbe, at: now)
    }

    /// All packets sent from now to `endProbe` are part of a probe.
    public mutating func beginProbe() {
        endProbe()
        if probes.count == Self.probesMaximum { probes.removeFirst() }
        probes.append(ProbeMeter(id: nextProbe))
        activeProbe = nextProbe
        nextProbe += 1
    }

    public mutating func endProbe() {
        guard activeProbe != nil else { return }
        activeProbe = nil
        if !probes.isEmpty { probes[probes.count - 1].isComplete = true }
    }

    /// Takes a feedback message of the receiver.
    public mutating func received(_ feedback: TransportFeedback, at now: Instant) {
        var results = log.results(of: feedback)
        // Feedback about no sent packet, or about no arrival, does not set the clock either.
        guard !results.isEmpty else { return }
        if results.contains(where: { $0.arrival != nil }) {
            if clock.isAnotherOne(feedback.referenceTime, at: now) { forgetArrivals() }
            let shift = clock.unwrap(feedback.referenceTime, at: now)
            for index in results.indices { results[index].arrival? += shift }
        }
        lossControl.received(results)
        var hasArrivals = false
        for result in results {
            guard let arrival = result.arrival else { continue }
            hasArrivals = true
            acknowledgedRate.received(bytes: result.bytes, arrival: arrival)
            trend.received(sent: result.sent, arrival: arrival)
            if let probe = result.probe { probed(result, probe, at: now) }
        }
        guard hasArrivals else { return }
        if let newest = results.last(where: { $0.arrival != nil })?.sent {
            roundTripTime = now - newest
        }
        let acknowledged = acknowledgedRate.bitsPerSecond
        delayControl.update(
            trend.usage, acknowledged: acknowledged, burst: acknowledgedRate.burstBitsPerSecond,
            roundTrip: roundTripTime, at: now)
        lossControl.update(acknowledged: acknowledged, at: now)
        if congestion.update(
            queue: trend.queue, isGrowing: trend.usage == .overuse,
            losesTooMuch: lossControl.limits(at: now), at: now)
        {
            trend.acceptQueue()
        }
    }

    /// Call when the network path changes: discards all knowledge of the old path.
    public mutating func routeChanged() {
        forgetArrivals()
        log.forget()
        activeProbe = nil
        delayControl = DelayRateControl()
        lossControl = LossRateControl()
        congestion = CongestionWatch()
        lastProbeResult = nil
    }

    /// Later arrival times are unrelated to earlier ones.
    private mutating func forgetArrivals() {
        clock = ReferenceClock()
        trend = DelayTrend()
        acknowledgedRate = AcknowledgedRate()
        probes = []
    }

    private mutating func probed(_ result: PacketResult, _ id: Int, at now: Instant) {
        guard let index = probes.firstIndex(where: { $0.id == id }),
            let rate = probes[index].received(result)
        else { return }
        probes.remove(at: index)
        lastProbeResult = (rate, now)
        delayControl.raise(to: Double(rate), at: now)
        lossControl.raise(to: Double(rate))
    }
}

/// Follows the feedback's reference time, 24 bits of 64 ms, over its wrap every 12.4 days.
private struct ReferenceClock: Sendable {
    /// The most that a receiver's clock may step relative to ours. A larger step means a different
    /// clock; without a bound, a hostile receiver could move the clock anywhere.
    static let stepErrorMaximum: Duration = .seconds(60)

    private var newest: Int64?
    private var heardAt = Instant.zero

    /// Whether the receiver's clock cannot be the same as before.
    func isAnotherOne(_ reference: Int32, at now: Instant) -> Bool {
        guard let newest else { return false }
        let step = TransportFeedback.referenceTimeUnit * Int(Self.step(from: newest, to: reference))
        return (step - (now - heardAt)).magnitude > Self.stepErrorMaximum
    }

    /// The amount to add to this message's arrival times.
    mutating func unwrap(_ reference: Int32, at now: Instant) -> Duration {
        defer { heardAt = now }
        guard let newest else {
            self.newest = Int64(reference)
            return .zero
        }
        let extended = newest + Self.step(from: newest, to: reference)
        self.newest = max(newest, extended)
        return TransportFeedback.referenceTimeUnit * Int(extended - Int64(reference))
    }

    private static func step(from newest: Int64, to reference: Int32) -> Int64 {
        Int64(((reference &- Int32(truncatingIfNeeded: newest)) << 8) >> 8)
    }
}
