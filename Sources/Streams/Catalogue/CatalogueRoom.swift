public import MediaKernel

/// A room, created by the control API or by its first join. Only the catalogue records it.
public struct CatalogueRoom: Hashable, Sendable {
    public var id: RoomID
    /// ASCII characters. Unique among all rooms, regardless of case.
    public var name: String
    public var description: String
    /// Whether peers may join.
    public var isEnabled: Bool
    /// The most visible peers at once; 0 for the general limit on rooms.
    public var size: Int
    /// Whether the room is meant for more peers than lists can handle.
    public var isLarge: Bool
    /// The maximal duration of a session; nil for no limit.
    public var durationMaximum: Duration?
    /// The template of the room's policy; nil for the policy file.
    public var template: String?
    /// Nil for the webhook of all rooms.
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

/// The result of creating or changing a room.
public enum RoomUpdate: Hashable, Sendable {
    /// The updated room.
    case updated(CatalogueRoom)
    case unknown
    /// Another room has the name.
    case nameTaken(by: RoomID)
    /// The change itself refused; the room is unchanged.
    case refused
}

/// A filter and a page of the rooms. Nil fields match everything.
public struct RoomQuery: Hashable, Sendable {
    public enum Template: Hashable, Sendable {
        /// The template of the policy file.
        case standard
        case written(String)
    }

    /// In any case.
    public var name: String?
    public var isEnabled: Bool?
    public var template: Template?
    /// The times of creation, both ends included.
    public var createdFrom: UnixTime?
    public var createdTo: UnixTime?
    /// The last id of the previous page.
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
