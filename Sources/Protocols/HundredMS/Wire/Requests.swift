public import MediaKernel

// The parameters of clients' calls, `docs/PROTOCOL.md` section 5. Unknown fields are ignored; a
// missing or invalid one is an error that names it.

public struct JoinParameters: Hashable, Sendable, Codable {
    public var name: String?
    /// The peer's metadata.
    public var data: String?
    /// Absent for a client that neither publishes nor subscribes.
    public var offer: DescriptionPayload?
    /// Videos are sent only after the client requests them by `prefer-video-track-state`.
    public var disableVidAutoSub: Bool?
    /// Roomcast's own: the other peers of the token's user lose their places.
    public var kickSiblings: Bool?

    enum CodingKeys: String, CodingKey {
        case name, data, offer, disableVidAutoSub
        case kickSiblings = "kick_siblings"
    }

    public init(name: String, data: String = "", offer: DescriptionPayload?) {
        self.name = name
        self.data = data
        self.offer = offer
    }
}

public struct OfferParameters: Hashable, Sendable, Codable {
    public var desc: DescriptionPayload
    /// All tracks that the client publishes, by track id. If missing, they are unchanged.
    public var tracks: [String: TrackPayload]?

    public init(desc: DescriptionPayload, tracks: [String: TrackPayload]?) {
        self.desc = desc
        self.tracks = tracks
    }
}

public struct AnswerParameters: Hashable, Sendable, Codable {
    public var desc: DescriptionPayload

    public init(desc: DescriptionPayload) { self.desc = desc }
}

/// Sent in both directions.
public struct TrickleParameters: Hashable, Sendable, Codable {
    public var target: TransportTarget
    public var candidate: CandidatePayload

    public init(target: TransportTarget, candidate: CandidatePayload) {
        self.target = target
        self.candidate = candidate
    }
}

public struct TrackUpdateParameters: Hashable, Sendable, Codable {
    public struct Change: Hashable, Sendable, Codable {
        public var mute: Bool?
        public var description: String?
    }

    public var tracks: [String: Change]
}

public struct MessagePayload: Hashable, Sendable, Codable {
    /// A string, or any JSON value.
    public var message: OpaqueJSON
    public var type: String?
    /// The id of the message that it answers; Roomcast's own.
    public var replyTo: String?

    enum CodingKeys: String, CodingKey {
        case message, type
        case replyTo = "reply_to"
    }

    public init(message: OpaqueJSON, type: String?, replyTo: String? = nil) {
        self.message = message
        self.type = type
        self.replyTo = replyTo
    }
}

public struct BroadcastParameters: Hashable, Sendable, Codable {
    public var info: MessagePayload
    public var roles: [String]?
    public var peerID: PeerID?

    enum CodingKeys: String, CodingKey {
        case info, roles
        case peerID = "peer_id"
    }

    public init(info: MessagePayload, roles: [String]? = nil, peerID: PeerID? = nil) {
        self.info = info
        self.roles = roles
        self.peerID = peerID
    }
}

public struct LeaveParameters: Hashable, Sendable, Codable {
    public var clientReason: String?

    enum CodingKeys: String, CodingKey { case clientReason = "client_reason" }

    public init(clientReason: String?) { self.clientReason = clientReason }
}

/// The parameters and the result of a ping.
public struct PingPayload: Hashable, Sendable, Codable {
    /// In milliseconds since 1970.
    public var timestamp: Int64

    public init(timestamp: Int64) { self.timestamp = timestamp }
}

public struct SetMetadataParameters: Hashable, Sendable, Codable {
    public var key: String?
    /// If missing or `null`, the value is cleared.
    public var data: OpaqueJSON?
    public var ifChangeVersion: Int?

    enum CodingKeys: String, CodingKey {
        case key, data
        case ifChangeVersion = "if_change_version"
    }
}

public struct GetMetadataParameters: Hashable, Sendable, Codable {
    public var key: String?
}

public struct ListenMetadataParameters: Hashable, Sendable, Codable {
    public var keys: [String]
}
