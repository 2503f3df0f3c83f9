public import MediaKernel

/// Peers that are lost and come back.
extension Room {
    /// Removes peers that did not come back in time, hides those that have nothing left but their
    /// place, shows quiet peers when the room is no longer large, ends polls whose time is over,
    /// sends rate-limited and delayed reports, and forgets what is no longer needed.
    public mutating func handleTimeout(at now: Instant) {
        for peer in due(\.presence.expiry, at: now) { left(peer.id, .connectionClosed) }
        for peer in due(disappearance, at: now) { disappear(peer) }
        showQuietPeers()
        tellTrackChanges(at: now)
        departed.forgetRates(limits, at: now)
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
            let unheard = unheard(by: peer, at: now, heardUntil: heardUntil)
            peers[id]?.presence.phase = .lost(since: now, until: now + limits.absence)
            peers[id]?.presence.unheard = unheard
        case .lost: break
        }
    }

    private func unheard(by peer: Peer, at now: Instant, heardUntil: Instant?) -> Presence.Unheard {
        guard let heardUntil else {
            return peer.presence.unheard
                ?? Presence.Unheard(since: now, firstEvent: recentEvents.end)
        }
        return Presence.Unheard(
            since: min(heardUntil, now), firstEvent: recentEvents.first(after: heardUntil))
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
        if let peer = peers[id], peer.isVisible { tell([id], .peerUpdated(peer)) }
        // The store may have changed meanwhile, and the client does not read it again.
        let entries = store.entries(heardBy: id)
        if !entries.isEmpty { tell([id], .storeChanged(entries)) }
        if case .lost = peer.presence.phase, let unheard = peer.presence.unheard {
            tellPollsMissed(id, since: unheard.since)
            tellEventsMissed(id, from: unheard.firstEvent, at: now)
        }
    }

    /// Sends a peer that was away the messages and requests that it missed, in order.
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

    /// The peer's media connection has failed, or never worked.
    public mutating func mediaLost(_ id: PeerID, at now: Instant) {
        peers[id]?.presence.mediaLost(at: now)
    }

    /// The peer's media connection works.
    public mutating func mediaReturned(_ id: PeerID) {
        peers[id]?.presence.media = .works
        reappear(id)
    }

    /// Whether an otherwise valid, expired token still admits the peer: it is here, and joined with
    /// this token.
    public func isHere(_ id: PeerID, of owner: TokenOwner) -> Bool {
        guard let peer = peers[id], peer.hasJoined else { return false }
        return peer.owner.isSame(as: owner)
    }

    // MARK: - Time

    private func disappearance(of peer: Peer) -> Instant? {
        peer.isVisible ? peer.presence.disappearance(shown: limits.shownAbsence) : nil
    }

    private func due(_ deadline: (Peer) -> Instant?, at now: Instant) -> [Peer] {
        peers.values.filter { peer in deadline(peer).map { $0 <= now } ?? false }.inOrder
    }

    // MARK: - Visibility

    private mutating func disappear(_ peer: Peer) {
        let listeners = subscribers(of: peer)
        peers[peer.id]?.presence.isGhost = true
        if !peer.isQuiet { tell(everybody(except: peer.id), .peerLeft(peer)) }
        withdraw(peer.tracks, of: peer, from: listeners)
        emit(.refreshPreviews)
    }

    /// Tells the receivers of these tracks that they are gone. For a peer that is gone itself this
    /// comes after its leave: clients remove a track's elements when they hear that it was
    /// removed, but forget the track first if its peer is still there.
    mutating func withdraw(_ tracks: [Track], of peer: Peer, from listeners: [Peer]) {
        guard !tracks.isEmpty else { return }
        tell(listeners.reachable, .tracksRemoved(tracks, of: peer))
        resubscribe(listeners)
    }

    private mutating func reappear(_ id: PeerID) {
        guard var peer = peers[id], peer.presence.isGhost else { return }
        peer.presence.isGhost = false
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
