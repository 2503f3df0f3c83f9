import Digests
public import MediaKernel
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Makes and verifies Roomcast's three kinds of token: room tokens, with which clients join,
/// management tokens, with which servers call the control API, and tokens of people who may look at
/// recordings and nothing else. All are JWTs (RFC 7519) signed with HS256, with the claims that
/// 100ms uses.
///
/// Verification never trusts the token's own `alg`: anything but HS256, including `none`, is
/// refused before the signature is checked.
///
/// Copies share the key, so that it can be replaced for all who hold one.
public struct TokenAuthority: Sendable {
    /// Longer tokens are refused unread. Roomcast's own are below 600 bytes, and below 6000 with
    /// the longest claims and only escaped characters.
    public static let tokenBytesMaximum = 8192
    /// How far ahead a caller's clock may be: `nbf` is accepted that much too early.
    public static let clockSkew: Duration = .seconds(60)
    /// 100ms' limit for the life of a room token.
    public static let lifetimeMaximum: Duration = .seconds(90 * 86_400)
    /// The most bytes of room ids, user ids, role names and the token's own id in a token.
    public static let claimBytesMaximum = 255

    private let held: HeldKey

    public var accessKey: String { held.current.accessKey }

    /// RFC 7518 sect. 3.2: a key of at least the size of the hash.
    public static let secretBytesMinimum = 32

    /// - Parameter secret: the shared HS256 key, used as its UTF-8 bytes as 100ms does.
    public init(accessKey: String, secret: String) throws(TokenKeyError) {
        held = HeldKey(try Key(accessKey: accessKey, secret: secret))
    }

    /// Signs and verifies with another key from now on. Tokens of the old one are refused.
    public func replaceKey(accessKey: String, secret: String) throws(TokenKeyError) {
        held.replace(with: try Key(accessKey: accessKey, secret: secret))
    }

    public func makeRoomToken(
        room: RoomID, user: String, role: String, at now: UnixTime,
        lifetime: Duration = .seconds(86_400)
    ) throws -> String {
        let key = held.current
        var payload = basePayload(of: key, type: .app, at: now, lifetime: lifetime)
        payload.roomID = room.rawValue
        payload.userID = user
        payload.role = role
        return try sign(payload, with: key)
    }

    public func makeManagementToken(
        at now: UnixTime, lifetime: Duration = .seconds(86_400)
    ) throws -> String {
        try makeToken(type: .management, at: now, lifetime: lifetime)
    }

    /// A token for looking at recordings only. Its type is its own, so that whoever knows management
    /// tokens only refuses it.
    public func makeRecordingsToken(
        at now: UnixTime, lifetime: Duration = .seconds(86_400)
    ) throws -> String {
        try makeToken(type: .recordings, at: now, lifetime: lifetime)
    }

    private func makeToken(
        type: TokenType, at now: UnixTime, lifetime: Duration
    ) throws -> String {
        let key = held.current
        return try sign(basePayload(of: key, type: type, at: now, lifetime: lifetime), with: key)
    }

    /// - Parameter isStillGood: whether an otherwise valid token that has expired is accepted all
    ///   the same.
    public func verifyRoomToken(
        _ token: String, at now: UnixTime,
        orExpired isStillGood: (RoomTokenClaims) async -> Bool = { _ in false }
    ) async throws(TokenError) -> RoomTokenClaims {
        let payload = try verify(token, type: .app, at: now)
        // An account has one application here, and both have the access key as their name.
        for (owner, name) in [(payload.appID, "app_id"), (payload.customerID, "customer_id")] {
            guard owner == nil || owner == payload.accessKey else { throw .claimInvalid(name) }
        }
        // A token without an id is identified by its signature.
        let tokenID = payload.tokenID ?? token.split(separator: ".").last.map(String.init) ?? ""
        guard tokenID.utf8.count <= Self.claimBytesMaximum else { throw .claimInvalid("jti") }
        let room = try Self.text(payload.roomID, "room_id")
        guard RoomID.isValid(room) else { throw .claimInvalid("room_id") }
        let claims = RoomTokenClaims(
            room: RoomID(room),
            // 100ms' server SDKs omit the claim if their caller names no user.
            user: try Self.text(payload.userID ?? payload.tokenID, "user_id"),
            role: try Self.text(payload.role, "role"),
            issuedAt: Self.timestamp(payload.issuedAt) ?? now,
            expiresAt: Self.timestamp(payload.expiresAt) ?? now, tokenID: tokenID)
        guard claims.isExpired(at: now) else { return claims }
        guard await isStillGood(claims) else { throw .expired(at: claims.expiresAt) }
        return claims
    }

    public func verifyManagementToken(
        _ token: String, at now: UnixTime
    ) throws(TokenError) -> ManagementTokenClaims {
        try verify(token, asManagement: .management, at: now)
    }

    /// - Throws: also for a management token, which has its own check.
    public func verifyRecordingsToken(
        _ token: String, at now: UnixTime
    ) throws(TokenError) -> ManagementTokenClaims {
        try verify(token, asManagement: .recordings, at: now)
    }

