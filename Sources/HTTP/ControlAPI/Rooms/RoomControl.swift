import HTTPTypes
public import MediaKernel
public import Rooms

/// What the control API sees of rooms in which somebody is, and does to them. `Service` implements
/// it over the rooms' signalling. Hidden peers are in none of it.
public protocol RoomControl: Sendable {
    /// Nil when nobody is in the room.
    func activeRoom(_ id: RoomID) async -> ActiveRoom?

    /// One of those who are in a room.
    func peer(_ id: PeerID, in room: RoomID) async throws(APIError) -> Peer

    /// Says something in a room, as none of its peers.
    func send(
        _ body: OpaqueJSON, type: String, to audience: Audience, in room: RoomID
    ) async throws(APIError)

    /// Gives a peer another name, other metadata, another role. `nil` leaves it as it is.
    ///
    /// - Returns: the peer as it is now.
    func change(
        _ peer: PeerID, in room: RoomID, name: String?, metadata: String?, role: String?
    ) async throws(APIError) -> Peer

    /// Puts a peer out.
    func remove(_ peer: PeerID, from room: RoomID, reason: String) async throws(APIError)

    /// Puts everybody of a role out.
    func remove(role: String, from room: RoomID, reason: String) async throws(APIError)

    /// Ends a room's session for everybody.
    ///
    /// - Parameter isLocked: whether nobody may come in afterwards.
    func end(_ room: RoomID, isLocked: Bool, reason: String) async throws(APIError)
}

/// A room that somebody is in.
public struct ActiveRoom: Hashable, Sendable {
    public var id: RoomID
    public var name: String
    public var session: Room.Session
    /// In the order in which they joined.
    public var peers: [Peer]

    public init(id: RoomID, name: String, session: Room.Session, peers: [Peer]) {
        self.id = id
        self.name = name
        self.session = session
        self.peers = peers
    }
}

extension APIError {
    /// The same error for what the control API wanted of a room.
    public init(_ error: RoomError) {
        self.init(HTTPResponse.Status(code: error.code), error.message)
    }

    /// Nobody is in the room, be there one or not.
    public static func inactiveRoom(_ id: RoomID) -> APIError {
        .notFound("active room not found", "nobody is in room \(id)")
    }
}
