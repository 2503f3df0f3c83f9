public import MediaKernel

// What a client says of itself and asks of others, `hms.md` section 5.

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
    public var role: String?
    public var group: String?
    public var limit: Int?
}

public struct PeerIterNextParameters: Hashable, Sendable, Codable {
    public var iterator: String
    public var limit: Int?
}
