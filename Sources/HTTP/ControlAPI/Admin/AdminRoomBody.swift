import MediaKernel
import Rooms

/// A room on the operator's page, with its peers.
struct AdminRoomBody: Encodable {
    var id: RoomID
    var name: String
    var peerCount: Int
    var since: String?
    var peers: [AdminPeerBody]

    enum CodingKeys: String, CodingKey {
        case id, name, since, peers
        case peerCount = "peer_count"
    }

    /// The most peers that are told of each room; the control API has all.
    private static let peersMaximum = 200

    /// - Parameter room: nil if everybody has left meanwhile.
    init(_ summary: RoomSummary, _ room: ActiveRoom?) {
        id = summary.id
        name = summary.name
        peerCount = summary.peerCount
        since = room?.session.startedAt.description
        peers = (room?.peers ?? []).prefix(Self.peersMaximum).map {
            AdminPeerBody(
                peer: PeerBody($0, withTracks: true), quality: room?.qualities[$0.id])
        }
    }
}

/// The control API's peer with the quality of its connection.
struct AdminPeerBody: Encodable {
    var peer: PeerBody
    /// 0 to 5; nil while nothing is known.
    var quality: Int?

    enum CodingKeys: String, CodingKey { case quality }

    func encode(to encoder: any Encoder) throws {
        try peer.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(quality, forKey: .quality)
    }
}
