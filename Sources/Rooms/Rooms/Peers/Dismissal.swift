public import MediaKernel

/// Why somebody's place in the room is over who did not leave it.
public struct Dismissal: Hashable, Sendable {
    /// Nil where it was no peer of the room.
    public var requester: PeerID?
    public var reason: String
    /// Everybody's place is over, and not only its own.
    public var isRoomEnd: Bool

    public init(requester: PeerID?, reason: String, isRoomEnd: Bool) {
        self.requester = requester
        self.reason = reason
        self.isRoomEnd = isRoomEnd
    }

    /// Whether that peer ended the room. In 100ms it is told so by the answer to its request, and
    /// leaves by itself.
    public func isEnding(by peer: PeerID) -> Bool { isRoomEnd && requester == peer }
}
