public import MediaKernel
public import Rooms

/// What the operator sees of those who are in the room, and does to them.
extension RoomHost {
    /// One of those who are here.
    public func peer(_ id: PeerID) throws(RoomError) -> Peer { try room.visiblePeer(id) }

    /// Says something to peers, as none of them. It is kept with the chat.
    public func send(
        _ body: OpaqueJSON, type: String, to audience: Audience
    ) async throws(RoomError) {
        let message = try room.operatorSpoke(
            to: audience, type: type, body: body, at: clock.now(), wall: clock.wall())
        streaming.said(message, room: room.id)
        await settle()
    }

    /// Gives a peer another name, other metadata, another role. `nil` leaves it as it is.
    ///
    /// - Returns: the peer as it is now.
    public func change(
        _ peer: PeerID, name: String?, metadata: String?, role: String?
    ) async throws(RoomError) -> Peer {
        let changed = try room.peerChanged(peer, name: name, metadata: metadata, role: role)
        await settle()
        return changed
    }

    /// Whether somebody is here or may come back, hidden peers left out.
    public var isOccupied: Bool { room.isOccupied }

    /// Puts a peer out.
    public func remove(_ peer: PeerID, reason: String) async throws(RoomError) {
        try room.peerRemoved(peer, reason: reason)
        await settle()
    }

    /// Puts everybody of a role out.
    public func remove(role: String, reason: String) async throws(RoomError) {
        try room.peersRemoved(role: role, reason: reason)
        await settle()
    }
}
