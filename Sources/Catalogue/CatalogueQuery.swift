public import MediaKernel

/// A filter and a page. Nil fields match everything.
public struct CatalogueQuery<Status: Hashable & Sendable>: Hashable, Sendable {
    public var room: RoomID?
    public var session: SessionID?
    public var stream: StreamID?
    public var status: Status?
    /// Only streams that are recorded; of no meaning for assets.
    public var isRecorded = false
    /// Only streams of this kind; of no meaning for assets.
    public var kind: CatalogueStream.Kind?
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
