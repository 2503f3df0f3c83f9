public import MediaKernel
public import Rooms

/// The claims of a verified room token (`docs/PROTOCOL.md` section 1).
public struct SignallingClaims: Hashable, Sendable {
    public var room: RoomID
    public var userID: String
    public var role: String
    /// Which token it was: a peer comes back with the one it joined with.
    public var tokenID: String
    /// From then on the token serves a peer that is in the room to come back with, and nobody else.
    public var expiresAt: UnixTime
    /// Not of the token: who came with it, and under which `host[:port]` it found this server.
    public var client: ClientKind
    public var authority: String

    public init(
        room: RoomID, userID: String, role: String, tokenID: String = "",
        expiresAt: UnixTime = UnixTime(nanoseconds: .max),
        client: ClientKind = .web, authority: String = ""
    ) {
        self.room = room
        self.userID = userID
        self.role = role
        self.tokenID = tokenID
        self.expiresAt = expiresAt
        self.client = client
        self.authority = authority
    }

    func isExpired(at wall: UnixTime) -> Bool { expiresAt <= wall }

    /// The owner of peers that join with this token.
    var owner: TokenOwner { TokenOwner(userID: userID, tokenID: tokenID) }
}
