public import MediaKernel
internal import Rooms

/// What may be done to a room from outside it.
extension RoomSignalling {
    /// Whether nobody may come in from now on. Who is here stays, and may come back.
    public func setLocked(_ isLocked: Bool) {
        if isLocked { room.locked() } else { room.unlocked() }
    }

    /// Whether the peer is in the room, be it for coming back, or to be told that it was put out.
    public func isHere(_ peer: PeerID) -> Bool {
        room.peer(peer)?.hasJoined ?? unheardDismissals.contains(peer)
    }

    /// The same, and whether it came with this very token, which may have expired since.
    public func isHere(_ peer: PeerID, userID: String, tokenID: String) -> Bool {
        isHere(peer, of: TokenOwner(userID: userID, tokenID: tokenID))
    }

    func isHere(_ peer: PeerID, of owner: TokenOwner) -> Bool {
        room.isHere(peer, of: owner) || unheardDismissals.dismissal(of: peer, owner: owner) != nil
    }

    /// Ends the session for everybody. Who wants may begin another one.
    public func end(reason: String) async {
        room.ended(lock: false, reason: reason)
        await settle()
    }
}
