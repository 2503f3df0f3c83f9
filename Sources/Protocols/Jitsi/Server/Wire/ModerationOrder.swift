internal import MediaKernel
internal import Rooms
internal import XML
internal import XMPP

/// What a client asks of the AV moderation.
struct ModerationOrder: Hashable {
    enum Work: Hashable {
        case moderate(Bool)
        /// Whether an occupant of the conference's room may unmute.
        case allow(Bool, JID)
    }

    let kind: PublishParameters.Kind
    let work: Work

    /// - Returns: nil for a stanza that is no such order.
    init?(_ message: XMLElement) throws(StanzaError) {
        guard let order = Self.element(of: message) else { return nil }
        guard let kind = order["mediaType"].flatMap(PublishParameters.Kind.init(mediaType:)) else {
            throw StanzaError("bad-request", .modify, text: "mediaType is audio, video or desktop")
        }
        self.kind = kind
        if let enable = order["enable"] {
            guard enable == "true" || enable == "false" else {
                throw StanzaError("bad-request", .modify, text: "enable is true or false")
            }
            work = .moderate(enable == "true")
        } else if let allowed = order["jidToWhitelist"] {
            work = .allow(true, try Self.occupant(allowed))
        } else if let denied = order["jidToBlacklist"] {
            work = .allow(false, try Self.occupant(denied))
        } else {
            throw StanzaError("bad-request", .modify, text: "nothing is asked")
        }
    }

    static func isOne(_ message: XMLElement) -> Bool { element(of: message) != nil }

    /// Clients give it no namespace.
    private static func element(of message: XMLElement) -> XMLElement? {
        guard message.name == "message", message["type"] != "error" else { return nil }
        return message.elements.first { $0.name == "av_moderation" }
    }

    private static func occupant(_ text: String) throws(StanzaError) -> JID {
        guard let address = JID(text), address.local != nil, address.resource != nil else {
            throw StanzaError("jid-malformed", .modify)
        }
        return address
    }

    /// The room that it names.
    var room: JID? {
        if case .allow(_, let occupant) = work { occupant.bare } else { nil }
    }
}

extension PublishParameters.Kind {
    /// As Jitsi's clients call it.
    init?(mediaType: String) {
        guard let kind = Self.allCases.first(where: { $0.mediaType == mediaType }) else {
            return nil
        }
        self = kind
    }

    var mediaType: String {
        switch self {
        case .audio: "audio"
        case .video: "video"
        case .screen: "desktop"
        }
    }
}

/// What clients are told of the AV moderation.
struct ModerationWord {
    enum News {
        /// - Parameter actor: the occupant who has done it.
        case moderated(Bool, by: String)
        /// To the moderators: the occupants that may unmute, one less or one more than before.
        case allowed([String], isLess: Bool)
        /// To whom it concerns.
        case youMay(Bool)
    }

    let room: JID
    let kind: PublishParameters.Kind
    let news: News

    var json: String {
        var members: [String: JSONValue] = [
            "type": "av_moderation", "room": .string("\(room)"),
            "mediaType": .string(kind.mediaType),
        ]
        switch news {
        case .moderated(let isOn, let actor):
            members["enabled"] = .bool(isOn)
            members["actor"] = .string(actor)
        case .allowed(let occupants, let isLess):
            members["whitelists"] = .object([
                kind.mediaType: .array(occupants.map(JSONValue.string))
            ])
            if isLess { members["removed"] = .bool(true) }
        case .youMay(let isAllowed):
            members[isAllowed ? "approved" : "removed"] = .bool(true)
        }
        return JitsiJSON.text(members)
    }
}
