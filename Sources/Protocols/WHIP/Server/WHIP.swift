public import RoomHost

/// WHIP (RFC 9725) and WHEP (draft-ietf-wish-whep): one HTTP exchange makes a client a peer that
/// publishes, or one that watches and is not seen.
public struct WHIP: RoomProtocol {
    public init() {}

    public func makeSessions() -> any RoomSessions { WHIPSessions() }
}
