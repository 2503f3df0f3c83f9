public import Tokens

/// What the operator's page knows of the server beside the control API. `Service` implements it.
public protocol AdminControl: Sendable {
    /// Read anew each time: it may be changed while the server runs.
    func password() async -> AdminPassword

    var settings: SettingsShown { get }

    var log: LogRing { get }

    /// The streams that have not ended, and the latest that have, oldest first.
    func streams() async -> [WatchedStream]

    func machine() async -> MachineFigures

    /// Nil without an object store.
    ///
    /// - Throws: `CatalogueError`.
    func uploads() async throws -> WatchedUploads?
}

/// The operator's password as kept.
public enum AdminPassword: Hashable, Sendable {
    case set(PasswordHash)
    case notSet
    /// The file is there, but has none or cannot be read.
    case unusable
}

/// What the operator is shown of the settings.
public struct SettingsShown: Hashable, Sendable, Encodable {
    /// In the order of the documents.
    public var data: [SettingInForce]
    /// Why the settings as they are given now were not taken; nil if they were.
    public var fault: String?

    public init(data: [SettingInForce] = [], fault: String? = nil) {
        self.data = data
        self.fault = fault
    }

    enum CodingKeys: String, CodingKey { case data, fault }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(data, forKey: .data)
        try container.encode(fault, forKey: .fault)
    }
}

/// One setting with its value and where that comes from.
public struct SettingInForce: Hashable, Sendable, Encodable {
    /// A value as given, or the default in words, and its place.
    public struct Given: Hashable, Sendable {
        /// Nil for a secret.
        public var value: String?
        /// Nil for the default.
        public var origin: String?

        public init(value: String?, origin: String?) {
            self.value = value
            self.origin = origin
        }
    }

    public var name: String
    public var given: Given
    /// What is given now, if it takes effect only when the server is started again.
    public var afterRestart: Given?

    public init(name: String, value: String?, origin: String?, afterRestart: Given? = nil) {
        self.name = name
        given = Given(value: value, origin: origin)
        self.afterRestart = afterRestart
    }

    enum CodingKeys: String, CodingKey {
        case name
        case afterRestart = "after_restart"
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(name, forKey: .name)
        try given.encode(to: encoder)
        try container.encode(afterRestart, forKey: .afterRestart)
    }
}

extension SettingInForce.Given: Encodable {
    enum CodingKeys: String, CodingKey { case value, origin }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(value, forKey: .value)
        try container.encode(origin, forKey: .origin)
    }
}
