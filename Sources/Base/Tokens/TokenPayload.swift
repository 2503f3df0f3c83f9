/// The token's claims, all optional: a missing one is named in the error instead of failing the
/// whole decoding.
///
/// 100ms issues `access_key`, `type`, `version`, `iat`, `nbf`, `exp` and `jti` in every token, and
/// `room_id`, `user_id` and `role` in room tokens. Times are whole seconds since 1970. `app_id` and
/// `customer_id` are optional.
struct TokenPayload: Codable {
    var accessKey: String?
    var roomID: String?
    var userID: String?
    var role: String?
    var type: String?
    var version: Int?
    var issuedAt: Double?
    var notBefore: Double?
    var expiresAt: Double?
    var tokenID: String?
    var appID: String?
    var customerID: String?

    enum CodingKeys: String, CodingKey {
        case accessKey = "access_key"
        case roomID = "room_id"
        case userID = "user_id"
        case role
        case type
        case version
        case issuedAt = "iat"
        case notBefore = "nbf"
        case expiresAt = "exp"
        case tokenID = "jti"
        case appID = "app_id"
        case customerID = "customer_id"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(accessKey, forKey: .accessKey)
        try container.encodeIfPresent(roomID, forKey: .roomID)
        try container.encodeIfPresent(userID, forKey: .userID)
        try container.encodeIfPresent(role, forKey: .role)
        try container.encodeIfPresent(type, forKey: .type)
        try container.encodeIfPresent(version, forKey: .version)
        // As integers: some clients refuse a fraction in a NumericDate.
        try container.encodeIfPresent(issuedAt.map { Int64($0) }, forKey: .issuedAt)
        try container.encodeIfPresent(notBefore.map { Int64($0) }, forKey: .notBefore)
        try container.encodeIfPresent(expiresAt.map { Int64($0) }, forKey: .expiresAt)
        try container.encodeIfPresent(tokenID, forKey: .tokenID)
    }
}
