import MediaKernel
import XML

/// Our stay in one room. XEP-0045 sect. 7.
struct Stay: Sendable {
    private enum Place {
        case entering
        case inside
        case leaving
    }

    let room: JID
    private(set) var nick: String
    private var place = Place.entering
    /// Until when we must be inside, or outside.
    private(set) var deadline: Instant?

    init(room: JID, nick: String, until deadline: Instant) {
        (self.room, self.nick, self.deadline) = (room, nick, deadline)
    }

    /// What a stanza from the room means. The last one, `ended`, ends the stay.
    mutating func events(_ stanza: XMLElement, from: JID) -> [RoomEvent] {
        if stanza.name == "message" {
            return RoomMessage(stanza, from: from).map { [.message($0)] } ?? []
        }
        if stanza["type"] == "error", from.resource == nil || from.resource == nick {
            return refused(StanzaError(of: stanza))
        }
        guard let presence = RoomPresence(stanza) else { return [] }
        // ejabberd destroys a room without the status that is our mark; once inside, our nick is it.
        let isOwn = presence.isOwn || place != .entering && presence.nick == nick
        return [.occupant(presence)] + (isOwn ? own(presence) : [])
    }

    mutating func leave(until deadline: Instant) {
        place = .leaving
        self.deadline = deadline
    }

    /// What the passing of the deadline means.
    var overdue: RoomEnding { place == .leaving ? .left : .silent }

    private mutating func own(_ presence: RoomPresence) -> [RoomEvent] {
        switch presence.change {
        case .present:
            nick = presence.nick
            guard place == .entering else { return [] }
            (place, deadline) = (.inside, nil)
            return [.entered(nick: nick)]
        case .renamed(let other):
            nick = other
            return []
        case .left: return [.ended(.left)]
        case .kicked(let reason): return [.ended(.kicked(reason: reason))]
        case .destroyed(let alternate): return [.ended(.destroyed(alternate: alternate))]
        case .removed(let status):
            return [.ended(status == 301 ? .banned : .removed(status: status))]
        case .refused(let error): return refused(error)
        }
    }

    private func refused(_ error: StanzaError) -> [RoomEvent] {
        place == .entering ? [.ended(RoomEnding(error))] : [.refused(error)]
    }
}
