import MediaKernel

@testable import RTP

/// A sender that is always ready, a bottleneck with a queue, and a receiver that reports arrival
/// times. Time is simulated.
struct CongestionSimulation {
    /// The bottleneck's capacity in bits per second.
    var capacity: Int
    /// Random loss on the path, 0...1.
    var loss = 0.0
    /// What the path adds to the delay of a packet that is sent now, whatever its capacity.
    var hold: @Sendable (Instant) -> Duration = { _ in .zero }
    /// The rate that the sender would use if it could.
    var demand: Int
    var estimator = BandwidthEstimator()
    private(set) var now = Instant.zero
    /// The longest time that a packet has waited since the last check.
    var longestQueue = Duration.zero

    private var random: SeededRandom
    private var recorder = TransportFeedbackRecorder(sender: SSRC(1))
    private var linkFree = Instant.zero
    private var arrivals: [(at: Instant, sequence: UInt16)] = []
    private var feedback: [(at: Instant, packet: TransportFeedback)] = []
    private var credit = 0.0
    private var probe: (rate: Int, until: Instant)?

    static let step: Duration = .milliseconds(5)
    static let packetBytes = 1000
    static let propagation: Duration = .milliseconds(25)
    static let queueMaximum: Duration = .milliseconds(400)

    init(capacity: Int, demand: Int, seed: UInt64 = 1) {
        self.capacity = capacity
        self.demand = demand
        random = SeededRandom(seed: seed)
    }

    /// The current sending rate: the demand, or the estimated capacity.
    var rate: Int { min(demand, estimator.bitsPerSecond ?? .max) }

    mutating func beginProbe(_ rate: Int) {
        estimator.beginProbe()
        probe = (rate, now + .milliseconds(80))
    }

    /// Sends this many packets at once, regardless of the capacity.
    mutating func burst(_ packets: Int) {
        for _ in 0..<packets { send() }
    }

    /// - Parameter sending: the rate of sending, in bits per second.
    mutating func run(for duration: Duration, sending: (Self) -> Int = { $0.rate }) {
        let end = now + duration
        while now < end {
            now += Self.step
            if let probe, probe.until <= now {
                estimator.endProbe()
                self.probe = nil
            }
            let rate = max(sending(self), probe?.rate ?? 0)
            credit += Double(rate) / 8 * Self.step.inSeconds
            while credit >= Double(Self.packetBytes) {
                credit -= Double(Self.packetBytes)
                send()
            }
            deliver()
        }
    }

    private mutating func send() {
        let number = estimator.sent(bytes: Self.packetBytes, at: now)
        guard Double.random(in: 0..<1, using: &random) >= loss else { return }
        let start = max(linkFree, now)
        guard start - now < Self.queueMaximum else { return }
        longestQueue = max(longestQueue, start - now)
        linkFree =
            start + .nanoseconds(Int64(Self.packetBytes * 8) * 1_000_000_000 / Int64(capacity))
        arrivals.append((linkFree + Self.propagation + hold(now), number.rawValue))
    }

    private mutating func deliver() {
        let due = arrivals.prefix { $0.at <= now }
        for arrival in due { recorder.received(sequence: arrival.sequence, at: arrival.at) }
        arrivals.removeFirst(due.count)
        while let deadline = recorder.nextDeadline, deadline <= now,
            let packet = recorder.poll(at: now)
        {
            feedback.append((now + Self.propagation, packet))
        }
        while let first = feedback.first, first.at <= now {
            feedback.removeFirst()
            estimator.received(first.packet, at: now)
        }
    }
}
