public import Rooms

/// A role in a template, in the REST API and in `on-policy-change` (`docs/PROTOCOL.md` section 7).
/// Every field but the name may be missing; by default the role publishes nothing, subscribes to
/// nothing and has no permissions.
extension Role: Codable {
    private enum CodingKeys: String, CodingKey {
        case name, priority, isHidden, publishParams, subscribeParams, permissions, maxPeerCount
    }

    public init(from decoder: any Decoder) throws {
        try self.init(unnamed: decoder)
        name = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
    }

    /// Reads everything but the name, which is the role's key in a template.
    public init(unnamed decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            name: "",
            priority: try values.decodeIfPresent(Int.self, forKey: .priority) ?? 5,
            isHidden: try values.decodeIfPresent(Bool.self, forKey: .isHidden) ?? false,
            publishParams: try values.decodeIfPresent(
                PublishParameters.self, forKey: .publishParams) ?? PublishParameters(),
            subscribeParams: try values.decodeIfPresent(
                SubscribeParameters.self, forKey: .subscribeParams) ?? SubscribeParameters(),
            permissions: try values.decodeIfPresent(Permissions.self, forKey: .permissions)
                ?? Permissions(),
            maxPeerCount: try values.decodeIfPresent(Int.self, forKey: .maxPeerCount) ?? 0)
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

extension SubscribeParameters: Codable {
    private enum CodingKeys: String, CodingKey {
        case subscribeToRoles, maxSubsBitRate, subscribeDegradation
    }

    public init(from decoder: any Decoder) throws {
        self.init()
        let values = try decoder.container(keyedBy: CodingKeys.self)
        subscribeToRoles =
            try values.decodeIfPresent([String].self, forKey: .subscribeToRoles) ?? []
        maxSubsBitRate =
            try values.decodeIfPresent(Int.self, forKey: .maxSubsBitRate) ?? maxSubsBitRate
        subscribeDegradation = try values.decodeIfPresent(
            SubscribeDegradation.self, forKey: .subscribeDegradation)
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(subscribeToRoles, forKey: .subscribeToRoles)
        try values.encode(maxSubsBitRate, forKey: .maxSubsBitRate)
        try values.encodeIfPresent(subscribeDegradation, forKey: .subscribeDegradation)
    }
}

extension SubscribeDegradation: Codable {
    private enum CodingKeys: String, CodingKey {
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

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(packetLossThreshold, forKey: .packetLossThreshold)
        try values.encode(degradeGracePeriodSeconds, forKey: .degradeGracePeriodSeconds)
        try values.encode(recoverGracePeriodSeconds, forKey: .recoverGracePeriodSeconds)
    }
}

/// `broadcast`, the right to send messages, is Roomcast's own: every role has it unless a template
/// denies it.
extension Permissions: Codable {
    private enum CodingKeys: String, CodingKey {
        case endRoom, removeOthers, mute, unmute, changeRole, hlsStreaming, rtmpStreaming
        case browserRecording, sendRoomState, pollRead, pollWrite, broadcast
    }

    /// In the order in which they are written.
    private static let fields: [(CodingKeys, any WritableKeyPath<Permissions, Bool> & Sendable)] = [
        (.endRoom, \.endRoom), (.removeOthers, \.removeOthers), (.mute, \.mute),
        (.unmute, \.unmute), (.changeRole, \.changeRole), (.hlsStreaming, \.hlsStreaming),
        (.rtmpStreaming, \.rtmpStreaming), (.browserRecording, \.browserRecording),
        (.sendRoomState, \.sendRoomState), (.pollRead, \.pollRead), (.pollWrite, \.pollWrite),
        (.broadcast, \.broadcast),
    ]

    public init(from decoder: any Decoder) throws {
        self.init()
        let values = try decoder.container(keyedBy: CodingKeys.self)
        for (key, field) in Self.fields {
            if let flag = try values.decodeIfPresent(Bool.self, forKey: key) {
                self[keyPath: field] = flag
            }
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        for (key, field) in Self.fields { try values.encode(self[keyPath: field], forKey: key) }
    }
}
