public import MediaKernel

/// The tracks that peers publish.
extension Room {
    /// A peer's offer came and its media is about to be negotiated: checks the peer's rate.
    public mutating func offerReceived(from id: PeerID, at now: Instant) throws(RoomError) {
        _ = try joinedPeer(id)
        try spendFanOut(of: id, at: now)
    }

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

    /// The tracks that a peer may publish, each once, and the reasons against the others. Beyond
    /// the maximum, its present tracks take precedence.
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

    /// A track's id in the room: the published id, if it is free. Otherwise the publisher's number
    /// is appended, which is unique in the session.
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
            // Another peer has given a track this very id. There are fewer such ids than numbers.
            number += 1
        }
    }

    /// The ids of others' tracks, except those of peers that this one replaces.
    private func takenTracks(besides peer: Peer) -> Set<TrackID> {
        let others = peers.values.lazy.filter { other in
            other.id != peer.id && !other.isReplaceable(by: peer.userID)
        }
        return Set(others.flatMap { $0.tracks.map(\.id) })
    }

    /// Removes tracks from absent peers that are the same client with another id and published
    /// them.
    ///
    /// - Parameter ids: the client's ids.
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

    /// The most forbidden tracks that are remembered of a peer: enough for all that it publishes,
    /// and as many that it offers.
    var withdrawnMaximum: Int { 2 * limits.tracksPerPeer }

    /// A peer muted, unmuted or described its tracks. Changes nothing if one of them is not its
    /// own; forbidden ones are ignored. Beyond the peer's rate others are told later, all at once:
    /// a mute must not be lost.
    ///
    /// - Parameter changes: by the published ids of its tracks.
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

    /// Reports track changes that were delayed by the rate limit.
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
