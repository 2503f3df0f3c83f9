public import MediaKernel
internal import Rooms

/// The claims of a verified room token (`docs/PROTOCOL.md` section 1).
public struct SignallingClaims: Hashable, Sendable {
    public var room: RoomID
    public var userID: String
    public var role: String
    /// Identifies the token: a peer must reconnect with the one it joined with.
    public var tokenID: String
    /// After this, only a peer that is in the room may use the token, to reconnect.
    public var expiresAt: UnixTime
    /// Not from the token: the kind of client, and the `host[:port]` under which it reached this
    /// server.
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
