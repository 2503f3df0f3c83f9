import MediaKernel

/// The lite side: answers checks from anywhere, takes the first valid one as the path, and
/// follows each USE-CANDIDATE. RFC 8445 sect. 2.5 and 7.3.
///
/// It sends no checks, so what it hears from the path is also what it knows of consent
/// (RFC 7675 sect. 5.1 lets the checks it answers stand for its own).
struct LiteAgent: Sendable {
    private struct Path: Sendable {
        var address: TransportAddress
        /// Chosen by the other side, not only by having come first.
        var isNominated: Bool
        /// When a valid check last came from there.
        var lastCheck: Instant
    }

    private enum Phase: Sendable {
        case new
        /// `previous` is the path of before a restart; it carries media until a check comes.
        case awaitingCheck(since: Instant, previous: Path?)
        case connected(Path)
        case disconnected(Path)
        case failed
    }

    private(set) var responder: STUNResponder
    var outbox = Outbox()
    private var phase = Phase.new

    init(responder: STUNResponder) { self.responder = responder }

    // MARK: Transitions

    /// From now on the other side should send checks.
    mutating func remoteDescribed(at now: Instant) {
        guard case .new = phase else { return }
        enter(.awaitingCheck(since: now, previous: nil))
    }

    mutating func restarted(local: ICECredentials, at now: Instant) {
        responder.renew(local, at: now)
        if case .new = phase { return }
        enter(.awaitingCheck(since: now, previous: path))
    }

    mutating func received(
        _ message: STUNMessage, from source: TransportAddress, at now: Instant
    ) throws(ICEError) {
        switch message.class {
        case .request: break
        case .indication: return
        case .success, .error: throw .unexpectedResponse
        }
        let access = try responder.admit(message, from: source, at: now, &outbox)
        // A lite side cannot nominate, so whoever calls itself controlled has to change its mind,
        // whatever the tie-breakers are. RFC 8445 sect. 6.1.1.
        guard message.controlledTieBreaker == nil else {
            outbox.transmit(responder.roleConflict(to: message, access), to: source)
            throw .roleConflict
        }
        outbox.transmit(responder.success(to: message, from: source, access), to: source)
        if access.isCurrent {
            checked(from: source, isNominated: message.usesCandidate, at: now)
        } else {
            previousPathChecked(from: source, at: now)
        }
    }

    private mutating func checked(
        from source: TransportAddress, isNominated: Bool, at now: Instant
    ) {
        let fresh = Path(address: source, isNominated: isNominated, lastCheck: now)
        switch phase {
        case .new, .awaitingCheck, .failed:
            take(fresh)
        case .connected(var path):
            if path.address == source {
                path.isNominated = path.isNominated || isNominated
                path.lastCheck = now
                phase = .connected(path)
            } else if isNominated {
                take(fresh)
            }
        case .disconnected:
            // Whatever is alive is better than a silent path, nominated or not.
            take(fresh)
        }
    }

    private mutating func take(_ path: Path) {
        if selected != path.address { outbox.tell(selected: path.address) }
        enter(.connected(path))
    }

    /// The other side has not seen our restart yet.
    private mutating func previousPathChecked(from source: TransportAddress, at now: Instant) {
        guard case .awaitingCheck(let since, var previous?) = phase, previous.address == source
        else { return }
        previous.lastCheck = now
        phase = .awaitingCheck(since: since, previous: previous)
    }

    mutating func timePassed(at now: Instant) {
        guard let deadline = nextDeadline, deadline <= now else { return }
        switch phase {
        case .new, .failed:
            break
        case .awaitingCheck:
            enter(.failed)
        case .connected(let path):
            enter(.disconnected(path))
            // Time may have jumped over both.
            timePassed(at: now)
        case .disconnected:
            enter(.failed)
        }
    }

    private mutating func enter(_ next: Phase) {
        let before = state
        phase = next
        if state != before { outbox.tell(state: state) }
    }

    // MARK: State

    var nextDeadline: Instant? {
        switch phase {
        case .new, .failed: return nil
        case .awaitingCheck(let since, _): return since + ICETiming.failedAfter
        case .connected(let path): return path.lastCheck + ICETiming.disconnectedAfter
        case .disconnected(let path): return path.lastCheck + ICETiming.failedAfter
        }
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

    private var path: Path? {
        switch phase {
        case .new, .failed: return nil
        case .awaitingCheck(_, let previous): return previous
        case .connected(let path), .disconnected(let path): return path
        }
    }

    var selected: TransportAddress? { path?.address }
}
