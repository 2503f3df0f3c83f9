public import MediaKernel
public import Streams

/// A filter and a page. Nil fields match everything.
public struct CatalogueQuery<Status: Hashable & Sendable>: Hashable, Sendable {
    public var room: RoomID?
    public var session: SessionID?
    public var stream: StreamID?
    public var status: Status?
    /// Only recorded streams; ignored for assets.
    public var isRecorded = false
    /// Only streams that are or were pushed to other servers.
    public var isPushed = false
    /// Only streams of this kind; ignored for assets.
    public var kind: LiveStream.Kind?
    /// The last id of the previous page.
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

/// A filter and a page of a room's events. Nil fields match everything.
public struct EventQuery: Hashable, Sendable {
    public static let limits = 1...100

    public var room: RoomID
    /// Empty for all.
    public var kinds: [String] = []
    /// Required values of fields in the event's data.
    public var fields: [String: String] = [:]
    /// The last id of the previous page.
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
    /// The last id of the previous page.
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
