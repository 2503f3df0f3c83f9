public import MediaKernel
public import XML

extension ClientSession {
    // MARK: Requests

    /// Asks. `ClientOrder.answered` has the outcome, with the id that is returned.
    ///
    /// - Parameter to: nil for our own account at the server.
    public mutating func ask(
        _ kind: Request.Kind, _ payload: XMLElement, to: JID?, until deadline: Instant
    ) throws(RequestFailure) -> String {
        guard isOnline else { throw .offline }
        guard let asked = pending.ask(kind, payload, to: to, until: deadline) else {
            throw .tooMany
        }
        transmit(asked.stanza)
        return asked.id
    }

    mutating func handle(_ stanza: XMLElement) {
        switch stanza.name {
        case "iq":
            if let (id, outcome) = pending.answered(stanza) {
                switch outcome {
                case .result(let child): order(.answered(id, .success(child)))
                case .refused(let error): order(.answered(id, .failure(.refused(error))))
                }
            } else if let request = Request(stanza) {
                answer(request)
            }
        default:
            guard let from = stanza["from"].flatMap({ JID($0) }), var stay = rooms[from.bare]
            else { return order(.event(.stanza(stanza))) }
            let events = stay.events(stanza, from: from)
            rooms[from.bare] = stay
            for event in events {
                if case .ended = event { rooms[from.bare] = nil }
                order(.event(.room(from.bare, event)))
            }
        }
    }

    private mutating func answer(_ request: Request) {
        switch request.payload.namespace {
        case Namespaces.ping: transmit(request.result())
        case Namespaces.discoInfo: transmit(settings.capabilities.answer(request))
        case let namespace where settings.answered.contains(namespace):
            order(.event(.request(request)))
        default: transmit(request.refusal(StanzaError("service-unavailable", .cancel)))
        }
    }

    // MARK: Rooms

    /// Rooms that one client is in. More are refused: a program has a call, or a brewery.
    public static var roomsMaximum: Int { 64 }

    /// Enters a room. An event tells that we are inside, or why not.
    ///
    /// - Parameter shown: what the presence has beside our capabilities.
    public mutating func enter(
        _ room: JID, nick: String, password: String? = nil, _ shown: [XMLElement] = [],
        at now: Instant
    ) throws(RequestFailure) {
        guard isOnline else { throw .offline }
        guard rooms[room.bare] == nil, rooms.count < Self.roomsMaximum else { throw .tooMany }
        guard let presence = presence(room, nick, entering: true, password, shown) else {
            throw .refused(StanzaError("jid-malformed", .modify))
        }
        rooms[room.bare] = Stay(room: room.bare, nick: nick, until: now + settings.times.entry)
        transmit(presence)
    }

    /// Shows something else in a room.
    public mutating func show(_ shown: [XMLElement], in room: JID) throws(RequestFailure) {
        guard isOnline, let stay = rooms[room.bare],
            let presence = presence(room, stay.nick, entering: false, nil, shown)
        else { throw .offline }
        transmit(presence)
    }

    /// Leaves a room. An event tells its end.
    public mutating func leave(
        _ room: JID, _ shown: [XMLElement] = [], at now: Instant
    ) throws(RequestFailure) {
        guard isOnline, let stay = rooms[room.bare],
            var presence = RoomPresence.leaving(room, nick: stay.nick)
        else { throw .offline }
        presence.children += shown.map(XMLElement.Node.element)
        rooms[room.bare]?.leave(until: now + settings.times.farewell)
        transmit(presence)
    }

    private func presence(
        _ room: JID, _ nick: String, entering: Bool, _ password: String?, _ shown: [XMLElement]
    ) -> XMLElement? {
        RoomPresence.present(
            in: room, nick: nick, entering: entering, password: password,
            [settings.capabilities.element] + shown)
    }
}
