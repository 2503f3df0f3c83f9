public import Clocks
public import Logging
public import MediaKernel
public import RoomHost
internal import XML
public import XMPP
public import XMPPClient

/// The rooms in which conferences meet.
public protocol ConferenceRooms: Sendable {
    /// The room of a conference that somebody wants to enter.
    ///
    /// - Throws: why not, for the client.
    func room(_ id: RoomID) async throws(StanzaError) -> RoomHost
}

/// The focus of all conferences: takes conference requests, and brings the stanzas of each room to
/// its sessions.
public actor JitsiFocus {
    /// Of all clients of the XMPP server together: a request opens a room. Those by HTTP have a
    /// limit for each address.
    static let requestsPerSecond = 50
    static let requestsBurst = 200
    /// Stanzas of one conference that wait. Beyond that they are lost, and clients ask again.
    static let waitingMaximum = 8192

    private struct Conference {
        let host: RoomHost
        let queue: AsyncStream<XMLElement>.Continuation
        /// Requests for it so far, and those that are not answered yet: whoever asks while it ends
        /// shall not lose it.
        var requests = 1
        var opening = 1
    }

    private let settings: FocusSettings
    private let rooms: any ConferenceRooms
    private let post: any StanzaPost
    private let now: @Sendable () -> Instant
    private let logger: Logger
    private var conferences: [JID: Conference] = [:]
    private var requests: TokenBucket
    private var whereabouts = Whereabouts()

    public init(
        settings: FocusSettings, rooms: any ConferenceRooms, post: any StanzaPost,
        now: @escaping @Sendable () -> Instant = { MonotonicClock.now }, logger: Logger
    ) {
        self.settings = settings
        self.rooms = rooms
        self.post = post
        self.now = now
        self.logger = logger
        requests = TokenBucket(
            rate: Self.requestsPerSecond, burst: Self.requestsBurst, at: now())
    }

    public func take(_ event: XMPPComponent.Event) async {
        switch event {
        case .online: await comeBack()
        case .stanza(let stanza): await take(stanza)
        }
    }

    /// The XMPP server is there again.
    func comeBack() async {
        // It shows all who are there.
        whereabouts.removeAll()
        for (room, conference) in conferences {
            let isOpen = await JitsiEntrance(host: conference.host).comeBack()
            // The server says nothing of one that has ended meanwhile.
            if !isOpen { end(room, conference.host, after: conference.requests) }
        }
    }

    func take(_ stanza: XMLElement) async {
        guard let from = stanza["from"].flatMap({ JID($0) }) else { return }
        if conferences[from.bare] != nil {
            // Each occupant is told of everybody.
            if stanza["to"] == "\(FocusPlace.nick)@\(settings.component)/\(FocusPlace.nick)" {
                whereabouts.note(stanza, in: from.bare)
            }
            return pass(stanza, to: from.bare)
        }
        let isEnd = EndOrder.isOne(stanza)
        if isEnd || ModerationOrder.isOne(stanza), stanza["to"] == settings.component {
            let named = isEnd ? nil : (try? ModerationOrder(stanza))?.room
            // From others it is nothing to us.
            guard let room = whereabouts.room(of: from, named: named) else { return }
            return pass(stanza, to: room)
        }
        guard let request = Request(stanza) else { return }
        var answer = await answer(request)
        answer["from"] = stanza["to"]
        post.post(answer)
    }

    private func pass(_ stanza: XMLElement, to room: JID) {
        if case .dropped? = conferences[room]?.queue.yield(stanza) {
            logger.warning("stanza lost", metadata: ["muc": "\(room)"])
        }
    }

    // MARK: Requests from outside of conferences

    private func answer(_ request: Request) async -> XMLElement {
        let payload = request.payload
        if payload.isNamed("conference", JitsiNamespaces.focus), request.kind == .set {
            do throws(StanzaError) {
                guard requests.take(at: now()) else {
                    throw StanzaError("resource-constraint", .wait)
                }
                return request.result(try await conference(payload["room"]).element)
            } catch {
                return request.refusal(error)
            }
        }
        if payload.isNamed("ping", Namespaces.ping) { return request.result() }
        if payload.isNamed("query", Namespaces.discoInfo), request.kind == .get {
            return request.result(Self.discovered)
        }
        return request.refusal(StanzaError("service-unavailable", .cancel))
    }

    private static let discovered = XMLElement(
        "query", Namespaces.discoInfo, [:],
        [
            XMLElement(
                "identity", Namespaces.discoInfo,
                ["category": "component", "type": "generic", "name": "focus"]),
            XMLElement("feature", Namespaces.discoInfo, ["var": JitsiNamespaces.focus]),
        ])

    /// A conference request by HTTP. Its caller has limited the requests of one address.
    ///
    /// - Parameter json: as Jicofo takes it.
    public func answer(json: String) async -> (status: Int, body: String) {
        do throws(StanzaError) {
            return (200, try await conference(ConferenceOrder(json: json).room).json)
        } catch {
            // Jicofo has one status for whatever is wrong with a request.
            return (error.kind == .wait ? 503 : 400, error.description)
        }
    }

    private func conference(
        _ asked: String?
    ) async throws(StanzaError) -> ConferenceOpening {
        guard let room = asked.flatMap({ JID($0) }), room.domain == settings.rooms,
            let name = room.local, room.resource == nil
        else { throw StanzaError("bad-request", .modify, text: "no room of \(settings.rooms)") }
        guard RoomID.isValid(name) else {
            throw StanzaError(
                "not-acceptable", .modify,
                text: "a room's name has at most 64 letters, digits, hyphens and underscores")
        }
        guard settings.open?.contains(name) ?? true else {
            throw StanzaError("not-allowed", .cancel, text: "the room is not open to Jitsi")
        }
        let host = try await rooms.room(RoomID(name))
        // First, since what the room says to that comes here.
        begin(room, host)
        await JitsiEntrance(host: host).open(room)
        if conferences[room]?.host === host { conferences[room]?.opening -= 1 }
        return ConferenceOpening(
            room: room, focus: "\(FocusPlace.nick)@\(settings.component)")
    }

    // MARK: The bridge's channels

    /// Whether that is a member's channel.
    public func admits(_ address: BridgeAddress) async -> Bool {
        await entrance(of: address)?.admits(address) ?? false
    }

    /// A member opens its channel by WebSocket.
    ///
    /// - Returns: nil if it is no member's.
    public func open(
        _ address: BridgeAddress, over socket: any SignallingSocket
    ) async -> BridgeEntrance? {
        await entrance(of: address)?.open(address, over: socket)
    }

    private func entrance(of address: BridgeAddress) -> JitsiEntrance? {
        JID("\(address.conference)@\(settings.rooms)").flatMap { conferences[$0] }
            .map { JitsiEntrance(host: $0.host) }
    }

    // MARK: Conferences

    private func begin(_ room: JID, _ host: RoomHost) {
        // A room that had ended is another one now.
        if let known = conferences[room] {
            guard known.host !== host else {
                conferences[room]?.requests += 1
                conferences[room]?.opening += 1
                return
            }
            known.queue.finish()
        }
        let (stanzas, queue) = AsyncStream.makeStream(
            of: XMLElement.self, bufferingPolicy: .bufferingOldest(Self.waitingMaximum))
        conferences[room] = Conference(host: host, queue: queue)
        let entrance = JitsiEntrance(host: host)
        Task {
            for await stanza in stanzas {
                await entrance.received(stanza)
                let requests = requests(for: room)
                if await !entrance.isOpen() { end(room, host, after: requests) }
            }
        }
    }

    func requests(for room: JID) -> Int { conferences[room]?.requests ?? 0 }

    /// A conference is over.
    ///
    /// - Parameter requests: those for it when that was asked. It has begun again if there is
    ///   another one by now.
    func end(_ room: JID, _ host: RoomHost, after requests: Int) {
        guard let conference = conferences[room], conference.host === host,
            conference.opening == 0, conference.requests == requests
        else { return }
        conferences[room] = nil
        whereabouts.forget(room)
        conference.queue.finish()
    }
}
