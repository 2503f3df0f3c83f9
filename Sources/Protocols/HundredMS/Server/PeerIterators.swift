internal import MediaKernel

/// A peer's unfinished iterations over the peers (`find-peer`, `peer-iter-next`). They outlast its
/// socket: clients continue with an iterator on the next one.
struct PeerIterators {
    struct Position {
        /// The peers that were there when the iteration began; those that have left since are
        /// skipped.
        var rest: [PeerID]
        var total: Int
    }

    private var iterators: [String: Position] = [:]
    private var order: [String] = []
    private var count = 0

    mutating func begin(_ peers: [PeerID]) -> String {
        count += 1
        let iterator = "\(count)"
        if order.count >= SignallingLimits.iterators { iterators[order.removeFirst()] = nil }
        iterators[iterator] = Position(rest: peers, total: peers.count)
        order.append(iterator)
        return iterator
    }

    /// The next peers, or `nil` if there is no such iteration.
    mutating func advance(_ iterator: String, limit: Int) -> (page: [PeerID], position: Position)? {
        guard var position = iterators[iterator] else { return nil }
        let page = Array(position.rest.prefix(limit))
        position.rest.removeFirst(page.count)
        iterators[iterator] = position
        return (page, position)
    }
}
