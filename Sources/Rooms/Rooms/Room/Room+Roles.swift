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
        try peers.require(.changeRole, of: id)
        let role = try policy.visibleRole(name)
        let peer = try peers.visiblePeer(target)
        guard peer.role != role.name else { return }
        try peers.spendFanOut(of: id, at: now)
        guard !isForced else { return try roleChanged(target, to: role.name, by: id) }
        let offer = RoleOffer(
            token: Hexadecimal.identifier(using: &random), role: role.name, requestedBy: id,
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
        try peers.require(.changeRole, of: id)
        let role = try policy.visibleRole(name)
        guard !names.isEmpty else { throw .invalidField(field: "roles", reason: "is empty") }
        try policy.checkVisible(names)
        guard !names.contains(role.name) else { throw .roleClash }
        let wanted = peers.visible.filter { names.contains($0.role) }
        guard !wanted.isEmpty else { return }
        try peers.spendFanOut(of: id, at: now)
        let taken = wanted.prefix(peers.places(in: role) ?? wanted.count)
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
        let peer = try peers.joinedPeer(id)
        let standing = peer.roleOffers.filter {
            $0.token == token && $0.role == role && now < $0.until
        }
        guard let offer = standing.first else { throw .unknownRoleOffer }
        try peers.spendFanOut(of: id, at: now)
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
        let old = try peers.visiblePeer(id)
        let role = try policy.visibleRole(name)
        guard old.role != role.name else { return }
        try makePlace(in: role)
        let (listenersBefore, publishersBefore) = (
            peers.subscribers(of: old), peers.publishers(for: old)
        )

        var peer = old
        peer.role = role.name
        peer.roleOffers = []
        let withdrawn = peer.withdrawTracks(remembering: peers.withdrawnMaximum) {
            !role.publishParams.allowed.contains($0.publishKind)
        }
        peers[id] = peer

        if let session {
            effects.append(.noted(.roleChanged(peer, session, from: old.role, by: requester)))
        }
        if peer.isReachable { effects.tell([id], .policyChanged(role: role.name)) }
        tellUpdated(id)
        effects.listenersChanged(
            from: listenersBefore, to: peers.subscribers(of: peer), of: peer, before: old.tracks,
            withdrawn: withdrawn)
        effects.publishersChanged(
            from: publishersBefore, to: peers.publishers(for: peer), for: peer)
        if peers.moderation.isOn, !peer.tracks.isEmpty {
            // Others hear of it with the next second.
            effects.askToMute(peers.moderate([peer]))
            effects.resubscribe(peers.subscribers(of: peer))
        }
        // A peer's bitrate limit depends on its role, and so does the priority of its own tracks.
        effects.append(.resubscribe(id))
        if role.priority != policy.role(old.role)?.priority, !peer.tracks.isEmpty {
            effects.resubscribe(peers.subscribers(of: peer))
        }
    }

    /// Makes place for a present peer that gets that role: if the role is full, a peer that is gone
    /// for others loses its place, as for a newcomer.
    private mutating func makePlace(in role: Role) throws(RoomError) {
        guard let maximum = role.peersMaximum else { return }
        let holders = peers.all.filter { $0.role == role.name }
        guard holders.count >= maximum else { return }
        guard let ghost = holders.inOrder.first(where: \.presence.isGhost) else {
            throw .roleFull(role: role.name, maximum: maximum)
        }
        left(ghost.id, .connectionClosed)
    }
}
