public import MediaKernel
public import RoomHost

/// One client's connection to a room while its socket is open.
public struct OpenViduPlace: Hashable, Sendable {
    let rawValue: UInt64
}

/// A client that may join: the facts of its token.
public struct OpenViduCaller: Hashable, Sendable {
    public var userID: String
    /// Of the token: a client returns with the one it joined with.
    public var tokenID: String
    /// In the room's policy.
    public var role: String
    /// The connection id that was announced with the token; nil to choose one.
    public var connectionID: String?
    /// The application server's data for the participant.
    public var serverData: String
    /// Whether it is in no list, count or event.
    public var isHidden: Bool
    /// Whether its streams are in recordings of single streams.
    public var isRecorded: Bool
    public var relays: [Relay]

    /// A TURN server.
    public struct Relay: Hashable, Sendable {
        public var url: String
        public var username: String
        public var credential: String

        public init(url: String, username: String, credential: String) {
            self.url = url
            self.username = username
            self.credential = credential
        }
    }

    public init(
        userID: String, tokenID: String, role: String, connectionID: String? = nil,
        serverData: String = "", isHidden: Bool = false, isRecorded: Bool = true,
        relays: [Relay] = []
    ) {
        self.userID = userID
        self.tokenID = tokenID
        self.role = role
        self.connectionID = connectionID
        self.serverData = serverData
        self.isHidden = isHidden
        self.isRecorded = isRecorded
        self.relays = relays
    }
}

/// OpenVidu's protocol in one room, for the HTTP server.
///
/// A socket begins with an ``OpenViduLobby``. Once its client joins, or comes back, the caller
/// passes the later text frames one after another (awaiting each), and reports the socket's end.
public struct OpenViduEntrance: Sendable {
    public let host: RoomHost

    /// - Parameter host: a room that accepts clients of ``OpenVidu``.
    public init(_ host: RoomHost) { self.host = host }

    /// A client with a valid token joins. It is answered, also if it is refused.
    ///
    /// - Returns: nil if it is refused; it may try again.
    public func join(
        _ call: JoinCall, by caller: OpenViduCaller, socket: any SignallingSocket
    ) async -> OpenViduPlace? {
        await Self.join(call, by: caller, socket: socket, in: host)
    }

    /// A client comes back on another socket. It is answered, also if it is not known.
    ///
    /// - Returns: nil if it is not known, or has lost its place.
    public func comeBack(
        _ call: ReturnCall, socket: any SignallingSocket
    ) async -> OpenViduPlace? {
        await Self.comeBack(call, socket: socket, in: host)
    }

    /// Handles one text frame before it returns.
    public func received(_ text: String, on place: OpenViduPlace) async {
        await Self.received(text, on: place, in: host)
    }

    /// The socket has closed. The participant keeps its place for a while.
    public func closed(_ place: OpenViduPlace) async { await Self.closed(place, in: host) }

    /// The connections in the room, as the REST API shows them.
    public func connections() async -> [JSONValue] { await Self.summary(in: host).connections }

    /// The same, and whether the room is recorded.
    public func summary() async -> (connections: [JSONValue], isRecording: Bool) {
        await Self.summary(in: host)
    }

    /// Puts out a participant.
    ///
    /// - Returns: whether there was one.
    public func disconnect(_ connection: String) async -> Bool {
        await Self.disconnect(connection, in: host)
    }

    private static func summary(
        in host: isolated RoomHost
    ) async -> (connections: [JSONValue], isRecording: Bool) {
        host.sessions(of: OpenViduSessions.self)?.summary(in: host) ?? ([], false)
    }

    private static func disconnect(_ id: String, in host: isolated RoomHost) async -> Bool {
        await host.sessions(of: OpenViduSessions.self)?.disconnect(id, in: host) ?? false
    }

    private static func join(
        _ call: JoinCall, by caller: OpenViduCaller, socket: any SignallingSocket,
        in host: isolated RoomHost
    ) async -> OpenViduPlace? {
        await host.sessions(of: OpenViduSessions.self)?
            .join(call, by: caller, socket: socket, in: host)
    }

    private static func comeBack(
        _ call: ReturnCall, socket: any SignallingSocket, in host: isolated RoomHost
    ) async -> OpenViduPlace? {
        await host.sessions(of: OpenViduSessions.self)?.comeBack(call, socket: socket, in: host)
    }

    private static func received(
        _ text: String, on place: OpenViduPlace, in host: isolated RoomHost
    ) async {
        await host.sessions(of: OpenViduSessions.self)?.received(text, on: place, in: host)
    }

    private static func closed(_ place: OpenViduPlace, in host: isolated RoomHost) async {
        await host.sessions(of: OpenViduSessions.self)?.closed(place, in: host)
    }
}
