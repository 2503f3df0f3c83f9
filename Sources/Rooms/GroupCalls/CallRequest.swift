public import MediaKernel

/// What a participant asks of a call, in any protocol.
public enum CallRequest: Hashable, Sendable {
    case get
    case setItems([String: String])
    /// Nil for all.
    case removeItems([String]?)
    case delete
    case invite(Invite)
    case end(InvitationID, Invitation.Act)

    public struct Invite: Hashable, Sendable {
        public var user: String
        /// Until the deadline; nil for the usual time.
        public var seconds: Int?
        /// Of a server's invitation: on whose behalf it is. A participant invites on its own.
        public var inviter: String?
        /// Of a server's invitation: the role in which the user may enter. A participant shares
        /// its own role, and no other.
        public var role: String?

        public init(
            user: String, seconds: Int? = nil, inviter: String? = nil, role: String? = nil
        ) {
            self.user = user
            self.seconds = seconds
            self.inviter = inviter
            self.role = role
        }
    }

    /// Whether it only reads.
    public var isRead: Bool { self == .get }

    /// Whether it says something to others, and so needs the right to.
    public var isMessage: Bool {
        switch self {
        case .setItems, .removeItems, .invite: true
        case .get, .delete, .end: false
        }
    }

    /// Whether it may be made from any room, since the invited user is not in the call yet.
    public var isAboutInvitation: Bool {
        switch self {
        case .end: true
        case .get, .setItems, .removeItems, .delete, .invite: false
        }
    }
}

/// Who makes a request of a call.
public struct CallCaller: Hashable, Sendable {
    public var peer: PeerID
    public var user: String
    public var role: String

    public init(peer: PeerID, user: String, role: String) {
        self.peer = peer
        self.user = user
        self.role = role
    }
}

/// The answer to a participant.
public enum CallAnswer: Hashable, Sendable {
    /// - Parameter participants: at present.
    case call(GroupCall, participants: Int)
    case items(ItemsChange)
    case deleted
    /// - Parameter token: with which the invited user may enter, once it has accepted.
    case invitation(Invitation, token: String?)

    public var json: JSONValue {
        switch self {
        case .call(let call, let participants): .object(call.json(participants: participants))
        case .items(let change):
            .object(
                change.items.json.merging(
                    ["keys": .array(change.keys.map { .string($0) })]) { $1 })
        case .deleted: .object([:])
        case .invitation(let invitation, let token):
            .object(
                invitation.json.merging(token.map { ["token": .string($0)] } ?? [:]) { $1 })
        }
    }
}
