public import MediaKernel

/// When one side of a connection offers. Pure: the owner tells what has happened and when, and asks
/// whether it is its turn.
///
///     stable ──offered──► offered(at) ──answered, refused, gave way──► stable
///
/// Beside the phase there is what the next offer is for: something has changed, a restart is wanted,
/// or the last answer was of no use. One offer is outstanding at a time; changes meanwhile go into
/// the next.
public struct NegotiationMachine: Sendable {
    private enum Phase {
        case stable
        case offered(at: Instant)
    }

    /// How long a restart waits for the answer to an offer. Some clients end their session when
    /// another offer comes while they make their answer.
    public static let answerTimeout: Duration = .seconds(10)
    /// Refused answers in a row after which the same is offered once more, the last time with a
    /// restart.
    public static let refusalsMaximum = 2

    private var phase = Phase.stable
    private var hasOffered = false
    /// When it last offered, the first time left out: the beginning does not count, or every join
    /// would wait.
    private var lastOffer: Instant?
    private var isOwed = false
    private var refusals = 0
    /// Something has changed of which no offer speaks yet.
    public private(set) var isDirty = false
    /// The next offer takes fresh ICE credentials.
    public private(set) var wantsRestart = false

    public init() {}

    public var isOutstanding: Bool {
        if case .offered = phase { true } else { false }
    }

    /// The next offer is due even where nothing has changed.
    public var mustOffer: Bool { !hasOffered || wantsRestart || isOwed }

    // MARK: What happens

    /// Something has changed that an offer is to speak of.
    public mutating func changed() { isDirty = true }

    public mutating func restart() { wantsRestart = true }

    /// Whether it may offer now. Where it may not, the connection is dirty until it may.
    ///
    /// - Parameters:
    ///   - interval: between two offers.
    ///   - waits: for the answer to the offer before it, and for the interval.
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

    /// An answer came that nobody waits for. One to an earlier offer was taken for this one's, so
    /// the other side has something else: it is offered once more.
    public mutating func answeredUnasked() { isOwed = true }

    /// The answer was of no use, and no other one will come. The other side may do better with the
    /// same offer once more, or with a restart; after that it is offered what changes.
    public mutating func answerRefused() {
        phase = .stable
        refusals += 1
        isOwed = refusals <= Self.refusalsMaximum
        if refusals == Self.refusalsMaximum { wantsRestart = true }
    }

    /// Both sides have offered at once, and this one takes its offer back. RFC 9429 sect. 4.1.10.2.
    public mutating func gaveWay() {
        guard isOutstanding else { return }
        phase = .stable
        isOwed = true
        isDirty = true
    }
}
