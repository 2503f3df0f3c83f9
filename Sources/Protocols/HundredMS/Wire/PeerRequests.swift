public import MediaKernel

// A client's requests about itself and other peers, `docs/PROTOCOL.md` section 5.

public struct PeerUpdateParameters: Hashable, Sendable, Codable {
    public var name: String?
    public var data: String?

    public init(name: String? = nil, data: String? = nil) {
        self.name = name
        self.data = data
    }
}

public struct GetPeerParameters: Hashable, Sendable, Codable {
    public var peerID: PeerID

    enum CodingKeys: String, CodingKey { case peerID = "peer_id" }
}

public struct FindPeersParameters: Hashable, Sendable, Codable {
    public var peers: [PeerID]?
    /// The same field under the name in 100ms' web SDK.
    public var peerIDs: [PeerID]?
    public var role: String?
    public var group: String?
    public var limit: Int?

    enum CodingKeys: String, CodingKey {
        case peers
        case peerIDs = "peerIds"
        case role, group, limit
    }
}

/// `peer-name-search`.
public struct PeerSearchParameters: Hashable, Sendable, Codable {
    /// If missing, all peers are found.
    public var query: String?
    public var limit: Int?
    public var offset: Int?

    public init(query: String? = nil, limit: Int? = nil, offset: Int? = nil) {
        self.query = query
        self.limit = limit
        self.offset = offset
    }
}

/// `group-join`, `group-leave`.
public struct GroupParameters: Hashable, Sendable, Codable {
    public var name: String

    public init(name: String) { self.name = name }
}

/// `group-add`, `group-remove`.
public struct PeerGroupParameters: Hashable, Sendable, Codable {
    public var name: String
    public var peerID: PeerID

    enum CodingKeys: String, CodingKey {
        case name
        case peerID = "peer_id"
    }

    public init(name: String, peerID: PeerID) {
        self.name = name
        self.peerID = peerID
    }
}

public struct PeerIterNextParameters: Hashable, Sendable, Codable {
    public var iterator: String
    public var limit: Int?
}
