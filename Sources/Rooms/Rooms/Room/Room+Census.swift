public import MediaKernel

/// The peers of a room, and which peers may see them.
extension Room {
    /// The room has no peers, hidden ones included, and none is joining.
    public var isEmpty: Bool { peers.isEmpty }

    /// How many peers the room says it has. Hidden ones do not count.
    public var peerCount: Int { peers.values.count { $0.isVisible } }

    /// The session, where anybody may know of it: one of hidden peers alone is nobody's.
    public var visibleSession: Session? { peerCount > 0 ? session : nil }

    /// How many tracks are published.
    public var trackCount: Int {
        peers.values.reduce(0) { $0 + ($1.isVisible ? $1.tracks.count : 0) }
    }

    /// Those whom everybody may know of, in the order in which they joined.
    public var visiblePeers: [Peer] { joined.filter(\.isVisible) }

    /// The peer of that id, hidden or not, once it holds a place.
    public func peer(_ id: PeerID) -> Peer? { peers[id] }

    /// The peers that this one is told of, itself left out, in the order in which they joined.
    /// Their tracks are those that it receives.
    public func peers(listedFor id: PeerID) -> [Peer] {
        listedPeers.filter { $0.id != id }.map { publisher in
            var seen = publisher
            if let viewer = peers[id], !receives(viewer, from: publisher) { seen.tracks = [] }
            return seen
        }
    }

    /// A peer as another one may know it.
    ///
    /// - Throws: ``RoomError/peerGone(_:)`` for one that has left; ``RoomError/unknownPeer(_:)`` for
    ///   a hidden one, and one that others take for gone, as for one that was never there.
    public func visiblePeer(_ id: PeerID) throws(RoomError) -> Peer {
        guard let peer = peers[id], peer.isVisible else { throw absence(of: id) }
        return peer
    }

    private func absence(of id: PeerID) -> RoomError {
        hasLeft(id) ? .peerGone(id) : .unknownPeer(id)
    }

    /// A peer that may be put out or asked for something: one that others take for gone too, since
    /// it may come back.
    ///
    /// - Throws: as ``visiblePeer(_:)``.
    func member(_ id: PeerID) throws(RoomError) -> Peer {
        guard let peer = peers[id], peer.isMember else { throw absence(of: id) }
        return peer
    }

    /// Whether somebody is here or may come back. Hidden peers do not count.
    public var isOccupied: Bool { peers.values.contains(where: \.isMember) }

    /// Whether the peer was in this session and its place is over.
    public func hasLeft(_ id: PeerID) -> Bool { peers[id] == nil && departed.contains(id) }

    /// Those who publish something, in the order in which they joined.
    public var publishers: [Peer] {
        peers.values.filter { $0.isVisible && !$0.tracks.isEmpty }.inOrder
    }

    /// Whether one peer is to receive what the other publishes: its role subscribes to the other's.
    public func receives(_ viewer: Peer, from publisher: Peer) -> Bool {
        guard viewer.hasJoined, publisher.isVisible, viewer.id != publisher.id,
            let role = policy.role(viewer.role)
        else { return false }
        return role.subscribeParams.subscribeToRoles.contains(publisher.role)
    }

    /// Whether a peer is to receive that track.
    public func receives(_ viewer: Peer, _ track: TrackID) -> Bool {
        peers.values.contains { $0.track(track) != nil && receives(viewer, from: $0) }
    }

    /// Those who receive what this peer publishes, in the order in which they joined.
    public func subscribers(of publisher: Peer) -> [Peer] {
        joined.filter { receives($0, from: publisher) }
    }

    /// Those whose tracks this peer receives, in the order in which they joined.
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

    /// Checks that a peer's role grants something.
    public func require(_ permission: Permission, of id: PeerID) throws(RoomError) {
        let peer = try joinedPeer(id)
        guard let role = policy.role(peer.role) else { throw .unknownRole(peer.role) }
        // Whatever a hidden peer did to the room would show that it is there.
        guard !peer.isHidden, permission.isGranted(by: role.permissions) else {
            throw .missingPermission(permission, role: peer.role)
        }
    }

    /// A peer searched for others by their names; itself and everybody else who may be seen are
    /// found, and no text finds all of them.
    public mutating func peersSearched(
        _ query: String, limit: Int?, offset: Int?, by id: PeerID, at now: Instant
    ) throws(RoomError) -> PeerSearch {
        _ = try joinedPeer(id)
        try Check.name(query, field: "query")
        // A search reaches nobody, but it reads the name of everybody.
        try spendFanOut(of: id, at: now)
        return PeerSearch(of: query, in: visiblePeers, limit: limit, offset: offset)
    }

    var joined: [Peer] { peers.values.filter(\.hasJoined).inOrder }
}
