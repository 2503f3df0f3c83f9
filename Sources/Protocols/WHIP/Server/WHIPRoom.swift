public import MediaKernel
public import RoomHost
internal import SDP

/// The parts of a response to a client.
public struct WHIPAnswer: Hashable, Sendable {
    /// The session, by the last part of its address.
    public var session: String
    /// The entity tag of the current ICE generation, in quotes.
    public var entityTag: String
    /// The answer, our own offer, or the fragment that answers a restart.
    public var body: String
    /// Whether it is our own offer, which the client did not ask for: it has made one that cannot be
    /// played.
    public var isCounterOffer = false
    /// The peer that the client is in the room.
    public var peer: PeerID
}

extension WHIPAnswer {
    init(_ welcome: WHIPSessions.Welcome) {
        self.init(
            session: welcome.session.id, entityTag: welcome.session.entityTag,
            body: welcome.description.rendered(), peer: welcome.session.peer)
    }
}

/// WHIP in one room, as the server uses it.
public struct WHIPRoom: Sendable {
    public let host: RoomHost

    /// - Parameter host: one that lets clients of ``WHIP`` in.
    public init(_ host: RoomHost) { self.host = host }

    /// A client offers what it publishes.
    ///
    /// - Parameter sdp: its offer, of which every section is taken or none.
    public func publish(
        _ sdp: String, by client: WHIPCaller
    ) async throws(WHIPError) -> WHIPAnswer {
        WHIPAnswer(try await Self.publish(try Self.description(in: sdp), by: client, in: host))
    }

    /// A client offers in which sections it receives. It is answered that all of them are sent;
    /// what comes later, or takes the place of what went, flows without another exchange.
    ///
    /// A client that offers nothing, or nothing that can be played, is offered an audio and a video
    /// instead, which ``answer(_:with:)`` is due for.
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

    /// A client answers our own offer.
    public func answer(_ session: String, with sdp: String) async throws(WHIPError) {
        try await Self.answer(session, with: try Self.description(in: sdp), in: host)
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

    /// Descriptions are read and written outside of the room's isolation, where everybody would wait.
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
