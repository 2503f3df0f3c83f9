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
    private static let fields: [TemplateField<Self>] = [
        TemplateField("subscribeToRoles", always: \.subscribeToRoles),
        TemplateField("maxSubsBitRate", always: \.maxSubsBitRate),
        TemplateField("subscribeDegradation", \.subscribeDegradation),
    ]

    public init(from decoder: any Decoder) throws {
        self.init()
        try decoder.read(Self.fields, into: &self)
    }

    public func encode(to encoder: any Encoder) throws { try encoder.write(Self.fields, of: self) }
}

extension SubscribeDegradation: Codable {
    private static let fields: [TemplateField<Self>] = [
        TemplateField("packetLossThreshold", always: \.packetLossThreshold),
        TemplateField("degradeGracePeriodSeconds", always: \.degradeGracePeriodSeconds),
        TemplateField("recoverGracePeriodSeconds", always: \.recoverGracePeriodSeconds),
    ]

    public init(from decoder: any Decoder) throws {
        self.init()
        try decoder.read(Self.fields, into: &self)
    }

    public func encode(to encoder: any Encoder) throws { try encoder.write(Self.fields, of: self) }
}

/// `broadcast`, the right to send messages, is Roomcast's own: every role has it unless a template
/// denies it.
extension Permissions: Codable {
    private static let fields: [TemplateField<Self>] = [
        TemplateField("endRoom", always: \.endRoom),
        TemplateField("removeOthers", always: \.removeOthers),
        TemplateField("mute", always: \.mute),
        TemplateField("unmute", always: \.unmute),
        TemplateField("changeRole", always: \.changeRole),
        TemplateField("hlsStreaming", always: \.hlsStreaming),
        TemplateField("rtmpStreaming", always: \.rtmpStreaming),
        TemplateField("browserRecording", always: \.browserRecording),
        TemplateField("sendRoomState", always: \.sendRoomState),
        TemplateField("pollRead", always: \.pollRead),
        TemplateField("pollWrite", always: \.pollWrite),
        TemplateField("broadcast", always: \.broadcast),
    ]

    public init(from decoder: any Decoder) throws {
        self.init()
        try decoder.read(Self.fields, into: &self)
    }

    public func encode(to encoder: any Encoder) throws { try encoder.write(Self.fields, of: self) }
}
