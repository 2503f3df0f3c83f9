public import MediaKernel

/// The roles of peers, and changes of them during a session.
extension Room {
    /// A peer asked that another one take a role: told to when forced, else asked, be it when it is
    /// back.
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

    /// A peer asked that everybody of some roles take another one, itself included when its own
    /// role is named. Who joined first is first where the new role has few places.
    ///
    /// - Throws: ``RoomError/roleClash`` where the new role is named too, and
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

    /// A peer accepted a role that was offered to it.
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

    /// A peer has another role from now on, whoever wanted it. What it may not publish any more is
    /// gone at once; what it may publish now, its client offers by itself.
    ///
    /// The peer hears of its role before it hears of itself as a peer of that role: the 100ms web
    /// client publishes and unpublishes only while the two differ.
    ///
    /// - Parameter requester: the peer who asked for it; nil when it was done from outside.
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
        // How much a peer gets goes by its role, and so does how much its own tracks matter.
        emit(.resubscribe(id))
        if role.priority != policy.role(old.role)?.priority, !peer.tracks.isEmpty {
            resubscribe(subscribers(of: peer))
        }
    }

    /// Tells those who receive this peer from now on, not any more, or less of it.
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

    /// Tells this peer what it receives from now on, and what not any more.
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

    /// A role that peers may know of and be given.
    func visibleRole(_ name: String) throws(RoomError) -> Role {
        guard let role = policy.role(name), !role.isHidden else { throw .unknownRole(name) }
        return role
    }

    /// Roles that a request is addressed to.
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
