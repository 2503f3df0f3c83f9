public import MediaKernel
public import MediaServer
public import Rooms

/// A signalling protocol by which clients may join a room.
public protocol RoomProtocol: Sendable {
    /// Makes its state for one room.
    func makeSessions() -> any RoomSessions
}

/// One signalling protocol's state for one room: the sessions of its peers.
///
/// Sessions turn their clients' messages into requests to the host and its room, and the host's
/// events into messages of their protocol. They are isolated to their ``RoomHost`` and called only
/// from it. All protocols of a room get everything; each picks its own peers from the named ones.
public protocol RoomSessions: AnyObject {
    /// The room has an event for these peers. Must not wait.
    func tell(_ peers: [PeerID], _ event: RoomEvent, in host: isolated RoomHost)
    /// A service beside the room has news for a user. Must not wait.
    ///
    /// - Returns: whether the user has a client here, joined or not, that was told.
    func tell(user: String, _ notice: Notice, in host: isolated RoomHost) -> Bool
    /// These peers were removed from the room: their clients are told, their connections closed.
    func dismiss(_ peers: [Peer], _ dismissal: Dismissal, in host: isolated RoomHost)
    /// The peer has left the room: its state is dropped.
    func forget(_ peer: PeerID)
    /// The data that previews show has changed.
    func previewsWentStale()
    /// The media plane has an event; offers come only for peers that can take them.
    func received(_ event: MediaEvent, in host: isolated RoomHost) async
    /// A second has passed; the effects of the room's own timeouts follow.
    func handleTimeout(at now: Instant, in host: isolated RoomHost)
    /// The second's effects are done: rate-limited reports are sent now.
    func report(at now: Instant, in host: isolated RoomHost)
    /// The room is closed: so is every connection.
    func closeAll(reason: String, in host: isolated RoomHost)
    /// Whether the peer has a connected client at present.
    func isConnected(_ peer: PeerID) -> Bool
    /// Whether the peer was removed and must be told so when it comes back.
    ///
    /// - Parameter owner: the token owner that comes back; nil for any.
    func hasUnheardDismissal(of peer: PeerID, owner: TokenOwner?) -> Bool
    /// There are no open connections, and no removed peers to be told.
    var isEmpty: Bool { get }
}

/// For protocols without previews and without messages, whose clients do not return to an earlier
/// place.
extension RoomSessions {
    public func previewsWentStale() {}
    public func tell(user: String, _ notice: Notice, in host: isolated RoomHost) -> Bool { false }
    public func report(at now: Instant, in host: isolated RoomHost) {}
    public func hasUnheardDismissal(of peer: PeerID, owner: TokenOwner?) -> Bool { false }
}
