public import XML

/// What a presence from a room tells about one occupant. XEP-0045.
public struct RoomPresence: Hashable, Sendable {
    public enum Change: Hashable, Sendable {
        /// Came, or changed what it shows.
        case present
        case left
        /// Status 307. Has the reason, if one was given.
        case kicked(String?)
        /// The room is gone. Has the room that replaces it.
        case destroyed(alternate: JID?)
        /// Goes on under another nick: status 303.
        case renamed(String)
        /// Removed by the room for another reason; its status: 301 (banned), 321, 322, 332, 333.
        case removed(status: Int)
        /// We could not come in, or what we sent was refused.
        case refused(StanzaError)
    }

    public let room: JID
    public let nick: String
    /// Whether the occupant is ourselves: status 110.
    public let isOwn: Bool
    public let change: Change
    /// The real address, where the room shows it to us.
    public let address: JID?
    public let affiliation: String?
    public let role: String?

    /// Nil for a stanza that is no presence of an occupant.
    public init?(_ stanza: XMLElement) {
        guard stanza.isNamed("presence", Namespaces.client),
            let from = stanza["from"].flatMap({ JID($0) }), let nick = from.resource
        else { return nil }
        let user = stanza.child("x", Namespaces.mucUser)
        let item = user?.child("item", Namespaces.mucUser)
        let statuses = Set(
            user?.elements.filter { $0.isNamed("status", Namespaces.mucUser) }
                .compactMap { $0["code"].flatMap { Int($0) } } ?? [])
        room = from.bare
        self.nick = nick
        isOwn = statuses.contains(110)
        address = item?["jid"].flatMap { JID($0) }
        affiliation = item?["affiliation"]
        role = item?["role"]
        switch stanza["type"] {
        case nil: change = .present
        case "unavailable": change = Self.end(user, item, statuses)
        case "error": change = .refused(StanzaError(of: stanza))
        default: return nil
        }
    }

    private static func end(
        _ user: XMLElement?, _ item: XMLElement?, _ statuses: Set<Int>
    ) -> Change {
        if let destroyed = user?.child("destroy", Namespaces.mucUser) {
            return .destroyed(alternate: destroyed["jid"].flatMap { JID($0) })
        }
        if statuses.contains(307) {
            let reason = item?.child("reason", Namespaces.mucUser)?.text
            return .kicked(reason.map { String($0.prefix(StreamFailure.textMaximum)) })
        }
        if statuses.contains(303), let nick = item?["nick"] { return .renamed(nick) }
        let removal = [301, 321, 322, 332, 333].first(where: statuses.contains)
        return removal.map(Change.removed) ?? .left
    }

    /// The presence that enters a room, and later changes what is shown there.
    ///
    /// - Parameter entering: with the element that asks for entry (XEP-0045 sect. 7.2.1).
    public static func present(
        in room: JID, nick: String, entering: Bool, password: String? = nil, _ shown: [XMLElement]
    ) -> XMLElement? {
        guard let occupant = JID(local: room.local, domain: room.domain, resource: nick) else {
            return nil
        }
        return XMLElement(
            "presence", Namespaces.client, ["to": occupant.description],
            (entering ? [entry(password: password)] : []) + shown)
    }

    /// The element that asks for entry.
    public static func entry(password: String? = nil) -> XMLElement {
        // What was said before we came is none of our concern (sect. 7.2.15).
        let history = XMLElement("history", Namespaces.muc, ["maxstanzas": "0"])
        let secret = password.map { XMLElement("password", Namespaces.muc, text: $0) }
        return XMLElement("x", Namespaces.muc, [:], [history] + (secret.map { [$0] } ?? []))
    }

    public static func leaving(_ room: JID, nick: String) -> XMLElement? {
        JID(local: room.local, domain: room.domain, resource: nick).map {
            XMLElement(
                "presence", Namespaces.client, ["to": $0.description, "type": "unavailable"])
        }
    }
}
