internal import MediaKernel
internal import Rooms

/// Finding peers (`hms.md` section 5).
extension RoomSignalling {
    func getPeer(_ params: GetPeerParameters) throws(SignallingError) -> Reply {
        let peer = try ruled { () throws(RoomError) in try room.visiblePeer(params.peerID) }
        return .result(PeerPayload(peer, withTracks: false))
    }

    func findPeers(_ params: FindPeersParameters, on connection: Connection) -> Reply {
        let wanted = params.peers.map(Set.init)
        let found = room.visiblePeers.filter { peer in
            (wanted?.contains(peer.id) ?? true) && (params.role.map { $0 == peer.role } ?? true)
                // No peer is in a group yet, so a walk through one finds nobody.
                && (params.group?.isEmpty ?? true)
        }
        var walks = connection.walks
        let iterator = walks.begin(found.map(\.id))
        let page = page(of: iterator, limit: params.limit, in: &walks)
        connections[connection.id]?.walks = walks
        return page ?? .empty
    }

    func nextPeers(
        _ params: PeerIterNextParameters, on connection: Connection
    ) throws(SignallingError) -> Reply {
        var walks = connection.walks
        guard let page = page(of: params.iterator, limit: params.limit, in: &walks) else {
            throw .badParameter("iterator", reason: "is not known or too old")
        }
        connections[connection.id]?.walks = walks
        return page
    }

    private func page(of iterator: String, limit: Int?, in walks: inout PeerWalks) -> Reply? {
        let limit = min(max(limit ?? 10, 1), SignallingLimits.pagePeers)
        guard let (ids, walk) = walks.advance(iterator, limit: limit) else { return nil }
        let peers = ids.compactMap { try? room.visiblePeer($0) }
        return .result(
            PeerPageResult(
                iterator: iterator, total: walk.total, eof: walk.rest.isEmpty,
                peers: peers.map { PeerPayload($0, withTracks: false) }))
    }
}
