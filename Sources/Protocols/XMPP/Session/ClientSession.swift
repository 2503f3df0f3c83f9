public import MediaKernel
public import XML

/// A client of an XMPP server, over one connection after the other: the stream, our requests and
/// the answers to others', the rooms, and whether the server is still there.
///
/// Bytes and wishes go in, orders come out of `poll`. Time is an argument.
public struct ClientSession: Sendable {
    let settings: ClientSettings
    private let limits: XMLLimits
    /// Nil without a connection.
    private var stream: ClientStream?
    private var phase: ConnectionEnd.Phase?
    private var phaseDeadline: Instant?
    /// When the server was last heard, and until when a ping must be answered.
    private var heardAt = Instant.zero
    private var pingDeadline: Instant?
    var pending = PendingRequests()
    var rooms: [JID: Stay] = [:]
    private var management: StreamManagement?
    /// Our address in the stream that is, or may be resumed.
    private(set) var address: JID?
    /// Whether the program takes what it is told. A server that we do not read cannot answer.
    private var isReading = true
    private var isLeaving = false
    private var orders = PollQueue<ClientOrder>()

    public init(_ settings: ClientSettings, limits: XMLLimits = XMLLimits()) {
        self.settings = settings
        self.limits = limits
    }

    /// Whether stanzas may be sent.
    public var isOnline: Bool { stream != nil && phase == .open && !isLeaving }

    public mutating func poll() -> ClientOrder? { orders.poll() }

    // MARK: The connection

    public mutating func connecting(at now: Instant) { expect(.connecting, at: now) }

    /// - Parameters:
    ///   - isLocal: whether the server is on this machine.
    ///   - isEncrypted: whether the carrier is encrypted already.
    ///   - nonce: see ``ClientStream``.
    public mutating func connected(
        by carrier: StreamSettings.Carrier, isLocal: Bool, isEncrypted: Bool, nonce: String,
        at now: Instant
    ) {
        let mayBePlain =
            settings.plaintext == .accepted || settings.plaintext == .onLoopback && isLocal
        let stream = ClientStream(
            StreamSettings(
                domain: settings.domain, credentials: settings.credentials,
                resource: settings.resource, carrier: carrier, isEncrypted: isEncrypted,
                mayBePlain: mayBePlain), nonce: nonce,
            resumption: management?.resumption.map {
                ClientStream.Resumption(id: $0, received: management?.received ?? 0)
            }, limits: limits)
        order(.send(stream.opening))
        self.stream = stream
        expect(stream.phase, at: now)
    }

    /// Bytes of a TCP connection.
    public mutating func received(_ bytes: some Sequence<UInt8>, at now: Instant) {
        var found: [ClientStream.Order] = []
        do throws(StreamFailure) {
            try stream?.received(bytes) { found.append($0) }
            take(found, nil, at: now)
        } catch { take(found, error, at: now) }
    }

    /// A message of a WebSocket.
    public mutating func received(message: String, at now: Instant) {
        var found: [ClientStream.Order] = []
        do throws(StreamFailure) {
            try stream?.received(message: message) { found.append($0) }
            take(found, nil, at: now)
        } catch { take(found, error, at: now) }
    }

    /// TLS is established, and the server has proved its name.
    public mutating func secured(at now: Instant) {
        for case .send(let text) in stream?.secured() ?? [] { order(.send(text)) }
        step(at: now)
    }

    /// The connection is gone, or could not be made.
    ///
    /// - Returns: `left` if we were leaving, however the server closed; `end` otherwise.
    @discardableResult
    public mutating func disconnected(_ end: ConnectionEnd) -> ConnectionEnd {
        guard phase != nil else { return end }
        let end = isLeaving ? .left : end
        (stream, phase, phaseDeadline, pingDeadline) = (nil, nil, nil, nil)
        isLeaving = false
        management?.lost()
        if !end.leavesStream || management?.resumption == nil { forget() }
        return end
    }

    /// The connection takes no more: the server does not read.
    public mutating func overrun() { end(.overrun) }

    /// Whether the program takes events now. While it does not, the server's silence means nothing.
    public mutating func reads(_ isReading: Bool, at now: Instant) {
        self.isReading = isReading
        heardAt = now
        if pingDeadline != nil { pingDeadline = now + settings.times.pingAnswer }
    }

    // MARK: Time

    public var nextDeadline: Instant? {
        var next = Instant.earlier(phaseDeadline, pending.nextDeadline)
        for stay in rooms.values { next = Instant.earlier(next, stay.deadline) }
        if phase == .open, isReading {
            next = Instant.earlier(next, pingDeadline ?? heardAt + settings.times.silence)
        }
        return next
    }

    public mutating func handleTimeout(at now: Instant) {
        for id in pending.timedOut(now) { order(.answered(id, .failure(.timedOut))) }
        for (room, stay) in rooms where stay.deadline.map({ $0 <= now }) ?? false {
            rooms[room] = nil
            order(.event(.room(room, .ended(stay.overdue))))
            // Otherwise we would be in a room that we do not know of.
            if stay.overdue == .silent, isOnline,
                let leaving = RoomPresence.leaving(room, nick: stay.nick)
            {
                transmit(leaving)
            }
        }
        if let phaseDeadline, phaseDeadline <= now, let phase { return end(.silent(phase)) }
        guard isOnline, isReading else { return }
        if let pingDeadline {
            if pingDeadline <= now { end(.silent(.open)) }
        } else if heardAt + settings.times.silence <= now {
            ping(at: now)
        }
    }

