internal import MediaKernel

/// Decides when broken subscribe connections are restarted: 5 s after the break, then 10 s later,
/// and then every 20 s while the peer is there. Clients cannot do it, because the server makes the
/// offers (`docs/PROTOCOL.md` section 8).
struct SubscribeRestarts {
    static let delays: [Duration] = [.seconds(5), .seconds(10), .seconds(20)]

    private struct Breakdown {
        var restarts = 0
        var next: Instant
    }

    private var broken: [PeerID: Breakdown] = [:]

    /// The connection was interrupted or has failed.
    mutating func lost(_ peer: PeerID, at now: Instant) {
        guard broken[peer] == nil else { return }
        broken[peer] = Breakdown(next: now + Self.delays[0])
    }

    /// The connection works.
    mutating func connected(_ peer: PeerID) { broken[peer] = nil }

    /// The peer is gone.
    mutating func forget(_ peer: PeerID) { broken[peer] = nil }

    /// The connection was restarted for another reason. If it is broken, the delays start again.
    mutating func restarted(_ peer: PeerID, at now: Instant) {
        guard broken[peer] != nil else { return }
        broken[peer] = Breakdown(next: now + Self.delays[0])
    }

    /// The peers whose connections must be restarted now.
    mutating func due(at now: Instant) -> [PeerID] {
        let due = broken.filter { $0.value.next <= now }.keys.sorted()
        for peer in due {
            let restarts = min((broken[peer]?.restarts ?? 0) + 1, Self.delays.count - 1)
            broken[peer] = Breakdown(restarts: restarts, next: now + Self.delays[restarts])
        }
        return due
    }
}
