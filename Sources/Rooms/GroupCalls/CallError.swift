public import MediaKernel

/// Why a request about a group call was refused. Nothing has changed.
public enum CallError: Error, Hashable, Sendable {
    /// The room does not exist, or is an ordinary one.
    case unknownCall(RoomID)
    /// The call was deleted: it can be looked up, and nothing else.
    case deleted(RoomID)
    case invalidField(String, reason: String)
    case tooLong(field: String, count: Int, maximum: Int)
    case tooManyItems(maximum: Int)
    case unknownInvitation(InvitationID)
    /// The invitation has ended in this way.
    case invitationOver(InvitationID, InvitationState)
    /// Only the invited user may answer, and only the inviting one may cancel.
    case notYours(InvitationID)
    /// The user has an invitation into this call that waits for an answer.
    case alreadyInvited(user: String)
    case tooManyInvitations(maximum: Int)
    /// It cannot be looked up or written now; the reason is for the operator.
    case unavailable(String)

    /// What a caller can conclude from a refusal.
    public enum Kind: Hashable, Sendable {
        case invalid, forbidden, unknown, conflict, gone, unavailable
    }

    public var kind: Kind {
        switch self {
        case .invalidField, .tooLong, .tooManyItems: .invalid
        case .notYours: .forbidden
        case .unknownCall, .unknownInvitation: .unknown
        case .invitationOver, .alreadyInvited, .tooManyInvitations: .conflict
        case .deleted: .gone
        case .unavailable: .unavailable
        }
    }

    /// A list's token that is none.
    static let malformedToken = invalidField("token", reason: "is none of a list's")
    static let foreignToken = invalidField("token", reason: "is that of a list with other filters")

    public var message: String {
        switch self {
        case .unknownCall(let room): "room \(room) is no group call"
        case .deleted(let room): "room \(room) is deleted"
        case .invalidField(let field, let reason): "\(field) \(reason)"
        case .tooLong(let field, let count, let maximum):
            "\(field) is too long: \(count) of at most \(maximum)"
        case .tooManyItems(let maximum): "a room has at most \(maximum) custom items"
        case .unknownInvitation(let id): "invitation \(id) does not exist"
        case .invitationOver(let id, let state): "invitation \(id) is \(state.rawValue)"
        case .notYours(let id): "invitation \(id) is not this user's"
        case .alreadyInvited(let user): "user \(user) has been invited already"
        case .tooManyInvitations(let maximum):
            "\(maximum) invitations of the room wait for an answer, which is the most"
        case .unavailable: "group calls cannot be looked up"
        }
    }
}
