public import MediaKernel

/// What peers publish.
extension Room {
    /// What of these tracks a peer publishes when it offers them: all of them, or the offer is
    /// refused. Only those that a role change took away are passed over.
    private func admitted(_ tracks: [Track], of id: PeerID) throws(RoomError) -> [Track] {
        let peer = try joinedPeer(id)
        guard tracks.count <= limits.tracksPerPeer else {
            throw .tooManyTracks(count: tracks.count, maximum: limits.tracksPerPeer)
        }
        let allowed = policy.role(peer.role)?.publishParams.allowed ?? []
        var publishable: [Track] = []
        for track in tracks {
            try track.check()
            guard !peer.isHidden, allowed.contains(track.publishKind) else {
                guard !peer.withdrawn.contains(track.id) else { continue }
                throw .mayNotPublish(kind: track.publishKind.rawValue, role: peer.role)
            }
            let isTaken = peers.values.contains { $0.id != id && $0.track(track.id) != nil }
            guard !isTaken else { throw .trackIDTaken(track.id) }
            publishable.append(track)
        }
        return publishable
    }

    /// A peer's offer came, before its media is negotiated: whether the peer may publish exactly
    /// these tracks, and whether it may offer so often. `nil`: the tracks are as before.
    public mutating func offerReceived(
        _ tracks: [Track]?, from id: PeerID, at now: Instant
    ) throws(RoomError) {
        let offered = if let tracks { try admitted(tracks, of: id) } else { [Track]() }
        try spendFanOut(of: id, at: now)
        peers[id]?.offered = offered
    }

    /// A peer publishes exactly these tracks from now on: new ones are added, missing ones are
    /// gone, others take what is said of them.
    public mutating func tracksPublished(
        _ tracks: [Track], by id: PeerID, wall: WallTime
    ) throws(RoomError) {
        let tracks = try admitted(tracks, of: id)
        var peer = try joinedPeer(id)
        peer.offered = []
        peer.withdrawn.removeAll { withdrawn in tracks.contains { $0.id == withdrawn } }
        let before = peer.tracks
        peer.tracks = before.compactMap { old in tracks.first { $0.id == old.id } }
        let added = Self.unique(tracks).filter { track in !before.contains { $0.id == track.id } }
        peer.tracks += added
        let startedAt = peer.startedAt
        peer.startedAt = Dictionary(
            peer.tracks.map { ($0.id, startedAt[$0.id] ?? wall) }
        ) { first, _ in first }
        let removed = before.filter { peer.track($0.id) == nil }
        let updated = peer.tracks.filter { track in
            before.contains { $0.id == track.id && $0 != track }
        }
        peers[id] = peer
        guard !added.isEmpty || !removed.isEmpty || !updated.isEmpty else { return }
        let listeners = subscribers(of: peer)
        let recipients = listeners.reachable
        if !removed.isEmpty { tell(recipients, .tracksRemoved(removed, of: peer)) }
        if !added.isEmpty { tell(recipients, .tracksAdded(added, of: peer)) }
        if !updated.isEmpty { tell(recipients, .tracksUpdated(updated, of: peer)) }
        if !added.isEmpty || !removed.isEmpty { resubscribe(listeners) }
    }

    /// A peer muted, unmuted or described tracks it publishes. Changes nothing when one of them is
    /// not its own; one that a role change took away is passed over.
    public mutating func tracksUpdated(
        _ changes: [TrackID: TrackChange], by id: PeerID, at now: Instant
    ) throws(RoomError) {
        var peer = try joinedPeer(id)
        for track in changes.keys.sorted() where peer.track(track) == nil {
            guard peer.withdrawn.contains(track) else { throw .unknownTrack(track) }
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
        tell(subscribers(of: peer).reachable, .tracksUpdated(updated, of: peer))
    }

    private static func unique(_ tracks: [Track]) -> [Track] {
        var seen: Set<TrackID> = []
        return tracks.filter { seen.insert($0.id).inserted }
    }
}
