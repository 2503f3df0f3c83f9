public import MediaKernel

/// Which kinds of tracks are moderated: who may not mute others needs to be allowed to unmute them.
public struct Moderation: Hashable, Sendable {
    /// The moderation of one kind.
    public struct Floor: Hashable, Sendable {
        /// Who has started it.
        public let starter: PeerID
        /// Who may unmute, besides those who may mute others.
        public internal(set) var allowed: Set<PeerID> = []
    }

    /// What changes it.
    public enum Change: Hashable, Sendable {
        case start(PublishParameters.Kind)
        case stop(PublishParameters.Kind)
        /// Of everything.
        case end
        case allow(PublishParameters.Kind, PeerID)
        case forbid(PublishParameters.Kind, PeerID)

        /// Whom it concerns; nil for all.
        var target: PeerID? {
            switch self {
            case .start, .stop, .end: nil
            case .allow(_, let peer), .forbid(_, let peer): peer
            }
        }
    }

    private var floors: [PublishParameters.Kind: Floor] = [:]
    /// Tracks that are muted although their clients have unmuted them: they are unmuted when their
    /// peers may.
    private var overruled: [PeerID: Set<TrackID>] = [:]

    /// Nil for a kind that is not moderated.
    public subscript(kind: PublishParameters.Kind) -> Floor? { floors[kind] }

    var isOn: Bool { !floors.isEmpty }

    /// - Parameter starter: who starts it; nil if nobody may.
    /// - Returns: whether it is not as it was before.
    mutating func apply(_ change: Change, by starter: PeerID?) -> Bool {
        let before = floors
        switch change {
        case .start(let kind):
            guard let starter, floors[kind] == nil else { break }
            floors[kind] = Floor(starter: starter)
        case .stop(let kind): floors[kind] = nil
        case .end: floors = [:]
        case .allow(let kind, let peer): floors[kind]?.allowed.insert(peer)
        case .forbid(let kind, let peer): floors[kind]?.allowed.remove(peer)
        }
        return floors != before
    }

    /// The peer is gone.
    mutating func forget(_ peer: PeerID) {
        overruled[peer] = nil
        for kind in Array(floors.keys) { floors[kind]?.allowed.remove(peer) }
    }

    // MARK: What is muted against the client's will

    func overrules(_ track: TrackID, of peer: PeerID) -> Bool {
        overruled[peer]?.contains(track) ?? false
    }

    mutating func setOverruled(_ isOverruled: Bool, _ track: TrackID, of peer: PeerID) {
        if isOverruled {
            overruled[peer, default: []].insert(track)
        } else {
            overruled[peer]?.remove(track)
            if overruled[peer]?.isEmpty ?? false { overruled[peer] = nil }
        }
    }

    /// The peer has only these tracks from now on.
    mutating func keep(_ tracks: [Track], of peer: PeerID) {
        guard let known = overruled[peer] else { return }
        let kept = known.intersection(tracks.map(\.id))
        overruled[peer] = kept.isEmpty ? nil : kept
    }
}
