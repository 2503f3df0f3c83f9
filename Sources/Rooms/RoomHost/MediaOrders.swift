internal import MediaKernel
internal import MediaServer

/// Orders for the media plane, in sequence. Each order reads the room when it is carried out, so
/// one per kind and peer, or connection, is enough, which also bounds the queue.
struct MediaOrders {
    enum Order: Hashable {
        case subscriptions(PeerID)
        case restartSubscribe(PeerID)
        case remove(PeerID)
        case close(ConnectionKey, of: PeerID)
    }

    private var queue: [Order] = []
    private var queued: Set<Order> = []
    /// Only one flush at a time: otherwise an older order could finish after a newer one and win.
    var isFlushing = false

    mutating func add(_ order: Order) {
        guard queued.insert(order).inserted else { return }
        queue.append(order)
    }

    mutating func next() -> Order? {
        guard !queue.isEmpty else { return nil }
        let order = queue.removeFirst()
        queued.remove(order)
        return order
    }

    /// The peers of the next subscription orders, up to an order of another kind: publishing
    /// changes all subscriptions.
    mutating func nextSubscriptions() -> [PeerID] {
        var peers: [PeerID] = []
        for order in queue {
            guard case .subscriptions(let peer) = order else { break }
            peers.append(peer)
            queued.remove(order)
        }
        queue.removeFirst(peers.count)
        return peers
    }
}
