import MediaKernel

/// The lite agent: answers checks from any address, takes the first valid one as the path, and
/// follows each USE-CANDIDATE. RFC 8445 sect. 2.5 and 7.3.
///
/// It searches for no path, but checks the paths it is given: our packets must be wanted at their
/// destination (RFC 7675), and a check from an address does not prove who is there. RFC 7675 sect.
/// 3 requires this of full agents only, since lite ones send no checks; the other side answers ours
/// because RFC 8445 makes it a full agent if it sends checks itself. Media continues to the old
/// address until the new one is proven.
///
/// A path lives as long as anything arrives on it, even media alone.
struct LiteAgent: Sendable {
    /// The credentials for checking an address.
    private struct Credentials: Sendable {
        let localFragment: String
        let remote: ICECredentials

        /// RFC 8445 sect. 7.2.2: theirs first.
        var username: String { "\(remote.usernameFragment):\(localFragment)" }
    }

    private struct Path: Sendable {
        let address: TransportAddress
        /// Nominated by the other side, rather than just the first to arrive.
        var isNominated: Bool
        /// When a packet last arrived from the address.
        var lastHeard: Instant
        var proof: AddressProof
        /// Nil until the other side is described.
        var credentials: Credentials?

        init(address: TransportAddress, at now: Instant) {
            self.address = address
            isNominated = false
            lastHeard = now
            proof = AddressProof(of: address, at: now)
        }
    }

    private enum Phase: Sendable {
        case new
        /// `previous` is the path from before a restart; it carries media until a check arrives.
        case awaitingCheck(since: Instant, previous: Path?)
        case connected(Path)
        case disconnected(Path)
        /// `last` has gone silent. Media from there revives it.
        case failed(last: Path?)
    }

    /// How long the path must be silent before an unproven one with the other side's media replaces
    /// it.
    private static let silence: Duration = .seconds(1)

    private(set) var responder: STUNResponder
    var outbox = Outbox()
    private var phase = Phase.new
    /// The unproven path that the other side has nominated, besides a proven one.
    private var candidate: Path?
    private var remote: ICECredentials?
    private let tieBreaker: UInt64
    private var random: SeededRandom

    init(responder: STUNResponder, tieBreaker: UInt64, seed: UInt64) {
        self.responder = responder
        self.tieBreaker = tieBreaker
        random = SeededRandom(seed: seed)
    }

    // MARK: Descriptions

    /// From now on the other side should send checks.
    mutating func remoteDescribed(_ credentials: ICECredentials, at now: Instant) {
        remote = credentials
        let fresh = Credentials(
            localFragment: responder.local.usernameFragment, remote: credentials)
        changePaths { path in
            // A path from before a restart keeps its own credentials.
            guard path.credentials?.localFragment ?? fresh.localFragment == fresh.localFragment
            else { return }
            path.credentials = fresh
            path.proof.askAgain(at: now)
        }
        if case .new = phase { enter(.awaitingCheck(since: now, previous: nil)) }
        sendChecks(at: now)
    }

    mutating func restarted(local: ICECredentials, at now: Instant) {
        responder.renew(local, at: now)
        if case .new = phase { return }
        candidate = nil
        enter(.awaitingCheck(since: now, previous: path))
    }

    // MARK: STUN

    /// - Parameter bytes: the size of the whole datagram.
    mutating func received(
        _ message: STUNMessage, bytes: Int, from source: TransportAddress, at now: Instant
    ) throws(ICEError) {
        switch message.class {
        case .request: try receivedRequest(message, bytes: bytes, from: source, at: now)
        case .success, .error: try receivedAnswer(message, from: source, at: now)
        // ICE's indications are not authenticated. RFC 8445 sect. 11.
        case .indication: heard(isAuthentic: false, from: source, at: now)
        }
    }

