public import MediaKernel

/// Groups, labels of peers that all can see, and raised hands.
extension Room {
    /// A peer joined a group, which is created if it does not exist.
    ///
    /// - Returns: the peer's groups.
    public mutating func groupJoined(
        _ group: String, by id: PeerID, at now: Instant
    ) throws(RoomError) -> [String] {
        try changeGroup(group, of: try joinedPeer(id), isIn: true, by: id, at: now)
    }

    /// A peer left a group, which ends with its last peer.
    ///
    /// - Returns: the peer's groups.
    public mutating func groupLeft(
        _ group: String, by id: PeerID, at now: Instant
    ) throws(RoomError) -> [String] {
        try changeGroup(group, of: try joinedPeer(id), isIn: false, by: id, at: now)
    }

    /// A peer put another one into a group, or removed it. That needs the permission to change
    /// roles, as the nearest one.
    public mutating func groupChanged(
        _ group: String, of target: PeerID, isIn: Bool, by id: PeerID, at now: Instant
    ) throws(RoomError) {
        if target != id { try require(.changeRole, of: id) }
        _ = try changeGroup(group, of: try visiblePeer(target), isIn: isIn, by: id, at: now)
    }

    /// A peer raised its hand or lowered it. The hand of another peer needs the permission to change
    /// roles, as its groups do.
    public mutating func handChanged(
        of target: PeerID, isRaised: Bool, by id: PeerID, at now: Instant
    ) throws(RoomError) {
        if target != id { try require(.changeRole, of: id) }
        let peer = try target == id ? joinedPeer(id) : visiblePeer(target)
        guard peer.isHandRaised != isRaised else { return }
        try spendFanOut(of: id, at: now)
        peers[peer.id]?.isHandRaised = isRaised
        tellUpdated(peer.id)
    }

    private mutating func changeGroup(
        _ group: String, of peer: Peer, isIn: Bool, by id: PeerID, at now: Instant
    ) throws(RoomError) -> [String] {
        guard !group.isEmpty else { throw .invalidField(field: "name", reason: "is empty") }
        try Check.bytes(group, field: "name", maximum: RoomLimits.wordBytes)
        guard peer.groups.contains(group) != isIn else { return peer.groups }
        if isIn { try checkGroup(group, of: peer) }
        try spendFanOut(of: id, at: now)
        var peer = peer
        if isIn {
            peer.groups = (peer.groups + [group]).sorted()
        } else {
            peer.groups.removeAll { $0 == group }
        }
        peers[peer.id]?.groups = peer.groups
        tellUpdated(peer.id)
        return peer.groups
    }

    private func checkGroup(_ group: String, of peer: Peer) throws(RoomError) {
        guard peer.groups.count < RoomLimits.groupsPerPeer else {
            throw .tooManyGroups(maximum: RoomLimits.groupsPerPeer)
        }
        let names = Set(peers.values.flatMap(\.groups))
        guard names.contains(group) || names.count < RoomLimits.groups else {
            throw .sessionGroupsFull(maximum: RoomLimits.groups)
        }
    }
}
