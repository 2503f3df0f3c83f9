import HundredMSTerms
import ICE
import MediaKernel
import MediaServer
import PeerConnection
import RoomHost
import Rooms
import SDP
import SecureTransport
import Synchronization
import XML
import XMPP

@testable import Jitsi

/// A conference in a room with a fake media plane, a server that only keeps what it is told, and a
/// clock that only the test moves.
final class FocusWorld: Sendable {
    static let room = "r@muc.example"
    static let focus = "focus@focus.example/focus"

    let media = NotedMedia()
    let host: RoomHost
    let entrance: JitsiEntrance
    let server = NotedPost()

    init(policy: Policy = .standard, streaming: any LiveStreaming = NoStreams()) {
        var settings = FocusSettings(component: "focus.example", rooms: "muc.example")
        settings.recorders = "recorder.example"
        settings.bridge = "https://live.example"
        let clock = TestClock()
        self.clock = clock
        host = RoomHost(
            room: Room(id: "r", name: "r", policy: policy, seed: 7), media: media,
            streaming: streaming, protocols: [JitsiMeeting(settings: settings, post: server)],
            clock: RoomClock(
                now: { clock.now.withLock { $0 } },
                wall: { UnixTime(milliseconds: 1_720_000_000_000) }))
        entrance = JitsiEntrance(host: host)
    }

    private final class TestClock: Sendable {
        let now = Mutex(Instant.zero)
    }

    private let clock: TestClock

    /// One in which these members have accepted their sessions.
    static func meeting(
        _ nicks: String..., streaming: any LiveStreaming = NoStreams()
    ) async throws -> FocusWorld {
        let world = FocusWorld(streaming: streaming)
        await world.open()
        for nick in nicks {
            try await world.come(nick)
            try await world.answerDiscovery(of: nick)
            try await world.accept(nick)
        }
        _ = world.server.take()
        return world
    }

    func open() async { await entrance.open(JID(Self.room)!) }

    func pass(_ duration: Duration) async {
        clock.now.withLock { $0 += duration }
        await host.tick()
    }

    /// Events of the media plane, processed when this returns.
    func hear(_ events: MediaEvent...) async {
        media.say(events)
        await host.run()
    }

    func receive(_ text: String) async throws {
        await entrance.received(try XMLStreamReader.element(text))
    }

    // MARK: The server

    static func presence(
        _ nick: String, _ inside: String = "", type: String? = nil, item: String = "",
        to: String = focus, address: String? = nil, statuses: String = "",
        role: String = "participant"
    ) -> String {
        let type = type.map { " type='\($0)'" } ?? ""
        let address = address ?? "\(nick)@example/app"
        return """
            <presence xmlns='jabber:client' from='\(room)/\(nick)' to='\(to)'\(type)>\(inside)\
            <x xmlns='http://jabber.org/protocol/muc#user'><item jid='\(address)' \
            affiliation='none' role='\(role)'>\(item)</item>\(statuses)</x></presence>
            """
    }

    func come(_ nick: String, _ inside: String = "") async throws {
        try await receive(Self.presence(nick, inside))
    }

    /// The room shows the focus itself, as it does after each of its presences.
    func seeFocus() async throws {
        try await receive(
            Self.presence("focus", address: Self.focus, statuses: "<status code='110'/>"))
    }

    func go(_ nick: String) async throws {
        try await receive(Self.presence(nick, type: "unavailable"))
    }

    static let features = """
        <query xmlns='http://jabber.org/protocol/disco#info'>\
        <feature var='urn:xmpp:jingle:apps:rtp:audio'/><feature var='urn:xmpp:jingle:apps:rtp:video'/>\
        <feature var='urn:xmpp:jingle:transports:dtls-sctp:1'/>\
        <feature var='http://jitsi.org/json-encoded-sources'/></query>
        """

    func answerDiscovery(of nick: String, _ payload: String = features) async throws {
        let question = server.all.last {
            $0["to"] == "\(Self.room)/\(nick)" && $0.elements.first?.name == "query"
        }
        try await receive(
            """
            <iq xmlns='jabber:client' type='result' id='\(question?["id"] ?? "")' \
            from='\(Self.room)/\(nick)' to='\(Self.focus)'>\(payload)</iq>
            """)
    }

    /// The newest element of a session that a member was sent.
    func jingle(to nick: String) -> XMLElement? {
        server.all.last {
            $0["to"] == "\(Self.room)/\(nick)" && $0.elements.first?.name == "jingle"
        }?.elements.first
    }

