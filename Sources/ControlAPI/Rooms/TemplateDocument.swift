public import MediaKernel

/// What a template holds, as 100ms writes it: roles, settings and destinations by their names. What
/// is not known here is kept and returned.
public struct TemplateDocument: Hashable, Sendable, Codable {
    public typealias Object = [String: JSONValue]

    public var roles: Object
    public var settings: Object
    public var destinations: Object

    public init(roles: Object, settings: Object = [:], destinations: Object = [:]) {
        self.roles = roles
        self.settings = settings
        self.destinations = destinations
    }
}
