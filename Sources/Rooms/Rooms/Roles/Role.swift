/// What peers of one kind may publish, see and do. 100ms: a role of a template.
///
/// The coding keys are 100ms' own (`docs/PROTOCOL.md` section 7), so that a template exported there
/// is a valid policy file. Every field but the name may be missing; by default the role publishes
/// nothing, subscribes to nothing and has no permissions.
public struct Role: Hashable, Sendable, Codable {
    public var name: String
    /// 1 (highest) to 5.
    public var priority: Int
    /// Such a peer is not in any list, count or event, and may not publish.
    public var isHidden: Bool
    public var publishParams: PublishParameters
    public var subscribeParams: SubscribeParameters
    public var permissions: Permissions
    /// The most peers of this role in the room: 0 for any number, -1 for none.
    public var maxPeerCount: Int

    public init(
        name: String, priority: Int = 5, isHidden: Bool = false,
        publishParams: PublishParameters = PublishParameters(),
        subscribeParams: SubscribeParameters = SubscribeParameters(),
        permissions: Permissions = Permissions(), maxPeerCount: Int = 0
    ) {
        self.name = name
        self.priority = priority
        self.isHidden = isHidden
        self.publishParams = publishParams
        self.subscribeParams = subscribeParams
        self.permissions = permissions
        self.maxPeerCount = maxPeerCount
    }

    enum CodingKeys: String, CodingKey {
        case name, priority, isHidden, publishParams, subscribeParams, permissions, maxPeerCount
    }

    public init(from decoder: any Decoder) throws {
        try self.init(unnamed: decoder)
        name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
    }

    /// Reads everything but the name, which is the role's key in a template.
    public init(unnamed decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        name = ""
        priority = try values.decodeIfPresent(Int.self, forKey: .priority) ?? 5
        isHidden = try values.decodeIfPresent(Bool.self, forKey: .isHidden) ?? false
        publishParams =
            try values.decodeIfPresent(PublishParameters.self, forKey: .publishParams)
            ?? PublishParameters()
        subscribeParams =
            try values.decodeIfPresent(SubscribeParameters.self, forKey: .subscribeParams)
            ?? SubscribeParameters()
        permissions =
            try values.decodeIfPresent(Permissions.self, forKey: .permissions) ?? Permissions()
        maxPeerCount = try values.decodeIfPresent(Int.self, forKey: .maxPeerCount) ?? 0
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(name, forKey: .name)
        try values.encode(priority, forKey: .priority)
        // A hidden role is never shown to others, and 100ms has no such field: it is written only
        // if it is true.
        if isHidden { try values.encode(isHidden, forKey: .isHidden) }
        try values.encode(publishParams, forKey: .publishParams)
        try values.encode(subscribeParams, forKey: .subscribeParams)
        try values.encode(permissions, forKey: .permissions)
        try values.encode(maxPeerCount, forKey: .maxPeerCount)
    }
}

/// The roles whose tracks a peer receives.
public struct SubscribeParameters: Hashable, Sendable, Codable {
    /// Means every role that is not hidden.
    public static let everyRole = "*"

    public var subscribeToRoles: [String]
    /// In kbit/s: of all audio and video that the peer receives. Ignored for a hidden role.
    public var maxSubsBitRate: Int
    public var subscribeDegradation: SubscribeDegradation?

    public init(
        subscribeToRoles: [String] = [], maxSubsBitRate: Int = 3200,
        subscribeDegradation: SubscribeDegradation? = nil
    ) {
        self.subscribeToRoles = subscribeToRoles
        self.maxSubsBitRate = maxSubsBitRate
        self.subscribeDegradation = subscribeDegradation
    }

    enum CodingKeys: String, CodingKey {
        case subscribeToRoles, maxSubsBitRate, subscribeDegradation
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        subscribeToRoles =
            try values.decodeIfPresent([String].self, forKey: .subscribeToRoles) ?? []
        maxSubsBitRate = try values.decodeIfPresent(Int.self, forKey: .maxSubsBitRate) ?? 3200
        subscribeDegradation = try values.decodeIfPresent(
            SubscribeDegradation.self, forKey: .subscribeDegradation)
    }
}

/// When a peer stops receiving videos, the least important first, because of packet loss.
public struct SubscribeDegradation: Hashable, Sendable, Codable {
    /// In per cent.
    public var packetLossThreshold: Int
    public var degradeGracePeriodSeconds: Int
    public var recoverGracePeriodSeconds: Int

    /// 100ms' defaults.
    public init(
        packetLossThreshold: Int = 50, degradeGracePeriodSeconds: Int = 1,
        recoverGracePeriodSeconds: Int = 4
    ) {
        self.packetLossThreshold = packetLossThreshold
        self.degradeGracePeriodSeconds = degradeGracePeriodSeconds
        self.recoverGracePeriodSeconds = recoverGracePeriodSeconds
    }

    enum CodingKeys: String, CodingKey {
        case packetLossThreshold, degradeGracePeriodSeconds, recoverGracePeriodSeconds
    }

    public init(from decoder: any Decoder) throws {
        self.init()
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func number(_ key: CodingKeys, default missing: Int) throws -> Int {
            try values.decodeIfPresent(Int.self, forKey: key) ?? missing
        }
        packetLossThreshold = try number(.packetLossThreshold, default: packetLossThreshold)
        degradeGracePeriodSeconds = try number(
            .degradeGracePeriodSeconds, default: degradeGracePeriodSeconds)
        recoverGracePeriodSeconds = try number(
            .recoverGracePeriodSeconds, default: recoverGracePeriodSeconds)
    }
}
