public import MediaKernel
public import Rooms

/// A room's state for the control API. Hidden peers are not included.
public struct RoomSnapshot: Hashable, Sendable {
    public var id: RoomID
    public var name: String
    public var session: Room.Session?
    public var peerCount: Int
    /// In the order of joining.
    public var peers: [Peer]
    /// How well the way to each peer carries its media: 0 (nothing arrives) to 5; without those who
    /// receive none.
    public var qualities: [PeerID: Int]
    public var hls: HLSState
}
