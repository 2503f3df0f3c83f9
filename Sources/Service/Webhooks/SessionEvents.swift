import Catalogue
import MediaKernel
import Rooms
import Webhooks

/// What is told of rooms: who came and who left, with 100ms' fields.
///
/// An event's id is made of the session's and of the join's number in it, so that telling it once
/// more is the same event. All events of a session are one line, told in their order.
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

    /// - Parameter message: what was said to a peer that was put out.
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
