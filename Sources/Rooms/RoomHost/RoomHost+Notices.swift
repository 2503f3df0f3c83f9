public import MediaKernel
public import Rooms

/// News of services beside the room.
extension RoomHost {
    /// Tells all peers.
    public func tell(_ notice: Notice) async {
        room.noticed(notice, at: clock.now())
        await settle()
    }

    /// Tells the clients of a user, joined or not.
    ///
    /// - Returns: whether there was one.
    public func tell(_ notice: Notice, to user: String) -> Bool {
        var isTold = false
        for protocolSessions in sessions {
            isTold = protocolSessions.tell(user: user, notice, in: self) || isTold
        }
        return isTold
    }

    /// Closes the room for good: tells all peers why, and takes their places. Nobody may join it
    /// any more.
    ///
    /// - Parameter peer: who closed it; nil for nobody of the room.
    public func close(by peer: PeerID?, telling notice: Notice, reason: String) async {
        room.lockChanged(true)
        room.noticed(notice, at: clock.now())
        room.ended(by: peer, lock: false, reason: reason)
        await settle()
    }
}
