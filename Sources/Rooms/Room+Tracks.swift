public import MediaKernel

/// What peers publish.
extension Room {
    /// Whether a peer may publish exactly these tracks.
    func checkTracks(_ tracks: [Track], of id: PeerID) throws(RoomError) {
        let peer = try joinedPeer(id)
        guard tracks.count <= limits.tracksPerPeer else {
            throw .tooManyTracks(count: tracks.count, maximum: limits.tracksPerPeer)
        }
        let allowed = policy.role(peer.role)?.publishParams.allowed ?? []
        for track in tracks {
            try track.check()
            guard !peer.isHidden, allowed.contains(track.publishKind) else {
                throw .mayNotPublish(kind: track.publishKind.rawValue, role: peer.role)
            }
            let isTaken = peers.values.contains { $0.id != id && $0.track(track.id) != nil }
            guard !isTaken else { throw .trackIDTaken(track.id) }
        }
    }

    /// A peer's offer came, before its media is negotiated: whether the peer may publish exactly
    /// these tracks, and whether it may offer so often. `nil`: the tracks are as before.
    public mutating func offerReceived(
        _ tracks: [Track]?, from id: PeerID, at now: Instant
    ) throws(RoomError) {
        if let tracks { try checkTracks(tracks, of: id) }
        try spendFanOut(of: id, at: now)
    }

    /// A peer publishes exactly these tracks from now on: new ones are added, missing ones are
    /// gone, others take what is said of them.
    public mutating func tracksPublished(
        _ tracks: [Track], by id: PeerID
    ) throws(RoomError) {
        try checkTracks(tracks, of: id)
        var peer = try joinedPeer(id)
        let before = peer.tracks
        peer.tracks = before.compactMap { old in tracks.first { $0.id == old.id } }
        let added = Self.unique(tracks).filter { track in !before.contains { $0.id == track.id } }
        peer.tracks += added
        let removed = before.filter { peer.track($0.id) == nil }
        let updated = peer.tracks.filter { track in
            before.contains { $0.id == track.id && $0 != track }
        }
        guard !added.isEmpty || !removed.isEmpty || !updated.isEmpty else { return }
        peers[id] = peer
        emit(.republish(id))
        let listeners = subscribers(of: peer)
        let recipients = listeners.filter(\.isReachable).map(\.id)
        if !removed.isEmpty { tell(recipients, .tracksRemoved(removed, of: peer)) }
        if !added.isEmpty { tell(recipients, .tracksAdded(added, of: peer)) }
        if !updated.isEmpty { tell(recipients, .tracksUpdated(updated, of: peer)) }
        if !added.isEmpty || !removed.isEmpty { resubscribe(listeners) }
    }

    /// A peer muted, unmuted or described tracks it publishes. Changes nothing when one of them is
    /// not its own.
    public mutating func tracksUpdated(
        _ changes: [TrackID: TrackChange], by id: PeerID, at now: Instant
    ) throws(RoomError) {
        var peer = try joinedPeer(id)
        for track in changes.keys.sorted() where peer.track(track) == nil {
            throw .unknownTrack(track)
        }
        try spendFanOut(of: id, at: now)
        var updated: [Track] = []
        for index in peer.tracks.indices {
            let old = peer.tracks[index]
            guard let change = changes[old.id] else { continue }
            if let isMuted = change.isMuted { peer.tracks[index].isMuted = isMuted }
            if let description = change.description {
                try Check.bytes(
                    description, field: "description", maximum: RoomLimits.descriptionBytes)
                peer.tracks[index].description = description
            }
            if peer.tracks[index] != old { updated.append(peer.tracks[index]) }
        }
        guard !updated.isEmpty else { return }
        peers[id]?.tracks = peer.tracks
        tell(
            subscribers(of: peer).filter(\.isReachable).map(\.id),
            .tracksUpdated(updated, of: peer))
    }

    private static func unique(_ tracks: [Track]) -> [Track] {
        var seen: Set<TrackID> = []
        return tracks.filter { seen.insert($0.id).inserted }
    }
}
