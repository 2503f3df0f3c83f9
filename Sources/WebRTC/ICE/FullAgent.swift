import MediaKernel

/// The full agent: checks remote candidates over one socket and nominates when controlling. RFC
/// 8445 sect. 6 to 8.
///
/// Invariants: `consent` exists exactly while there is a path to send on; every transaction except
/// a consent check belongs to a pair that is `inProgress`, or to a nomination of a pair that
/// succeeded; after `run(at: t)` the next deadline is later than `t`.
struct FullAgent: Sendable {
    enum Phase: Hashable, Sendable {
        case new
        case checking(since: Instant)
        case connected
        case disconnected
        case failed
    }

    /// The selected path and its credentials, which outlive a restart.
    struct Consent: Sendable {
        let address: TransportAddress
        let username: String
        let password: String
        var lastResponse: Instant
        var nextRequest: Instant
    }

    var responder: STUNResponder
    var outbox = Outbox()
    var random: SeededRandom
    var tieBreaker: UInt64
    var isControlling: Bool
    var localCandidates: [ICECandidate] = []
    var remote: ICECredentials?
    /// Including peer-reflexive candidates, and those that arrived before the credentials.
    var remoteCandidates: [ICECandidate] = []
    var checks = CheckList()
    var transactions: [CheckTransaction] = []
    var phase = Phase.new
    var consent: Consent?
    /// Controlled: the pair nominated before we knew the credentials to check it.
    var nominatedEarly: TransportAddress?
    /// When pacing allows the next new check.
    var nextCheck: Instant
    /// When the best pair so far is nominated even if a better one is still being checked.
    var nominationDue: Instant?

    init(responder: STUNResponder, isControlling: Bool, tieBreaker: UInt64, seed: UInt64) {
        self.responder = responder
        self.isControlling = isControlling
        self.tieBreaker = tieBreaker
        random = SeededRandom(seed: seed)
        nextCheck = .zero
    }

    // MARK: Transitions

    mutating func localCandidatesChanged(_ candidates: [ICECandidate]) {
        localCandidates = candidates
        for candidate in remoteCandidates { pair(with: candidate) }
    }

    mutating func remoteDescribed(_ credentials: ICECredentials, at now: Instant) {
        guard credentials != remote else { return }
        if remote != nil {
            forgetRemote()
        } else {
            // These candidates arrived before the description, perhaps for another generation.
            remoteCandidates.removeAll { Self.isForeign($0, to: credentials) }
        }
        remote = credentials
        enter(.checking(since: now))
        for candidate in remoteCandidates { pair(with: candidate) }
        run(at: now)
    }

    mutating func restarted(local: ICECredentials, at now: Instant) {
        responder.renew(local, at: now)
        forgetRemote()
        if phase != .new { enter(.checking(since: now)) }
    }

    mutating func remoteCandidateAdded(_ candidate: ICECandidate, at now: Instant) {
        guard candidate.address.transport == .udp, candidate.component == 1,
            candidate.address.port != 0
        else { return }
        if let remote, Self.isForeign(candidate, to: remote) { return }
        if let index = remoteCandidates.firstIndex(where: { $0.address == candidate.address }) {
            // A peer-reflexive candidate that is announced later keeps its pair and checks. RFC
            // 8445 sect. 7.3.1.3.
            remoteCandidates[index] = candidate
            return
        }
        guard remember(candidate) else { return }
        pair(with: candidate)
        run(at: now)
    }

    mutating func received(
        _ message: STUNMessage, from source: TransportAddress, at now: Instant
    ) throws(ICEError) {
        switch message.class {
        case .request: try receivedRequest(message, from: source, at: now)
        case .success, .error: try receivedResponse(message, from: source, at: now)
        case .indication: break
        }
        run(at: now)
    }

    /// Performs all due work, in order of importance.
    mutating func run(at now: Instant) {
        retransmit(at: now)
        considerNomination(at: now)
        sendNextCheck(at: now)
        keepConsent(at: now)
        leavePhase(at: now)
    }

