public import MediaKernel

/// A session of a room, in progress or over, with its attendances.
public struct CatalogueSession: Hashable, Sendable {
    /// One peer, from its first join to its last leave.
    public struct Attendance: Hashable, Sendable {
        public var peer: PeerID
        public var user: String
        /// As of the peer's last stay.
        public var name: String
        public var role: String
        public var joinedAt: UnixTime
        /// Nil while the peer is present.
        public var leftAt: UnixTime?
        /// The start of the present stay; nil if the peer is absent.
        public var presentSince: UnixTime?
        /// The total duration of the finished stays.
        public var present: Duration
    }

    public var id: SessionID
    public var room: RoomID
    public var roomName: String
    public var template: String
    public var createdAt: UnixTime
    public var updatedAt: UnixTime
    /// Nil while the session goes on.
    public var endedAt: UnixTime?
    /// In the order of first joins.
    public var attendances: [Attendance] = []
    /// Whether further attendances were left out.
    public var isCut = false
}

/// A filter and a page of sessions. Nil fields match everything.
public struct SessionQuery: Hashable, Sendable {
    public var room: RoomID?
    public var isActive: Bool?
    /// Both ends included.
    public var from: UnixTime?
    public var to: UnixTime?
    /// The last id of the previous page.
    public var start: String?
    public var limit: Int
    /// Per session.
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
