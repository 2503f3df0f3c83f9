import MediaKernel

/// The proof that the other side is at an address and wants our packets: its answers to our checks.
/// A check or a packet from the address is no proof, since a sender that knows the keys can forge
/// the source address. RFC 7675.
///
/// Without an answer in the last 30 s we send at most three times what arrived from the address,
/// like QUIC (RFC 9000 sect. 8.1), so that we are useless for amplification attacks on others.
struct AddressProof: Sendable {
    private static let factor = 3
    /// The largest allowance in bytes: the reports of minutes.
    private static let allowanceMaximum = 64 << 10
    /// Bytes reserved for a check of ours. Its answer lifts the limit, so nothing else may use
    /// them.
    private static let checkReserve = 160
    /// The most checks under way, those of 30 s.
    private static let outstandingMaximum = 32

    /// The last answer is younger than `ICETiming.failedAfter`.
    private(set) var isGiven: Bool
    private(set) var nextCheck: Instant
    private var lastAnswer: Instant
    private var interval = ICETiming.firstRetransmission
    private var allowance = 0
    private var outstanding: [STUNTransactionID] = []

    /// A TCP connection is proof by itself: its handshake needs the other side's answers.
    init(of address: TransportAddress, at now: Instant) {
        isGiven = address.transport == .tcp
        nextCheck = now
        lastAnswer = now
    }

    // MARK: What it costs

    /// Counts bytes from the address.
    mutating func received(bytes: Int) {
        allowance = min(allowance + bytes * Self.factor, Self.allowanceMaximum)
    }

    /// Whether this many bytes may be sent; if so, they count as sent.
    mutating func spend(bytes: Int) -> Bool {
        guard !isGiven else { return true }
        guard bytes + Self.checkReserve <= allowance else { return false }
        allowance -= bytes
        return true
    }

    /// The same for a check of ours, which may use the reserve.
    mutating func spendOnCheck(bytes: Int) -> Bool {
        guard !isGiven else { return true }
        guard bytes <= allowance else { return false }
        allowance -= bytes
        return true
    }

    /// Counts an answer to the address, which is smaller than its request.
    mutating func answered(bytes: Int) { allowance -= bytes }

    // MARK: Checks

    /// Checks become less frequent if none is answered for long.
    mutating func sent(_ id: STUNTransactionID, at now: Instant) {
        if outstanding.count >= Self.outstandingMaximum { outstanding.removeFirst() }
        outstanding.append(id)
        postpone(at: now)
    }

    /// There was no allowance for a check: retry soon.
    mutating func wait(at now: Instant) { nextCheck = now + ICETiming.firstRetransmission }

    private mutating func postpone(at now: Instant) {
        nextCheck = now + interval
        let isLost = lastAnswer + ICETiming.failedAfter <= now
        interval = min(
            interval * 2,
            isLost ? ICETiming.consentInterval : ICETiming.longestRetransmission)
    }

    func awaits(_ id: STUNTransactionID) -> Bool { outstanding.contains(id) }

    /// - Parameter next: when to check again.
    mutating func confirmed(at now: Instant, next: Instant) {
        isGiven = true
        lastAnswer = now
        nextCheck = next
        interval = ICETiming.firstRetransmission
        outstanding.removeAll()
    }

    /// Checks again at once, with new credentials.
    mutating func askAgain(at now: Instant) {
        nextCheck = now
        interval = ICETiming.firstRetransmission
        outstanding.removeAll()
    }

    mutating func timePassed(at now: Instant) {
        if let expiry, expiry <= now { isGiven = false }
    }

    /// When the proof expires; nil without proof.
    var expiry: Instant? { isGiven ? lastAnswer + ICETiming.failedAfter : nil }
}
