public import MediaKernel

/// Peers that are lost and come back.
extension Room {
    /// Removes peers that did not come back in time, hides those that have nothing left but their
    /// place, shows quiet peers when the room is no longer large, ends polls whose time is over,
    /// sends rate-limited and delayed reports, and forgets what is no longer needed.
    public mutating func handleTimeout(at now: Instant) {
        for peer in peers.due(\.presence.expiry, at: now) { left(peer.id, .connectionClosed) }
        let shown = limits.shownAbsence
        for peer in peers.due({ $0.disappearance(shown: shown) }, at: now) { disappear(peer) }
        showQuietPeers()
        for peer in peers.all.filter({ !$0.untold.isEmpty }).inOrder {
            tellTrackChanges(of: peer.id, at: now)
        }
        peers.departed.forgetRates(limits, at: now)
        handlePollTimeout(at: now)
        // A peer that has not heard of it by then has lost its place.
        recentEvents.forget(before: now - (limits.absence + RoomLimits.unheard))
    }

    /// The peer's socket was lost without a leave. A peer that had not joined yet is removed.
    ///
    /// - Parameter heardUntil: the peer has missed all later messages; nil for the value from its
    ///   last return.
    public mutating func connectionLost(
        _ id: PeerID, at now: Instant, heardUntil: Instant? = nil
    ) {
        guard let peer = peers[id] else { return }
        switch peer.presence.phase {
        case .admitted: joinAbandoned(id)
        case .present:
            let absence = limits.absence
            peers[id]?.presence.socketLost(
                at: now, keepsPlace: absence, heardUntil: heardUntil, recentEvents)
        case .lost: break
        }
    }

    /// The peer is back on a new socket, before or after the loss of its old one was noticed.
    ///
    /// - Throws: ``RoomError/peerIDTaken(_:)`` if it comes with another token than it joined with.
    public mutating func connectionReturned(
        _ id: PeerID, of owner: TokenOwner, at now: Instant
    ) throws(RoomError) {
        guard let peer = peers[id], peer.hasJoined else { throw .unknownPeer(id) }
        guard peer.owner.isSame(as: owner) else { throw .peerIDTaken(id) }
        peers[id]?.presence.phase = .present
        reappear(id)
        // Others may have renamed it or lowered its hand, and its lists do not include itself.
        if let peer = peers[id], peer.isVisible { effects.tell([id], .peerUpdated(peer)) }
        // The store may have changed meanwhile, and the client does not read it again.
        let entries = store.entries(heardBy: id)
        if !entries.isEmpty { effects.tell([id], .storeChanged(entries)) }
        guard case .lost = peer.presence.phase, let unheard = peer.presence.unheard,
            let peer = peers[id]
        else { return }
        // What it has missed: polls first, then messages and requests, in order.
        let role = policy.role(peer.role)
        let events =
            (role.map { polls.events(missedBy: $0, since: unheard.since) } ?? [])
            + recentEvents.missed(by: peer, from: unheard.firstEvent, at: now)
        for event in events { effects.tell([id], event) }
    }

    /// The peer's media connection has failed, or never worked.
    public mutating func mediaLost(_ id: PeerID, at now: Instant) {
        peers[id]?.presence.mediaLost(at: now)
    }

    /// The peer's media connection works.
    public mutating func mediaReturned(_ id: PeerID) {
        peers[id]?.presence.media = .works
        reappear(id)
    }

    // MARK: - Visibility

    private mutating func disappear(_ peer: Peer) {
        let listeners = peers.subscribers(of: peer)
        peers[peer.id]?.presence.isGhost = true
        if !peer.isQuiet { effects.tell(peers.reachable(except: peer.id), .peerLeft(peer)) }
        effects.withdraw(peer.tracks, of: peer, from: listeners)
        effects.append(.refreshPreviews)
    }

    private mutating func reappear(_ id: PeerID) {
        guard var peer = peers[id], peer.presence.isGhost else { return }
        peer.presence.isGhost = false
        peers[id] = peer
        audienceGrew()
        if !peer.isQuiet { effects.tell(peers.reachable(except: id), .peerJoined(peer)) }
        if !peer.tracks.isEmpty {
            let listeners = peers.subscribers(of: peer)
            effects.tell(listeners.reachable, .tracksAdded(peer.tracks, of: peer))
            effects.resubscribe(listeners)
        }
        effects.append(.refreshPreviews)
    }
}
