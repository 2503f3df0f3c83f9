import HTTPTypes
import HundredMSTerms
public import MediaKernel
public import Rooms

/// The control API's access to rooms with peers. `Service` implements it over the rooms'
/// signalling. Hidden peers are not included.
public protocol RoomControl: Sendable {
    /// Nil when the room has no peers.
    func activeRoom(_ id: RoomID) async -> ActiveRoom?

    /// A peer of a room.
    func peer(_ id: PeerID, in room: RoomID) async throws(APIError) -> Peer

    /// Sends a message in a room, not from any of its peers.
    func send(
        _ body: OpaqueJSON, type: String, to audience: Audience, in room: RoomID
    ) async throws(APIError)

    /// Changes a peer's name, metadata or role. `nil` leaves a value unchanged.
    ///
    /// - Returns: the changed peer.
    func change(
        _ peer: PeerID, in room: RoomID, name: String?, metadata: String?, role: String?
    ) async throws(APIError) -> Peer

    /// Removes a peer.
    func remove(_ peer: PeerID, from room: RoomID, reason: String) async throws(APIError)

    /// Removes all peers of a role.
    func remove(role: String, from room: RoomID, reason: String) async throws(APIError)

    /// Ends a room's session for all peers.
    ///
    /// - Parameter isLocked: whether peers may not join afterwards.
    func end(_ room: RoomID, isLocked: Bool, reason: String) async throws(APIError)
}

/// A room with peers.
public struct ActiveRoom: Hashable, Sendable {
    public var id: RoomID
    public var name: String
    public var session: Room.Session
    /// In the order in which they joined.
    public var peers: [Peer]
    /// How well the way to each peer carries its media: 0 (nothing arrives) to 5; without those who
    /// receive none.
    public var qualities: [PeerID: Int]

    public init(
        id: RoomID, name: String, session: Room.Session, peers: [Peer],
        qualities: [PeerID: Int] = [:]
    ) {
        self.id = id
        self.name = name
        self.session = session
        self.peers = peers
        self.qualities = qualities
    }
}

extension APIError {
    /// Converts a room's error about a request of the control API.
    public init(_ error: RoomError) {
        self.init(HTTPResponse.Status(code: error.code), error.message)
    }

    /// The room has no peers, whether or not it exists.
    public static func inactiveRoom(_ id: RoomID) -> APIError {
        .notFound("active room not found", "nobody is in room \(id)")
    }
}
