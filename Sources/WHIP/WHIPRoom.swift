public import MediaKernel
public import RoomHost
internal import SDP

/// WHIP (RFC 9725) and WHEP (draft-ietf-wish-whep): one HTTP exchange makes a client a peer that
/// publishes, or one that watches and is not seen.
public struct WHIP: RoomProtocol {
    public init() {}

    public func makeSessions() -> any RoomSessions { WHIPSessions() }
}

/// Who comes: what its token and its address say.
public struct WHIPClient: Hashable, Sendable {
    public var userID: String
    public var tokenID: String
    public var role: String
    /// What others see; empty for the user's id.
    public var name: String
    /// `regular`, or another source of its video, such as `screen`.
    public var source: String

    public init(
        userID: String, tokenID: String, role: String, name: String = "",
        source: String = "regular"
    ) {
        self.userID = userID
        self.tokenID = tokenID
        self.role = role
        self.name = name
        self.source = source
    }
}

/// What a client is answered.
public struct WHIPAnswer: Hashable, Sendable {
    /// The session, by the last part of its address.
    public var session: String
    /// Of the current ICE generation, quoted.
    public var entityTag: String
    /// The answer, or the fragment that answers a restart.
    public var body: String
    /// The peer that the client is in the room.
    public var peer: PeerID
}

/// WHIP in one room, as the server uses it.
public struct WHIPRoom: Sendable {
    /// In bytes of UTF-8: an offer.
    public static let offerBytesMaximum = 64 * 1024

    public let host: RoomHost

    /// - Parameter host: one that lets clients of ``WHIP`` in.
    public init(_ host: RoomHost) { self.host = host }

    /// A client offers what it publishes.
    ///
    /// - Parameter sdp: its offer, of which every section is taken or none.
    public func publish(
        _ sdp: String, by client: WHIPClient
    ) async throws(WHIPError) -> WHIPAnswer {
        try await Self.publish(sdp, by: client, in: host)
    }

    /// A client offers in which sections it receives. It is answered that all of them are sent;
    /// what comes later, or takes the place of what went, flows without another exchange.
    public func play(
        _ sdp: String, by client: WHIPClient, view: RoomView
    ) async throws(WHIPError) -> WHIPAnswer {
        try await Self.play(sdp, by: client, view: view, in: host)
    }

    /// A client tells candidates, or restarts ICE.
    ///
    /// - Returns: the answer to a restart; nil for candidates, which have none.
    public func patch(
        _ session: String, with fragment: String, ifMatch condition: String?
    ) async throws(WHIPError) -> WHIPAnswer? {
        try await Self.patch(session, with: fragment, ifMatch: condition, in: host)
    }

    /// A client ends its session.
    public func end(_ session: String) async throws(WHIPError) {
        try await Self.end(session, in: host)
    }

    private static func publish(
        _ sdp: String, by client: WHIPClient, in host: isolated RoomHost
    ) async throws(WHIPError) -> WHIPAnswer {
        guard let sessions = host.sessions(of: WHIPSessions.self) else { throw .unknownSession }
        return try await sessions.publish(sdp, by: client, in: host)
    }

    private static func play(
        _ sdp: String, by client: WHIPClient, view: RoomView, in host: isolated RoomHost
    ) async throws(WHIPError) -> WHIPAnswer {
        guard let sessions = host.sessions(of: WHIPSessions.self) else { throw .unknownSession }
        return try await sessions.play(sdp, by: client, view: view, in: host)
    }

    private static func patch(
        _ session: String, with fragment: String, ifMatch condition: String?,
        in host: isolated RoomHost
    ) async throws(WHIPError) -> WHIPAnswer? {
        guard let sessions = host.sessions(of: WHIPSessions.self) else { throw .unknownSession }
        return try await sessions.patch(session, with: fragment, ifMatch: condition, in: host)
    }

    private static func end(
        _ session: String, in host: isolated RoomHost
    ) async throws(WHIPError) {
        guard let sessions = host.sessions(of: WHIPSessions.self) else { throw .unknownSession }
        try await sessions.end(session, in: host)
    }
}
