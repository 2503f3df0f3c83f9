public import MediaKernel
public import Rooms

/// A track on the wire (`docs/PROTOCOL.md` section 5).
public struct TrackPayload: Hashable, Sendable, Codable {
    public var trackID: TrackID
    public var streamID: String
    public var type: TrackKind
    public var source: String
    public var description: String
    public var mute: Bool

    enum CodingKeys: String, CodingKey {
        case trackID = "track_id"
        case streamID = "stream_id"
        case type, source, description, mute
    }

    public init(
        trackID: TrackID, streamID: String, type: TrackKind, source: String = "regular",
        description: String = "", mute: Bool = false
    ) {
        self.trackID = trackID
        self.streamID = streamID
        self.type = type
        self.source = source
        self.description = description
        self.mute = mute
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        trackID = try values.decode(TrackID.self, forKey: .trackID)
        streamID = try values.decode(String.self, forKey: .streamID)
        type = try values.decode(TrackKind.self, forKey: .type)
        source = try values.decodeIfPresent(String.self, forKey: .source) ?? "regular"
        description = try values.decodeIfPresent(String.self, forKey: .description) ?? ""
        mute = try values.decodeIfPresent(Bool.self, forKey: .mute) ?? false
    }
}

/// The user of a peer, as other peers see it.
public struct PeerInfoPayload: Hashable, Sendable, Codable {
    public var name: String
    /// The peer's metadata.
    public var data: String
    public var userID: String
    /// `regular` or `sip`.
    public var type: String

    enum CodingKeys: String, CodingKey {
        case name, data
        case userID = "user_id"
        case type
    }

    public init(name: String, data: String = "", userID: String = "", type: String = "regular") {
        self.name = name
        self.data = data
        self.userID = userID
        self.type = type
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        name = try values.decodeIfPresent(String.self, forKey: .name) ?? ""
        data = try values.decodeIfPresent(String.self, forKey: .data) ?? ""
        userID = try values.decodeIfPresent(String.self, forKey: .userID) ?? ""
        type = try values.decodeIfPresent(String.self, forKey: .type) ?? "regular"
    }
}

/// A peer on the wire (`docs/PROTOCOL.md` section 6).
public struct PeerPayload: Hashable, Sendable, Codable {
    public var peerID: PeerID
    public var role: String
    public var groups: [String]
    public var info: PeerInfoPayload
    /// In milliseconds since 1970.
    public var joinedAt: Int64?
    /// Always sent: the web client removes a peer whose update lacks it.
    public var realtime: Bool?
    public var tracks: [String: TrackPayload]?

    enum CodingKeys: String, CodingKey {
        case peerID = "peer_id"
        case role, groups, info
        case joinedAt = "joined_at"
        case realtime, tracks
    }

    public init(
        peerID: PeerID, role: String, groups: [String] = [], info: PeerInfoPayload,
        joinedAt: Int64? = nil, realtime: Bool? = nil, tracks: [String: TrackPayload]? = nil
    ) {
        self.peerID = peerID
        self.role = role
        self.groups = groups
        self.info = info
        self.joinedAt = joinedAt
        self.realtime = realtime
        self.tracks = tracks
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        peerID = try values.decode(PeerID.self, forKey: .peerID)
        role = try values.decodeIfPresent(String.self, forKey: .role) ?? ""
        groups = try values.decodeIfPresent([String].self, forKey: .groups) ?? []
        info =
            try values.decodeIfPresent(PeerInfoPayload.self, forKey: .info)
            ?? PeerInfoPayload(name: "")
        joinedAt = try values.decodeIfPresent(Int64.self, forKey: .joinedAt)
        realtime = try values.decodeIfPresent(Bool.self, forKey: .realtime)
        tracks = try values.decodeIfPresent([String: TrackPayload].self, forKey: .tracks)
    }
}

/// A session description.
public struct DescriptionPayload: Hashable, Sendable, Codable {
    public enum Kind: String, Hashable, Sendable, Codable { case offer, answer }

    public var type: Kind
    public var sdp: String

    public init(type: Kind, sdp: String) {
        self.type = type
        self.sdp = sdp
    }
}

/// An ICE candidate. An empty one marks the end of candidates.
public struct CandidatePayload: Hashable, Sendable, Codable {
    public var candidate: String
    public var sdpMid: String?
    public var sdpMLineIndex: Int?
    public var usernameFragment: String?

    public init(candidate: String, sdpMid: String? = nil, sdpMLineIndex: Int? = nil) {
        self.candidate = candidate
        self.sdpMid = sdpMid
        self.sdpMLineIndex = sdpMLineIndex
    }
}

public struct ErrorPayload: Hashable, Sendable, Codable, Error {
    public var code: Int
    public var message: String

    public init(code: Int, message: String) {
        self.code = code
        self.message = message
    }

    enum CodingKeys: String, CodingKey { case code, message }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        // Some servers send the code as a string.
        if let number = try? values.decode(Int.self, forKey: .code) {
            code = number
        } else {
            code = Int(try values.decode(String.self, forKey: .code)) ?? 0
        }
        message = try values.decodeIfPresent(String.self, forKey: .message) ?? ""
    }
}
