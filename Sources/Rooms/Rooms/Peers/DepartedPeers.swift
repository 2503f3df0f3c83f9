import MediaKernel

/// What a room remembers of peers that have left.
struct DepartedPeers: Sendable {
    /// Peers that have left this session, oldest first.
    private var peers: [PeerID] = []
    /// The request rates of peers that have left, until they are full again: leaving and rejoining
    /// gains nothing.
    private(set) var rates: [TokenOwner: RequestRates] = [:]

    func contains(_ id: PeerID) -> Bool { peers.contains(id) }

    mutating func add(_ id: PeerID) { peers = (peers + [id]).suffix(RoomLimits.departedPeers) }

    mutating func remove(_ id: PeerID) { peers.removeAll { $0 == id } }

    mutating func keepRates(of peer: Peer) {
        guard !peer.owner.isNobody, rates.count < RoomLimits.departedPeers else { return }
        rates[peer.owner] = peer.rates
    }

    /// A peer of the owner has taken over the rates.
    mutating func forgetRates(of owner: TokenOwner) { rates[owner] = nil }

    /// Forgets the rates that are full again.
    mutating func forgetRates(_ limits: RoomLimits, at now: Instant) {
        rates = rates.filter { !$0.value.areFull(limits, at: now) }
    }

    /// Rates outlast the session.
    mutating func sessionEnded() { peers = [] }
}
