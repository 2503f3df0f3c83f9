public import MediaKernel

/// The claims of a verified room token: the user, the room and the role. The token's type is `app`.
public struct RoomTokenClaims: Hashable, Sendable {
    public var room: RoomID
    /// The caller's own name for the user, which several peers may share. The token's own id if it
    /// names no user.
    public var user: String
    public var role: String
    public var issuedAt: UnixTime
    public var expiresAt: UnixTime
    /// `jti`, or the signature of a token without it.
    public var tokenID: String

    public init(
        room: RoomID, user: String, role: String, issuedAt: UnixTime, expiresAt: UnixTime,
        tokenID: String
    ) {
        self.room = room
        self.user = user
        self.role = role
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.tokenID = tokenID
    }

    public func isExpired(at now: UnixTime) -> Bool { expiresAt <= now }
}

/// The claims of a verified management token, or of one for looking at recordings. The token's type
/// is `management` or `recordings`.
public struct ManagementTokenClaims: Hashable, Sendable {
    public var issuedAt: UnixTime
    public var expiresAt: UnixTime
    /// `jti`; empty for a token without it.
    public var tokenID: String

    public init(issuedAt: UnixTime, expiresAt: UnixTime, tokenID: String) {
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.tokenID = tokenID
    }
}

/// Why a token was refused. The caller gets the description.
public enum TokenError: Error, Hashable, Sendable, CustomStringConvertible {
    case missing
    case malformed(String)
    case algorithmNotAllowed(String)
    case signatureInvalid
    case claimMissing(String)
    case claimInvalid(String)
    case wrongAccessKey
    case wrongType(found: String, expected: String)
    case wrongVersion(Int)
    case expired(at: UnixTime)
    case notYetValid(from: UnixTime)

    public var description: String {
        switch self {
        case .missing: "token is missing"
        case .malformed(let reason): "token is malformed: \(reason)"
        case .algorithmNotAllowed(let name): "signing algorithm \(name) is not allowed, use HS256"
        case .signatureInvalid: "signature is invalid"
        case .claimMissing(let name): "claim \(name) is missing"
        case .claimInvalid(let name): "claim \(name) is invalid"
        case .wrongAccessKey: "access_key is not known"
        case .wrongType(let found, let expected):
            "token type is \(found), this endpoint needs \(expected)"
        case .wrongVersion(let version): "token version \(version) is not supported, use 2"
        case .expired(let time): "token is expired since \(time)"
        case .notYetValid(let time): "token is not valid before \(time)"
        }
    }
}

/// Why an access key or secret is unusable: for the operator to repair.
public enum TokenKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    case accessKeyEmpty
    case secretTooShort(byteCount: Int, minimum: Int)

    public var description: String {
        switch self {
        case .accessKeyEmpty: "the access key is empty"
        case .secretTooShort(let byteCount, let minimum):
            "the secret has \(byteCount) bytes, HS256 needs at least \(minimum)"
        }
    }
}
