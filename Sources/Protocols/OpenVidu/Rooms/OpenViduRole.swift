public import Rooms

/// The roles of OpenVidu, and the roles of a policy that correspond to them.
public enum OpenViduRole: String, Hashable, Sendable, CaseIterable {
    case subscriber = "SUBSCRIBER"
    case publisher = "PUBLISHER"
    case moderator = "MODERATOR"

    /// What a peer of that role may do.
    public init(_ role: Role) {
        if role.permissions.removeOthers {
            self = .moderator
        } else {
            self = role.publishParams.allowed.isEmpty ? .subscriber : .publisher
        }
    }

    /// The policy's role for clients with this one: the role of that name, or else the first that
    /// may do the same; without one for moderators, the first that publishes, and without one for
    /// publishers, the first that publishes and moderates.
    public func role(in policy: Policy) -> Role? {
        let visible = policy.roles.filter { !$0.isHidden }
        let name = rawValue.lowercased()
        if let named = visible.first(where: { $0.name.lowercased() == name }) { return named }
        if let equal = visible.first(where: { OpenViduRole($0) == self }) { return equal }
        return self == .subscriber
            ? nil : visible.first { !$0.publishParams.allowed.isEmpty }
    }
}
