public import MediaKernel

/// What application servers have prepared by OpenVidu's REST API: sessions, and tokens for one use.
/// Kept in memory, as OpenVidu does.
///
/// Time is an argument. A session is closed with its last participant, as in OpenVidu; one that nobody
/// joins is forgotten after ``unusedKept``.
public struct OpenViduBook: Sendable {
    /// A session's properties that are shown as they were given.
    public struct Terms: Hashable, Sendable {
        public var mediaMode = "ROUTED"
        public var recordingMode = "MANUAL"
        public var forcedVideoCodec = "MEDIA_SERVER_PREFERRED"
        public var allowsTranscoding = false
        /// What recordings are like unless a request differs; an object.
        public var recordings = JSONValue.object([:])

        public init() {}
    }

    public struct Session: Hashable, Sendable {
        public let room: RoomID
        /// The id was given, not made.
        public let isCustom: Bool
        public let createdAt: UnixTime
        public let terms: Terms
        /// Not joined yet, in the order of creation.
        public fileprivate(set) var grants: [Grant] = []
        fileprivate var touchedAt: UnixTime
        /// Clients that have used a token and are not in the room yet.
        fileprivate var arrivals = 0
        /// Whether everybody has left again.
        fileprivate var isLeft = false
        /// Tells it from an earlier one of the same name.
        fileprivate let number: Int
    }

    /// The right to join once.
    public struct Grant: Hashable, Sendable {
        public let room: RoomID
        public let token: String
        public let connectionID: String
        public fileprivate(set) var role: OpenViduRole
        /// The beginning of the address that is the token, such as `wss://host:443`.
        fileprivate let origin: String
        public fileprivate(set) var terms: ConnectionTerms
        public let createdAt: UnixTime
        fileprivate let session: Int

        /// What clients are given as the token.
        public var address: String { "\(origin)?sessionId=\(room)&token=\(token)" }
    }

    /// Why something was not prepared.
    public enum Refusal: Error, Hashable, Sendable {
        case exists
        case unknownSession
        /// There may be this many.
        case tooMany(Int)
    }

    public static let sessionsMaximum = 10_000
    public static let grantsPerSession = 5000
    /// Unused tokens of all sessions.
    public static let grantsMaximum = 100_000
    /// A session without a participant.
    public static let unusedKept: Duration = .seconds(3600)

    private var sessions: [RoomID: Session] = [:]
    private var tokens: [String: RoomID] = [:]
    /// Rooms with a recording that goes on.
    private var recordedRooms: Set<RoomID> = []
    /// Sessions so far.
    private var opened = 0
    private var random = SystemRandomNumberGenerator()

    public init() {}

    public var all: [Session] {
        sessions.values.sorted { ($0.createdAt, $0.room) < ($1.createdAt, $1.room) }
    }

    public func session(_ room: RoomID) -> Session? { sessions[room] }

    /// Makes a session.
    ///
    /// - Parameter customID: nil to make an id.
    public mutating func open(
        _ customID: RoomID?, _ terms: Terms, at now: UnixTime
    ) throws(Refusal) -> Session {
        forgetUnused(at: now)
        if let customID, sessions[customID] != nil { throw .exists }
        guard sessions.count < Self.sessionsMaximum else { throw .tooMany(Self.sessionsMaximum) }
        let session = Session(
            room: customID ?? RoomID(makeIdentifier("ses_", 10)), isCustom: customID != nil,
            createdAt: now, terms: terms, touchedAt: now, number: opened)
        opened += 1
        sessions[session.room] = session
        return session
    }

    /// Prepares a connection.
    public mutating func grant(
        in room: RoomID, _ role: OpenViduRole, _ terms: ConnectionTerms, origin: String,
        at now: UnixTime
    ) throws(Refusal) -> Grant {
        // Not a copy of the session, whose grants would then be copied for each more.
        guard let (number, count) = sessions[room].map({ ($0.number, $0.grants.count) }) else {
            throw .unknownSession
        }
        guard count < Self.grantsPerSession else {
            throw .tooMany(Self.grantsPerSession)
        }
        guard tokens.count < Self.grantsMaximum else { throw .tooMany(Self.grantsMaximum) }
        let grant = Grant(
            room: room, token: makeIdentifier("tok_", 16),
            connectionID: makeIdentifier("con_", 10), role: role, origin: origin,
            terms: terms, createdAt: now, session: number)
        sessions[room]?.grants.append(grant)
        sessions[room]?.touchedAt = now
        tokens[grant.token] = room
        return grant
    }

