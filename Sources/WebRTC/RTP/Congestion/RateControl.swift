import MediaKernel

/// Turns the detector's verdicts into a rate: up slowly, down at once.
/// draft-ietf-rmcat-gcc-02 sect. 5.5.
struct DelayRateControl: Sendable {
    /// After overuse, the rate becomes this share of the received rate. GCC sect. 5.5.
    static let decreaseFactor = 0.85
    /// Far from the known capacity, the rate grows by this factor each second.
    static let growthPerSecond = 1.08
    /// The estimate must not run away from the rate really sent.
    static let headroomFactor = 1.5
    static let headroomBits = 10_000.0
    /// The share of the estimate from which it counts as used.
    static let usedShare = 0.7
    /// Overuse lowers the rate at most once in this time, which the queue needs to drain.
    static let decreaseInterval: Duration = .milliseconds(300)

    private(set) var bitsPerSecond: Double?
    private var capacity = LinkCapacity()
    private var lastChange: Instant?
    private var lastDecrease: Instant?
    private var isHolding = false

    /// - Parameters:
    ///   - acknowledged: the received rate, in bits per second.
    ///   - burst: the received rate of the last moments. While a queue grows, it is the path's
    ///     capacity.
    mutating func update(
        _ usage: DelayTrend.Usage, acknowledged: Int?, burst: @autoclosure () -> Int,
        roundTrip: Duration, at now: Instant
    ) {
        switch usage {
        case .overuse: decrease(to: acknowledged, burst: burst(), at: now)
        case .underuse: isHolding = true
        case .normal:
            // The queue has drained; increase again from here.
            if isHolding {
                isHolding = false
                lastChange = now
            }
            increase(acknowledged: acknowledged, roundTrip: roundTrip, at: now)
        }
        if usage != .normal { lastChange = now }
    }

    private mutating func decrease(
        to acknowledged: Int?, burst: @autoclosure () -> Int, at now: Instant
    ) {
        isHolding = true
        guard let acknowledged else { return }
        if let lastDecrease, now - lastDecrease < Self.decreaseInterval { return }
        lastDecrease = now
        var sample = Double(acknowledged)
        // The sender did not use the estimate, so a low received rate says nothing about the path.
        if sample < Self.usedShare * (bitsPerSecond ?? .infinity) {
            sample = max(sample, Double(burst()))
        }
        let target = sample * Self.decreaseFactor
        capacity.overused(at: sample)
        bitsPerSecond = min(bitsPerSecond ?? target, target)
    }

    private mutating func increase(acknowledged: Int?, roundTrip: Duration, at now: Instant) {
        guard let rate = bitsPerSecond else { return }
        let elapsed = lastChange.map { min((now - $0).inSeconds, 1) } ?? 0
        lastChange = now
        guard let acknowledged else { return }
        let sample = Double(acknowledged)
        capacity.sawThroughput(sample)
        let next: Double
        if capacity.isNear(sample) {
            // About one packet more per round trip.
            let response = roundTrip.inSeconds + 0.1
            next = rate + max(4000, 1200 * 8 / response) * elapsed
        } else {
            next = rate * Self.power(elapsed)
        }
        let ceiling = Self.headroomFactor * sample + Self.headroomBits
        bitsPerSecond = max(rate, min(next, ceiling))
    }

    /// 1.08 to the power of a share of a second; linear is near enough below 1 s.
    private static func power(_ elapsed: Double) -> Double { 1 + (growthPerSecond - 1) * elapsed }

    /// Something measured a higher rate than the estimate.
    mutating func raise(to rate: Double, at now: Instant) {
        guard let current = bitsPerSecond, rate > current else { return }
        bitsPerSecond = rate
        lastChange = now
        capacity.reset()
    }

    /// Something else, such as loss, brought the estimate down.
    mutating func lower(to rate: Double, at now: Instant) {
        guard rate < bitsPerSecond ?? .infinity else { return }
        bitsPerSecond = rate
        lastChange = now
    }
}

/// The bottleneck's capacity as learnt from overuse: near it, the rate must grow carefully.
private struct LinkCapacity: Sendable {
    private var mean: Double?
    private var variance = 0.4

    mutating func overused(at rate: Double) {
        let kilobits = rate / 1000
        guard let old = mean else {
            mean = kilobits
            return
        }
        mean = 0.95 * old + 0.05 * kilobits
        let error = (old - kilobits) * (old - kilobits) / max(old, 1)
        variance = min(max(0.95 * variance + 0.05 * error, 0.4), 2.5)
    }

    private var deviation: Double { ((mean ?? 0) * variance).squareRoot() }

    mutating func sawThroughput(_ rate: Double) {
        if let mean, rate / 1000 > mean + 3 * deviation { reset() }
    }

    func isNear(_ rate: Double) -> Bool {
        guard let mean else { return false }
        return abs(rate / 1000 - mean) <= 3 * deviation
    }

    mutating func reset() { mean = nil }
}

/// The loss-based control. draft-ietf-rmcat-gcc-02 sect. 6.
struct LossRateControl: Sendable {
    static let interval: Duration = .milliseconds(500)
    static let packetsMinimum = 20
    static let highLoss = 0.10
    static let lowLoss = 0.02
    /// The smallest share of the sent data assumed to have arrived: a receiver may report more
    /// packets as lost than were sent.
    static let arrivedShareMinimum = 0.01

    /// Nil while loss has never limited anything.
    private(set) var bitsPerSecond: Double?
    /// The loss of the last whole interval, 0...1, and when that interval ended.
    private(set) var loss = 0.0
    private(set) var lossMeasured: Instant?
    private var lost = 0
    private var total = 0
    private var began: Instant?

    /// Whether the interval that has just ended lost too much.
    func limits(at now: Instant) -> Bool { lossMeasured == now && loss > Self.highLoss }

    mutating func received(_ results: [PacketResult]) {
        total += results.count
        for result in results where result.arrival == nil { lost += 1 }
    }

    mutating func update(acknowledged: Int?, at now: Instant) {
        let start = began ?? now
        began = start
        guard now - start >= Self.interval, total >= Self.packetsMinimum else { return }
        loss = Double(lost) / Double(total)
        (lost, total, began, lossMeasured) = (0, 0, now, now)
        guard let acknowledged else { return }
        if loss > Self.highLoss {
            let sent = Double(acknowledged) / max(1 - loss, Self.arrivedShareMinimum)
            let base = min(bitsPerSecond ?? .infinity, sent)
            bitsPerSecond = base * (1 - 0.5 * loss)
        } else if loss < Self.lowLoss, let rate = bitsPerSecond {
            let next = rate * 1.05
            // A limit far above the sending rate no longer matters.
            bitsPerSecond = next > 2 * Double(acknowledged) ? nil : next
        }
    }

    mutating func raise(to rate: Double) {
        if let current = bitsPerSecond, rate > current { bitsPerSecond = rate }
    }
}
