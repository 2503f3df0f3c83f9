public import Catalogue
public import MediaKernel
public import Rooms
public import Tokens

/// The way from HTTP into the rooms. `Service` implements it over the rooms' signalling.
public protocol SignallingGateway: Sendable {
    /// The answer of `GET /init` to a client with these claims.
    ///
    /// - Parameter peer: the id that the client chose; nil without one.
    func initialConfiguration(
        peer: PeerID?, claims: RoomTokenClaims
    ) async throws(APIError) -> InitialConfiguration

    /// Whether a socket with these claims may be opened now; called before the upgrade, so that a
    /// refusal is an ordinary HTTP answer.
    func admit(peer: PeerID, claims: RoomTokenClaims) async throws(APIError)

    /// Checks that a person may join the room at all, in whatever role: that it exists, or that
    /// joining makes it, and that it is not closed.
    func checkOpen(_ room: RoomID) async throws(APIError)

    /// Whether the peer is in the room, or may still return to it, and joined with the token of
    /// these claims, which may have expired since.
    func isHere(_ peer: PeerID, claims: RoomTokenClaims) async -> Bool

    /// Lives as long as the socket: reads `messages` to their end and answers through `socket`.
    /// When it returns, the socket is closed (with code 1000 unless it already was).
    ///
    /// - Parameters:
    ///   - userAgent: the client's own description of its library; empty without one.
    ///   - authority: `host[:port]` by which the client reached this server.
    func open(
        peer: PeerID, claims: RoomTokenClaims, userAgent: String, authority: String,
        socket: WebSocketConnection, messages: WebSocketMessages
    ) async

    /// The present rooms, for the page that lists them. Hidden peers are not counted.
    func rooms() async -> [RoomSummary]

    /// The roles for which a page may give out tokens to a room: never a hidden one.
    ///
    /// - Parameter room: nil for rooms without a template.
    func openRoles(of room: RoomID?) async throws(APIError) -> [String]

    /// The policy of a room, which need not exist yet.
    func policy(of room: RoomID) async throws(APIError) -> Policy

    /// The control API has changed a room: whether peers may join, and how long a session may last,
    /// change at once, everything else with the next session.
    ///
    /// - Parameter saysEnabled: whether the request has `enabled`.
    func roomChanged(_ room: CatalogueRoom, saysEnabled: Bool) async
}

/// An entry of the list of rooms.
public struct RoomSummary: Hashable, Sendable {
    public var id: RoomID
    public var name: String
    /// Visible peers.
    public var peerCount: Int

    public init(id: RoomID, name: String, peerCount: Int) {
        self.id = id
        self.name = name
        self.peerCount = peerCount
    }
}

/// The rooms' part of the `/init` answer. The route adds the WebSocket's own address, because it
/// knows the name by which the server was reached.
public struct InitialConfiguration: Hashable, Sendable {
    public var iceServers: [ICEServer]
    /// 100ms' feature flags, e.g. `subscribeDegradation`.
    public var enabledFlags: [String]

    public init(iceServers: [ICEServer] = [], enabledFlags: [String] = []) {
        self.iceServers = iceServers
        self.enabledFlags = enabledFlags
    }

    public struct ICEServer: Hashable, Sendable, Codable {
        public var urls: [String]
        public var username: String?
        public var credential: String?

        public init(urls: [String], username: String? = nil, credential: String? = nil) {
            self.urls = urls
            self.username = username
            self.credential = credential
        }
    }
}