    /// Asks as a member does.
    ///
    /// - Returns: the condition of the error; nil for a result.
    @discardableResult
    func ask(_ nick: String, _ payload: XMLElement, to: String = focus) async -> String? {
        let id = "q\(server.all.count)"
        await entrance.received(
            XMLElement(
                "iq", "jabber:client",
                ["type": "set", "id": id, "from": "\(Self.room)/\(nick)", "to": to], [payload]))
        let answer = server.all.last { $0["id"] == id }
        guard answer?["type"] == "error" else { return answer == nil ? "nothing" : nil }
        return answer.map { StanzaError(of: $0).condition }
    }

    /// Accepts the session that was offered, with what the client sends.
    @discardableResult
    func accept(_ nick: String, _ sources: String = "") async throws -> String? {
        guard let offer = jingle(to: nick) else { return "no offer" }
        return await ask(nick, try Self.acceptance(of: offer, sources))
    }

    static func acceptance(of offer: XMLElement, _ sources: String = "") throws -> XMLElement {
        var accepted = offer
        accepted["action"] = "session-accept"
        accepted.children = try offer.elements.filter { $0.name == "content" }.map { content in
            var content = content
            let transport = try XMLStreamReader.element(
                """
                <transport xmlns='urn:xmpp:jingle:transports:ice-udp:1' ufrag='Ab12' \
                pwd='0123456789abcdef01234567'><fingerprint \
                xmlns='urn:xmpp:jingle:apps:dtls:0' hash='sha-256' setup='active'>\
                \(Array(repeating: "0F", count: 32).joined(separator: ":"))</fingerprint></transport>
                """)
            content.children = content.children.map { node in
                if case .element(let element) = node, element.name == "transport" {
                    return .element(transport)
                }
                return node
            }
            return .element(content)
        }
        if !sources.isEmpty {
            accepted.children.append(
                .element(
                    XMLElement("json-message", "http://jitsi.org/jitmeet", text: sources)))
        }
        return accepted
    }

    func jingle(
        _ action: String, of nick: String, _ children: [XMLElement] = []
    ) -> XMLElement {
        XMLElement(
            "jingle", "urn:xmpp:jingle:1",
            ["action": action, "sid": jingle(to: nick)?["sid"]], children)
    }

    static func json(_ text: String) -> XMLElement {
        XMLElement("json-message", "http://jitsi.org/jitmeet", text: text)
    }

    /// A peer of another protocol.
    func addGuest(_ id: PeerID, role: String = "host", _ tracks: Track...) async throws {
        try await host.addGuest(id, role: role, tracks)
    }

    func publish(_ tracks: [Track], by id: PeerID) async throws {
        try await host.publish(tracks, by: id)
    }

    /// What our own protocol's peer has in the room.
    func peer(named name: String) async -> Peer? {
        await host.snapshot().peers.first { $0.name == name }
    }
}

extension RoomHost {
    func addGuest(_ id: PeerID, role: String, _ tracks: [Track]) async throws {
        let request = JoinRequest(peer: id, userID: id.rawValue, role: role, name: id.rawValue)
        _ = try await join(Entry(request, nil))
        try await publish(tracks, by: id)
    }

    func publish(_ tracks: [Track], by id: PeerID) async throws {
        try room.tracksPublished(tracks, by: id, wall: clock.wall())
        await settle()
    }

    func say(_ text: String, by id: PeerID, to audience: Audience = .everybody) async throws {
        _ = try room.messageSent(
            by: id, to: audience, type: "chat", body: OpaqueJSON(string: text), at: clock.now(),
            wall: clock.wall())
        await settle()
    }

    func mute(_ target: PeerID, by id: PeerID) async throws {
        try room.mutesRequested(
            MuteRequest(isMuted: true, kind: .audio), of: target, by: id, at: clock.now())
        await settle()
    }

    func changeRole(of id: PeerID, to role: String) async throws {
        _ = try room.peerChanged(id, name: nil, metadata: nil, role: role)
        await settle()
    }

    func remove(_ id: PeerID) async throws {
        try room.peerRemoved(id, reason: "enough")
        await settle()
    }
}

/// A server that keeps what it is told.
final class NotedPost: StanzaPost {
    private let stanzas = Mutex<[XMLElement]>([])
    private let taken = Mutex(0)

