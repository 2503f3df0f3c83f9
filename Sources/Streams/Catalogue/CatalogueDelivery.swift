public import MediaKernel

/// A webhook event on its way to its receiver, or how that went.
public struct CatalogueDelivery: Hashable, Sendable {
    public enum Status: String, Hashable, Sendable, CaseIterable {
        case pending, delivered
        /// A day was over.
        case failed
        /// It is told when all that it tells of lies in the store.
        case held
    }

    /// The event's id.
    public var id: String
    /// What keeps its order: a stream's or a room's id.
    public var line: String
    public var room: RoomID
    /// 100ms' name of the event.
    public var kind: String
    /// It tells the end of its line's stream: of those there is one.
    public var isTerminal: Bool
    public var body: [UInt8]
    public var createdAt: UnixTime
    public var status: Status
    /// Attempts that failed.
    public var attempts: Int
    public var dueAt: UnixTime

    public init(
        id: String, line: String, room: RoomID, kind: String, isTerminal: Bool = false,
        body: [UInt8], createdAt: UnixTime
    ) {
        self.id = id
        self.line = line
        self.room = room
        self.kind = kind
        self.isTerminal = isTerminal
        self.body = body
        self.createdAt = createdAt
        status = .pending
        attempts = 0
        dueAt = createdAt
    }
}
