internal import HundredMSTerms
internal import MediaKernel
internal import RoomHost
internal import Rooms

/// A joined peer's requests that find peers or change their groups (`docs/PROTOCOL.md` section 5).
struct PeerCalls {
    let peer: PeerID

    func getPeer(_ params: GetPeerParameters, in host: isolated RoomHost) throws(SignallingError)
        -> Reply
    {
        let peer = try ruled { () throws(RoomError) in
            try host.room.peers.visiblePeer(params.peerID)
        }
        return .result(PeerPayload(peer, withTracks: false))
    }

    func findPeers(
        _ params: FindPeersParameters, continuing iterators: inout PeerIterators,
        in host: isolated RoomHost
    ) -> Reply {
        // Clients may send an empty value instead of omitting it.
        func named<Value: Collection>(_ value: Value?) -> Value? {
            value.flatMap { $0.isEmpty ? nil : $0 }
        }
        let wanted = (named(params.peers) ?? named(params.peerIDs)).map(Set.init)
        let (role, group) = (named(params.role), named(params.group))
        let found = host.room.peers.visible.filter { one in
            (wanted?.contains(one.id) ?? true) && (role.map { $0 == one.role } ?? true)
                && (group.map { one.wireGroups.contains($0) } ?? true)
        }
        let iterator = iterators.begin(found.map(\.id))
        return page(of: iterator, limit: params.limit, continuing: &iterators, in: host) ?? .empty
    }

    func nextPeers(
        _ params: PeerIterNextParameters, continuing iterators: inout PeerIterators?,
        in host: isolated RoomHost
    ) throws(SignallingError) -> Reply {
        guard var known = iterators,
            let page = page(of: params.iterator, limit: params.limit, continuing: &known, in: host)
        else {
            throw .badParameter("iterator", .unknown)
        }
        iterators = known
        return page
    }

    private func page(
        of iterator: String, limit: Int?, continuing iterators: inout PeerIterators,
        in host: isolated RoomHost
    ) -> Reply? {
        let limit = min(max(limit ?? 10, 1), SignallingLimits.pagePeers)
        guard let (ids, position) = iterators.advance(iterator, limit: limit) else {
            return nil
        }
        let peers = ids.compactMap { try? host.room.peers.visiblePeer($0) }
        return .result(
            PeerPageResult(
                iterator: iterator, total: position.total, eof: position.rest.isEmpty,
                peers: peers.map { PeerPayload($0, withTracks: false) }))
    }

    func searchPeers(
        _ params: PeerSearchParameters, in host: isolated RoomHost
    ) throws(SignallingError) -> Reply {
        let found = try ruled { () throws(RoomError) in
            try host.room.peersSearched(
                params.query ?? "", limit: params.limit, offset: params.offset, by: peer,
                at: host.clock.now())
        }
        return .result(PeerSearchResult(found))
    }

    // MARK: - Groups

    /// The peer joins a group or leaves it.
    func changeOwnGroup(
        _ params: GroupParameters, isIn: Bool, in host: isolated RoomHost
    ) throws(SignallingError) -> Reply {
        try changeGroup(params.name, of: peer, isIn: isIn, in: host)
        return .result(GroupsResult(groups: host.room.peers[peer]?.wireGroups ?? []))
    }

    func changeGroup(
        _ params: PeerGroupParameters, isIn: Bool, in host: isolated RoomHost
    ) throws(SignallingError) -> Reply {
        try changeGroup(params.name, of: params.peerID, isIn: isIn, in: host)
        return .empty
    }

    private func changeGroup(
        _ name: String, of target: PeerID, isIn: Bool, in host: isolated RoomHost
    ) throws(SignallingError) {
        let now = host.clock.now()
        try ruled { () throws(RoomError) in
            if name == HundredMSTerms.raisedHand {
                try host.room.handChanged(of: target, isRaised: isIn, by: peer, at: now)
            } else {
                try host.room.groupChanged(name, of: target, isIn: isIn, by: peer, at: now)
            }
        }
    }
}
