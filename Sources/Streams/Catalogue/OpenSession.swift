public import MediaKernel

/// A current session of a room, as reported to others.
public struct OpenSession: Hashable, Sendable {
    /// A peer in the session.
    public struct Attendee: Hashable, Sendable {
        /// The number of the join within the session, from 1; a peer may rejoin.
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
    /// The template of the room's policy.
    public var template: String
    public var startedAt: UnixTime
    /// In the order of joins.
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

/// A change of a session. Saving it twice is harmless.
public enum SessionChange: Hashable, Sendable {
    case opened(OpenSession)
    case entered(OpenSession.Attendee, SessionID)
    /// The attendee that entered with this number has a new role.
    case tookRole(String, number: Int, SessionID)
    case left(number: Int, SessionID, at: UnixTime)
    /// Attendees who are still present leave too.
    case closed(SessionID, at: UnixTime)
}
