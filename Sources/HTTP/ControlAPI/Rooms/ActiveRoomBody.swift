import MediaKernel
import Rooms

/// A room with peers in the control API: 100ms' object.
struct ActiveRoomBody: Encodable {
    struct Session: Encodable {
        var id: SessionID
        var createdAt: String
        var peers: [PeerID]

        enum CodingKeys: String, CodingKey {
            case id, peers
            case createdAt = "created_at"
        }
    }

    var id: RoomID
    var name: String
    /// The room's owner: the access key, as in webhooks.
    var customerID: String
    var session: Session

    enum CodingKeys: String, CodingKey {
        case id, name, session
        case customerID = "customer_id"
    }

    init(_ room: ActiveRoom, account: String) {
        id = room.id
        name = room.name
        customerID = account
        session = Session(
            id: room.session.id, createdAt: room.session.startedAt.description,
            peers: room.peers.map(\.id))
    }
}
