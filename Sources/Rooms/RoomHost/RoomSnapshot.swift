public import MediaKernel
public import Rooms

/// A room as the control API shows it. Hidden peers are not in it.
public struct RoomSnapshot: Hashable, Sendable {
    public var id: RoomID
    public var name: String
    public var session: Room.Session?
    public var peerCount: Int
    /// In the order in which they joined.
    public var peers: [Peer]
    public var hls: HLSState
}
