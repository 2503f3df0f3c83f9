public import MediaKernel

/// An event of a session for the audit log. Hidden peers do not appear in it.
///
/// A session is noted when the first visible peer joins, and closed when the last peer has left,
/// including hidden ones: a peer that joins while the recorder is still there is in the same
/// session.
public enum SessionNote: Hashable, Sendable {
    case sessionOpened(Room.Session)
    case peerJoined(Peer, Room.Session)
    /// - Parameter message: the message to a removed peer; else empty.
    case peerLeft(Peer, Room.Session, LeaveReason, message: String)
    /// A peer has changed its role from this one.
    ///
    /// - Parameter by: the requesting peer; nil for a change from outside.
    case roleChanged(Peer, Room.Session, from: String, by: PeerID?)
    case sessionClosed(Room.Session)
    /// A peer ended the room and locked it.
    case roomLocked
    /// The room was ended for all peers. Not sent when the server stops.
    ///
    /// - Parameters:
    ///   - session: nil if there were no visible peers.
    ///   - by: the requesting peer; nil for an end from outside.
    case roomEnded(session: Room.Session?, by: Peer?, isLocked: Bool, reason: String)
}

/// Why a peer has left the room. The words are kept with the session and sent in webhooks.
public enum LeaveReason: String, Hashable, Sendable {
    case clientRequest = "client request"
    case removed = "peer kicked"
    /// Its connection was lost and it did not come back in time.
    case connectionClosed = "websocket closed"
    /// Everybody lost the place.
    case roomEnded = "room ended"
    /// The server stopped, or died.
    case serverStopped = "server removed peer"
}
