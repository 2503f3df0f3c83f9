public import MediaKernel
public import Rooms

/// The operator's view of the room's peers, and actions on them.
extension RoomHost {
    /// A peer of the room.
    public func peer(_ id: PeerID) throws(RoomError) -> Peer { try room.peers.visiblePeer(id) }

    /// Sends a message to peers, not from any of them. It is stored with the chat.
    public func send(
        _ body: OpaqueJSON, type: String, to audience: Audience
    ) async throws(RoomError) {
        let message = try room.operatorSpoke(
            to: audience, type: type, body: body, at: clock.now(), wall: clock.wall())
        streaming.said(message, room: room.id)
        await settle()
    }

    /// Changes a peer's name, metadata or role. `nil` leaves a value unchanged.
    ///
    /// - Returns: the changed peer.
    public func change(
        _ peer: PeerID, name: String?, metadata: String?, role: String?
    ) async throws(RoomError) -> Peer {
        let changed = try room.peerChanged(peer, name: name, metadata: metadata, role: role)
        await settle()
        return changed
    }

    /// Whether the room has peers, or peers that may come back, except hidden ones.
    public var isOccupied: Bool { room.isOccupied }

    /// Removes a peer.
    public func remove(_ peer: PeerID, reason: String) async throws(RoomError) {
        try room.peerRemoved(peer, reason: reason)
        await settle()
    }

    /// Removes all peers of a role.
    public func remove(role: String, reason: String) async throws(RoomError) {
        try room.peersRemoved(role: role, reason: reason)
        await settle()
    }
}