    private mutating func receivedRequest(
        _ message: STUNMessage, bytes: Int, from source: TransportAddress, at now: Instant
    ) throws(ICEError) {
        let access = try responder.admit(message, from: source, at: now, &outbox)
        // A lite side cannot nominate, so a controlled sender must change its role, whatever the
        // tie-breakers. RFC 8445 sect. 6.1.1.
        guard message.controlledTieBreaker == nil else {
            outbox.transmit(responder.roleConflict(to: message, access), to: source)
            throw .roleConflict
        }
        let answer = responder.success(to: message, from: source, access)
        if access.isCurrent {
            checked(
                from: source, isNominated: message.usesCandidate,
                bytes: bytes, answer: answer.count, at: now)
        } else {
            change(source) { path in
                path.lastHeard = now
                path.proof.received(bytes: bytes)
                path.proof.answered(bytes: answer.count)
            }
        }
        // Answer after our own check, so that the address is proven before the other side acts on
        // the answer.
        outbox.transmit(answer, to: source)
    }

    private mutating func checked(
        from source: TransportAddress, isNominated: Bool, bytes: Int, answer: Int, at now: Instant
    ) {
        var checked: Path
        if let path, path.address == source {
            checked = path
        } else if let candidate, candidate.address == source {
            checked = candidate
        } else {
            if case .connected = phase, !isNominated { return }
            checked = Path(address: source, at: now)
        }
        checked.isNominated = checked.isNominated || isNominated
        checked.lastHeard = now
        checked.proof.received(bytes: bytes)
        checked.proof.answered(bytes: answer)
        let fragment = responder.local.usernameFragment
        if let remote, checked.credentials?.localFragment != fragment {
            checked.credentials = Credentials(localFragment: fragment, remote: remote)
            checked.proof.askAgain(at: now)
        }
        let isFree = path?.address == source || path?.proof.isGiven != true
        if isFree || checked.proof.isGiven {
            take(checked)
        } else {
            candidate = checked
        }
        sendChecks(at: now)
    }

    private mutating func take(_ path: Path) {
        if candidate?.address == path.address { candidate = nil }
        if selected != path.address { outbox.tell(selected: path.address) }
        enter(.connected(path))
    }

    private mutating func receivedAnswer(
        _ message: STUNMessage, from source: TransportAddress, at now: Instant
    ) throws(ICEError) {
        let asked = [path, candidate].lazy.compactMap { $0 }
            .first { $0.address == source && $0.proof.awaits(message.transaction) }
        guard var asked, let credentials = asked.credentials, message.class == .success else {
            throw .unexpectedResponse
        }
        guard message.hasIntegrity else { throw .missingCredentials }
        let password = credentials.remote.password
        guard message.isAuthentic(password: password, by: responder.authenticator) else {
            throw .wrongPassword
        }
        asked.lastHeard = now
        asked.proof.confirmed(at: now, next: now + ICETiming.consentDistance(using: &random))
        if candidate?.address == source {
            take(asked)
        } else {
            put(asked)
            reviveIfSilent(heardFrom: source)
        }
    }

    // MARK: Life

    /// Notes the arrival of a packet.
    ///
    /// - Parameter isAuthentic: whether the other side's keys authenticate it.
    mutating func heard(isAuthentic: Bool, from source: TransportAddress, at now: Instant) {
        if case .failed(var last?) = phase, last.address == source, isAuthentic {
            last.lastHeard = now
            last.proof.askAgain(at: now)
            take(last)
            return sendChecks(at: now)
        }
        change(source) { $0.lastHeard = now }
        reviveIfSilent(heardFrom: source)
        if let candidate, candidate.address == source, isAuthentic,
            (path?.lastHeard).map({ $0 + Self.silence <= now }) ?? true
        {
            take(candidate)
        }
    }

    /// Counts bytes from an address.
    mutating func received(bytes: Int, from source: TransportAddress) {
        change(source) { $0.proof.received(bytes: bytes) }
    }

    private mutating func reviveIfSilent(heardFrom source: TransportAddress) {
        guard case .disconnected(let path) = phase, path.address == source else { return }
        enter(.connected(path))
    }

    /// Whether this many bytes may be sent on the path; if so, they count as sent.
    mutating func spend(bytes: Int) -> Bool {
        guard var path, path.proof.spend(bytes: bytes) else { return false }
        put(path)
        return true
    }

    // MARK: Time

