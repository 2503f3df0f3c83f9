public import MediaKernel

/// A room as the control API made it, or its first join. It is written down here and nowhere else.
public struct CatalogueRoom: Hashable, Sendable {
    public var id: RoomID
    /// Of ASCII characters. No two rooms have the same one, in whichever case.
    public var name: String
    public var description: String
    /// Whether peers may join.
    public var isEnabled: Bool
    /// How many visible peers may be in it at once; 0 for as many as any room may have.
    public var size: Int
    /// Meant for more peers than lists are made for.
    public var isLarge: Bool
    /// Of one session; nil for any.
    public var durationMaximum: Duration?
    /// The template of its policy; nil for that of the policy file.
    public var template: String?
    /// Nil for that of all rooms.
    public var webhook: RoomWebhook?
    public var createdAt: UnixTime
    public var updatedAt: UnixTime

    public init(
        id: RoomID, name: String, description: String = "", isEnabled: Bool = true, size: Int = 0,
        isLarge: Bool = false, durationMaximum: Duration? = nil, template: String? = nil,
        webhook: RoomWebhook? = nil, createdAt: UnixTime
    ) {
        self.id = id
        self.name = name
        self.description = description
        self.isEnabled = isEnabled
        self.size = size
        self.isLarge = isLarge
        self.durationMaximum = durationMaximum
        self.template = template
        self.webhook = webhook
        self.createdAt = createdAt
        updatedAt = createdAt
    }
}

/// What became of an attempt to make or change a room.
public enum RoomUpdate: Hashable, Sendable {
    /// As it is now.
    case updated(CatalogueRoom)
    case unknown
    /// Another room has the name.
    case nameTaken(by: RoomID)
    /// The change itself refused, with the room as it was.
    case refused
}

/// A filter and a page of the rooms. Nil fields match everything.
public struct RoomQuery: Hashable, Sendable {
    public enum Template: Hashable, Sendable {
        /// That of the policy file.
        case standard
        case written(String)
    }

    /// In whichever case.
    public var name: String?
    public var isEnabled: Bool?
    public var template: Template?
    /// When rooms were made, both ends included.
    public var createdFrom: UnixTime?
    public var createdTo: UnixTime?
    /// The id that ended the page before this one.
    public var start: String?
    public var limit: Int

    public init(
        name: String? = nil, isEnabled: Bool? = nil, template: Template? = nil,
        createdFrom: UnixTime? = nil, createdTo: UnixTime? = nil, start: String? = nil,
        limit: Int = 10
    ) {
        self.name = name
        self.isEnabled = isEnabled
        self.template = template
        self.createdFrom = createdFrom
        self.createdTo = createdTo
        self.start = start
        self.limit = PageLimit.clamped(limit)
    }
}
