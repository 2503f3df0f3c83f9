public import MediaKernel

/// The tracks that peers publish.
extension Room {
    /// A peer publishes exactly these tracks from now on: new ones are added, missing ones are
    /// removed, and others are updated. Forbidden tracks are left out, and the others accepted: a
    /// browser whose offer is refused waits for the answer for ever, and its next offers contain
    /// the same tracks.
    ///
    /// - Returns: the reasons for newly left out tracks.
    @discardableResult
    public mutating func tracksPublished(
        _ tracks: [Track], by id: PeerID, wall: UnixTime
    ) throws(RoomError) -> [RoomError] {
        var peer = try peers.joinedPeer(id)
        let (admitted, refusals) = peers.admitted(tracks, of: peer)
        var tracks = admitted
        peers.moderation.keep(tracks, of: id)
        for index in tracks.indices {
            let held = peers.setMuted(tracks[index].isMuted, &tracks[index], of: peer)
            effects.askToMute(held.map { [$0] } ?? [])
        }
        let news = refusals.filter { !peer.withdrawn.contains($0.track) }.map { $0.reason }
        peer.withdrawn.removeAll { withdrawn in tracks.contains { $0.publishedID == withdrawn } }
        peer.remember(withdrawn: refusals.map { $0.track }, maximum: peers.withdrawnMaximum)
        let before = peer.tracks
        peer.tracks = before.compactMap { old in tracks.first { $0.id == old.id } }
        let added = tracks.filter { track in !before.contains { $0.id == track.id } }
        peer.tracks += added
        for (loser, released) in peers.release(Set(added.map(\.publishedID)), to: peer)
        where loser.isVisible {
            effects.withdraw(released, of: loser, from: peers.subscribers(of: loser))
        }
        let startedAt = peer.startedAt
        peer.startedAt = Dictionary(
            peer.tracks.map { ($0.id, startedAt[$0.id] ?? wall) }
        ) { first, _ in first }
        let removed = before.filter { peer.track($0.id) == nil }
        let updated = peer.tracks.filter { track in
            before.contains { $0.id == track.id && $0 != track }
        }
        peers[id] = peer
        if !added.isEmpty || !removed.isEmpty || !updated.isEmpty {
            let listeners = peers.subscribers(of: peer)
            let recipients = listeners.reachable
            if !removed.isEmpty { effects.tell(recipients, .tracksRemoved(removed, of: peer)) }
            if !added.isEmpty { effects.tell(recipients, .tracksAdded(added, of: peer)) }
            if !updated.isEmpty { effects.tell(recipients, .tracksUpdated(updated, of: peer)) }
            // Which tracks are held back depends on their sources.
            let isRenamed = updated.contains { track in
                before.contains { $0.id == track.id && $0.source != track.source }
            }
            if !added.isEmpty || !removed.isEmpty || isRenamed { effects.resubscribe(listeners) }
        }
        return Array(news.unique(by: \.self).prefix(limits.tracksPerPeer))
    }

    /// A peer muted, unmuted or described its tracks. Changes nothing if one of them is not its
    /// own; forbidden ones are ignored. Beyond the peer's rate others are told later, all at once:
    /// a mute must not be lost.
    ///
    /// - Parameter changes: by the published ids of its tracks.
    public mutating func tracksUpdated(
        _ changes: [TrackID: TrackChange], by id: PeerID, at now: Instant
    ) throws(RoomError) {
        var peer = try peers.joinedPeer(id)
        for track in changes.keys.sorted() {
            guard peer.track(published: track) != nil else {
                guard peer.withdrawn.contains(track) else { throw .unknownTrack(track) }
                continue
            }
            try Check.bytes(
                changes[track]?.description ?? "", field: "description",
                maximum: RoomLimits.descriptionBytes)
        }
        for index in peer.tracks.indices {
            let old = peer.tracks[index]
            guard let change = changes[old.publishedID] else { continue }
            if let isMuted = change.isMuted {
                var track = old
                let held = peers.setMuted(isMuted, &track, of: peer)
                peer.tracks[index] = track
                effects.askToMute(held.map { [$0] } ?? [])
            }
            if let description = change.description {
                peer.tracks[index].description = description
            }
            if peer.tracks[index] != old { peer.untold.insert(old.id) }
        }
        peers[id] = peer
        tellTrackChanges(of: id, at: now)
    }

    /// Reports a peer's track changes, unless its rate is used up.
    mutating func tellTrackChanges(of id: PeerID, at now: Instant) {
        guard var peer = peers[id], !peer.untold.isEmpty, peer.rates.fanOut.take(at: now) else {
            return
        }
        let untold = peer.untold
        peer.untold = []
        peers[id] = peer
        let updated = peer.tracks.filter { untold.contains($0.id) }
        guard !updated.isEmpty else { return }
        effects.tell(peers.subscribers(of: peer).reachable, .tracksUpdated(updated, of: peer))
    }
}
