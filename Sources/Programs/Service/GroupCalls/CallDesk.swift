import Catalogue
import Clocks
import ControlAPI
import GroupCalls
import Logging
import MediaKernel
import RoomHost
import Rooms
import Tokens

/// Carries out requests about group calls: writes each change down, then tells everybody whom it
/// concerns.
actor CallDesk {
    private let calls: CallCatalogue
    private let authority: TokenAuthority
    /// Nil without receivers.
    private let events: CallEvents?
    private let logger: Logger
    private let clock: @Sendable () -> UnixTime
    private weak var rooms: (any CallRooms)?

    init(
        calls: CallCatalogue, authority: TokenAuthority, events: CallEvents?, logger: Logger,
        clock: @escaping @Sendable () -> UnixTime = { UnixTime.now }
    ) {
        self.calls = calls
        self.authority = authority
        self.events = events
        self.logger = logger
        self.clock = clock
    }

    /// The open rooms, which need the desk and so come later.
    func attach(_ rooms: any CallRooms) { self.rooms = rooms }

    /// The call of a room that is used; nil for an ordinary room.
    ///
    /// - Throws: `.deleted`, `.unavailable`.
    func openCall(_ room: RoomID) async throws(CallError) -> GroupCall? {
        let call = try await written { () async throws(CatalogueError) in
            try await calls.call(room)
        }
        try call?.checkOpen()
        return call
    }

    /// - Parameters:
    ///   - caller: nil for a server.
    ///   - room: the call, except for the end of an invitation by a participant.
    func carryOut(
        _ request: CallRequest, by caller: CallCaller?, in room: RoomID
    ) async throws(CallError) -> CallAnswer {
        let user = caller?.user
        switch request {
        case .get:
            let call = try await known(room)
            return .call(call, participants: await rooms?.participants()[room] ?? 0)
        case .setItems(let items):
            return .items(
                try await changeItems(of: room) { call throws(CallError) in
                    try call.setItems(items, by: user)
                })
        case .removeItems(let keys):
            return .items(
                try await changeItems(of: room) { call throws(CallError) in
                    try call.removeItems(keys, by: user)
                })
        case .delete:
            try await delete(room, by: caller)
            return .deleted
        case .invite(let invite):
            return .invitation(
                try await self.invite(invite, by: caller, into: room), token: nil)
        case .end(let id, let act):
            return try await end(id, of: caller == nil ? room : nil, by: act, of: user)
        }
    }

    // MARK: - Calls

    private func known(_ room: RoomID) async throws(CallError) -> GroupCall {
        let call = try await written { () async throws(CatalogueError) in
            try await calls.call(room)
        }
        guard let call else { throw .unknownCall(room) }
        return call
    }

    private func changeItems(
        of room: RoomID,
        _ change: @escaping @Sendable (inout GroupCall) throws(CallError) -> ItemsChange
    ) async throws(CallError) -> ItemsChange {
        let result = try await written { () async throws(CatalogueError) in
            try await calls.change(room, change)
        }
        let change = try result.get().value
        if !change.keys.isEmpty {
            await rooms?.tell(
                Notice(.groupCall, CallNotice.itemsChanged(room, change).json), in: room)
        }
        return change
    }

    private func delete(_ room: RoomID, by caller: CallCaller?) async throws(CallError) {
        let (now, events) = (clock(), events)
        let result = try await written { () async throws(CatalogueError) in
            try await calls.delete(room, by: caller?.user, at: now) { call in
                events?.deleted(call, at: now)
            }
        }
        let (call, canceled) = try result.get()
        logger.info("group call deleted", metadata: ["room": "\(room)"])
        let notice = CallNotice.deleted(room, by: call.end?.by)
        await rooms?.close(room, by: caller?.peer, telling: Notice(.groupCall, notice.json))
        for invitation in canceled {
            await tell(
                .answered(invitation, .cancel), to: invitation.invitee,
                else: events?.answered(invitation, .cancel, at: now))
        }
    }

    // MARK: - Invitations

    private func invite(
        _ invite: CallRequest.Invite, by caller: CallCaller?, into room: RoomID
    ) async throws(CallError) -> Invitation {
        // Before anything is looked up for somebody who names the wrong room.
        try await known(room).checkOpen()
        let role = try await role(of: invite, by: caller, in: room)
        let invitation = try Invitation(
            id: InvitationID(Hexadecimal.identifier()), call: room,
            inviter: caller?.user ?? invite.inviter, invitee: invite.user, role: role,
            seconds: invite.seconds, at: clock())
        let event = events?.invited(invitation)
        let isConnected = await rooms?.isConnected(invitation.invitee) ?? false
        let refusal = try await written { () async throws(CatalogueError) in
            try await calls.invite(invitation, telling: isConnected ? nil : event)
        }
        if let refusal { throw refusal }
        if isConnected { await tell(.invited(invitation), to: invitation.invitee, else: event) }
        return invitation
    }

    /// A participant shares its own role; a server may give any that people may have.
    private func role(
        of invite: CallRequest.Invite, by caller: CallCaller?, in room: RoomID
    ) async throws(CallError) -> String {
        if let caller { return caller.role }
        guard let role = invite.role else { throw .invalidField("role", reason: "is missing") }
        let known: [String]?
        do {
            known = try await rooms?.visibleRoles(of: room)
        } catch {
            throw .unavailable("\(error)")
        }
        guard known?.contains(role) == true else {
            throw .invalidField("role", reason: "is none of the room's")
        }
        return role
    }

    /// - Parameter call: whose invitation it must be; nil for any.
    private func end(
        _ id: InvitationID, of call: RoomID?, by act: Invitation.Act, of user: String?
    ) async throws(CallError) -> CallAnswer {
        let stored = try await written { () async throws(CatalogueError) in
            try await calls.invitation(id)
        }
        guard let stored else { throw .unknownInvitation(id) }
        let hearer = stored.hearer(of: act)
        var isConnected = false
        if let hearer { isConnected = await rooms?.isConnected(hearer) ?? false }
        let (now, events, isWritten) = (clock(), events, !isConnected)
        let result = try await written { () async throws(CatalogueError) in
            try await calls.end(id, into: call, by: act, of: user, at: now) { ended in
                isWritten ? events?.answered(ended, act, at: now) : nil
            }
        }
        let invitation = try result.get()
        if let hearer, isConnected {
            await tell(
                .answered(invitation, act), to: hearer,
                else: events?.answered(invitation, act, at: now))
        }
        return .invitation(invitation, token: act == .accept ? try token(for: invitation) : nil)
    }

    /// With which the invited user enters.
    private func token(for invitation: Invitation) throws(CallError) -> String {
        do {
            return try authority.makeRoomToken(
                room: invitation.call, user: invitation.invitee, role: invitation.role,
                at: clock())
        } catch {
            throw .unavailable("\(error)")
        }
    }

    // MARK: - Telling

    /// Tells a user by its clients, or by a webhook if it has none.
    private func tell(
        _ notice: CallNotice, to user: String, else event: CatalogueDelivery?
    ) async {
        guard await rooms?.tell(Notice(.groupCall, notice.json), to: user) != true, let event
        else { return }
        do throws(CatalogueError) {
            try await calls.save(event)
        } catch {
            logger.error(
                "user not told", metadata: ["event": "\(event.id)", "error": "\(error)"])
        }
    }

    /// Converts the catalogue's errors.
    private func written<Value: Sendable>(
        _ body: () async throws(CatalogueError) -> Value
    ) async throws(CallError) -> Value {
        do throws(CatalogueError) {
            return try await body()
        } catch {
            throw .unavailable(error.description)
        }
    }
}

