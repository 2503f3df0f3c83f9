import MediaKernel
import Rooms

/// A peer in the control API: 100ms' object.
struct PeerBody: Encodable {
    struct Track: Encodable {
        var id: TrackID
        var streamID: String
        var mute: Bool
        var type: TrackKind
        var source: String
        var startedAt: String?
        var description: String

        enum CodingKeys: String, CodingKey {
            case id, mute, type, source, description
            case streamID = "stream_id"
            case startedAt = "started_at"
        }
    }

    var id: PeerID
    var name: String
    var userID: String
    var metadata: String
    var role: String
    var joinedAt: String
    /// By id; nil in lists.
    var tracks: [String: Track]?

    enum CodingKeys: String, CodingKey {
        case id, name, metadata, role, tracks
        case userID = "user_id"
        case joinedAt = "joined_at"
    }

    init(_ peer: Peer, withTracks: Bool) {
        id = peer.id
        name = peer.name
        userID = peer.userID
        metadata = peer.metadata
        role = peer.role
        joinedAt = peer.joinedAt.description
        guard withTracks else { return }
        let bodies = peer.tracks.map { track in
            Track(
                id: track.id, streamID: track.streamID, mute: track.isMuted, type: track.kind,
                source: track.source,
                startedAt: peer.startedAt[track.id]?.description,
                description: track.description)
        }
        tracks = Dictionary(bodies.map { ($0.id.rawValue, $0) }) { first, _ in first }
    }
}
