public import MediaKernel

public enum InvitationTag {}
public typealias InvitationID = Identifier<InvitationTag>

public enum InvitationState: String, Hashable, Sendable, CaseIterable {
    case pending, accepted, declined, canceled
    /// Nobody answered before its deadline.
    case expired
}

/// A user's invitation of another into a call.
///
/// ```
///             accept ► accepted
///  pending ──┤ decline ► declined        only the invited user
///            │ cancel ► canceled          only the inviting user, or a server; and the call's end
///             deadline ► expired
/// ```
/// It ends once. Only an accepted one lets its user in.
public struct Invitation: Hashable, Sendable {
    public let id: InvitationID
    public let call: RoomID
    /// Nil if a server invites.
    public let inviter: String?
    public let invitee: String
    /// The role in which the invited user may enter.
    public let role: String
    public let createdAt: UnixTime
    public let expiresAt: UnixTime
    /// As stored: a pending one may have expired. See ``state(at:)``.
    public private(set) var state: InvitationState

    public init(
        id: InvitationID, call: RoomID, inviter: String?, invitee: String, role: String,
        createdAt: UnixTime, expiresAt: UnixTime, state: InvitationState = .pending
    ) {
        self.id = id
        self.call = call
        self.inviter = inviter
        self.invitee = invitee
        self.role = role
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.state = state
    }

    /// A new one.
    ///
    /// - Parameter seconds: until its deadline; nil for the usual time.
    public init(
        id: InvitationID, call: RoomID, inviter: String?, invitee: String, role: String,
        seconds: Int?, at now: UnixTime
    ) throws(CallError) {
        try Self.check(user: invitee, field: "user_id")
        if let inviter { try Self.check(user: inviter, field: "inviter") }
        guard invitee != inviter else {
            throw .invalidField("user_id", reason: "is the inviting user's own")
        }
        let seconds = seconds ?? CallLimits.invitationSecondsDefault
        let allowed = CallLimits.invitationSeconds
        guard allowed.contains(seconds) else {
            throw .invalidField(
                "expires_in", reason: "is \(allowed.lowerBound) to \(allowed.upperBound) seconds")
        }
        self.init(
            id: id, call: call, inviter: inviter, invitee: invitee, role: role, createdAt: now,
            expiresAt: now + .seconds(seconds))
    }

    private static func check(user: String, field: String) throws(CallError) {
        guard (1...CallLimits.userBytes).contains(user.utf8.count) else {
            throw .invalidField(field, reason: "has 1 to \(CallLimits.userBytes) bytes")
        }
    }

    public func state(at now: UnixTime) -> InvitationState {
        state == .pending && expiresAt <= now ? .expired : state
    }

    /// What ends an invitation.
    public enum Act: Hashable, Sendable {
        case accept, decline, cancel

        fileprivate var outcome: InvitationState {
            switch self {
            case .accept: .accepted
            case .decline: .declined
            case .cancel: .canceled
            }
        }
    }

    /// - Parameter user: who acts; nil for a server, which may do everything.
    public mutating func end(
        by act: Act, of user: String?, at now: UnixTime
    ) throws(CallError) {
        // First whose it is: others do not learn how it ended.
        if let user, user != (act == .cancel ? inviter : invitee) { throw .notYours(id) }
        let current = state(at: now)
        guard current == .pending else { throw .invitationOver(id, current) }
        state = act.outcome
    }

    /// The user that is told of this act; nil if a server is to be told.
    public func hearer(of act: Act) -> String? { act == .cancel ? invitee : inviter }
}
