public import MediaKernel

/// Groups, labels of peers that all can see, and raised hands.
extension Room {
    /// A peer joined or left a group. A group begins with its first peer and ends with its last one.
    /// Changing the groups of another peer needs the permission to change roles, the nearest one
    /// that there is.
    ///
    /// - Returns: the peer's groups.
    @discardableResult
    public mutating func groupChanged(
        _ group: String, of target: PeerID, isIn: Bool, by id: PeerID, at now: Instant
    ) throws(RoomError) -> [String] {
        if target != id { try peers.require(.changeRole, of: id) }
        var peer = try target == id ? peers.joinedPeer(id) : peers.visiblePeer(target)
        guard !group.isEmpty else { throw .invalidField(field: "name", reason: "is empty") }
        try Check.bytes(group, field: "name", maximum: RoomLimits.wordBytes)
        guard peer.groups.contains(group) != isIn else { return peer.groups }
        if isIn { try peers.checkGroup(group, of: peer) }
        try peers.spendFanOut(of: id, at: now)
        if isIn {
            peer.groups = (peer.groups + [group]).sorted()
        } else {
            peer.groups.removeAll { $0 == group }
        }
        peers[peer.id]?.groups = peer.groups
        tellUpdated(peer.id)
        return peer.groups
    }

    /// A peer raised its hand or lowered it. The hand of another peer needs the permission to change
    /// roles, as its groups do.
    public mutating func handChanged(
        of target: PeerID, isRaised: Bool, by id: PeerID, at now: Instant
    ) throws(RoomError) {
        if target != id { try peers.require(.changeRole, of: id) }
        let peer = try target == id ? peers.joinedPeer(id) : peers.visiblePeer(target)
        guard peer.isHandRaised != isRaised else { return }
        try peers.spendFanOut(of: id, at: now)
        peers[peer.id]?.isHandRaised = isRaised
        tellUpdated(peer.id)
    }
}
