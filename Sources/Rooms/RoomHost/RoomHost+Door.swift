public import MediaKernel
public import Rooms

/// Actions on a room from outside it.
extension RoomHost {
    /// Locks or unlocks the room for newcomers. Present peers stay, and may come back.
    public func setLocked(_ isLocked: Bool) {
        room.lockChanged(isLocked)
    }

    /// Whether the peer is in the room, may come back, or must still be told that it was removed.
    public func isHere(_ peer: PeerID) -> Bool {
        room.peers[peer]?.hasJoined ?? hasUnheardDismissal(of: peer, owner: nil)
    }

    /// The same, and whether the peer joined with this very token, which may have expired since.
    public func isHere(_ peer: PeerID, of owner: TokenOwner) -> Bool {
        room.peers.isHere(peer, of: owner) || hasUnheardDismissal(of: peer, owner: owner)
    }

    private func hasUnheardDismissal(of peer: PeerID, owner: TokenOwner?) -> Bool {
        sessions.contains { $0.hasUnheardDismissal(of: peer, owner: owner) }
    }

    /// Ends the session for all peers. Anyone may begin another one.
    public func end(reason: String) async {
        room.ended(lock: false, reason: reason)
        await settle()
    }
}
