public import MediaKernel
public import Rooms

// A client's requests to other peers, as sent and as received, `docs/PROTOCOL.md` sections 5 and 6.

public struct EndRoomParameters: Hashable, Sendable, Codable {
    public var lock: Bool?
    public var reason: String?
}

/// `role-change-request`: for one peer, or in bulk for all peers of some roles.
public struct RoleChangeRequestParameters: Hashable, Sendable, Codable {
    public var requestedFor: PeerID?
    public var roles: [String]?
    /// The new role.
    public var role: String
    /// If missing, the peer is asked.
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

/// `on-role-change-request` and, sent back by the peer that accepts it, `role-change`.
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

/// `track-update-request`: for one track.
public struct TrackMuteParameters: Hashable, Sendable, Codable {
    public var requestedFor: PeerID
    public var trackID: TrackID
    public var streamID: String?
    public var mute: Bool

    enum CodingKeys: String, CodingKey {
        case requestedFor = "requested_for"
        case trackID = "track_id"
        case streamID = "stream_id"
        case mute
    }

    public init(requestedFor: PeerID, trackID: TrackID, streamID: String?, mute: Bool) {
        self.requestedFor = requestedFor
        self.trackID = trackID
        self.streamID = streamID
        self.mute = mute
    }
}

/// `on-track-update-request`.
public struct TrackMutePayload: Hashable, Sendable, Codable {
    public var requestedBy: PeerID?
    public var trackID: TrackID
    public var streamID: String?
    public var mute: Bool

    enum CodingKeys: String, CodingKey {
        case requestedBy = "requested_by"
        case trackID = "track_id"
        case streamID = "stream_id"
        case mute
    }

    public init(requestedBy: PeerID?, trackID: TrackID, streamID: String?, mute: Bool) {
        self.requestedBy = requestedBy
        self.trackID = trackID
        self.streamID = streamID
        self.mute = mute
    }
}

/// `change-track-mute-state-request`: for all tracks of a kind, of one peer, some roles or all
/// peers.
public struct MutesParameters: Hashable, Sendable, Codable {
    /// Whether the tracks should be muted.
    public var value: Bool
    public var type: TrackKind?
    public var source: String?
    public var roles: [String]?
    public var requestedFor: PeerID?

    enum CodingKeys: String, CodingKey {
        case value, type, source, roles
        case requestedFor = "requested_for"
    }

    public init(
        value: Bool, type: TrackKind? = nil, source: String? = nil, roles: [String]? = nil,
        requestedFor: PeerID? = nil
    ) {
        self.value = value
        self.type = type
        self.source = source
        self.roles = roles
        self.requestedFor = requestedFor
    }
}

/// `on-change-track-mute-state-request`.
public struct MutesPayload: Hashable, Sendable, Codable {
    public var requestedBy: PeerID?
    public var value: Bool
    public var type: TrackKind?
    public var source: String?
    public var roles: [String]?

    enum CodingKeys: String, CodingKey {
        case requestedBy = "requested_by"
        case value, type, source, roles
    }

    public init(
        requestedBy: PeerID?, value: Bool, type: TrackKind? = nil, source: String? = nil,
        roles: [String]? = nil
    ) {
        self.requestedBy = requestedBy
        self.value = value
        self.type = type
        self.source = source
        self.roles = roles
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
