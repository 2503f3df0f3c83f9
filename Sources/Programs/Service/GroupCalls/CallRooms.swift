import MediaKernel
import Rooms

/// The open rooms, as far as group calls need them.
protocol CallRooms: Actor {
    /// The participants of each room that has some.
    func participants() -> [RoomID: Int]
    /// The roles in which people may enter a room.
    func visibleRoles(of room: RoomID) async throws -> [String]
    /// Whether a user has a client in any room, joined or in preview.
    func isConnected(_ user: String) -> Bool
    /// Tells all peers of a room.
    func tell(_ notice: Notice, in room: RoomID) async
    /// Tells a user's clients, in whichever rooms they are.
    ///
    /// - Returns: whether there was one.
    func tell(_ notice: Notice, to user: String) async -> Bool
    /// Closes a deleted room: everybody loses the place, and nobody joins any more.
    ///
    /// - Parameter peer: who deleted it; nil for a server.
    func close(_ room: RoomID, by peer: PeerID?, telling notice: Notice) async
}
