public import MediaKernel
public import MediaServer
public import Rooms

/// A signalling protocol that clients may come into a room by.
public protocol RoomProtocol: Sendable {
    /// What it keeps of one room.
    func makeSessions() -> any RoomSessions
}

/// What one signalling protocol has of one room: the sessions of the peers that speak it.
///
/// Sessions turn what their clients say into requests to the host and its room, and what the host
/// tells them into the words of their protocol. They live in the isolation of their ``RoomHost``
/// and are called nowhere else. All protocols of a room hear everything; each looks for its own
/// peers among those that are named.
public protocol RoomSessions: AnyObject {
    /// The room tells these peers something. Must not wait.
    func tell(_ peers: [PeerID], _ event: RoomEvent, in host: isolated RoomHost)
    /// These peers were put out of the room: their clients are told, their connections closed.
    func dismiss(_ peers: [Peer], _ dismissal: Dismissal, in host: isolated RoomHost)
    /// The peer has left the room: what is kept of it goes.
    func forget(_ peer: PeerID)
    /// What those see who look in without having joined has changed.
    func previewsWentStale()
    /// The media plane says something; an offer comes only to a peer that can take it.
    func received(_ event: MediaEvent, in host: isolated RoomHost) async
    /// A second has passed, and effects of the room's own timeouts follow.
    func handleTimeout(at now: Instant, in host: isolated RoomHost)
    /// The second's effects are done: what is told no more often than that is told now.
    func report(at now: Instant, in host: isolated RoomHost)
    /// The room is let go: every connection is closed.
    func closeAll(reason: String, in host: isolated RoomHost)
    /// Whether a client speaks for the peer at the moment.
    func isConnected(_ peer: PeerID) -> Bool
    /// Whether the peer was put out and is to be told so when it comes back.
    ///
    /// - Parameter owner: who comes back for it; nil for anybody.
    func hasUnheardDismissal(of peer: PeerID, owner: TokenOwner?) -> Bool
    /// No connection is open, and nobody is to be told anything any more.
    var isEmpty: Bool { get }
}

/// For protocols without previews, whose clients do not come back to a place that they had.
extension RoomSessions {
    public func previewsWentStale() {}
    public func report(at now: Instant, in host: isolated RoomHost) {}
    public func hasUnheardDismissal(of peer: PeerID, owner: TokenOwner?) -> Bool { false }
}
