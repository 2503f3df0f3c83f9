public import MediaKernel
public import Rooms

// The parameters of the server's notifications, `docs/PROTOCOL.md` section 6.

/// `on-policy-change`: the recipient's role and the roles of the room.
public struct PolicyPayload: Hashable, Sendable, Codable {
    public struct Plugins: Hashable, Sendable, Codable {
        public init() {}
    }

    /// The recipient's role.
    public var name: String
    public var knownRoles: [String: Role]
    public var templateID: String
    public var plugins: Plugins?

    enum CodingKeys: String, CodingKey {
        case name
        case knownRoles = "known_roles"
        case templateID = "template_id"
        case plugins
    }

    /// A policy for a peer of that role, in terms that its client knows.
    public init(_ policy: Policy, role: String, for client: ClientKind = .web) {
        name = role
        knownRoles = [:]
        for var known in policy.rolesKnown(to: role) {
            known.publishParams = known.publishParams.complete(for: client)
            knownRoles[known.name] = known
        }
        templateID = policy.templateID
        plugins = Plugins()
    }

    /// Whether the recipient may publish the track, according to this policy.
    public func allows(_ payload: TrackPayload) -> Bool {
        guard let role = knownRoles[name] else { return true }
        return role.publishParams.allowed.contains(payload.track.publishKind)
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        name = try values.decode(String.self, forKey: .name)
        // Other servers' roles may have unknown contents; a client needs at most its own role.
        knownRoles =
            (try? values.decodeIfPresent([String: Role].self, forKey: .knownRoles)) ?? [:]
        templateID = try values.decodeIfPresent(String.self, forKey: .templateID) ?? ""
        plugins = Plugins()
    }
}

/// `peer-list`: all peers and the room's state.
public struct PeerListPayload: Hashable, Sendable, Codable {
    public var peers: [String: PeerPayload]
    public var room: RoomStatePayload

    public init(peers: [String: PeerPayload], room: RoomStatePayload) {
        self.peers = peers
        self.room = room
    }
}

/// `room-state`: for clients that preview the room.
public struct RoomStateNotification: Hashable, Sendable, Codable {
    public var peerCount: Int
    public var room: RoomStatePayload
    public var peers: [String: PeerPayload]?

    enum CodingKeys: String, CodingKey {
        case peerCount = "peer_count"
        case room, peers
    }
}

/// `on-track-add`, `on-track-update`, `on-track-remove`.
public struct TracksNotification: Hashable, Sendable, Codable {
    public var tracks: [String: TrackPayload]
    public var peer: PeerPayload

    public init(tracks: [String: TrackPayload], peer: PeerPayload) {
        self.tracks = tracks
        self.peer = peer
    }
}

/// `on-broadcast`.
public struct BroadcastNotification: Hashable, Sendable, Codable {
    public var peer: PeerPayload?
    public var roles: [String]?
    public var isPrivate: Bool?
    public var messageID: String
    /// In milliseconds since 1970.
    public var timestamp: Int64
    public var info: MessagePayload

    enum CodingKeys: String, CodingKey {
        case peer, roles
        case isPrivate = "private"
        case messageID = "message_id"
        case timestamp, info
    }
}

/// `on-peer-leave-request`: the recipient has been removed, or the room has ended.
public struct LeaveRequestNotification: Hashable, Sendable, Codable {
    public var requestedBy: PeerID?
    public var reason: String
    public var roomEnd: Bool

    enum CodingKeys: String, CodingKey {
        case requestedBy = "requested_by"
        case reason
        case roomEnd = "room_end"
    }

    public init(requestedBy: PeerID?, reason: String, roomEnd: Bool) {
        self.requestedBy = requestedBy
        self.reason = reason
        self.roomEnd = roomEnd
    }

    init(_ dismissal: Dismissal) {
        self.init(
            requestedBy: dismissal.requester, reason: dismissal.reason,
            roomEnd: dismissal.isRoomEnd)
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        requestedBy = try values.decodeIfPresent(PeerID.self, forKey: .requestedBy)
        reason = try values.decodeIfPresent(String.self, forKey: .reason) ?? ""
        roomEnd = try values.decodeIfPresent(Bool.self, forKey: .roomEnd) ?? false
    }
}

/// `room-info`.
public struct RoomInfoNotification: Hashable, Sendable, Codable {
    public var roomID: RoomID
    public var name: String
    public var description: String?
    public var maxSize: Int?
    public var largeRoomOptimization: Bool?
    /// Roomcast's own.
    public var defaultImage: String?
    /// Roomcast's own: for how long a lost peer keeps its place, if not for as long as clients try.
    public var reconnectionSeconds: Int?

    enum CodingKeys: String, CodingKey {
        case roomID = "room_id"
        case name, description
        case maxSize = "max_size"
        case largeRoomOptimization = "large_room_optimization"
        case defaultImage = "default_image"
        case reconnectionSeconds = "reconnection_seconds"
    }
}

/// `session-info`.
public struct SessionInfoNotification: Hashable, Sendable, Codable {
    public var sessionID: SessionID
    public var roomID: RoomID
    public var peerCount: Int?
    public var trackCount: Int?

    enum CodingKeys: String, CodingKey {
        case sessionID = "session_id"
        case roomID = "room_id"
        case peerCount = "peer_count"
        case trackCount = "track_count"
    }
}

/// `on-metadata-change`.
public struct MetadataNotification: Hashable, Sendable, Codable {
    public var values: [MetadataPayload]
}
