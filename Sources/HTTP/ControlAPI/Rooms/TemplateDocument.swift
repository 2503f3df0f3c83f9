public import MediaKernel

/// The content of a template in 100ms' form: roles, settings and destinations by their names.
/// Unknown fields are kept and returned.
public struct TemplateDocument: Hashable, Sendable, Codable {
    public typealias Object = [String: JSONValue]

    public var roles: Object
    public var settings: Object
    public var destinations: Object
    /// All other fields, such as 100ms' `plugins`.
    public var others: Object

    public init(
        roles: Object, settings: Object = [:], destinations: Object = [:], others: Object = [:]
    ) {
        self.roles = roles
        self.settings = settings
        self.destinations = destinations
        self.others = others
    }

    /// 100ms' `recordings`: nil or null without any.
    public var recordings: JSONValue? {
        get { others[Self.recordingsName] }
        set { others[Self.recordingsName] = newValue }
    }

    private static let recordingsName = "recordings"

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case roles, settings, destinations
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        roles = try container.decode(Object.self, forKey: .roles)
        settings = try container.decode(Object.self, forKey: .settings)
        destinations = try container.decode(Object.self, forKey: .destinations)
        let known = Set(CodingKeys.allCases.map(\.rawValue))
        others = try Object(from: decoder).filter { !known.contains($0.key) }
    }

    public func encode(to encoder: any Encoder) throws {
        let own: Object = [
            "roles": .object(roles), "settings": .object(settings),
            "destinations": .object(destinations),
        ]
        try others.merging(own) { _, own in own }.encode(to: encoder)
    }
}
