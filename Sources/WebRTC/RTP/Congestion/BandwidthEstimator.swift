public import MediaKernel

/// What a transport can carry, as its sender finds out from the receiver's feedback: the
/// estimator of draft-ietf-rmcat-gcc-02 on transport-wide feedback, with probes.
///
/// It begins without an estimate: until delay or loss shows that there is a limit, none is
/// assumed. From then on the estimate follows what really arrives, and only a probe can show that
/// there is more room than what is being sent.
public struct BandwidthEstimator: Sendable {
    /// No estimate goes below this: it must still let a probe be sent.
    public static let bitsPerSecondMinimum = 30_000
    /// Nor above this, which no way carries: what a receiver says may lead to any number.
    static let bitsPerSecondMaximum = 1_000_000_000_000
    /// A way that was too full is called so for this long.
    static let congestionLifetime: Duration = .seconds(1)
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
    /// When a queue grew or too much was lost.
    private var limitedAt: Instant?
    /// From sending a packet to hearing of it.
    public private(set) var roundTripTime: Duration = .milliseconds(100)
    /// The last rate that a probe measured, in bits per second.
    public private(set) var lastProbeResult: (bitsPerSecond: Int, at: Instant)?

    public init() {}

    /// Bits per second; nil while nothing has shown a limit.
    public var bitsPerSecond: Int? {
        let rates = [delayControl.bitsPerSecond, lossControl.bitsPerSecond].compactMap { $0 }
        return rates.min().map(bounded)
    }

    /// The same without what losses have shown, which are not always the way's fullness: bits per
    /// second; nil while no queue has shown a limit.
    public var bitsPerSecondByDelay: Int? {
        delayControl.bitsPerSecond.map(bounded)
    }

    private func bounded(_ bitsPerSecond: Double) -> Int {
        let (least, most) = (Double(Self.bitsPerSecondMinimum), Double(Self.bitsPerSecondMaximum))
        // In this order even what is no number gives one.
        return Int(min(max(least, bitsPerSecond), most))
    }

    /// Whether the way has been fuller than it can be: what flows is more than it carries. Where it
    /// has not, what flows fits, whatever the estimate.
    public func isCongested(at now: Instant) -> Bool {
        limitedAt.map { now - $0 < Self.congestionLifetime } ?? false
    }

    /// What has arrived lately, in bits per second.
    public var acknowledgedBitsPerSecond: Int? { acknowledgedRate.bitsPerSecond }

    /// A loss that was measured longer ago says nothing of now.
    public static let lossLifetime: Duration = .seconds(3)

    /// Share of packets that were lost lately, 0...1; nil when too few were sent to tell.
    public func loss(at now: Instant) -> Double? {
        guard let measured = lossControl.lossMeasured, now - measured < Self.lossLifetime else {
            return nil
        }
        return lossControl.loss
    }

    /// Notes a packet that is leaving. Gives the number to put on it.
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
        // What tells of nothing that was sent, or of nothing that came, sets no clock either.
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
        if trend.usage == .overuse || lossControl.limits(at: now) { limitedAt = now }
    }

    /// Takes it that packets go another way from now on: nothing that is known of the old one counts.
    public mutating func routeChanged() {
        forgetArrivals()
        log.forget()
        activeProbe = nil
        delayControl = DelayRateControl()
        lossControl = LossRateControl()
        limitedAt = nil
        lastProbeResult = nil
    }

    /// Arrival times from here on have nothing to do with those of before.
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
    /// How far a receiver's clock may step beside ours. Who steps further has another clock than
    /// before, and without a bound a hostile one could be led anywhere.
    static let stepErrorMaximum: Duration = .seconds(60)

    private var newest: Int64?
    private var heardAt = Instant.zero

    /// Whether the receiver's clock cannot be the one that was heard before.
    func isAnotherOne(_ reference: Int32, at now: Instant) -> Bool {
        guard let newest else { return false }
        let step = TransportFeedback.referenceTimeUnit * Int(Self.step(from: newest, to: reference))
        return (step - (now - heardAt)).magnitude > Self.stepErrorMaximum
    }

    /// What to add to this message's arrival times.
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
