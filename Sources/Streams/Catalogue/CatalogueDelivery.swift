public import MediaKernel

/// A webhook event to deliver, or the result of its delivery.
public struct CatalogueDelivery: Hashable, Sendable {
    public enum Status: String, Hashable, Sendable, CaseIterable {
        case pending, delivered
        /// Given up after a day.
        case failed
        /// Held until all assets of the event are in the store.
        case held
    }

    /// The event's id.
    public var id: String
    /// The id of the stream or room whose events stay in order.
    public var line: String
    public var room: RoomID
    /// 100ms' name of the event.
    public var kind: String
    /// Whether the event reports the end of the line's stream; there is only one such event.
    public var isTerminal: Bool
    public var body: [UInt8]
    /// The receiver's name; nil for that of 100ms' events: the room's own, or else the general one.
    public var receiver: String?
    public var createdAt: UnixTime
    public var status: Status
    /// The number of failed attempts.
    public var attempts: Int
    public var dueAt: UnixTime

    public init(
        id: String, line: String, room: RoomID, kind: String, isTerminal: Bool = false,
        receiver: String? = nil, body: [UInt8], createdAt: UnixTime
    ) {
        self.id = id
        self.line = line
        self.room = room
        self.kind = kind
        self.isTerminal = isTerminal
        self.body = body
        self.receiver = receiver
        self.createdAt = createdAt
        status = .pending
        attempts = 0
        dueAt = createdAt
    }
}
