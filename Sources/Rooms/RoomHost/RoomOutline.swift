public import Rooms

/// A room's state as of its last change, available without asking the room. A busy room does not
/// hold up callers that only need this. Hidden peers are not included.
public struct RoomOutline: Hashable, Sendable {
    /// Nil without visible peers.
    public var session: Room.Session?
    public var name: String
    public var peers: Int
    /// Peers that publish at least one track, even if it is muted.
    public var publishers: Int
}

extension RoomOutline {
    init(_ room: Room) {
        self.init(
            session: room.visibleSession, name: room.name, peers: room.peers.visibleCount,
            publishers: room.peers.visible.count { !$0.tracks.isEmpty })
    }
}
