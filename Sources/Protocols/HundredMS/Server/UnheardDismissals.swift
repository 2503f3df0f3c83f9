internal import MediaKernel
internal import Rooms

/// Peers that were removed and may not have received the notification, for as long as their clients
/// try to reconnect (`docs/PROTOCOL.md` section 9).
struct UnheardDismissals {
    /// The maximum in one room; beyond it the oldest is forgotten.
    static let maximum = 2000

    private struct Entry {
        let owner: TokenOwner
        let dismissal: Dismissal
        let until: Instant
    }

    private var entries: [PeerID: Entry] = [:]
    /// Oldest first; peers that have received their dismissal meanwhile are skipped.
    private var order: [(peer: PeerID, until: Instant)] = []

    var isEmpty: Bool { entries.isEmpty }

    mutating func add(_ peers: [Peer], _ dismissal: Dismissal, until end: Instant) {
        for peer in peers {
            entries[peer.id] = Entry(owner: peer.owner, dismissal: dismissal, until: end)
            order.append((peer.id, end))
        }
        forgetFirst(order.count - Self.maximum)
    }

    /// The peer knows of its dismissal, or joins anew.
    mutating func forget(_ peer: PeerID) { entries[peer] = nil }

    mutating func handleTimeout(at now: Instant) {
        forgetFirst(order.firstIndex { $0.until > now } ?? order.count)
    }

    func contains(_ peer: PeerID) -> Bool { entries[peer] != nil }

    /// The dismissal that the peer has not received; nil if it returns with another token.
    func dismissal(of peer: PeerID, owner: TokenOwner) -> Dismissal? {
        guard let entry = entries[peer], entry.owner.isSame(as: owner) else { return nil }
        return entry.dismissal
    }

    private mutating func forgetFirst(_ count: Int) {
        guard count > 0 else { return }
        for (peer, end) in order.prefix(count) where entries[peer]?.until == end {
            entries[peer] = nil
        }
        order.removeFirst(count)
    }
}
