import MediaKernel

/// In which rooms each user has clients that can be told of news. Those of OpenVidu cannot: their
/// protocol has no words for it, so their users are told by webhook.
struct UserWhereabouts {
    /// The number of clients. Bounded by the open sockets.
    private var clients: [String: [RoomID: Int]] = [:]

    mutating func came(_ user: String, to room: RoomID) {
        clients[user, default: [:]][room, default: 0] += 1
    }

    mutating func left(_ user: String, from room: RoomID) {
        guard let count = clients[user]?[room] else { return }
        clients[user]?[room] = count > 1 ? count - 1 : nil
        if clients[user]?.isEmpty == true { clients[user] = nil }
    }

    func rooms(of user: String) -> [RoomID] { (clients[user] ?? [:]).keys.sorted() }
}
