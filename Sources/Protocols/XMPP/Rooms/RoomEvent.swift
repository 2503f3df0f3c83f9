public import XML

/// What happens in a room that we enter.
public enum RoomEvent: Hashable, Sendable {
    /// We are inside. Who else is there has been told before.
    case entered(nick: String)
    /// Somebody, or we ourselves, came, changed or left.
    case occupant(RoomPresence)
    case message(RoomMessage)
    /// What we wanted to show was refused; we are still inside.
    case refused(StanzaError)
    /// We are not, or no longer, in the room.
    case ended(RoomEnding)
}

/// Why we are not in a room. XEP-0045.
public enum RoomEnding: Error, Hashable, Sendable, CustomStringConvertible {
    /// By our wish.
    case left
    case kicked(reason: String?)
    case banned
    /// Has the room that replaces it.
    case destroyed(alternate: JID?)
    /// Removed for another reason: status 321, 322, 332 or 333.
    case removed(status: Int)
    case full
    case passwordNeeded
    /// The nick is somebody else's.
    case nickTaken
    case membersOnly
    /// There is no such room, or it is not open yet.
    case absent
    /// There is no such room, and we may not make it. Prosody also answers so for a server that it
    /// does not talk to.
    case notOurs
    case refused(StanzaError)
    /// The room did not answer in time.
    case silent
    /// The connection was lost, and the stream with it.
    case offline

    /// What a refused entry means. XEP-0045 sect. 7.2 and its table of errors.
    init(_ error: StanzaError) {
        self =
            switch error.condition {
            case "not-authorized": .passwordNeeded
            case "forbidden": .banned
            case "item-not-found": .absent
            case "not-allowed": .notOurs
            case "registration-required": .membersOnly
            case "conflict": .nickTaken
            case "service-unavailable" where error.kind == .wait: .full
            default: .refused(error)
            }
    }

    public var description: String {
        switch self {
        case .left: "left"
        case .kicked(let reason): "kicked" + (reason.map { " (\($0))" } ?? "")
        case .banned: "banned"
        case .destroyed: "the room was destroyed"
        case .removed(let status): "removed with status \(status)"
        case .full: "the room is full"
        case .passwordNeeded: "the room wants another password"
        case .nickTaken: "the nick is taken"
        case .membersOnly: "the room is for members only"
        case .absent: "there is no such room"
        case .notOurs: "there is no such room, and it may not be made"
        case .refused(let error): "refused: \(error)"
        case .silent: "the room does not answer"
        case .offline: "the connection was lost"
        }
    }
}

/// A message to all in a room.
public struct RoomMessage: Hashable, Sendable {
    /// Nil for one of the room itself.
    public let nick: String?
    /// Sent before we came (XEP-0203).
    public let isDelayed: Bool
    /// To one occupant only.
    public let isPrivate: Bool
    /// The whole of it.
    public let stanza: XMLElement

    public var body: String? { stanza.child("body", Namespaces.client)?.text }
    public var subject: String? { stanza.child("subject", Namespaces.client)?.text }

    /// Nil for a message of another type.
    init?(_ stanza: XMLElement, from: JID) {
        guard stanza["type"] != "error" else { return nil }
        isPrivate = stanza["type"] != "groupchat"
        nick = from.resource
        isDelayed = stanza.child("delay", Namespaces.delay) != nil
        self.stanza = stanza
    }
}
