import MediaKernel

// Selects the path and keeps consent for it. RFC 8445 sect. 8, RFC 7675.
extension FullAgent {
    /// Controlling: nominates the best working pair once no better one is being checked or patience
    /// has ended. RFC 8445 sect. 8.1.1 leaves the moment to the agent.
    mutating func considerNomination(at now: Instant) {
        guard isControlling, isSearching, remote != nil,
            !transactions.contains(where: { $0.purpose == .nomination })
        else {
            nominationDue = nil
            return
        }
        guard let best = checks.bestSucceeded else {
            nominationDue = nil
            return
        }
        let due = nominationDue ?? now
        if checks.hasUnfinishedPair(above: best.address), due > now {
            nominationDue = due
            return
        }
        nominationDue = nil
        send(.nomination, to: best.address, at: now)
    }

    /// Both sides agree on the path: use it from now on.
    mutating func select(_ address: TransportAddress, at now: Instant) {
        guard let remote else { return }
        if consent?.address != address { outbox.tell(selected: address) }
        consent = Consent(
            address: address, username: username(towards: remote), password: remote.password,
            lastResponse: now, nextRequest: now + ICETiming.consentDistance(using: &random))
        nominationDue = nil
        // Other checks are obsolete. RFC 8445 sect. 8.1.1.
        for transaction in transactions where transaction.purpose == .check {
            checks.update(transaction.address) { $0.state = .waiting }
        }
        transactions.removeAll()
        enter(.connected)
    }

    mutating func consentGiven(at now: Instant) {
        guard var path = consent else { return }
        path.lastResponse = now
        path.nextRequest = now + ICETiming.consentDistance(using: &random)
        consent = path
        transactions.removeAll { $0.purpose == .consent }
        if phase == .disconnected {
            nominationDue = nil
            enter(.connected)
        }
    }

    mutating func keepConsent(at now: Instant) {
        guard let path = consent, path.nextRequest <= now else { return }
        send(.consent, to: path.address, at: now)
        // The response postpones this; until then the next request follows soon.
        consent?.nextRequest = now + ICETiming.unansweredConsentInterval
    }
}
