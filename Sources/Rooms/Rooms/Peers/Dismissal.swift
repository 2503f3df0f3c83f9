public import MediaKernel

/// Why a peer lost its place without leaving.
public struct Dismissal: Hashable, Sendable {
    /// Nil if it was not a peer of the room.
    public var requester: PeerID?
    public var reason: String
    /// All peers have lost their places, not only this one.
    public var isRoomEnd: Bool

    public init(requester: PeerID?, reason: String, isRoomEnd: Bool) {
        self.requester = requester
        self.reason = reason
        self.isRoomEnd = isRoomEnd
    }

    /// Whether that peer ended the room. The answer to its request tells it so, and it leaves by
    /// itself.
    public func isEnding(by peer: PeerID) -> Bool { isRoomEnd && requester == peer }
}
