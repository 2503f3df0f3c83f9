public import MediaKernel
public import RoomHost
internal import SDP

/// The parts of a response to a client.
public struct WHIPAnswer: Hashable, Sendable {
    /// The session's id, the last component of its URL.
    public var session: String
    /// The entity tag of the current ICE generation, in quotes.
    public var entityTag: String
    /// The answer, our own offer, or the fragment that answers an ICE restart.
    public var body: String
    /// Whether `body` is our own offer that replaces the client's, which the server cannot play.
    public var isCounterOffer = false
    /// The client's peer in the room.
    public var peer: PeerID
}

extension WHIPAnswer {
    init(_ welcome: WHIPSessions.Welcome) {
        self.init(
            session: welcome.session.id, entityTag: welcome.session.entityTag,
            body: welcome.description.rendered(), peer: welcome.session.peer)
    }
}

/// WHIP in one room, for the HTTP server.
public struct WHIPRoom: Sendable {
    public let host: RoomHost

    /// - Parameter host: a room that accepts clients of ``WHIP``.
    public init(_ host: RoomHost) { self.host = host }

    /// A client publishes.
    ///
    /// - Parameter sdp: the client's offer; all of its sections are accepted, or none.
    public func publish(
        _ sdp: String, by client: WHIPCaller
    ) async throws(WHIPError) -> WHIPAnswer {
        WHIPAnswer(try await Self.publish(try Self.description(in: sdp), by: client, in: host))
    }

    /// A client offers sections to receive media. The answer accepts all of them; tracks that
    /// appear later, or replace others, need no further exchange.
    ///
    /// A client without an offer, or whose offer the server cannot play, receives an offer of one
    /// audio and one video section, to be answered through ``answer(_:with:)``.
    public func play(
        _ sdp: String, by client: WHIPCaller, view: RoomView
    ) async throws(WHIPError) -> WHIPAnswer {
        let offer = sdp.isEmpty ? nil : try Self.description(in: sdp)
        let playable = offer.flatMap { WHIPSessions.canBePlayed($0) ? $0 : nil }
        var answer = WHIPAnswer(
            try await Self.play(playable, by: client, view: view, in: host))
        answer.isCounterOffer = offer != nil && playable == nil
        return answer
    }

    /// Whether a session waits for the answer to our own offer and may send it now.
    public func admitAnswer(_ session: String) async throws(WHIPError) {
        try await Self.admitAnswer(session, in: host)
    }

    /// A client answers our own offer. ``admitAnswer(_:)`` comes first.
    public func answer(_ session: String, with sdp: String) async throws(WHIPError) {
        try await Self.answer(session, with: try Self.description(in: sdp), in: host)
    }

    /// A client sends candidates, or restarts ICE.
    ///
    /// - Returns: the answer to a restart; nil for candidates, which need none.
    public func patch(
        _ session: String, with fragment: String, ifMatch condition: String?
    ) async throws(WHIPError) -> WHIPAnswer? {
        try await Self.patch(session, with: fragment, ifMatch: condition, in: host)
    }

    /// A client ends its session.
    public func end(_ session: String) async throws(WHIPError) {
        try await Self.end(session, in: host)
    }

    /// Descriptions are parsed outside the room's isolation, so that other peers need not wait.
    private static func description(
        in sdp: String
    ) throws(WHIPError) -> SessionDescription {
        do throws(SDPError) {
            return try SessionDescription.parse(sdp)
        } catch {
            throw .badDescription("malformed session description: \(error)")
        }
    }

    private static func publish(
        _ offer: SessionDescription, by client: WHIPCaller, in host: isolated RoomHost
    ) async throws(WHIPError) -> WHIPSessions.Welcome {
        guard let sessions = host.sessions(of: WHIPSessions.self) else { throw .unknownSession }
        return try await sessions.publish(offer, by: client, in: host)
    }

    private static func admitAnswer(
        _ session: String, in host: isolated RoomHost
    ) throws(WHIPError) {
        guard let sessions = host.sessions(of: WHIPSessions.self) else { throw .unknownSession }
        try sessions.admitAnswer(session, in: host)
    }

    private static func answer(
        _ session: String, with answer: SessionDescription, in host: isolated RoomHost
    ) async throws(WHIPError) {
        guard let sessions = host.sessions(of: WHIPSessions.self) else { throw .unknownSession }
        try await sessions.answer(session, with: answer, in: host)
    }

    private static func play(
        _ offer: SessionDescription?, by client: WHIPCaller, view: RoomView,
        in host: isolated RoomHost
    ) async throws(WHIPError) -> WHIPSessions.Welcome {
        guard let sessions = host.sessions(of: WHIPSessions.self) else { throw .unknownSession }
        return try await sessions.play(offer, by: client, view: view, in: host)
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
