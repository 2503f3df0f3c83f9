internal import MediaKernel

/// What the media plane is to do, in order. Each order reads the room when it is carried out, so
/// one of a kind for a peer is enough; that also bounds the queue by a few per peer.
struct MediaOrders {
    enum Order: Hashable {
        case subscriptions(PeerID)
        case restartSubscribe(PeerID)
        case remove(PeerID)
    }

    private var queue: [Order] = []
    private var queued: Set<Order> = []
    /// One at a time: two orders that overtook each other would leave the older one standing.
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

    /// The peers of the orders for subscriptions that are next, up to one of another kind: whoever
    /// publishes changes what everybody receives.
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
