internal import MediaKernel

/// Who sent the session's recent messages, so that they may delete them. Bounded; the oldest is
/// forgotten.
struct SentMessages: Sendable {
    /// Peers' ids are public, and may be taken after a peer has left.
    private struct Sender: Hashable {
        let peer: PeerID
        let owner: TokenOwner

        init(_ peer: Peer) {
            self.peer = peer.id
            owner = peer.owner
        }
    }

    private var senders: [String: Sender] = [:]
    /// The messages' ids, the oldest first.
    private var order: [String] = []

    mutating func add(_ message: String, by peer: Peer) {
        senders[message] = Sender(peer)
        order.append(message)
        // Some at a time, since each removal moves the rest.
        guard order.count > RoomLimits.deletableMessages * 2 else { return }
        let excess = order.count - RoomLimits.deletableMessages
        for old in order.prefix(excess) { senders[old] = nil }
        order.removeFirst(excess)
    }

    func isSender(_ peer: Peer, of message: String) -> Bool {
        senders[message] == Sender(peer)
    }
}
