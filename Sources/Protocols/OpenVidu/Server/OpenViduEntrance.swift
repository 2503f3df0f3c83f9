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
    /// Whether it is in no list, count or event.
    public var isHidden: Bool
    public var relays: [Relay]
    /// What an application server has prepared, if it has.
    public var grant: OpenViduBook.Grant?

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
        userID: String, tokenID: String, role: String, isHidden: Bool = false,
        relays: [Relay] = [], grant: OpenViduBook.Grant? = nil
    ) {
        self.userID = userID
        self.tokenID = tokenID
        self.role = role
        self.isHidden = isHidden
        self.relays = relays
        self.grant = grant
    }

    /// The application server's terms, or the usual ones.
    var terms: ConnectionTerms { grant?.terms ?? ConnectionTerms() }
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
        await inside { await $0.join(call, by: caller, socket: socket, in: $1) } ?? nil
    }

    /// A client comes back on another socket. It is answered, also if it is not known.
    ///
    /// - Returns: nil if it is not known, or has lost its place.
    public func comeBack(
        _ call: ReturnCall, socket: any SignallingSocket
    ) async -> OpenViduPlace? {
        await inside { await $0.comeBack(call, socket: socket, in: $1) } ?? nil
    }

    /// Handles one text frame before it returns.
    public func received(_ text: String, on place: OpenViduPlace) async {
        await inside { await $0.received(text, on: place, in: $1) }
    }

    /// The socket has closed. The participant keeps its place for a while.
    public func closed(_ place: OpenViduPlace) async {
        await inside { await $0.closed(place, in: $1) }
    }

    /// Works in the room's isolation.
    ///
    /// - Returns: nil if the room does not accept clients of ``OpenVidu``.
    @discardableResult
    func inside<Result: Sendable>(
        _ work: @Sendable (OpenViduSessions, isolated RoomHost) async -> Result
    ) async -> Result? {
        await host.inside(OpenViduSessions.self, work)
    }
}
