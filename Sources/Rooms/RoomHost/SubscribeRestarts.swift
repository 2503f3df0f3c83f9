internal import MediaKernel

/// When the subscribe connections that broke are to be restarted: 5 s after they did, then 10 s later,
/// and then every 20 s for as long as the peer is there. Their clients cannot: it is the server that
/// offers (`docs/PROTOCOL.md` section 8).
struct SubscribeRestarts {
    static let delays: [Duration] = [.seconds(5), .seconds(10), .seconds(20)]

    private struct Breakdown {
        var restarts = 0
        var next: Instant
    }

    private var broken: [PeerID: Breakdown] = [:]

    /// The connection broke, or broke down for good.
    mutating func lost(_ peer: PeerID, at now: Instant) {
        guard broken[peer] == nil else { return }
        broken[peer] = Breakdown(next: now + Self.delays[0])
    }

    /// The connection works.
    mutating func connected(_ peer: PeerID) { broken[peer] = nil }

    /// The peer is gone.
    mutating func forget(_ peer: PeerID) { broken[peer] = nil }

    /// The connection was restarted for another reason. If it is broken, all begins anew.
    mutating func restarted(_ peer: PeerID, at now: Instant) {
        guard broken[peer] != nil else { return }
        broken[peer] = Breakdown(next: now + Self.delays[0])
    }

    /// The peers whose connections are to be restarted now.
    mutating func due(at now: Instant) -> [PeerID] {
        let due = broken.filter { $0.value.next <= now }.keys.sorted()
        for peer in due {
            let restarts = min((broken[peer]?.restarts ?? 0) + 1, Self.delays.count - 1)
            broken[peer] = Breakdown(restarts: restarts, next: now + Self.delays[restarts])
        }
        return due
    }
}