    /// Uses a token: it admits nobody else, even while its client is still on its way.
    ///
    /// - Returns: nil for a token that does not exist, or was used.
    public mutating func take(_ token: String, at now: UnixTime) -> Grant? {
        guard let room = tokens.removeValue(forKey: token),
            let index = sessions[room]?.grants.firstIndex(where: { $0.token == token })
        else { return nil }
        sessions[room]?.touchedAt = now
        sessions[room]?.arrivals += 1
        return sessions[room]?.grants.remove(at: index)
    }

    /// The token's client is in the room.
    public mutating func arrived(_ grant: Grant) {
        guard let (number, arrivals) = sessions[grant.room].map({ ($0.number, $0.arrivals) }),
            number == grant.session
        else { return }
        sessions[grant.room]?.arrivals = max(0, arrivals - 1)
        closeIfOver(grant.room)
    }

    /// The token's client was refused for another reason, and may try again; not in a later session
    /// of that name, nor beyond what there may be by now.
    public mutating func giveBack(_ grant: Grant) {
        defer { arrived(grant) }
        guard let (number, count) = sessions[grant.room].map({ ($0.number, $0.grants.count) }),
            number == grant.session, count < Self.grantsPerSession,
            tokens[grant.token] == nil, tokens.count < Self.grantsMaximum
        else { return }
        sessions[grant.room]?.grants.append(grant)
        tokens[grant.token] = grant.room
    }

    /// Changes a grant. What is nil stays.
    ///
    /// - Returns: nil if there is none.
    public mutating func change(
        connection: String, in room: RoomID, role: OpenViduRole?, isRecorded: Bool?
    ) -> Grant? {
        guard
            let index = sessions[room]?.grants.firstIndex(where: { $0.connectionID == connection })
        else { return nil }
        if let role { sessions[room]?.grants[index].role = role }
        if let isRecorded { sessions[room]?.grants[index].terms.isRecorded = isRecorded }
        return sessions[room]?.grants[index]
    }

    /// Takes back a grant.
    ///
    /// - Returns: whether there was one.
    public mutating func revoke(connection: String, in room: RoomID) -> Bool {
        guard let grant = sessions[room]?.grants.first(where: { $0.connectionID == connection })
        else { return false }
        tokens[grant.token] = nil
        sessions[room]?.grants.removeAll { $0.connectionID == connection }
        return true
    }

    /// - Returns: whether there was such a session.
    @discardableResult
    public mutating func close(_ room: RoomID) -> Bool {
        guard let session = sessions.removeValue(forKey: room) else { return false }
        for grant in session.grants { tokens[grant.token] = nil }
        return true
    }

    /// Somebody has come into the empty room.
    public mutating func filled(_ room: RoomID) { sessions[room]?.isLeft = false }

    /// Everybody has left the room, whose session ends once no recording of it goes on.
    ///
    /// - Parameter start: when the first one came. A session that was made later is another one.
    public mutating func emptied(_ room: RoomID, since start: UnixTime) {
        guard let createdAt = sessions[room]?.createdAt.milliseconds,
            createdAt <= start.milliseconds
        else { return }
        sessions[room]?.isLeft = true
        closeIfOver(room)
    }

    /// A recording of the room goes on, or none does any more.
    public mutating func recorded(_ room: RoomID, _ isRecorded: Bool) {
        guard !isRecorded else {
            recordedRooms.insert(room)
            return
        }
        recordedRooms.remove(room)
        closeIfOver(room)
    }

    private mutating func closeIfOver(_ room: RoomID) {
        let isOver = sessions[room].map { $0.isLeft && $0.arrivals == 0 } ?? false
        if isOver, !recordedRooms.contains(room) { close(room) }
    }

    /// Somebody is in the room.
    public mutating func occupied(_ room: RoomID, at now: UnixTime) {
        sessions[room]?.touchedAt = now
    }

    private mutating func forgetUnused(at now: UnixTime) {
        for session in sessions.values where session.touchedAt + Self.unusedKept <= now {
            close(session.room)
        }
    }

    private static let letters = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")

    /// Tokens cannot be guessed.
    private mutating func makeIdentifier(_ prefix: String, _ count: Int) -> String {
        prefix
            + String((0..<count).map { _ in Self.letters.randomElement(using: &random) ?? "A" })
    }
}
