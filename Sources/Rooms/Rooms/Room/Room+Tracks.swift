public import MediaKernel

/// The tracks that peers publish.
extension Room {
    /// A peer's offer came, before its media is negotiated: whether it may offer so often.
    public mutating func offerReceived(from id: PeerID, at now: Instant) throws(RoomError) {
        _ = try joinedPeer(id)
        try spendFanOut(of: id, at: now)
    }

    /// A peer publishes exactly these tracks from now on: new ones are added, missing ones are
    /// gone, others take what is said of them. Those that it may not publish are left out, and the
    /// others taken: a browser whose offer is refused waits for the answer for good, and its next
    /// offers name the same tracks.
    ///
    /// - Returns: why some are left out that were not before.
    @discardableResult
    public mutating func tracksPublished(
        _ tracks: [Track], by id: PeerID, wall: UnixTime
    ) throws(RoomError) -> [RoomError] {
        var peer = try joinedPeer(id)
        let (tracks, refusals) = admitted(tracks, of: peer)
        let news = refusals.filter { !peer.withdrawn.contains($0.track) }.map { $0.reason }
        peer.withdrawn.removeAll { withdrawn in tracks.contains { $0.publishedID == withdrawn } }
        peer.remember(withdrawn: refusals.map { $0.track }, maximum: withdrawnMaximum)
        let before = peer.tracks
        peer.tracks = before.compactMap { old in tracks.first { $0.id == old.id } }
        let added = tracks.filter { track in !before.contains { $0.id == track.id } }
        peer.tracks += added
        release(Set(added.map(\.publishedID)), to: peer)
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
            let listeners = subscribers(of: peer)
            let recipients = listeners.reachable
            if !removed.isEmpty { tell(recipients, .tracksRemoved(removed, of: peer)) }
            if !added.isEmpty { tell(recipients, .tracksAdded(added, of: peer)) }
            if !updated.isEmpty { tell(recipients, .tracksUpdated(updated, of: peer)) }
            if !added.isEmpty || !removed.isEmpty { resubscribe(listeners) }
        }
        return Array(Self.unique(news, by: \.self).prefix(limits.tracksPerPeer))
    }

    private typealias Refusal = (track: TrackID, reason: RoomError)

    /// What of these tracks a peer publishes, each once, and why not the others. Past the maximum,
    /// what it publishes already comes first.
    private func admitted(
        _ tracks: [Track], of peer: Peer
    ) -> (tracks: [Track], refusals: [Refusal]) {
        let offered = Self.unique(tracks, by: \.publishedID)
        let allowed = peer.isHidden ? [] : policy.role(peer.role)?.publishParams.allowed ?? []
        var taken = takenTracks(besides: peer).union(peer.tracks.map(\.id))
        var admitted: [Track] = []
        var refusals: [Refusal] = []
        let known = offered.filter { peer.track(published: $0.publishedID) != nil }
        for var track in known + offered.filter({ peer.track(published: $0.publishedID) == nil }) {
            do throws(RoomError) {
                try track.check()
                guard allowed.contains(track.publishKind) else {
                    throw .mayNotPublish(kind: track.publishKind.rawValue, role: peer.role)
                }
                guard admitted.count < limits.tracksPerPeer else {
                    throw .tooManyTracks(count: offered.count, maximum: limits.tracksPerPeer)
                }
                if let known = peer.track(published: track.publishedID) {
                    track.id = known.id
                } else {
                    track.id = Self.freeID(for: track, of: peer, among: taken)
                    taken.insert(track.id)
                }
                admitted.append(track)
            } catch {
                refusals.append((track.publishedID, error))
            }
        }
        return (admitted, refusals)
    }

    /// What the room calls a track: as its publisher does, where nothing else is called so. To another
    /// name belongs the publisher's number, which nobody else in the session has.
    private static func freeID(
        for track: Track, of peer: Peer, among taken: Set<TrackID>
    ) -> TrackID {
        guard taken.contains(track.publishedID) else { return track.publishedID }
        var number = peer.joinedOrder
        while true {
            let suffix = "-\(number)"
            let stem = track.publishedID.rawValue.prefix(RoomLimits.identifierBytes - suffix.count)
            let id = TrackID("\(stem)\(suffix)")
            if !taken.contains(id) { return id }
            // Somebody has called one of theirs so. There are fewer such than numbers.
            number += 1
        }
    }

    /// What the tracks of others are called, less what they left behind.
    private func takenTracks(besides peer: Peer) -> Set<TrackID> {
        let others = peers.values.lazy.filter { other in
            other.id != peer.id && !other.isReplaceable(by: peer.userID)
        }
        return Set(others.flatMap { $0.tracks.map(\.id) })
    }

    /// Takes tracks away from those who are away, are the same client by another id, and published
    /// them.
    ///
    /// - Parameter ids: what the client calls them.
    private mutating func release(_ ids: Set<TrackID>, to successor: Peer) {
        guard !ids.isEmpty else { return }
        let predecessors = peers.values.filter { peer in
            peer.id != successor.id && peer.isReplaceable(by: successor.userID)
                && peer.tracks.contains { ids.contains($0.publishedID) }
        }
        for var peer in predecessors.inOrder {
            let released = peer.withdrawTracks(remembering: withdrawnMaximum) {
                ids.contains($0.publishedID)
            }
            peers[peer.id] = peer
            if peer.isVisible { withdraw(released, of: peer, from: subscribers(of: peer)) }
        }
    }

    /// Of how many tracks it is known that a peer may not publish them: as many as it publishes, and
    /// as many as it would like to.
    var withdrawnMaximum: Int { 2 * limits.tracksPerPeer }

    /// A peer muted, unmuted or described tracks it publishes. Changes nothing when one of them is
    /// not its own; one that it may not publish is passed over. Past the peer's rate it is told
    /// later, all at once: that somebody is muted must not be lost.
    ///
    /// - Parameter changes: by what the peer calls its tracks.
    public mutating func tracksUpdated(
        _ changes: [TrackID: TrackChange], by id: PeerID, at now: Instant
    ) throws(RoomError) {
        var peer = try joinedPeer(id)
        for track in changes.keys.sorted() where peer.track(published: track) == nil {
            guard peer.withdrawn.contains(track) else { throw .unknownTrack(track) }
        }
        for index in peer.tracks.indices {
            let old = peer.tracks[index]
            guard let change = changes[old.publishedID] else { continue }
            if let isMuted = change.isMuted { peer.tracks[index].isMuted = isMuted }
            if let description = change.description {
                try Check.bytes(
                    description, field: "description", maximum: RoomLimits.descriptionBytes)
                peer.tracks[index].description = description
            }
            if peer.tracks[index] != old { peer.untold.insert(old.id) }
        }
        peers[id] = peer
        tellTrackChanges(of: id, at: now)
    }

    /// Tells what peers said of their tracks when they had asked for too much.
    mutating func tellTrackChanges(at now: Instant) {
        let late = peers.values.filter { !$0.untold.isEmpty }
        for peer in late.inOrder { tellTrackChanges(of: peer.id, at: now) }
    }

    private mutating func tellTrackChanges(of id: PeerID, at now: Instant) {
        guard var peer = peers[id], !peer.untold.isEmpty, peer.rates.fanOut.take(at: now) else {
            return
        }
        let untold = peer.untold
        peer.untold = []
        peers[id] = peer
        let updated = peer.tracks.filter { untold.contains($0.id) }
        guard !updated.isEmpty else { return }
        tell(subscribers(of: peer).reachable, .tracksUpdated(updated, of: peer))
    }

    private static func unique<Element, Key: Hashable>(
        _ elements: [Element], by key: (Element) -> Key
    ) -> [Element] {
        var seen: Set<Key> = []
        return elements.filter { seen.insert(key($0)).inserted }
    }
}
