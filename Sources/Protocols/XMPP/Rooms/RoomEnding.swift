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
