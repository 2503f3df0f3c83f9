import MediaKernel

/// Which tracks a peer may publish, and under which ids.
extension RoomPeers {
    typealias Refusal = (track: TrackID, reason: RoomError)

    /// The tracks that a peer may publish, each once, and the reasons against the others. Beyond
    /// the maximum, its present tracks take precedence.
    func admitted(
        _ tracks: [Track], of peer: Peer
    ) -> (tracks: [Track], refusals: [Refusal]) {
        let offered = tracks.unique(by: \.publishedID)
        let allowed = peer.isHidden ? [] : policy.role(peer.role)?.publishParams.allowed ?? []
        var taken = takenTracks(besides: peer).union(peer.tracks.map(\.id))
        var admitted: [Track] = []
        var refusals: [Refusal] = []
        let known = offered.filter { peer.track(published: $0.publishedID) != nil }
        for var track in known + offered.filter({ peer.track(published: $0.publishedID) == nil }) {
            do throws(RoomError) {
                try track.check()
                guard allowed.contains(track.publishKind) else {
                    throw policy.refusal(of: track.publishKind, by: peer.role)
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
        let others = all.lazy.filter { other in
            other.id != peer.id && !other.isReplaceable(by: peer.userID)
        }
        return Set(others.flatMap { $0.tracks.map(\.id) })
    }

    /// Removes tracks from absent peers that are the same client with another id and published
    /// them.
    ///
    /// - Parameter ids: the client's ids.
    /// - Returns: the peers, in the order of joining, and what each has lost.
    mutating func release(
        _ ids: Set<TrackID>, to successor: Peer
    ) -> [(peer: Peer, tracks: [Track])] {
        guard !ids.isEmpty else { return [] }
        let predecessors = all.filter { peer in
            peer.id != successor.id && peer.isReplaceable(by: successor.userID)
                && peer.tracks.contains { ids.contains($0.publishedID) }
        }
        return predecessors.inOrder.map { peer in
            var peer = peer
            let released = peer.withdrawTracks(remembering: withdrawnMaximum) {
                ids.contains($0.publishedID)
            }
            self[peer.id] = peer
            return (peer, released)
        }
    }

    /// The most forbidden tracks that are remembered of a peer: enough for all that it publishes,
    /// and as many that it offers.
    var withdrawnMaximum: Int { 2 * limits.tracksPerPeer }
}

extension Array {
    /// The elements without later ones with the same key.
    func unique<Key: Hashable>(by key: (Element) -> Key) -> [Element] {
        var seen: Set<Key> = []
        return filter { seen.insert(key($0)).inserted }
    }
}
