import MediaKernel

// The server half: the other side's checks. RFC 8445 sect. 7.3.
extension FullAgent {
    mutating func receivedRequest(
        _ message: STUNMessage, from source: TransportAddress, at now: Instant
    ) throws(ICEError) {
        let access = try responder.admit(message, from: source, at: now, &outbox)
        guard access.isCurrent else {
            // The other side keeps the path from before our restart alive. Answer, but learn
            // nothing.
            outbox.transmit(responder.success(to: message, from: source, access), to: source)
            return
        }
        guard acceptsRole(of: message) else {
            outbox.transmit(responder.roleConflict(to: message, access), to: source)
            throw .roleConflict
        }
        outbox.transmit(responder.success(to: message, from: source, access), to: source)
        guard phase != .failed else { return }
        learn(source, priority: message.priority ?? 0)
        trigger(source, at: now)
        if message.usesCandidate, !isControlling { nominated(source, at: now) }
    }

    /// Resolves role conflicts; false if the other side must change. RFC 8445 sect. 7.3.1.1.
    private mutating func acceptsRole(of message: STUNMessage) -> Bool {
        if isControlling, let theirs = message.controllingTieBreaker {
            if tieBreaker >= theirs { return false }
            switchRole()
        } else if !isControlling, let theirs = message.controlledTieBreaker {
            if tieBreaker < theirs { return false }
            switchRole()
        }
        return true
    }

    /// An unannounced source is a peer-reflexive candidate. RFC 8445 sect. 7.3.1.3.
    private mutating func learn(_ source: TransportAddress, priority: UInt32) {
        guard !remoteCandidates.contains(where: { $0.address == source }) else { return }
        let candidate = ICECandidate(
            foundation: "prflx\(remoteCandidates.count)", priority: priority, address: source,
            kind: .peerReflexive)
        guard remember(candidate) else { return }
        pair(with: candidate)
    }

    /// The check shows that the reverse path is open now. RFC 8445 sect. 7.3.1.4.
    private mutating func trigger(_ source: TransportAddress, at now: Instant) {
        guard let pair = checks[source] else { return }
        switch pair.state {
        case .succeeded:
            break
        case .inProgress:
            // Our check may have been lost before the other side opened its NAT.
            for index in transactions.indices
            where transactions[index].address == source && transactions[index].purpose == .check
                && !transactions[index].isSpent && transactions[index].transmissions == 1
            {
                transactions[index].hurry(at: now)
            }
        case .waiting, .failed:
            checks.trigger(source)
        }
    }

    /// Handles USE-CANDIDATE when controlled. RFC 8445 sect. 7.3.1.5.
    private mutating func nominated(_ source: TransportAddress, at now: Instant) {
        guard let pair = checks[source] else {
            if remote == nil { nominatedEarly = source }
            return
        }
        if pair.state == .succeeded {
            if consent?.address != source || phase != .connected { select(source, at: now) }
        } else {
            checks.update(source) { $0.isNominatedOnSuccess = true }
        }
    }
}
