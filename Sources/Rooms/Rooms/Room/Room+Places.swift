/// How many there may be, in the room and of a role. Who is about to come holds a place already.
extension Room {
    /// Those who are away whose places somebody takes, where there are no others. A page that is
    /// loaded anew comes by another peer id and leaves its old one behind, so the newcomer's own
    /// user is first; then who is taken for gone. Mostly nobody.
    func replaceable(
        by user: String, as role: Role, isHidden: Bool
    ) throws(RoomError) -> [Peer] {
        var replaced: [Peer] = []
        func makePlace(
            _ maximum: Int, _ refusal: RoomError, _ isCounted: (Peer) -> Bool
        ) throws(RoomError) {
            let count = peers.values.count(where: isCounted) - replaced.count(where: isCounted)
            guard count >= maximum else { return }
            let away = peers.values.filter { peer in
                peer.isAway && isCounted(peer) && !replaced.contains { $0.id == peer.id }
            }.inOrder
            let oldest =
                away.first { $0.isReplaceable(by: user) } ?? away.first(where: \.isGhost)
            guard let oldest, count == maximum else { throw refusal }
            replaced.append(oldest)
        }
        // Whoever makes place in the role makes place in the room.
        if let maximum = role.peersMaximum {
            try makePlace(maximum, .roleFull(role: role.name, maximum: maximum)) {
                $0.role == role.name
            }
        }
        if let maximum = limits.visiblePeers, !isHidden {
            try makePlace(maximum, .roomFull(maximum: maximum)) { !$0.isHidden }
        }
        let hidden = isHidden ? RoomLimits.hiddenPlaces : peers.values.count(where: \.isHidden)
        let places = limits.peers + min(hidden, RoomLimits.hiddenPlaces)
        try makePlace(places, .roomFull(maximum: limits.peers)) { _ in true }
        return replaced
    }

    /// Makes place for one who is here and is to have that role: where there is none, who is taken
    /// for gone loses its own, as to a newcomer.
    mutating func makePlace(in role: Role) throws(RoomError) {
        guard let maximum = role.peersMaximum else { return }
        let holders = peers.values.filter { $0.role == role.name }
        guard holders.count >= maximum else { return }
        guard let ghost = holders.inOrder.first(where: \.isGhost) else {
            throw .roleFull(role: role.name, maximum: maximum)
        }
        left(ghost.id, .connectionClosed)
    }

    /// For how many ``makePlace(in:)`` makes place; nil is any number.
    func places(in role: Role) -> Int? {
        role.peersMaximum.map { maximum in
            max(0, maximum - peers.values.count { $0.role == role.name && !$0.isGhost })
        }
    }
}

extension Role {
    /// How many peers of it may be in the room; nil is any number.
    var peersMaximum: Int? { maxPeerCount == 0 ? nil : max(0, maxPeerCount) }
}
