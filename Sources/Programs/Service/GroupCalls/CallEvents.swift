import Catalogue
import GroupCalls
import MediaKernel
import Webhooks

/// The webhook events of group calls. All events of a call are one line, sent in order.
///
/// An event's id consists of that of its subject and a word, so sending it again is the same event.
struct CallEvents: Sendable {
    let accountID: String

    /// For the push service that reaches the invited user.
    func invited(_ invitation: Invitation) -> CatalogueDelivery {
        delivery(
            .invitationSent, .invited(invitation), to: invitation.invitee,
            id: "\(invitation.id)-sent", room: invitation.call, at: invitation.createdAt)
    }

    func answered(
        _ invitation: Invitation, _ act: Invitation.Act, at now: UnixTime
    ) -> CatalogueDelivery {
        delivery(
            .invitationAnswered, .answered(invitation, act), to: invitation.hearer(of: act),
            id: "\(invitation.id)-answered", room: invitation.call, at: now)
    }

    func deleted(_ call: GroupCall, at now: UnixTime) -> CatalogueDelivery {
        delivery(
            .callDeleted, .deleted(call.id, by: call.end?.by), to: nil, id: "\(call.id)-deleted",
            room: call.id, at: now)
    }

    /// - Parameter user: whom it concerns; nil for a server.
    private func delivery(
        _ kind: WebhookEvent.Kind, _ notice: CallNotice, to user: String?, id: String,
        room: RoomID, at time: UnixTime
    ) -> CatalogueDelivery {
        let words: [String: JSONValue] = [
            "event": .string(notice.event), "room_id": .string(room.rawValue),
            "user_id": user.map { .string($0) } ?? .null,
        ]
        return CatalogueDelivery(
            kind, notice.data.merging(words) { $1 }, id: id, line: room.rawValue, room: room,
            account: accountID, at: time)
    }
}