    private func verify(
        _ token: String, asManagement type: TokenType, at now: UnixTime
    ) throws(TokenError) -> ManagementTokenClaims {
        let payload = try verify(token, type: type, at: now)
        let claims = ManagementTokenClaims(
            issuedAt: Self.timestamp(payload.issuedAt) ?? now,
            expiresAt: Self.timestamp(payload.expiresAt) ?? now,
            tokenID: payload.tokenID ?? "")
        guard now < claims.expiresAt else { throw .expired(at: claims.expiresAt) }
        return claims
    }

    private enum TokenType: String { case app, management, recordings }

    private func basePayload(
        of key: Key, type: TokenType, at now: UnixTime, lifetime: Duration
    ) -> TokenPayload {
        let issued = Double(now.seconds)
        let life = min(max(lifetime, .seconds(1)), Self.lifetimeMaximum)
        return TokenPayload(
            accessKey: key.accessKey, type: type.rawValue, version: 2, issuedAt: issued,
            notBefore: issued, expiresAt: issued + life.inSeconds.rounded(.up),
            tokenID: UUID().uuidString.lowercased())
    }

    /// RFC 7515 sect. 7.1.
    private func sign(_ payload: TokenPayload, with key: Key) throws -> String {
        let header = Base64URL.text(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8))
        let signed = try "\(header).\(Base64URL.text(TokenJSON.encode(payload)))"
        return "\(signed).\(Base64URL.text(key.code.code(of: Array(signed.utf8))))"
    }

    /// Form, algorithm and signature first; an unsigned payload's errors are not worth reporting.
    private func verify(
        _ token: String, type: TokenType, at now: UnixTime
    ) throws(TokenError) -> TokenPayload {
        guard !token.isEmpty else { throw .missing }
        guard token.utf8.count <= Self.tokenBytesMaximum else {
            throw .malformed("longer than \(Self.tokenBytesMaximum) bytes")
        }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .malformed("it has \(parts.count) parts, not 3") }
        guard let bytes = Base64URL.bytes(parts[0]),
            let header = try? JSONDocument.decode(Header.self, from: bytes)
        else { throw .malformed("the header is not base64url of a JSON object") }
        guard header.alg == "HS256" else {
            throw .algorithmNotAllowed(String((header.alg ?? "(absent)").prefix(16)))
        }
        // RFC 7515 sect. 4.1.11.
        guard header.crit == nil else {
            throw .malformed("its header has crit, which names nothing known")
        }
        let key = held.current
        guard let signature = Base64URL.bytes(parts[2]),
            key.code.isValid(signature, of: Array("\(parts[0]).\(parts[1])".utf8))
        else { throw .signatureInvalid }
        guard let bytes = Base64URL.bytes(parts[1]),
            let payload = try? JSONDocument.decode(TokenPayload.self, from: bytes)
        else {
            throw .malformed("the payload is not a JSON object with claims of the right types")
        }
        try check(payload, of: key.accessKey, type: type, at: now)
        return payload
    }

    private func check(
        _ payload: TokenPayload, of accessKey: String, type: TokenType, at now: UnixTime
    ) throws(TokenError) {
        guard let key = payload.accessKey else { throw .claimMissing("access_key") }
        guard key == accessKey else { throw .wrongAccessKey }
        guard let found = payload.type else { throw .claimMissing("type") }
        guard found == type.rawValue else {
            throw .wrongType(found: String(found.prefix(32)), expected: type.rawValue)
        }
        guard let version = payload.version else { throw .claimMissing("version") }
        guard version == 2 else { throw .wrongVersion(version) }
        guard payload.expiresAt != nil else { throw .claimMissing("exp") }
        guard Self.timestamp(payload.expiresAt) != nil else { throw .claimInvalid("exp") }
        if payload.notBefore != nil {
            guard let start = Self.timestamp(payload.notBefore) else { throw .claimInvalid("nbf") }
            guard start <= now + Self.clockSkew else { throw .notYetValid(from: start) }
        }
    }

    private struct Header: Decodable {
        var alg: String?
        /// The extensions that a verifier must understand.
        var crit: OpaqueJSON?
    }

    private static func text(_ value: String?, _ name: String) throws(TokenError) -> String {
        guard let value else { throw .claimMissing(name) }
        guard !value.isEmpty, value.utf8.count <= claimBytesMaximum else {
            throw .claimInvalid(name)
        }
        return value
    }

    /// Nil for a time beyond any calendar, so that arithmetic on a forged number cannot overflow.
    private static func timestamp(_ seconds: Double?) -> UnixTime? {
        guard let seconds, seconds >= 0, seconds < 9e9 else { return nil }
        return UnixTime(nanoseconds: Int64(seconds * 1e9))
    }
}

/// The account's name, and what signs its tokens.
private struct Key: Sendable {
    let accessKey: String
    let code: MACKey

    init(accessKey: String, secret: String) throws(TokenKeyError) {
        guard !accessKey.isEmpty else { throw .accessKeyEmpty }
        guard secret.utf8.count >= TokenAuthority.secretBytesMinimum else {
            throw .secretTooShort(
                byteCount: secret.utf8.count, minimum: TokenAuthority.secretBytesMinimum)
        }
        self.accessKey = accessKey
        code = MACKey(Array(secret.utf8))
    }
}

/// The key that all copies of an authority use.
private final class HeldKey: Sendable {
    private let key: Mutex<Key>

    init(_ key: Key) { self.key = Mutex(key) }

    var current: Key { key.withLock { $0 } }

    func replace(with key: Key) { self.key.withLock { $0 = key } }
}
