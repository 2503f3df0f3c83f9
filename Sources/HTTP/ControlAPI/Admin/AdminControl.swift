public import Tokens

/// What the operator's page knows of the server beside the control API. `Service` implements it.
public protocol AdminControl: Sendable {
    /// Read anew each time: it may be changed while the server runs.
    func password() async -> AdminPassword

    /// The settings in force, in the order of the documents.
    var settings: [SettingInForce] { get }

    var log: LogRing { get }

    /// The streams that have not ended, and the latest that have, oldest first.
    func streams() async -> [WatchedStream]

    func machine() async -> MachineFigures
}

/// The operator's password as kept.
public enum AdminPassword: Hashable, Sendable {
    case set(PasswordHash)
    case notSet
    /// The file is there, but has none or cannot be read.
    case unusable
}

/// One setting with its value and where that comes from.
public struct SettingInForce: Hashable, Sendable, Encodable {
    public var name: String
    /// As given, or the default in words; nil for a secret.
    public var value: String?
    /// Nil for the default.
    public var origin: String?

    public init(name: String, value: String?, origin: String?) {
        self.name = name
        self.value = value
        self.origin = origin
    }

    enum CodingKeys: String, CodingKey { case name, value, origin }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try container.encode(value, forKey: .value)
        try container.encode(origin, forKey: .origin)
    }
}
