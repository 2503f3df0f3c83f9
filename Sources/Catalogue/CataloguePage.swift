public import MediaKernel

/// A filter and a page. Nil fields match everything.
public struct CatalogueQuery<Status: Hashable & Sendable>: Hashable, Sendable {
    public static var limits: ClosedRange<Int> { 10...100 }

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
        self.limit = min(max(limit, Self.limits.lowerBound), Self.limits.upperBound)
    }
}

/// Newest first.
public struct CataloguePage<Record: Hashable & Sendable>: Hashable, Sendable {
    public var records: [Record]
    /// To give as `start` for the next page; nil when this one is the last.
    public var last: String?

    public init(records: [Record], last: String?) {
        self.records = records
        self.last = last
    }
}
