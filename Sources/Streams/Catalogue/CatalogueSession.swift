public import MediaKernel

/// A session of a room, in progress or over, and who was in it.
public struct CatalogueSession: Hashable, Sendable {
    /// One peer, from its first join to its last leave.
    public struct Attendance: Hashable, Sendable {
        public var peer: PeerID
        public var user: String
        /// As of its last stay.
        public var name: String
        public var role: String
        public var joinedAt: UnixTime
        /// Nil while it is there.
        public var leftAt: UnixTime?
        /// Since when it is there; nil when it is not.
        public var presentSince: UnixTime?
        /// Of all its stays that are over.
        public var present: Duration
    }

    public var id: SessionID
    public var room: RoomID
    public var roomName: String
    public var template: String
    public var createdAt: UnixTime
    public var updatedAt: UnixTime
    /// Nil while it goes on.
    public var endedAt: UnixTime?
    /// In the order of their first joins.
    public var attendances: [Attendance] = []
    /// Whether there were more than are here.
    public var isCut = false
}

/// A filter and a page of sessions. Nil fields match everything.
public struct SessionQuery: Hashable, Sendable {
    public var room: RoomID?
    public var isActive: Bool?
    /// Both included.
    public var from: UnixTime?
    public var to: UnixTime?
    /// The id that ended the page before this one.
    public var start: String?
    public var limit: Int
    /// Of each session.
    public var attendancesMaximum: Int

    public init(
        room: RoomID? = nil, isActive: Bool? = nil, from: UnixTime? = nil, to: UnixTime? = nil,
        start: String? = nil, limit: Int = 10, attendancesMaximum: Int = 100
    ) {
        self.room = room
        self.isActive = isActive
        self.from = from
        self.to = to
        self.start = start
        self.limit = PageLimit.clamped(limit)
        self.attendancesMaximum = attendancesMaximum
    }
}
