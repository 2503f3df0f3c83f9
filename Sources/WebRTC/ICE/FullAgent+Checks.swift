import MediaKernel

// The client half: sends checks and handles responses. RFC 8445 sect. 7.2.
extension FullAgent {
    // MARK: Out

    /// Sends the next check when the pace allows it. RFC 8445 sect. 6.1.4.2.
    mutating func sendNextCheck(at now: Instant) {
        guard remote != nil, phase != .failed, now >= nextCheck else { return }
        if isSearching { checks.retryRested(at: now) }
        guard let pair = checks.next(ordinary: isSearching) else { return }
        nextCheck = now + ICETiming.pacing
        guard send(.check, to: pair.address, at: now) else { return }
        checks.update(pair.address) { $0.state = .inProgress }
    }

    /// Returns whether the request was sent: it is not if too many await a response.
    @discardableResult
    mutating func send(
        _ purpose: CheckTransaction.Purpose, to address: TransportAddress, at now: Instant
    ) -> Bool {
        guard transactions.count < ICELimits.transactionsMaximum else { return false }
        let username: String
        let password: String
        if purpose == .consent, let consent {
            (username, password) = (consent.username, consent.password)
        } else if let remote {
            username = self.username(towards: remote)
            password = remote.password
        } else {
            return false
        }
        let id = STUNTransactionID.random(using: &random)
        var attributes: [STUNAttribute] = [
            .username(username),
            isControlling ? .iceControlling(tieBreaker) : .iceControlled(tieBreaker),
            .priority(reflexivePriority(towards: address)),
        ]
        // Consent checks repeat it, so that a lite side follows if a NAT on the path changes our
        // address.
        if isControlling, purpose != .check { attributes.append(.useCandidate) }
        let datagram = STUNMessage(.request, transaction: id, attributes: attributes)
            .serialized(password: password, by: responder.authenticator)
        transactions.append(
            CheckTransaction(
                id: id, purpose: purpose, address: address, password: password,
                claimedControlling: isControlling, datagram: datagram,
                interval: firstInterval(purpose), sentAt: now))
        outbox.transmit(datagram, to: address)
        return true
    }

    /// RFC 8445 sect. 7.2.2: theirs first.
    func username(towards remote: ICECredentials) -> String {
        "\(remote.usernameFragment):\(responder.local.usernameFragment)"
    }

    /// The priority of our address if the other side learns it from this check. RFC 8445 sect.
    /// 7.1.1.
    private func reflexivePriority(towards address: TransportAddress) -> UInt32 {
        let local = bestLocal(for: address)?.priority ?? 0
        return ICECandidate.priority(
            kind: .peerReflexive, localPreference: UInt16(truncatingIfNeeded: local >> 8))
    }

    /// RFC 8445 sect. 14.3: grows with the number of checks under way.
    private func firstInterval(_ purpose: CheckTransaction.Purpose) -> Duration {
        switch purpose {
        case .check:
            return min(
                max(ICETiming.firstRetransmission, ICETiming.pacing * checks.inProgressCount),
                ICETiming.longestRetransmission)
        case .nomination: return ICETiming.firstRetransmission
        // Never repeated: this is how long to wait for a response.
        case .consent: return ICETiming.consentInterval
        }
    }

    mutating func retransmit(at now: Instant) {
        var lost: [CheckTransaction] = []
        for index in transactions.indices where transactions[index].deadline <= now {
            if transactions[index].isSpent {
                lost.append(transactions[index])
            } else {
                transactions[index].retransmitted(at: now)
                outbox.transmit(transactions[index].datagram, to: transactions[index].address)
            }
        }
        guard !lost.isEmpty else { return }
        transactions.removeAll { transaction in lost.contains { $0.id == transaction.id } }
        for transaction in lost where transaction.purpose != .consent {
            checks.update(transaction.address) { $0.state = .failed(at: now) }
        }
    }

    // MARK: In

    mutating func receivedResponse(
        _ message: STUNMessage, from source: TransportAddress, at now: Instant
    ) throws(ICEError) {
        let index = transactions.firstIndex { $0.id == message.transaction }
        guard let index else { throw .unexpectedResponse }
        let transaction = transactions[index]
        // Required of errors too, although RFC 8489 allows some without: otherwise anyone who sees
        // a check could make it fail.
        guard message.hasIntegrity else { throw .missingCredentials }
        guard message.isAuthentic(password: transaction.password, by: responder.authenticator)
        else { throw .wrongPassword }
        transactions.remove(at: index)
        guard source == transaction.address else {
            // RFC 8445 sect. 7.2.5.2.1: an asymmetric path is unusable.
            fail(transaction, at: now)
            throw .unexpectedResponse
        }
        if message.class == .success {
            succeeded(transaction, at: now)
        } else if message.errorCode == 487 {
            roleDenied(transaction, at: now)
        } else {
            fail(transaction, at: now)
        }
    }

    private mutating func fail(_ transaction: CheckTransaction, at now: Instant) {
        guard transaction.purpose != .consent else { return }
        checks.update(transaction.address) { $0.state = .failed(at: now) }
    }

    private mutating func succeeded(_ transaction: CheckTransaction, at now: Instant) {
        if consent?.address == transaction.address, consent?.password == transaction.password {
            consentGiven(at: now)
        }
        switch transaction.purpose {
        case .consent:
            break
        case .check:
            let isNominated = checks[transaction.address]?.isNominatedOnSuccess ?? false
            checks.update(transaction.address) {
                $0.state = .succeeded
                $0.isNominatedOnSuccess = false
            }
            if isControlling {
                if nominationDue == nil, isSearching {
                    nominationDue = now + ICETiming.nominationPatience
                }
            } else if isNominated {
                select(transaction.address, at: now)
            }
        case .nomination:
            select(transaction.address, at: now)
        }
    }

    /// The other side insists on the role we claimed. RFC 8445 sect. 7.2.5.1.
    private mutating func roleDenied(_ transaction: CheckTransaction, at now: Instant) {
        if transaction.claimedControlling == isControlling {
            switchRole()
            tieBreaker = random.next()
        }
        guard transaction.purpose != .consent else { return }
        checks.trigger(transaction.address)
    }

    mutating func switchRole() {
        isControlling.toggle()
        nominationDue = nil
        checks.sort(isControlling: isControlling)
    }
}
