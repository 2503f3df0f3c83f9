public import MediaKernel
public import Rooms

/// What may be done to a room from outside it.
extension RoomHost {
    /// Whether nobody may come in from now on. Who is here stays, and may come back.
    public func setLocked(_ isLocked: Bool) {
        if isLocked { room.locked() } else { room.unlocked() }
    }

    /// Whether the peer is in the room, be it for coming back, or to be told that it was put out.
    public func isHere(_ peer: PeerID) -> Bool {
        room.peer(peer)?.hasJoined ?? hasUnheardDismissal(of: peer, owner: nil)
    }

    /// The same, and whether it came with this very token, which may have expired since.
    public func isHere(_ peer: PeerID, of owner: TokenOwner) -> Bool {
        room.isHere(peer, of: owner) || hasUnheardDismissal(of: peer, owner: owner)
    }

    private func hasUnheardDismissal(of peer: PeerID, owner: TokenOwner?) -> Bool {
        sessions.contains { $0.hasUnheardDismissal(of: peer, owner: owner) }
    }

    /// Ends the session for everybody. Who wants may begin another one.
    public func end(reason: String) async {
        room.ended(lock: false, reason: reason)
        await settle()
    }
}
