/// Which roles a stream's sound has, and whether it has a picture: `audio` of a start request.
public struct LiveStreamAudio: Hashable, Sendable, Codable {
    /// The policy's roles that are heard; nil for everybody.
    public var roles: [String]?
    /// Sound without a picture.
    public var only: Bool

    public init(roles: [String]? = nil, only: Bool = false) {
        self.roles = roles
        self.only = only
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        roles = try container.decodeIfPresent([String].self, forKey: .roles)
        only = try container.decodeIfPresent(Bool.self, forKey: .only) ?? false
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(roles, forKey: .roles)
        try container.encode(only, forKey: .only)
    }

    public enum CodingKeys: String, CodingKey, CaseIterable { case roles, only }
}
