/// The limits on peers in the room and in a role. A peer that is joining already has a place.
extension RoomPeers {
    /// The absent peers that lose their places to a newcomer when there are no others. A reloaded
    /// page joins with another peer id and leaves its old one behind, so the newcomer's own user
    /// comes first; then peers that are gone for others. Usually empty.
    ///
    /// The places of siblings that the newcomer will put out count as free already.
    func replaceable(
        by request: JoinRequest, as role: Role, isHidden: Bool
    ) throws(RoomError) -> [Peer] {
        let user = request.userID
        let leaving = Set(siblings(of: request).map(\.id))
        var replaced: [Peer] = []
        func makePlace(
            _ maximum: Int, _ refusal: RoomError, _ isCounted: (Peer) -> Bool
        ) throws(RoomError) {
            let count =
                all.count { isCounted($0) && !leaving.contains($0.id) }
                - replaced.count(where: isCounted)
            guard count >= maximum else { return }
            let away = all.filter { peer in
                peer.isAway && isCounted(peer) && !leaving.contains(peer.id)
                    && !replaced.contains { $0.id == peer.id }
            }.inOrder
            let oldest =
                away.first { $0.isReplaceable(by: user) } ?? away.first(where: \.presence.isGhost)
            guard let oldest, count == maximum else { throw refusal }
            replaced.append(oldest)
        }
        // A place in the role is also a place in the room.
        if let maximum = role.peersMaximum {
            try makePlace(maximum, .roleFull(role: role.name, maximum: maximum)) {
                $0.role == role.name
            }
        }
        if let maximum = limits.visiblePeers, !isHidden {
            try makePlace(maximum, .roomFull(maximum: maximum)) { !$0.isHidden }
        }
        let hidden = isHidden ? RoomLimits.hiddenPlaces : all.count(where: \.isHidden)
        let places = limits.peers + min(hidden, RoomLimits.hiddenPlaces)
        try makePlace(places, .roomFull(maximum: limits.peers)) { _ in true }
        return replaced
    }

    /// The peers that a newcomer puts out: the others of its user, also those that are still
    /// joining. Hidden peers have no siblings.
    func siblings(of request: JoinRequest) -> [Peer] {
        guard request.kicksSiblings, !request.isHidden, !request.userID.isEmpty,
            policy.role(request.role)?.isHidden == false
        else { return [] }
        return all.filter { peer in
            peer.userID == request.userID && peer.id != request.peer && !peer.isHidden
        }.inOrder
    }

    /// For how many more peers of the role there is place, if ghosts give way; nil for any number.
    func places(in role: Role) -> Int? {
        role.peersMaximum.map { maximum in
            max(0, maximum - all.count { $0.role == role.name && !$0.presence.isGhost })
        }
    }
}

extension Role {
    /// The most peers of the role in the room; nil for any number.
    var peersMaximum: Int? { maxPeerCount == 0 ? nil : max(0, maxPeerCount) }
}
