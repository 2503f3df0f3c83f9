public import GroupCalls

/// The parameters of `group-call`, `docs/GROUP-CALLS.md`.
public struct GroupCallParameters: Hashable, Sendable, Codable {
    public enum Action: String, Hashable, Sendable, Codable, CaseIterable {
        case get, delete, invite
        case updateCustomItems = "update_custom_items"
        case deleteCustomItems = "delete_custom_items"
        case acceptInvitation = "accept_invitation"
        case declineInvitation = "decline_invitation"
        case cancelInvitation = "cancel_invitation"
    }

    public var action: Action
    public var customItems: [String: String]?
    public var keys: [String]?
    public var userID: String?
    /// In seconds.
    public var expiresIn: Int?
    public var invitationID: InvitationID?

    enum CodingKeys: String, CodingKey {
        case action, keys
        case customItems = "custom_items"
        case userID = "user_id"
        case expiresIn = "expires_in"
        case invitationID = "invitation_id"
    }

    var request: CallRequest {
        get throws(SignallingError) {
            switch action {
            case .get: return .get
            case .delete: return .delete
            case .updateCustomItems:
                return .setItems(try required(customItems, .customItems))
            case .deleteCustomItems: return .removeItems(keys)
            case .invite:
                return .invite(
                    CallRequest.Invite(user: try required(userID, .userID), seconds: expiresIn))
            case .acceptInvitation: return .end(try required(invitationID, .invitationID), .accept)
            case .declineInvitation:
                return .end(try required(invitationID, .invitationID), .decline)
            case .cancelInvitation: return .end(try required(invitationID, .invitationID), .cancel)
            }
        }
    }

    private func required<Value>(
        _ value: Value?, _ key: CodingKeys
    ) throws(SignallingError) -> Value {
        guard let value else { throw .missingParameter(key.rawValue) }
        return value
    }
}
