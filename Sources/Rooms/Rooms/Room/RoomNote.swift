public import MediaKernel

/// An event of a session for the audit log. Hidden peers do not appear in it.
///
/// A session is noted when the first visible peer joins, and closed when the last peer has left,
/// hidden ones included: who comes while the recorder is still there is in the same session.
public enum RoomNote: Hashable, Sendable {
    case sessionOpened(Room.Session)
    case peerJoined(Peer, Room.Session)
    /// - Parameter message: what was said to the peer when it was put out; else empty.
    case peerLeft(Peer, Room.Session, LeaveReason, message: String)
    /// A peer has another role than this one from now on.
    ///
    /// - Parameter by: who asked for it; nil when it was done from outside.
    case roleChanged(Peer, Room.Session, from: String, by: PeerID?)
    case sessionClosed(Room.Session)
    /// A peer ended the room and locked it.
    case roomLocked
    /// The room was ended for everybody. Not when the server stops.
    ///
    /// - Parameters:
    ///   - session: nil when nobody visible was in it.
    ///   - by: who asked for it; nil when it was done from outside.
    case roomEnded(session: Room.Session?, by: Peer?, isLocked: Bool, reason: String)
}

/// Why a peer is not in the room any more, in 100ms' words as far as there are any.
public enum LeaveReason: String, Hashable, Sendable {
    case clientRequest = "client request"
    case removed = "peer kicked"
    /// Its connection was lost and it did not come back in time.
    case connectionClosed = "websocket closed"
    /// 100ms has no word for it.
    case roomEnded = "room ended"
    /// The server stopped, or died.
    case serverStopped = "server removed peer"
}
