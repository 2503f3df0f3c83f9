public import MediaKernel

/// The roles of peers, and changes of them during a session.
extension Room {
    /// A peer requested another role for a peer: a forced change is made at once, otherwise the
    /// target is asked, if necessary when it is back.
    ///
    /// - Throws: ``RoomError/roleFull(role:maximum:)`` for a forced change; an offer is checked
    ///   when it is accepted.
    public mutating func roleChangeRequested(
        of target: PeerID, to name: String, isForced: Bool, by id: PeerID, at now: Instant
    ) throws(RoomError) {
        try require(.changeRole, of: id)
        let role = try visibleRole(name)
        let peer = try visiblePeer(target)
        guard peer.role != role.name else { return }
        try spendFanOut(of: id, at: now)
        guard !isForced else { return try roleChanged(target, to: role.name, by: id) }
        let offer = RoleOffer(
            token: makeIdentifier(), role: role.name, requestedBy: id,
            until: now + limits.roleOfferLifetime)
        peers[target]?.take(offer, maximum: RoomLimits.roleOffersPerPeer, at: now)
        say(.roleOffered(offer), to: Addressees(audience: .peer(target)), at: now)
    }

    /// A peer requested a new role for all peers of some roles, including itself if its own role is
    /// named. If the new role has few places, the earliest joiners get them.
    ///
    /// - Throws: ``RoomError/roleClash`` if the new role is also among the old ones, and
    ///   ``RoomError/roleFullForSome(role:maximum:left:)`` after as many as fit were changed.
    public mutating func roleChangeRequested(
        ofRoles names: [String], to name: String, by id: PeerID, at now: Instant
    ) throws(RoomError) {
        try require(.changeRole, of: id)
        let role = try visibleRole(name)
        guard !names.isEmpty else { throw .invalidField(field: "roles", reason: "is empty") }
        try checkRoles(names)
        guard !names.contains(role.name) else { throw .roleClash }
        let wanted = visiblePeers.filter { names.contains($0.role) }
        guard !wanted.isEmpty else { return }
        try spendFanOut(of: id, at: now)
        let taken = wanted.prefix(places(in: role) ?? wanted.count)
        for peer in taken { try roleChanged(peer.id, to: role.name, by: id) }
        guard taken.count == wanted.count else {
            throw .roleFullForSome(
                role: role.name, maximum: role.peersMaximum ?? 0, left: wanted.count - taken.count)
        }
    }

    /// A peer accepted an offered role.
    public mutating func roleOfferAccepted(
        token: String, role: String, by id: PeerID, at now: Instant
    ) throws(RoomError) {
        let peer = try joinedPeer(id)
        let standing = peer.roleOffers.filter {
            $0.token == token && $0.role == role && now < $0.until
        }
        guard let offer = standing.first else { throw .unknownRoleOffer }
        try spendFanOut(of: id, at: now)
        try roleChanged(id, to: role, by: offer.requestedBy)
    }

    /// A peer has another role from now on, whatever the cause. Tracks that it may not publish any
    /// more are removed at once; new ones are offered by its client.
    ///
    /// The peer hears of its role before its own peer update: web clients publish and
    /// unpublishes only while the two differ.
    ///
    /// - Parameter requester: the requesting peer; nil for a change from outside.
    public mutating func roleChanged(
        _ id: PeerID, to name: String, by requester: PeerID? = nil
    ) throws(RoomError) {
        let old = try visiblePeer(id)
        let role = try visibleRole(name)
        guard old.role != role.name else { return }
        try makePlace(in: role)
        let (listenersBefore, publishersBefore) = (subscribers(of: old), publishers(for: old))

        var peer = old
        peer.role = role.name
        peer.roleOffers = []
        let withdrawn = peer.withdrawTracks(remembering: withdrawnMaximum) {
            !role.publishParams.allowed.contains($0.publishKind)
        }
        peers[id] = peer

        if let session {
            emit(.noted(.roleChanged(peer, session, from: old.role, by: requester)))
        }
        if peer.isReachable { tell([id], .policyChanged(role: role.name)) }
        tellUpdated(id)
        listenersChanged(
            from: listenersBefore, to: subscribers(of: peer), of: peer, before: old.tracks,
            withdrawn: withdrawn)
        publishersChanged(from: publishersBefore, to: publishers(for: peer), for: peer)
        // A peer's bitrate limit depends on its role, and so does the priority of its own tracks.
        emit(.resubscribe(id))
        if role.priority != policy.role(old.role)?.priority, !peer.tracks.isEmpty {
            resubscribe(subscribers(of: peer))
        }
    }

    /// Tells the receivers of this peer about added and removed tracks.
    private mutating func listenersChanged(
        from old: [Peer], to new: [Peer], of peer: Peer, before: [Track], withdrawn: [Track]
    ) {
        let (gone, came) = (old.without(new), new.without(old))
        let stayed = new.without(came)
        withdraw(before, of: peer, from: gone)
        withdraw(withdrawn, of: peer, from: stayed)
        guard !peer.tracks.isEmpty else { return }
        tell(came.reachable, .tracksAdded(peer.tracks, of: peer))
        resubscribe(came)
    }

    /// Tells this peer which tracks it receives from now on, and which no longer.
    private mutating func publishersChanged(from old: [Peer], to new: [Peer], for peer: Peer) {
        let listener = [peer].reachable
        for publisher in old.without(new) {
            tell(listener, .tracksRemoved(publisher.tracks, of: publisher))
        }
        for publisher in new.without(old) {
            tell(listener, .tracksAdded(publisher.tracks, of: publisher))
        }
    }

    // MARK: - Checks

    /// A role that peers may know and get.
    func visibleRole(_ name: String) throws(RoomError) -> Role {
        guard let role = policy.role(name), !role.isHidden else { throw .unknownRole(name) }
        return role
    }

    /// Checks the roles that a request addresses.
    func checkRoles(_ names: [String]) throws(RoomError) {
        try Check.count(names.count, field: "roles", maximum: RoomLimits.rolesPerMessage)
        for name in names { _ = try visibleRole(name) }
    }
}

extension [Peer] {
    fileprivate func without(_ others: [Peer]) -> [Peer] {
        let known = Set(others.map(\.id))
        return filter { !known.contains($0.id) }
    }
}
