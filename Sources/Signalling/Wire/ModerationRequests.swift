public import MediaKernel

// What a client asks of other peers, `hms.md` section 5.

public struct EndRoomParameters: Hashable, Sendable, Codable {
    public var lock: Bool?
    public var reason: String?
}

public struct PeerLeaveParameters: Hashable, Sendable, Codable {
    public var requestedFor: PeerID
    public var reason: String?

    enum CodingKeys: String, CodingKey {
        case requestedFor = "requested_for"
        case reason
    }
}
