public import RoomHost

/// WHIP (RFC 9725) and WHEP (draft-ietf-wish-whep): with one HTTP exchange a client becomes a peer
/// that publishes, or a hidden peer that watches.
public struct WHIP: RoomProtocol {
    public init() {}

    public func makeSessions() -> any RoomSessions { WHIPSessions() }
}
