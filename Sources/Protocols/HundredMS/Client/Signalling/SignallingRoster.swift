public import MediaKernel

/// A room as its server describes it to a client: the peers and their tracks.
///
/// After a reconnection the server sends the whole list again. This value compares the lists, so
/// that each peer and each track is reported once, and its end once, even if messages were missed.
public struct SignallingRoster: Sendable {
    /// Changes, in a valid order: a peer joins before its tracks are added and leaves after they
    /// are removed.
    public enum Change: Hashable, Sendable {
        case peerJoined(PeerPayload)
        case peerUpdated(PeerPayload)
        case peerLeft(PeerPayload)
        case trackAdded(TrackPayload, of: PeerPayload)
        /// Muted, unmuted or otherwise changed.
        case trackUpdated(TrackPayload, of: PeerPayload)
        case trackRemoved(TrackPayload, of: PeerPayload)
        case hlsChanged(HLSPayload)
    }

    /// A list with more peers than this is not accepted.
    public static let peersMaximum = 6000
    /// The same for one peer's tracks.
    public static let tracksMaximum = 64

    private struct Entry: Sendable {
        /// The peer without its tracks.
        var peer: PeerPayload
        var tracks: [TrackID: TrackPayload] = [:]
    }

    private let ownID: PeerID
    private var entries: [PeerID: Entry] = [:]
    public private(set) var hls: HLSPayload?
    /// Whether the server has sent the list of peers.
    public private(set) var isListed = false

    /// - Parameter ownID: the client's own id, which is not a remote peer's.
    public init(ownID: PeerID) { self.ownID = ownID }

    /// Sorted by id, without their tracks.
    public var peers: [PeerPayload] {
        entries.values.map(\.peer).sorted { $0.peerID < $1.peerID }
    }

    /// Sorted by id; empty for an unknown peer.
    public func tracks(of peer: PeerID) -> [TrackPayload] {
        (entries[peer]?.tracks.values.map { $0 } ?? []).sorted { $0.trackID < $1.trackID }
    }

    /// Processes a server event. Events that do not concern the room's peers change nothing.
    public mutating func received(_ event: SignallingEvent) -> [Change] {
        switch event {
        case .peerList(let list):
            isListed = true
            return replace(with: list)
        case .peerJoined(let peer), .peerUpdated(let peer):
            // In a large room, clients are not told about peers that only watch.
            return peer.realtime == false ? remove(peer.peerID) : upsert(peer)
        case .peerLeft(let peer):
            return remove(peer.peerID)
        case .tracksAdded(let tracks, let peer), .tracksUpdated(let tracks, let peer):
            return upsert(peer, onlyIfNew: true) + tracks.flatMap { upsert($0, of: peer.peerID) }
        case .tracksRemoved(let tracks, let peer):
            return tracks.flatMap { remove($0.trackID, of: peer.peerID) }
        case .hls(let state):
            return update(state)
        case .policy, .roomState, .roomInfo, .sessionInfo, .offer, .trickle, .broadcast,
            .metadata, .roleOffered, .trackMuteRequested, .mutesRequested, .leaveRequested, .joined,
            .answered, .sent, .groups, .peersFound, .done, .refused, .fatal, .warning, .ignored,
            .silent:
            return []
        }
    }

    private mutating func replace(with list: PeerListPayload) -> [Change] {
        var changes: [Change] = []
        let listed = Dictionary(
            list.peers.values.map { ($0.peerID, $0) }, uniquingKeysWith: { first, _ in first })
        for id in entries.keys.sorted() where listed[id] == nil { changes += remove(id) }
        for peer in listed.values.sorted(by: { $0.peerID < $1.peerID }) {
            changes += upsert(peer)
            let tracks = peer.tracks ?? [:]
            let known = Set(tracks.values.map(\.trackID))
            for track in self.tracks(of: peer.peerID) where !known.contains(track.trackID) {
                changes += remove(track.trackID, of: peer.peerID)
            }
            for track in tracks.values.sorted(by: { $0.trackID < $1.trackID }) {
                changes += upsert(track, of: peer.peerID)
            }
        }
        if let state = list.room.streaming?.hls { changes += update(state) }
        return changes
    }

    private mutating func upsert(_ peer: PeerPayload, onlyIfNew: Bool = false) -> [Change] {
        guard peer.peerID != ownID else { return [] }
        var peer = peer
        peer.tracks = nil
        guard let old = entries[peer.peerID] else {
            guard entries.count < Self.peersMaximum else { return [] }
            entries[peer.peerID] = Entry(peer: peer)
            return [.peerJoined(peer)]
        }
        guard !onlyIfNew, old.peer != peer else { return [] }
        entries[peer.peerID]?.peer = peer
        return [.peerUpdated(peer)]
    }

    private mutating func remove(_ id: PeerID) -> [Change] {
        let tracks = tracks(of: id)
        guard let entry = entries.removeValue(forKey: id) else { return [] }
        return tracks.map { .trackRemoved($0, of: entry.peer) } + [.peerLeft(entry.peer)]
    }

    private mutating func upsert(_ track: TrackPayload, of id: PeerID) -> [Change] {
        guard let entry = entries[id] else { return [] }
        let old = entry.tracks[track.trackID]
        guard old != track, old != nil || entry.tracks.count < Self.tracksMaximum else {
            return []
        }
        entries[id]?.tracks[track.trackID] = track
        return [
            old == nil ? .trackAdded(track, of: entry.peer) : .trackUpdated(track, of: entry.peer)
        ]
    }

    private mutating func remove(_ track: TrackID, of id: PeerID) -> [Change] {
        guard let entry = entries[id],
            let removed = entries[id]?.tracks.removeValue(forKey: track)
        else { return [] }
        return [.trackRemoved(removed, of: entry.peer)]
    }

    private mutating func update(_ state: HLSPayload) -> [Change] {
        guard state != hls else { return [] }
        hls = state
        return [.hlsChanged(state)]
    }
}
