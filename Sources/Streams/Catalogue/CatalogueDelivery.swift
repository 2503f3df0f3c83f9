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

    /// What is kept of a delivery that has ended, and what it is worth while it waits. An event that
    /// finds no space takes that of lesser ones.
    public enum Keeping: Int, Hashable, Sendable, Comparable {
        /// Nothing: an event of which there may be any number.
        case minor
        /// Nothing.
        case major
        /// The id, for an event that is derived from a record again and again, and told once.
        case identity
        /// Everything, for a while. Such an event always finds space.
        case history

        public static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    /// In bytes: the events of one room that wait for one receiver of its own name.
    public static let backlogMaximum = 8 << 20
    /// What a row costs besides its body.
    static let rowBytes = 512

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
    public var keeping: Keeping
    public var createdAt: UnixTime
    public var status: Status
    /// The number of failed attempts.
    public var attempts: Int
    public var dueAt: UnixTime

    public init(
        id: String, line: String, room: RoomID, kind: String, isTerminal: Bool = false,
        receiver: String? = nil, keeping: Keeping = .history, body: [UInt8], createdAt: UnixTime
    ) {
        self.id = id
        self.line = line
        self.room = room
        self.kind = kind
        self.isTerminal = isTerminal
        self.body = body
        self.receiver = receiver
        self.keeping = keeping
        self.createdAt = createdAt
        status = .pending
        attempts = 0
        dueAt = createdAt
    }
}
