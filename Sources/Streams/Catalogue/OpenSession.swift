public import MediaKernel

/// A session of a room that goes on, as far as others are told of it.
public struct OpenSession: Hashable, Sendable {
    /// A peer that is in it.
    public struct Attendee: Hashable, Sendable {
        /// Which join of the session it was, counted from 1; a peer may come again.
        public var number: Int
        public var peer: PeerID
        public var user: String
        public var name: String
        /// The peer's metadata.
        public var data: String
        public var role: String
        public var joinedAt: UnixTime

        public init(
            number: Int, peer: PeerID, user: String, name: String, data: String, role: String,
            joinedAt: UnixTime
        ) {
            self.number = number
            self.peer = peer
            self.user = user
            self.name = name
            self.data = data
            self.role = role
            self.joinedAt = joinedAt
        }
    }

    public var id: SessionID
    public var room: RoomID
    public var roomName: String
    /// Of the room's policy.
    public var template: String
    public var startedAt: UnixTime
    /// In the order in which they joined.
    public var attendees: [Attendee]

    public init(
        id: SessionID, room: RoomID, roomName: String, template: String, startedAt: UnixTime,
        attendees: [Attendee] = []
    ) {
        self.id = id
        self.room = room
        self.roomName = roomName
        self.template = template
        self.startedAt = startedAt
        self.attendees = attendees
    }
}

/// What becomes of a session. Each may be written down twice without harm.
public enum SessionChange: Hashable, Sendable {
    case opened(OpenSession)
    case entered(OpenSession.Attendee, SessionID)
    /// The one that entered with that number has this role from now on.
    case tookRole(String, number: Int, SessionID)
    case left(number: Int, SessionID, at: UnixTime)
    /// Whoever is in it still has left, too.
    case closed(SessionID, at: UnixTime)
}
