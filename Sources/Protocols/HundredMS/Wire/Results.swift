public import MediaKernel

/// The answer to `join` and `offer`.
public typealias AnswerResult = DescriptionPayload

/// The result of calls that return nothing. It must be an object: the web client takes `null` for
/// an error.
public struct EmptyResult: Hashable, Sendable, Codable {
    public init() {}
}

public struct BroadcastResult: Hashable, Sendable, Codable {
    /// In milliseconds since 1970.
    public var timestamp: Int64
    public var messageID: String

    enum CodingKeys: String, CodingKey {
        case timestamp
        case messageID = "message_id"
    }

    public init(timestamp: Int64, messageID: String) {
        self.timestamp = timestamp
        self.messageID = messageID
    }
}

/// A page of `find-peer` and `peer-iter-next`.
public struct PeerPageResult: Hashable, Sendable, Codable {
    public var iterator: String
    public var total: Int
    public var eof: Bool
    public var peers: [PeerPayload]
}

/// The result of `peer-name-search`.
public struct PeerSearchResult: Hashable, Sendable, Codable {
    public struct Found: Hashable, Sendable, Codable {
        public var name: String
        public var peerID: PeerID
        public var role: String
        /// `regular` or `sip`.
        public var type: String?

        enum CodingKeys: String, CodingKey {
            case name
            case peerID = "peer_id"
            case role, type
        }
    }

    /// The number of `peers`.
    public var count: Int?
    public var limit: Int?
    public var offset: Int?
    public var eof: Bool?
    public var peers: [Found]
}

/// The result of `group-join` and `group-leave`.
public struct GroupsResult: Hashable, Sendable, Codable {
    public var groups: [String]
}

/// One value of the session's store: the result of `set-metadata` and `get-metadata`, and an entry
/// of `on-metadata-change`.
public struct MetadataPayload: Hashable, Sendable, Codable {
    public var key: String
    public var data: OpaqueJSON
    public var changeVersion: Int?
    public var updatedBy: PeerID?
    /// In milliseconds since 1970.
    public var updatedAt: Int64?

    enum CodingKeys: String, CodingKey {
        case key, data
        case changeVersion = "change_version"
        case updatedBy = "updated_by"
        case updatedAt = "updated_at"
    }
}
