import GRDB
public import GroupCalls
public import MediaKernel

/// Invitations into calls.
extension CallCatalogue {
    /// The most old invitations that are forgotten at a time.
    private static let sweptMaximum = 100

    public func invitation(_ id: InvitationID) async throws(CatalogueError) -> Invitation? {
        try await catalogue.read { try Invitation.find(id.rawValue, in: $0) }
    }

    /// The invitations of a call that have not been forgotten, the newest first.
    public func invitations(of call: RoomID) async throws(CatalogueError) -> [Invitation] {
        try await catalogue.read { database in
            try Invitation.fetchAll(
                database,
                sql: """
                    SELECT * FROM invitation WHERE room = ? ORDER BY created DESC, id DESC
                    LIMIT \(Self.listedMaximum)
                    """, arguments: [call.rawValue])
        }
    }

    /// The most invitations of a call that are listed.
    public static let listedMaximum = 2 * CallLimits.pendingInvitations

    /// Adds an invitation. Forgets some that ended long ago.
    ///
    /// - Parameter delivery: the webhook event of the invitation, if there is one.
    /// - Returns: why it was not added; nil if it was.
    public func invite(
        _ invitation: Invitation, telling delivery: CatalogueDelivery?
    ) async throws(CatalogueError) -> CallError? {
        try await catalogue.write { database in
            let now = invitation.createdAt
            try Invitation.forget(
                before: now - CallLimits.invitationKept, limit: Self.sweptMaximum, in: database)
            guard let call = try GroupCall.find(invitation.call.rawValue, in: database) else {
                return .unknownCall(invitation.call)
            }
            guard call.state == .open else { return .deleted(call.id) }
            let pending = try Invitation.pending(of: call.id, at: now, in: database)
            guard !pending.contains(where: { $0.invitee == invitation.invitee }) else {
                return .alreadyInvited(user: invitation.invitee)
            }
            guard pending.count < CallLimits.pendingInvitations else {
                return .tooManyInvitations(maximum: CallLimits.pendingInvitations)
            }
            try invitation.upsert(into: database)
            try delivery?.insert(into: database)
            return nil
        }
    }

    /// Ends an invitation.
    ///
    /// - Parameters:
    ///   - call: whose invitation it must be; nil for any.
    ///   - user: who acts; nil for a server.
    ///   - delivery: makes the webhook event of the ended invitation, if there is one.
    public func end(
        _ id: InvitationID, into call: RoomID? = nil, by act: Invitation.Act, of user: String?,
        at now: UnixTime, telling delivery: @escaping @Sendable (Invitation) -> CatalogueDelivery?
    ) async throws(CatalogueError) -> Result<Invitation, CallError> {
        try await catalogue.write { database in
            guard var invitation = try Invitation.find(id.rawValue, in: database),
                call.map({ $0 == invitation.call }) ?? true
            else { return .failure(.unknownInvitation(id)) }
            do throws(CallError) {
                try invitation.end(by: act, of: user, at: now)
            } catch {
                return .failure(error)
            }
            try invitation.upsert(into: database)
            try delivery(invitation)?.insert(into: database)
            return .success(invitation)
        }
    }
}

extension Invitation: CatalogueRecord {
    static let table = "invitation"

    init(_ row: RowReader) throws {
        self.init(
            id: try row.id("id"), call: try row.id("room"), inviter: try row("inviter"),
            invitee: try row("invitee"), role: try row("role"),
            createdAt: try row.time("created"), expiresAt: try row.time("expires"),
            state: try row.choice("state"))
    }

    func write(to row: inout PersistenceContainer) {
        row["id"] = id.rawValue
        row["room"] = call.rawValue
        row["inviter"] = inviter
        row["invitee"] = invitee
        row["role"] = role
        row["created"] = createdAt.nanoseconds
        row["expires"] = expiresAt.nanoseconds
        row["state"] = state.rawValue
    }

    static func pending(
        of call: RoomID, at now: UnixTime, in database: Database
    ) throws -> [Invitation] {
        try fetchAll(
            database,
            sql: """
                SELECT * FROM invitation WHERE room = ? AND state = 'pending' AND expires > ?
                ORDER BY created, id
                """, arguments: [call.rawValue, now.nanoseconds])
    }

    fileprivate static func forget(
        before time: UnixTime, limit: Int, in database: Database
    ) throws {
        try database.execute(
            sql: """
                DELETE FROM invitation WHERE id IN (
                    SELECT id FROM invitation WHERE expires < ? LIMIT ?)
                """, arguments: [time.nanoseconds, limit])
    }
}
