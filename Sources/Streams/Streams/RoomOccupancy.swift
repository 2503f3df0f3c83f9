/// The occupancy of a room, as far as its streams depend on it. Hidden peers do not count.
public struct RoomOccupancy: Hashable, Sendable {
    public var peers: Int
    /// Peers that publish at least one track, muted or not.
    public var publishers: Int

    public var isEmpty: Bool { peers == 0 }

    public init(peers: Int, publishers: Int) {
        self.peers = peers
        self.publishers = publishers
    }
}