    func post(_ stanza: XMLElement) { stanzas.withLock { $0.append(stanza) } }

    var all: [XMLElement] { stanzas.withLock { $0 } }

    /// What came since the last time.
    func take() -> [XMLElement] {
        let all = all
        return taken.withLock { taken in
            defer { taken = all.count }
            return Array(all[taken...])
        }
    }
}

/// A media plane that notes what it is told. Its offers are those of a real connection.
final class NotedMedia: RoomMedia {
    struct Noted: Sendable {
        var offers: [(key: ConnectionKey, offer: SessionDescription)] = []
        var answers: [SessionDescription] = []
        var closed: [ConnectionKey] = []
        var texts: [(peer: PeerID, text: String)] = []
        var preferences: [TrackID: LayerPreference] = [:]
    }

    private let state = Mutex(Noted())
    private let feed = Mutex<AsyncStream<MediaEvent>>(AsyncStream { $0.finish() })
    private static let identity = try? DTLSIdentity.generate()

    var noted: Noted { state.withLock { $0 } }
    var events: AsyncStream<MediaEvent> { feed.withLock { $0 } }

    func say(_ events: [MediaEvent]) {
        feed.withLock {
            $0 = AsyncStream { continuation in
                for event in events { continuation.yield(event) }
                continuation.finish()
            }
        }
    }

    static func offer(_ kinds: [MediaSection.Kind]) throws -> SessionDescription {
        try connection(kinds).offer
    }

    static func connection(
        _ kinds: [MediaSection.Kind]
    ) throws -> (core: PeerConnection, offer: SessionDescription) {
        guard let identity else { throw CancellationError() }
        let core = PeerConnection(
            configuration: .init(
                identity: identity, mode: .lite,
                localCandidates: [.host(TransportAddress(ipv4: 192, 0, 2, 1, port: 5000))],
                canonicalName: "server", dataChannel: nil, seed: 1),
            at: .zero)
        for kind in kinds { try core.holdSection(kind) }
        return (core, try core.createOffer(at: .zero))
    }

    func addPeer(
        _ peer: PeerID, asksForVideos: Bool, isRecorder: Bool, layerNames: LayerNames
    ) async throws {}
    func removePeer(_ peer: PeerID) async {}
    func offer(
        _ offer: SessionDescription, on key: ConnectionKey, from peer: PeerID
    ) async throws -> SessionDescription {
        state.withLock { $0.offers.append((key, offer)) }
        return offer
    }
    func makeOffer(
        _ kinds: [MediaSection.Kind], on key: ConnectionKey, to peer: PeerID
    ) async throws -> SessionDescription { try Self.offer(kinds) }
    func closeConnection(_ key: ConnectionKey, of peer: PeerID) async {
        state.withLock { $0.closed.append(key) }
    }
    func answer(
        _ answer: SessionDescription, on key: ConnectionKey, from peer: PeerID
    ) async throws { state.withLock { $0.answers.append(answer) } }
    func answerRefused(from peer: PeerID) async {}
    func trickle(_ candidate: String, on key: ConnectionKey, from peer: PeerID) async throws {}
    func setSubscriptions(_ subscribers: [PeerSubscriptions]) async {}
    func restartSubscribe(of peer: PeerID, signallingSocket: Int) async {}
    func setPreference(
        _ preference: LayerPreference, track: TrackID, of peer: PeerID
    ) async { state.withLock { $0.preferences[track] = preference } }
    func sendTexts(_ texts: [(peer: PeerID, text: String)]) async {
        state.withLock { $0.texts += texts }
    }
}

struct NoStreams: LiveStreaming {
    func start(
        room: RoomID, variants: [HLSVariantRequest], recording: HLSRecordingRequest?,
        layout: JSONValue?, startedBy: PeerID, authority: String
    ) async throws {}
    func stop(room: RoomID, variants: [HLSVariantRequest], stoppedBy: PeerID) async throws {}
    func startRecording(
        room: RoomID, _ request: RecordingRequest, startedBy: PeerID, authority: String
    ) async throws {}
    func stopRecording(room: RoomID, stoppedBy: PeerID) async throws {}
    func said(_ message: Message, room: RoomID) {}
    func unsaid(_ messages: [String], room: RoomID) {}
    func addTimedMetadata(
        _ metadata: [HLSTimedMetadata], room: RoomID, addedBy: PeerID
    ) async throws {}
}
