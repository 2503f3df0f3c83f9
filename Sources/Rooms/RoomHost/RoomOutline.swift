public import Rooms

/// What is known of a room without asking it: as it was when something in it had last happened. A
/// room that is busy, whatever with, keeps nobody waiting who only looks at it. Hidden peers are not
/// in it.
public struct RoomOutline: Hashable, Sendable {
    /// Nil while nobody visible is in it.
    public var session: Room.Session?
    public var name: String
    public var peers: Int
    /// Peers that publish at least one track, be it muted.
    public var publishers: Int
}

extension RoomOutline {
    init(_ room: Room) {
        self.init(
            session: room.visibleSession, name: room.name, peers: room.peerCount,
            publishers: room.visiblePeers.count { !$0.tracks.isEmpty })
    }
}
