public import MediaKernel

/// The peers of a room, and their visibility.
extension Room {
    /// The room has no peers, including hidden ones, and none is joining.
    public var isEmpty: Bool { peers.isEmpty }

    /// The number of peers that the room reports. Hidden ones do not count.
    public var peerCount: Int { peers.values.count { $0.isVisible } }

    /// The session if it is visible: one with only hidden peers is not.
    public var visibleSession: Session? { peerCount > 0 ? session : nil }

    /// The number of published tracks.
    public var trackCount: Int {
        peers.values.reduce(0) { $0 + ($1.isVisible ? $1.tracks.count : 0) }
    }

    /// The visible peers, in the order of joining.
    public var visiblePeers: [Peer] { joined.filter(\.isVisible) }

    /// The peer with that id, hidden or not, once it has a place.
    public func peer(_ id: PeerID) -> Peer? { peers[id] }

    /// The other peers that this one is told about, in the order of joining. Their tracks are those
    /// that it receives.
    public func peers(listedFor id: PeerID) -> [Peer] {
        listedPeers.filter { $0.id != id }.map { publisher in
            var seen = publisher
            if let viewer = peers[id], !receives(viewer, from: publisher) { seen.tracks = [] }
            return seen
        }
    }

    /// A peer that others may know about.
    ///
    /// - Throws: ``RoomError/peerGone(_:)`` for a peer that has left; ``RoomError/unknownPeer(_:)``
    ///   for a hidden one, and one that is gone for others, as for one that never existed.
    public func visiblePeer(_ id: PeerID) throws(RoomError) -> Peer {
        guard let peer = peers[id], peer.isVisible else { throw absence(of: id) }
        return peer
    }

    private func absence(of id: PeerID) -> RoomError {
        hasLeft(id) ? .peerGone(id) : .unknownPeer(id)
    }

    /// A peer that may be removed or asked for something, including one that is gone for others,
    /// since it may come back.
    ///
    /// - Throws: as ``visiblePeer(_:)``.
    func member(_ id: PeerID) throws(RoomError) -> Peer {
        guard let peer = peers[id], peer.isMember else { throw absence(of: id) }
        return peer
    }

    /// Whether the room has peers, or peers that may come back. Hidden peers do not count.
    public var isOccupied: Bool { peers.values.contains(where: \.isMember) }

    /// Whether the peer was in this session and has lost its place.
    public func hasLeft(_ id: PeerID) -> Bool { peers[id] == nil && departed.contains(id) }

    /// The publishing peers, in the order of joining.
    public var publishers: [Peer] {
        peers.values.filter { $0.isVisible && !$0.tracks.isEmpty }.inOrder
    }

    /// Whether one peer receives another's tracks: its role subscribes to the other's.
    public func receives(_ viewer: Peer, from publisher: Peer) -> Bool {
        guard viewer.hasJoined, publisher.isVisible, viewer.id != publisher.id,
            let role = policy.role(viewer.role)
        else { return false }
        return role.subscribeParams.subscribeToRoles.contains(publisher.role)
    }

    /// Whether a peer receives that track.
    public func receives(_ viewer: Peer, _ track: TrackID) -> Bool {
        peers.values.contains { $0.track(track) != nil && receives(viewer, from: $0) }
    }

    /// The peers that receive this peer's tracks, in the order of joining.
    public func subscribers(of publisher: Peer) -> [Peer] {
        joined.filter { receives($0, from: publisher) }
    }

    /// The peers whose tracks this peer receives, in the order of joining.
    func publishers(for viewer: Peer) -> [Peer] {
        publishers.filter { receives(viewer, from: $0) }
    }

    func everybody(except id: PeerID? = nil) -> [PeerID] {
        joined.filter { $0.isReachable && $0.id != id }.map(\.id)
    }

    /// A peer that has joined.
    func joinedPeer(_ id: PeerID) throws(RoomError) -> Peer {
        guard let peer = peers[id], peer.hasJoined else { throw .notJoined(id) }
        return peer
    }

    /// Checks that a peer's role grants a permission.
    public func require(_ permission: Permission, of id: PeerID) throws(RoomError) {
        let peer = try joinedPeer(id)
        guard let role = policy.role(peer.role) else { throw .unknownRole(peer.role) }
        // Actions of a hidden peer would reveal it.
        guard !peer.isHidden, permission.isGranted(by: role.permissions) else {
            throw .missingPermission(permission, role: peer.role)
        }
    }

    /// A peer searched for others by name; all visible peers can be found, including itself, and an
    /// empty text finds all of them.
    public mutating func peersSearched(
        _ query: String, limit: Int?, offset: Int?, by id: PeerID, at now: Instant
    ) throws(RoomError) -> PeerSearch {
        _ = try joinedPeer(id)
        try Check.name(query, field: "query")
        // A search notifies no peer, but it reads all names.
        try spendFanOut(of: id, at: now)
        return PeerSearch(of: query, in: visiblePeers, limit: limit, offset: offset)
    }

    var joined: [Peer] { peers.values.filter(\.hasJoined).inOrder }
}
