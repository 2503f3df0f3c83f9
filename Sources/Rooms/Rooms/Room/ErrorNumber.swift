/// The numbers that 100ms has for what its servers refuse (`docs/PROTOCOL.md` section 10).
///
/// The body of `/init` has the number for everybody. On the socket clients on React Native get it,
/// and all others its first three digits, which is all that they know the meaning of.
public enum ErrorNumber: Int, Hashable, Sendable, CaseIterable {
    /// The token is missing, expired, not yet good, or good for something else.
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
    /// The token is for another room than the one that is asked for.
    case otherRoom = 40002
    case alreadyJoined = 40004
    case peerGone = 41001

    /// As HTTP and web clients have it.
    public var status: Int { rawValue / 100 }
}
