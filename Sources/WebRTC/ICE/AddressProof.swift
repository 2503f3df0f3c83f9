import MediaKernel

/// What shows that the other side is at an address and wants what is sent there: its answers to checks
/// of ours. A check or a packet from there does not, since whoever knows the keys can write any source
/// address on it. RFC 7675.
///
/// Without an answer in the last 30 s no more goes there than three times what came from it, as QUIC
/// has it (RFC 9000 sect. 8.1): nobody gains by pointing us at a stranger.
struct AddressProof: Sendable {
    private static let factor = 3
    /// Bytes that may be saved up: the reports of minutes.
    private static let allowanceMaximum = 64 << 10
    /// Bytes that are kept for a check of ours. Its answer is what lifts the bound, so nothing else may
    /// take its place.
    private static let checkReserve = 160
    /// Checks that may be under way, those of 30 s.
    private static let outstandingMaximum = 32

    /// The last answer is younger than `ICETiming.failedAfter`.
    private(set) var isGiven: Bool
    private(set) var nextCheck: Instant
    private var lastAnswer: Instant
    private var interval = ICETiming.firstRetransmission
    private var allowance = 0
    private var outstanding: [STUNTransactionID] = []

    /// A TCP connection is proof by itself: without its answers it would not have come about.
    init(of address: TransportAddress, at now: Instant) {
        isGiven = address.transport == .tcp
        nextCheck = now
        lastAnswer = now
    }

    // MARK: What it costs

    /// So much came from there.
    mutating func received(bytes: Int) {
        allowance = min(allowance + bytes * Self.factor, Self.allowanceMaximum)
    }

    /// Whether so much may go there; it is taken as sent then.
    mutating func spend(bytes: Int) -> Bool {
        guard !isGiven else { return true }
        guard bytes + Self.checkReserve <= allowance else { return false }
        allowance -= bytes
        return true
    }

    /// The same for a check of ours, which may have what is kept for it.
    mutating func spendOnCheck(bytes: Int) -> Bool {
        guard !isGiven else { return true }
        guard bytes <= allowance else { return false }
        allowance -= bytes
        return true
    }

    /// An answer goes there, which is smaller than what it answers.
    mutating func answered(bytes: Int) { allowance -= bytes }

    // MARK: Checks

    /// Checks follow one another slowly where none is answered for long.
    mutating func sent(_ id: STUNTransactionID, at now: Instant) {
        if outstanding.count >= Self.outstandingMaximum { outstanding.removeFirst() }
        outstanding.append(id)
        postpone(at: now)
    }

    /// There was no allowance for a check: soon there is.
    mutating func wait(at now: Instant) { nextCheck = now + ICETiming.firstRetransmission }

    private mutating func postpone(at now: Instant) {
        nextCheck = now + interval
        let isLost = lastAnswer + ICETiming.failedAfter <= now
        interval = min(
            interval * 2,
            isLost ? ICETiming.consentInterval : ICETiming.longestRetransmission)
    }

    func awaits(_ id: STUNTransactionID) -> Bool { outstanding.contains(id) }

    /// - Parameter next: when to ask again.
    mutating func confirmed(at now: Instant, next: Instant) {
        isGiven = true
        lastAnswer = now
        nextCheck = next
        interval = ICETiming.firstRetransmission
        outstanding.removeAll()
    }

    /// Asks anew, with other credentials.
    mutating func askAgain(at now: Instant) {
        nextCheck = now
        interval = ICETiming.firstRetransmission
        outstanding.removeAll()
    }

    mutating func timePassed(at now: Instant) {
        if let expiry, expiry <= now { isGiven = false }
    }

    /// When it is given no more; nil when it is not given.
    var expiry: Instant? { isGiven ? lastAnswer + ICETiming.failedAfter : nil }
}
