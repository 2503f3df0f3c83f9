public import MediaKernel

/// Peers that are lost, and come back.
extension Room {
    /// Lets go of the peers that did not come back in time, shows those no more of whom nothing is
    /// left but their place, and those who were quiet in a room that is large no more, stops the
    /// polls whose time is over, tells what was answered, no more often than this is called, and
    /// what had to wait, and forgets what is of no use any more.
    public mutating func handleTimeout(at now: Instant) {
        for peer in due(expiry, at: now) { left(peer.id, .connectionClosed) }
        for peer in due(disappearance, at: now) { disappear(peer) }
        showQuietPeers()
        tellTrackChanges(at: now)
        departedRates = departedRates.filter { !$0.value.areFull(limits, at: now) }
        handlePollTimeout(at: now)
        // Whoever has not heard of it by then has no place any more.
        recentEvents.forget(before: now - (limits.absence + RoomLimits.unheard))
    }

    /// The peer's socket went away without a leave. A peer that had not joined yet is gone.
    ///
    /// - Parameter heardUntil: what was said to it later it has not heard; nil where nothing is
    ///   known of that but what was known when it came back at last.
    public mutating func connectionLost(
        _ id: PeerID, at now: Instant, heardUntil: Instant? = nil
    ) {
        guard let peer = peers[id] else { return }
        switch peer.phase {
        case .admitted: joinAbandoned(id)
        case .present:
            let unheard = unheard(by: peer, at: now, heardUntil: heardUntil)
            peers[id]?.phase = .lost(since: now, until: now + limits.absence)
            peers[id]?.unheard = unheard
        case .lost: break
        }
    }

    private func unheard(by peer: Peer, at now: Instant, heardUntil: Instant?) -> Peer.Unheard {
        guard let heardUntil else {
            return peer.unheard ?? Peer.Unheard(since: now, firstEvent: recentEvents.end)
        }
        return Peer.Unheard(
            since: min(heardUntil, now), firstEvent: recentEvents.first(after: heardUntil))
    }

    /// The peer is back on a new socket, before or after its old one was known to be lost.
    ///
    /// - Throws: ``RoomError/peerIDTaken(_:)`` when it does not come with the token that it joined
    ///   with.
    public mutating func connectionReturned(
        _ id: PeerID, of owner: TokenOwner, at now: Instant
    ) throws(RoomError) {
        guard let peer = peers[id], peer.hasJoined else { throw .unknownPeer(id) }
        guard peer.owner.isSame(as: owner) else { throw .peerIDTaken(id) }
        peers[id]?.phase = .present
        reappear(id)
        // Others may have renamed it or lowered its hand; it is in no list that it is given.
        if let peer = peers[id], peer.isVisible { tell([id], .peerUpdated(peer)) }
        // The store may have changed meanwhile, and the client does not ask again.
        let entries = store.entries(heardBy: id)
        if !entries.isEmpty { tell([id], .storeChanged(entries)) }
        if case .lost = peer.phase, let unheard = peer.unheard {
            tellPollsMissed(id, since: unheard.since)
            tellEventsMissed(id, from: unheard.firstEvent, at: now)
        }
    }

    /// Tells a peer that was away what was said to it and asked of it meanwhile, in that order.
    private mutating func tellEventsMissed(_ id: PeerID, from number: Int, at now: Instant) {
        guard let peer = peers[id] else { return }
        for entry in recentEvents.from(number) where entry.addressees.include(peer) {
            switch entry.event {
            case .roleOffered(let offer) where !peer.roleOffers.contains(offer),
                .roleOffered(let offer) where offer.until <= now:
                continue
            case .trackMuteRequested(let track, _, _) where peer.track(track.id) == nil:
                continue
            default:
                tell([id], entry.event)
            }
        }
    }

    /// The peer's media connection broke, or there is none.
    public mutating func mediaLost(_ id: PeerID, at now: Instant) {
        switch peers[id]?.media {
        case .awaited: peers[id]?.media = .absent(since: now)
        case .works: peers[id]?.media = .broken(since: now)
        case .absent, .broken, nil: break
        }
    }

    /// The peer's media connection works.
    public mutating func mediaReturned(_ id: PeerID) {
        peers[id]?.media = .works
        reappear(id)
    }

    /// Whether a token that is good but for its age still lets the peer in: it is here, and this is
    /// the token it came with.
    public func isHere(_ id: PeerID, of owner: TokenOwner) -> Bool {
        guard let peer = peers[id], peer.hasJoined else { return false }
        return peer.owner.isSame(as: owner)
    }

    // MARK: - Time

    private func expiry(of peer: Peer) -> Instant? {
        switch peer.phase {
        case .lost(_, let until): until
        case .admitted, .present: nil
        }
    }

    private func disappearance(of peer: Peer) -> Instant? {
        guard peer.isVisible, case .lost(let since, _) = peer.phase else { return nil }
        switch peer.media {
        case .awaited, .works: return nil
        case .absent(let silence), .broken(let silence):
            return max(since + limits.shownAbsence, silence)
        }
    }

    private func due(_ deadline: (Peer) -> Instant?, at now: Instant) -> [Peer] {
        peers.values.filter { peer in deadline(peer).map { $0 <= now } ?? false }.inOrder
    }

    // MARK: - What others see

    private mutating func disappear(_ peer: Peer) {
        let listeners = subscribers(of: peer)
        peers[peer.id]?.isGhost = true
        if !peer.isQuiet { tell(everybody(except: peer.id), .peerLeft(peer)) }
        withdraw(peer.tracks, of: peer, from: listeners)
        emit(.refreshPreviews)
    }

    /// Tells those who received these tracks that they are gone. Of a peer that is gone itself, after
    /// that was told: clients of 100ms take a track's elements down when they hear that it was
    /// removed, and forget it before that when they hear it while its peer is there.
    mutating func withdraw(_ tracks: [Track], of peer: Peer, from listeners: [Peer]) {
        guard !tracks.isEmpty else { return }
        tell(listeners.reachable, .tracksRemoved(tracks, of: peer))
        resubscribe(listeners)
    }

    private mutating func reappear(_ id: PeerID) {
        guard var peer = peers[id], peer.isGhost else { return }
        peer.isGhost = false
        peers[id] = peer
        audienceGrew()
        pollAudienceGrew()
        if !peer.isQuiet { tell(everybody(except: id), .peerJoined(peer)) }
        if !peer.tracks.isEmpty {
            let listeners = subscribers(of: peer)
            tell(listeners.reachable, .tracksAdded(peer.tracks, of: peer))
            resubscribe(listeners)
        }
        emit(.refreshPreviews)
    }
}