    mutating func timePassed(at now: Instant) {
        changePaths { $0.proof.timePassed(at: now) }
        if let silent = candidate, silent.lastHeard + ICETiming.failedAfter <= now {
            candidate = nil
        }
        if let end = phaseEnd, end <= now {
            switch phase {
            case .new, .failed: break
            case .awaitingCheck(_, let previous): enter(.failed(last: previous))
            case .connected(let path):
                enter(.disconnected(path))
                // Time may have passed both deadlines.
                return timePassed(at: now)
            case .disconnected(let path): enter(.failed(last: path))
            }
        }
        sendChecks(at: now)
    }

    /// Sends our checks that are due.
    private mutating func sendChecks(at now: Instant) {
        changeAll { agent, path in
            guard let credentials = path.credentials, path.proof.nextCheck <= now else { return }
            let id = STUNTransactionID.random(
                for: credentials.localFragment, using: &agent.random)
            let check = STUNMessage(
                .request, transaction: id,
                attributes: [
                    .username(credentials.username), .iceControlled(agent.tieBreaker),
                    .priority(ICECandidate.priority(kind: .host, localPreference: .max)),
                ]
            ).serialized(
                password: credentials.remote.password, by: agent.responder.authenticator)
            if path.proof.spendOnCheck(bytes: check.count) {
                path.proof.sent(id, at: now)
                agent.outbox.transmit(check, to: path.address)
            } else {
                path.proof.wait(at: now)
            }
        }
    }

    private mutating func enter(_ next: Phase) {
        let before = state
        phase = next
        if case .failed = next { candidate = nil }
        if state != before { outbox.tell(state: state) }
    }

    // MARK: Paths

    /// Changes the path and the candidate, if they exist.
    private mutating func changeAll(_ change: (inout LiteAgent, inout Path) -> Void) {
        if var changed = path {
            change(&self, &changed)
            put(changed)
        }
        if var changed = candidate {
            change(&self, &changed)
            candidate = changed
        }
    }

    private mutating func changePaths(_ change: (inout Path) -> Void) {
        changeAll { _, path in change(&path) }
    }

    /// Changes the path with that address, if any.
    private mutating func change(_ address: TransportAddress, _ change: (inout Path) -> Void) {
        changePaths { path in
            if path.address == address { change(&path) }
        }
    }

    private mutating func put(_ path: Path) {
        switch phase {
        case .new, .failed: break
        case .awaitingCheck(let since, _): phase = .awaitingCheck(since: since, previous: path)
        case .connected: phase = .connected(path)
        case .disconnected: phase = .disconnected(path)
        }
    }

    private var path: Path? {
        switch phase {
        case .new, .failed: return nil
        case .awaitingCheck(_, let previous): return previous
        case .connected(let path), .disconnected(let path): return path
        }
    }

    // MARK: State

    private var phaseEnd: Instant? {
        switch phase {
        case .new, .failed: return nil
        case .awaitingCheck(let since, _): return since + ICETiming.failedAfter
        case .connected(let path): return path.lastHeard + ICETiming.disconnectedAfter
        case .disconnected(let path): return path.lastHeard + ICETiming.failedAfter
        }
    }

    var nextDeadline: Instant? {
        var next = phaseEnd
        for path in [path, candidate] {
            guard let path else { continue }
            next = .earlier(next, path.proof.expiry)
            if path.credentials != nil { next = .earlier(next, path.proof.nextCheck) }
        }
        return .earlier(next, candidate.map { $0.lastHeard + ICETiming.failedAfter })
    }

    var state: ICEState {
        switch phase {
        case .new: return .new
        case .awaitingCheck: return .checking
        case .connected: return .connected
        case .disconnected: return .disconnected
        case .failed: return .failed
        }
    }

    var selected: TransportAddress? { path?.address }

    var hasConsent: Bool { path?.proof.isGiven ?? false }

    func isKnown(_ address: TransportAddress) -> Bool {
        path?.address == address || candidate?.address == address
    }

    func isProven(_ address: TransportAddress) -> Bool {
        [path, candidate].contains { $0?.address == address && $0?.proof.isGiven == true }
    }
}
