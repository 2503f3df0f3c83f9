public import MediaKernel
public import Streams

/// A filter and a page. Nil fields match everything.
public struct CatalogueQuery<Status: Hashable & Sendable>: Hashable, Sendable {
    public var room: RoomID?
    public var session: SessionID?
    public var stream: StreamID?
    public var status: Status?
    /// Only streams that are recorded; of no meaning for assets.
    public var isRecorded = false
    /// Only streams of this kind; of no meaning for assets.
    public var kind: LiveStream.Kind?
    /// The id that ended the page before this one.
    public var start: String?
    public var limit: Int

    public init(
        room: RoomID? = nil, session: SessionID? = nil, stream: StreamID? = nil,
        status: Status? = nil, start: String? = nil, limit: Int = 10
    ) {
        self.room = room
        self.session = session
        self.stream = stream
        self.status = status
        self.start = start
        self.limit = PageLimit.clamped(limit)
    }
}

/// Which of a room's events are wanted, and a page of them. Nil fields match everything.
public struct EventQuery: Hashable, Sendable {
    public static let limits = 1...100

    public var room: RoomID
    /// Empty for all.
    public var kinds: [String] = []
    /// Fields of an event's data with their values.
    public var fields: [String: String] = [:]
    /// The id that ended the page before this one.
    public var start: String?
    public var limit: Int

    public init(room: RoomID, limit: Int = 10) {
        self.room = room
        self.limit = min(max(limit, Self.limits.lowerBound), Self.limits.upperBound)
    }
}

/// A filter and a page of the history. Nil fields match everything.
public struct DeliveryQuery: Hashable, Sendable {
    public var room: RoomID?
    public var line: String?
    public var status: CatalogueDelivery.Status?
    /// The id that ended the page before this one.
    public var start: String?
    public var limit: Int

    public init(
        room: RoomID? = nil, line: String? = nil, status: CatalogueDelivery.Status? = nil,
        start: String? = nil, limit: Int = 10
    ) {
        self.room = room
        self.line = line
        self.status = status
        self.start = start
        self.limit = PageLimit.clamped(limit)
    }
}
