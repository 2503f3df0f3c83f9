public import MediaKernel

// What a client asks of other peers, and what they are asked, `hms.md` sections 5 and 6.

public struct EndRoomParameters: Hashable, Sendable, Codable {
    public var lock: Bool?
    public var reason: String?
}

/// `role-change-request`: of one peer, or in bulk of all peers of some roles.
public struct RoleChangeRequestParameters: Hashable, Sendable, Codable {
    public var requestedFor: PeerID?
    public var roles: [String]?
    /// The new one.
    public var role: String
    /// Missing: the peer is asked.
    public var force: Bool?

    enum CodingKeys: String, CodingKey {
        case requestedFor = "requested_for"
        case roles, role, force
    }

    public init(
        requestedFor: PeerID? = nil, roles: [String]? = nil, role: String, force: Bool
    ) {
        self.requestedFor = requestedFor
        self.roles = roles
        self.role = role
        self.force = force
    }
}

/// `on-role-change-request` and, sent back by who accepts it, `role-change`.
public struct RoleOfferPayload: Hashable, Sendable, Codable {
    public var requestedBy: PeerID?
    public var role: String
    public var token: String

    enum CodingKeys: String, CodingKey {
        case requestedBy = "requested_by"
        case role, token
    }

    public init(requestedBy: PeerID?, role: String, token: String) {
        self.requestedBy = requestedBy
        self.role = role
        self.token = token
    }
}

public struct PeerLeaveParameters: Hashable, Sendable, Codable {
    public var requestedFor: PeerID
    public var reason: String?

    enum CodingKeys: String, CodingKey {
        case requestedFor = "requested_for"
        case reason
    }
}
