public import MediaKernel

/// What participants and users are told about a call.
public enum CallNotice: Hashable, Sendable {
    case itemsChanged(RoomID, ItemsChange)
    /// - Parameter by: the user; nil for a server.
    case deleted(RoomID, by: String?)
    case invited(Invitation)
    /// The invitation has ended.
    case answered(Invitation, Invitation.Act)

    /// The event's name, in the protocol and in webhooks.
    public var event: String {
        switch self {
        case .itemsChanged(_, let change):
            change.kind == .updated ? "custom_items_updated" : "custom_items_deleted"
        case .deleted: "deleted"
        case .invited: "invitation_sent"
        case .answered(_, .accept): "invitation_accepted"
        case .answered(_, .decline): "invitation_declined"
        case .answered(_, .cancel): "invitation_canceled"
        }
    }

    /// Everything but its name.
    public var data: [String: JSONValue] {
        switch self {
        case .itemsChanged(let room, let change):
            return [
                "room_id": .string(room.rawValue), "keys": .array(change.keys.map { .string($0) }),
                "by": change.by.map { .string($0) } ?? .null,
            ].merging(change.items.json) { $1 }
        case .deleted(let room, let user):
            return [
                "room_id": .string(room.rawValue), "by": user.map { .string($0) } ?? .null,
            ]
        case .invited(let invitation), .answered(let invitation, _):
            return ["invitation": .object(invitation.json)]
        }
    }

    public var json: JSONValue {
        .object(data.merging(["event": .string(event)]) { $1 })
    }
}

// The JSON of group calls, which is the same in all protocols.

extension CustomItems {
    public var json: [String: JSONValue] {
        [
            "custom_items": .object(values.mapValues { .string($0) }),
            "version": .integer(Int64(version)),
        ]
    }
}

extension GroupCall {
    /// - Parameter participants: at present.
    public func json(participants: Int) -> [String: JSONValue] {
        [
            "room_id": .string(id.rawValue), "type": .string(type.rawValue),
            "state": .string(state.rawValue), "created_by": .string(creator),
            "default_image": defaultImage.map { .string($0) } ?? .null,
            "created_at": .string(createdAt.description),
            "participants": .integer(Int64(participants)),
            "participants_maximum": .integer(Int64(type.participantsMaximum)),
            "deleted_at": end.map { .string($0.at.description) } ?? .null,
            "deleted_by": (end?.by).map { .string($0) } ?? .null,
        ].merging(items.json) { $1 }
    }
}

extension Invitation {
    /// With its state as stored.
    public var json: [String: JSONValue] { json(as: state) }

    public func json(at now: UnixTime) -> [String: JSONValue] { json(as: state(at: now)) }

    private func json(as state: InvitationState) -> [String: JSONValue] {
        [
            "invitation_id": .string(id.rawValue), "room_id": .string(call.rawValue),
            "inviter": inviter.map { .string($0) } ?? .null, "invitee": .string(invitee),
            "role": .string(role), "state": .string(state.rawValue),
            "created_at": .string(createdAt.description),
            "expires_at": .string(expiresAt.description),
        ]
    }
}