/// For participants.
extension CallDesk: GroupCalling {
    func perform(
        _ request: CallRequest, by caller: CallCaller, in room: RoomID
    ) async throws(CallError) -> CallAnswer {
        try await carryOut(request, by: caller, in: room)
    }
}

/// For servers.
extension CallDesk: GroupCallControl {
    func create(_ call: GroupCall, in room: CatalogueRoom) async throws(APIError) {
        let namesake = try await answered { () async throws(CallError) in
            try await written { () async throws(CatalogueError) in
                try await calls.create(call, in: room)
            }
        }
        if let namesake { throw .nameTaken(by: namesake) }
    }

    func call(_ id: RoomID) async throws(APIError) -> CallAtPresent {
        let call = try await answered { () async throws(CallError) in try await known(id) }
        return CallAtPresent(call, participants: await rooms?.participants()[id] ?? 0)
    }

    func calls(
        _ filter: CallFilter, behind place: CallPlace?, limit: Int
    ) async throws(APIError) -> CallPage {
        let occupied = await rooms?.participants() ?? [:]
        let (found, next) = try await answered { () async throws(CallError) in
            try await written { () async throws(CatalogueError) in
                try await calls.calls(filter, occupied: occupied, behind: place, limit: limit)
            }
        }
        return CallPage(
            calls: found.map { CallAtPresent($0, participants: occupied[$0.id] ?? 0) }, next: next)
    }

    func perform(_ request: CallRequest, in room: RoomID) async throws(APIError) -> CallAnswer {
        try await answered { () async throws(CallError) in
            try await carryOut(request, by: nil, in: room)
        }
    }

    func invitations(into room: RoomID) async throws(APIError) -> [Invitation] {
        try await answered { () async throws(CallError) in
            _ = try await known(room)
            return try await written { () async throws(CatalogueError) in
                try await calls.invitations(of: room)
            }
        }
    }

    private func answered<Value: Sendable>(
        _ body: () async throws(CallError) -> Value
    ) async throws(APIError) -> Value {
        do throws(CallError) {
            return try await body()
        } catch {
            throw APIError(error)
        }
    }
}
