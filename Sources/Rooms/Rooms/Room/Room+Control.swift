public import MediaKernel

/// The operator's actions, from outside, on the peers of a room. They need no permission and have
/// no rate; messages have the same limits as those of peers. Hidden peers are not affected.
extension Room {
    /// The operator sent a message to peers.
    public mutating func operatorSpoke(
        to audience: Audience, type: String, body: OpaqueJSON, at now: Instant, wall: UnixTime
    ) throws(RoomError) -> Message {
        try Check.message(type: type, body: body)
        try peers.checkAudience(audience)
        return send(audience, type: type, body: body, from: nil, at: now, wall: wall)
    }

    /// The operator changed a peer's name, metadata or role: all of them, or nothing. `nil` leaves
    /// a value unchanged.
    ///
    /// - Returns: the changed peer.
    public mutating func peerChanged(
        _ id: PeerID, name: String?, metadata: String?, role: String?
    ) throws(RoomError) -> Peer {
        _ = try peers.visiblePeer(id)
        try Check.description(name: name, metadata: metadata)
        if let role { try roleChanged(id, to: role) }
        if name != nil || metadata != nil {
            describe(id, name: name, metadata: metadata)
        }
        return try peers.visiblePeer(id)
    }

    /// The operator removed a peer.
    ///
    /// - Parameter reason: at most ``RoomLimits/descriptionBytes``.
    public mutating func peerRemoved(_ id: PeerID, reason: String) throws(RoomError) {
        remove(try peers.member(id), by: nil, reason: reason)
    }

    /// The operator removed all peers of a role.
    ///
    /// - Parameter reason: at most ``RoomLimits/descriptionBytes``.
    public mutating func peersRemoved(role name: String, reason: String) throws(RoomError) {
        let role = try policy.visibleRole(name)
        for peer in peers.joined where peer.isMember && peer.role == role.name {
            remove(peer, by: nil, reason: reason)
        }
    }

    /// The operator locked or unlocked the room. Present peers stay.
    public mutating func lockChanged(_ isLocked: Bool) { peers.isLocked = isLocked }
}
