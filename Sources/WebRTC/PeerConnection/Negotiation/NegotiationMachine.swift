public import MediaKernel

/// Decides when one side of a connection offers. Pure: the owner reports events with their time,
/// and asks whether to offer.
///
///     stable ──offered──► offered(at) ──answered, refused, gave way──► stable
///
/// Besides the phase, the machine keeps the reasons for the next offer: a change, a wanted restart,
/// or an unusable answer. One offer is outstanding at a time; changes meanwhile go into the next.
public struct NegotiationMachine: Sendable {
    private enum Phase {
        case stable
        case offered(at: Instant)
    }

    /// How long a restart waits for the answer to an offer. Some clients end their session if
    /// another offer arrives while they prepare their answer.
    public static let answerTimeout: Duration = .seconds(10)
    /// After up to this many refused answers in a row the same offer is made again, the last time
    /// with a restart.
    public static let refusalsMaximum = 2

    private var phase = Phase.stable
    private var hasOffered = false
    /// The time of the last offer. The first offer does not count, otherwise every join would wait.
    private var lastOffer: Instant?
    private var isOwed = false
    private var refusals = 0
    /// A change that no offer includes yet.
    public private(set) var isDirty = false
    /// The next offer uses fresh ICE credentials.
    public private(set) var wantsRestart = false

    public init() {}

    public var isOutstanding: Bool {
        if case .offered = phase { true } else { false }
    }

    /// The next offer is due even without a change.
    public var mustOffer: Bool { !hasOffered || wantsRestart || isOwed }

    // MARK: What happens

    /// Notes a change that an offer must include.
    public mutating func changed() { isDirty = true }

    public mutating func restart() { wantsRestart = true }

    /// Whether an offer may be made now. If not, the connection is dirty until it may.
    ///
    /// - Parameters:
    ///   - interval: the least time between two offers.
    ///   - waits: whether to wait for the answer to the previous offer and for the interval.
    public mutating func mayOffer(
        at now: Instant, interval: Duration = .zero, waits: Bool = true
    ) -> Bool {
        let isTooSoon = lastOffer.map { now - $0 < interval } ?? false
        isDirty = waits && (awaitsAnswer(at: now) || isTooSoon)
        return !isDirty
    }

    private func awaitsAnswer(at now: Instant) -> Bool {
        guard case .offered(let start) = phase else { return false }
        return !wantsRestart || now - start < Self.answerTimeout
    }

    /// An offer was made.
    public mutating func offered(at now: Instant) {
        if hasOffered { lastOffer = now }
        hasOffered = true
        phase = .offered(at: now)
        wantsRestart = false
        isOwed = false
    }

    public mutating func answered() {
        phase = .stable
        refusals = 0
    }

    /// Notes an answer without an outstanding offer. An answer to an earlier offer was taken for
    /// that to the current one, so the sides disagree: the current one is offered again.
    public mutating func answeredUnasked() { isOwed = true }

    /// Notes an unusable answer; no other will follow. The same offer, or a restart, is tried
    /// again; after that only changes are offered.
    public mutating func answerRefused() {
        phase = .stable
        refusals += 1
        isOwed = refusals <= Self.refusalsMaximum
        if refusals == Self.refusalsMaximum { wantsRestart = true }
    }

    /// Both sides have offered at once, and this side withdraws its offer. RFC 9429 sect. 4.1.10.2.
    public mutating func gaveWay() {
        guard isOutstanding else { return }
        phase = .stable
        isOwed = true
        isDirty = true
    }
}