    // MARK: State

    var state: ICEState {
        switch phase {
        case .new: return .new
        case .checking: return .checking
        case .connected: return .connected
        case .disconnected: return .disconnected
        case .failed: return .failed
        }
    }

    var selected: TransportAddress? { consent?.address }

    /// Whether waiting pairs are checked; once there is a path, only triggered ones are.
    var isSearching: Bool {
        switch phase {
        case .checking, .disconnected: return true
        case .new, .connected, .failed: return false
        }
    }

    var nextDeadline: Instant? {
        var next = Instant.earlier(nominationDue, phaseEnd)
        for transaction in transactions { next = .earlier(next, transaction.deadline) }
        if remote != nil, phase != .failed {
            if checks.hasTriggered || isSearching && checks.hasWaiting {
                next = .earlier(next, nextCheck)
            }
            if isSearching, let retry = checks.nextRetry {
                next = .earlier(next, max(retry, nextCheck))
            }
        }
        if let consent {
            next = .earlier(next, consent.nextRequest)
            if phase != .connected {
                next = .earlier(next, consent.lastResponse + ICETiming.failedAfter)
            }
        }
        return next
    }

    /// When silence ends the current phase.
    private var phaseEnd: Instant? {
        switch phase {
        case .new, .failed: return nil
        case .checking(let since): return since + ICETiming.failedAfter
        case .connected: return consent.map { $0.lastResponse + ICETiming.disconnectedAfter }
        case .disconnected: return consent.map { $0.lastResponse + ICETiming.failedAfter }
        }
    }

    private mutating func leavePhase(at now: Instant) {
        if let path = consent, path.lastResponse + ICETiming.failedAfter <= now {
            // Consent has expired: sending there must stop. RFC 7675 sect. 5.1.
            consent = nil
            transactions.removeAll { $0.purpose == .consent }
            if phase == .connected || phase == .disconnected {
                enter(.failed)
                return
            }
        }
        guard let end = phaseEnd, end <= now else { return }
        switch phase {
        case .new, .failed: break
        case .checking, .disconnected: enter(.failed)
        case .connected:
            enter(.disconnected)
            checks.retryAll()
            sendNextCheck(at: now)
        }
    }

    mutating func enter(_ next: Phase) {
        let before = state
        phase = next
        if next == .failed {
            consent = nil
            nominationDue = nil
            transactions.removeAll()
        }
        if state != before { outbox.tell(state: state) }
    }

    // MARK: Candidates

    private static func isForeign(_ candidate: ICECandidate, to remote: ICECredentials) -> Bool {
        candidate.usernameFragment.map { $0 != remote.usernameFragment } ?? false
    }

    /// Returns whether there was room for the candidate.
    mutating func remember(_ candidate: ICECandidate) -> Bool {
        guard remoteCandidates.count < ICELimits.remoteCandidatesMaximum else { return false }
        remoteCandidates.append(candidate)
        return true
    }

    mutating func pair(with candidate: ICECandidate) {
        guard remote != nil, let local = bestLocal(for: candidate.address) else { return }
        var pair = CandidatePair(remote: candidate, localPriority: local.priority)
        if nominatedEarly == candidate.address {
            pair.isNominatedOnSuccess = true
            nominatedEarly = nil
        }
        checks.add(pair, isControlling: isControlling)
    }

    func bestLocal(for address: TransportAddress) -> ICECandidate? {
        localCandidates.filter { $0.address.isIPv6 == address.isIPv6 }
            .max { $0.priority < $1.priority }
    }

    /// The other side's description is obsolete; the path stays until consent expires.
    private mutating func forgetRemote() {
        remote = nil
        remoteCandidates.removeAll()
        checks.removeAll()
        nominationDue = nil
        nominatedEarly = nil
        transactions.removeAll { $0.purpose != .consent }
    }
}
