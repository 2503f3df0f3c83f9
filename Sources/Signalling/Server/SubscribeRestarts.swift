internal import MediaKernel

/// When the subscribe connections that broke are to be restarted: 5 s after they did, then 10 s and
/// 20 s later, and then not any more. Their clients cannot: it is the server that offers
/// (`hms.md` section 8), and they wait for a minute.
struct SubscribeRestarts {
    static let delays: [Duration] = [.seconds(5), .seconds(10), .seconds(20)]

    private struct Breakdown {
        var restarts = 0
        /// `nil` when all restarts were in vain.
        var next: Instant?
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
        let due = broken.filter { $0.value.next.map { $0 <= now } ?? false }.keys.sorted()
        for peer in due {
            let restarts = (broken[peer]?.restarts ?? 0) + 1
            let delay = Self.delays.indices.contains(restarts) ? Self.delays[restarts] : nil
            broken[peer] = Breakdown(restarts: restarts, next: delay.map { now + $0 })
        }
        return due
    }
}
