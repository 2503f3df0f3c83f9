import Catalogue
import MediaKernel

/// A session in the control API: 100ms' object, with its assets.
struct SessionBody: Encodable {
    struct Peer: Encodable {
        var id: PeerID
        var sessionID: SessionID
        var name: String
        var role: String
        var userID: String
        var joinedAt: String
        /// Nil while the peer is there.
        var leftAt: String?
        /// Seconds, over all its stays.
        var duration: Int64

        enum CodingKeys: String, CodingKey {
            case id, name, role, duration
            case sessionID = "session_id"
            case userID = "user_id"
            case joinedAt = "joined_at"
            case leftAt = "left_at"
        }
    }

    var session: CatalogueSession
    var assets: [CatalogueAsset]
    /// The room's owner: the access key, as in webhooks.
    var account: String
    var now: UnixTime

    enum CodingKeys: String, CodingKey {
        case id, active, peers, duration
        case roomID = "room_id"
        case roomName = "room_name"
        case customerID = "customer_id"
        case templateID = "template_id"
        case arePeersCut = "peers_cut"
        case createdAt = "created_at"
        case updatedAt = "updated_at"
        case endedAt = "ended_at"
        case recordingAssets = "recording_assets"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(session.id, forKey: .id)
        try container.encode(session.room, forKey: .roomID)
        try container.encode(session.roomName, forKey: .roomName)
        try container.encode(account, forKey: .customerID)
        try container.encode(session.template, forKey: .templateID)
        try container.encode(session.endedAt == nil, forKey: .active)
        let peers = session.attendances.map { ($0.peer.rawValue, peer($0)) }
        try container.encode(Dictionary(peers) { first, _ in first }, forKey: .peers)
        try container.encode(session.isCut, forKey: .arePeersCut)
        try container.encode(
            seconds(from: session.createdAt, to: session.endedAt ?? now), forKey: .duration)
        try container.encode(session.createdAt.description, forKey: .createdAt)
        try container.encode(session.updatedAt.description, forKey: .updatedAt)
        try container.encode(session.endedAt?.description, forKey: .endedAt)
        try container.encode(
            assets.isEmpty ? nil : assets.map { RecordingAssetBody($0) }, forKey: .recordingAssets)
    }

    private func peer(_ one: CatalogueSession.Attendance) -> Peer {
        var present = one.present.components.seconds
        // The sum does not include the present stay yet.
        if let since = one.presentSince { present += seconds(from: since, to: now) }
        return Peer(
            id: one.peer, sessionID: session.id, name: one.name, role: one.role,
            userID: one.user, joinedAt: one.joinedAt.description,
            leftAt: one.leftAt?.description, duration: present)
    }

    private func seconds(from start: UnixTime, to end: UnixTime) -> Int64 {
        max(0, end.seconds - start.seconds)
    }
}