    // MARK: Wishes

    /// Sends a stanza.
    public mutating func send(_ stanza: XMLElement) throws(RequestFailure) {
        guard isOnline else { throw .offline }
        transmit(stanza)
    }

    /// Ends the stream in order. The server has until `ClientTimes.farewell` to do so too.
    public mutating func leave(at now: Instant) {
        guard isOnline, let stream else { return end(.left) }
        for text in stream.farewell() { order(.send(text)) }
        isLeaving = true
        phaseDeadline = now + settings.times.farewell
    }

    // MARK: Orders

    mutating func order(_ order: ClientOrder) { orders.append(order) }

    mutating func transmit(_ stanza: XMLElement) {
        guard let stream else { return }
        let text = stream.text(stanza)
        order(.send(text))
        guard management != nil else { return }
        if management?.sent(stanza, bytes: text.utf8.count) == true {
            // Otherwise a server that reads at last would keep our places in the rooms.
            for text in stream.farewell() { order(.send(text)) }
            return end(.overrun)
        }
        if let question = management?.ask() { order(.send(stream.text(question))) }
    }

    private mutating func end(_ end: ConnectionEnd) {
        guard phase != nil else { return }
        // The events of what is lost come before the end.
        let end = disconnected(end)
        order(.end(end))
    }

    private mutating func expect(_ phase: ConnectionEnd.Phase, at now: Instant) {
        guard phase != self.phase else { return }
        self.phase = phase
        phaseDeadline = phase == .open ? nil : now + settings.times.phase
    }

    private mutating func take(
        _ found: [ClientStream.Order], _ failure: StreamFailure?, at now: Instant
    ) {
        for one in found { obey(one, at: now) }
        guard let stream else { return }
        if let failure {
            for text in stream.farewell(failure) { order(.send(text)) }
            return end(.failed(failure))
        }
        step(at: now)
    }

    private mutating func step(at now: Instant) {
        if let stream { expect(stream.phase, at: now) }
    }

    private mutating func obey(_ one: ClientStream.Order, at now: Instant) {
        guard stream != nil else { return }
        (heardAt, pingDeadline) = (now, nil)
        switch one {
        case .send(let text): order(.send(text))
        case .startTLS: order(.startTLS)
        case .ready(let address): begun(address, at: now)
        case .resumed(let count): resumed(count, at: now)
        case .management(let element): manage(element)
        case .stanza(let stanza):
            management?.took()
            handle(stanza)
        case .closed:
            if !isLeaving { for text in stream?.farewell() ?? [] { order(.send(text)) } }
            end(.closed)
        }
    }

    // MARK: The stream

    private mutating func begun(_ address: JID, at now: Instant) {
        forget()
        (self.address, pending.own) = (address, address)
        expect(.open, at: now)
        order(.event(.online(address, isResumed: false)))
        guard settings.resumes, let stream, stream.offersManagement else { return }
        order(.send(stream.text(StreamManagement.enable)))
        management = StreamManagement()
    }

    private mutating func resumed(_ count: UInt32, at now: Instant) {
        expect(.open, at: now)
        guard let address, let stream, management?.acknowledge(count) == true else {
            return end(.failed(.unexpected("a count of stanzas that were not sent")))
        }
        order(.event(.online(address, isResumed: true)))
        for stanza in management?.unacknowledged ?? [] { order(.send(stream.text(stanza))) }
        if let question = management?.ask() { order(.send(stream.text(question))) }
    }

    private mutating func manage(_ element: XMLElement) {
        guard let stream, let state = management else { return }
        switch element.name {
        case "enabled": management?.enabled(element)
        case "failed": management = nil
        case "r": order(.send(stream.text(state.answer)))
        case "a":
            guard let count = element["h"].flatMap({ UInt32($0) }),
                management?.acknowledge(count) == true
            else { return end(.failed(.unexpected("a count of stanzas that were not sent"))) }
        default: break
        }
        if let question = management?.ask() { order(.send(stream.text(question))) }
    }

    /// The stream will not be resumed.
    private mutating func forget() {
        (management, address) = (nil, nil)
        for id in pending.removeAll() { order(.answered(id, .failure(.offline))) }
        for room in rooms.keys { order(.event(.room(room, .ended(.offline)))) }
        rooms = [:]
    }

    private mutating func ping(at now: Instant) {
        pingDeadline = now + settings.times.pingAnswer
        let server = JID(local: nil, domain: settings.domain)
        let asked = pending.ask(
            .get, XMLElement("ping", Namespaces.ping), to: server,
            until: now + settings.times.pingAnswer)
        // Where too many requests wait, any answer will do.
        if let asked { transmit(asked.stanza) }
    }
}
