import Catalogue
import MediaKernel
import Rooms
import Webhooks

/// The events of sessions: joins and leaves of peers, with 100ms' fields.
///
/// An event's id consists of the session's id and the number of the join, so sending it again is
/// the same event. All events of a session are one line, sent in order.
struct SessionEvents: Sendable {
    let accountID: String

    func opened(_ session: OpenSession) -> CatalogueDelivery {
        delivery(.sessionOpened, "open", common(session), session, at: session.startedAt)
    }

    func joined(_ attendee: OpenSession.Attendee, _ session: OpenSession) -> CatalogueDelivery {
        delivery(
            .peerJoined, "join-\(attendee.number)", data(attendee, session), session,
            at: attendee.joinedAt)
    }

    /// An attendee has a new role.
    ///
    /// - Parameters:
    ///   - attendee: with the new role.
    ///   - requester: nil if a server made the change.
    func changed(
        _ attendee: OpenSession.Attendee, _ session: OpenSession, from role: String,
        by requester: PeerID?, at now: UnixTime
    ) -> CatalogueDelivery {
        var data = data(attendee, session)
        data["previous_role"] = .string(role)
        data["role_changed_at"] = Self.time(now)
        if let requester { data["role_change_requested_by"] = .string(requester.rawValue) }
        return delivery(
            .roleChanged, "role-\(attendee.number)-\(now.nanoseconds)", data, session, at: now)
    }

    /// The session was ended for everybody. The peers' leave events follow.
    ///
    /// - Parameter requester: nil if a server ended it; 100ms has no value for that.
    func ended(
        _ session: OpenSession, by requester: Peer?, isLocked: Bool, reason: String,
        at now: UnixTime
    ) -> CatalogueDelivery {
        var data = common(session)
        data["peer_id"] = .string(requester?.id.rawValue ?? "")
        data["user_id"] = .string(requester?.userID ?? "")
        data["user_name"] = .string(requester?.name ?? "")
        data["role"] = .string(requester?.role ?? "")
        data["lock_room"] = .bool(isLocked)
        data["reason"] = .string(reason)
        data["source"] = .string(requester == nil ? "server" : "peer")
        return delivery(.roomEnded, "end", data, session, at: now)
    }

    /// - Parameter message: the message to a removed peer.
    func left(
        _ attendee: OpenSession.Attendee, _ session: OpenSession, _ reason: LeaveReason,
        message: String, at now: UnixTime
    ) -> CatalogueDelivery {
        var data = data(attendee, session)
        data["left_at"] = Self.time(now)
        data["duration"] = Self.seconds(from: attendee.joinedAt, to: now)
        data["reason"] = .string(reason.rawValue)
        data["message"] = .string(message)
        return delivery(.peerLeft, "leave-\(attendee.number)", data, session, at: now)
    }

    func closed(_ session: OpenSession, at now: UnixTime) -> CatalogueDelivery {
        var data = common(session)
        data["session_stopped_at"] = Self.time(now)
        data["session_duration"] = Self.seconds(from: session.startedAt, to: now)
        return delivery(.sessionClosed, "close", data, session, at: now)
    }

    private func data(
        _ attendee: OpenSession.Attendee, _ session: OpenSession
    ) -> [String: JSONValue] {
        common(session).merging([
            "peer_id": .string(attendee.peer.rawValue), "user_id": .string(attendee.user),
            "user_name": .string(attendee.name), "user_data": .string(attendee.data),
            "role": .string(attendee.role), "joined_at": Self.time(attendee.joinedAt),
            // 100ms has another type for peers who join by telephone.
            "type": .string("regular"),
        ]) { common, _ in common }
    }

    private func common(_ session: OpenSession) -> [String: JSONValue] {
        [
            "room_id": .string(session.room.rawValue), "room_name": .string(session.roomName),
            "session_id": .string(session.id.rawValue),
            "template_id": .string(session.template),
            "session_started_at": Self.time(session.startedAt),
        ]
    }

    private func delivery(
        _ kind: WebhookEvent.Kind, _ name: String, _ data: [String: JSONValue],
        _ session: OpenSession, at time: UnixTime
    ) -> CatalogueDelivery {
        CatalogueDelivery(
            kind, data, id: "\(session.id)-\(name)", line: session.id.rawValue,
            room: session.room, account: accountID, at: time)
    }

    private static func time(_ time: UnixTime) -> JSONValue {
        .string(time.description)
    }

    private static func seconds(from start: UnixTime, to end: UnixTime) -> JSONValue {
        .integer(max(0, end.seconds - start.seconds))
    }
}
