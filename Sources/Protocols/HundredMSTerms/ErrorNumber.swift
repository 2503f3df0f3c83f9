/// 100ms' numbers for its servers' refusals (`docs/PROTOCOL.md` section 10).
///
/// The body of `/init` always has the number. On the socket, clients on React Native get it, and
/// all others its first three digits, since they only know the meaning of those.
public enum ErrorNumber: Int, Hashable, Sendable, CaseIterable {
    /// The token is missing, expired, not yet valid, or of another kind.
    case token = 40100
    case accessKey = 40101
    case roomID = 40102
    /// `jti`.
    case tokenID = 40103
    case appID = 40104
    case customerID = 40105
    case userID = 40107
    case role = 40108
    /// The token is malformed or its signature is invalid.
    case tokenForm = 40109
    case unknownRoom = 40001
    /// The token is for another room than the requested one.
    case otherRoom = 40002
    case alreadyJoined = 40004
    case peerGone = 41001

    /// The status for HTTP and web clients.
    public var status: Int { rawValue / 100 }
}
