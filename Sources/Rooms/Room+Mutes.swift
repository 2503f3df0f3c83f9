public import MediaKernel

/// Peers that ask others to be silent, or to speak.
extension Room {
    /// A peer asked that one track of another one be muted or unmuted.
    ///
    /// - Parameter stream: the track's, where the client names it.
    public mutating func muteRequested(
        _ isMuted: Bool, track id: TrackID, stream: String?, of target: PeerID,
        by asker: PeerID, at now: Instant
    ) throws(RoomError) {
        try require(isMuted ? .mute : .unmute, of: asker)
        let peer = try visiblePeer(target)
        guard let track = peer.track(id) else { throw .unknownTrack(id) }
        guard (stream ?? track.streamID) == track.streamID else {
            throw .invalidField(field: "stream_id", reason: "is not that of track \(id)")
        }
        guard peer.isReachable else { throw .peerAway(target) }
        try spendFanOut(of: asker, at: now)
        tell([target], .trackMuteRequested(track, isMuted: isMuted, by: asker))
    }

    /// A peer asked that all tracks of a kind be muted or unmuted: of one peer, of some roles, or
    /// of all others. Who publishes no such track is not told.
    public mutating func mutesRequested(
        _ request: MuteRequest, of target: PeerID? = nil, by asker: PeerID, at now: Instant
    ) throws(RoomError) {
        try require(request.permission, of: asker)
        if let source = request.source {
            try Check.bytes(source, field: "source", maximum: RoomLimits.wordBytes)
        }
        try checkRoles(request.roles)
        if let target {
            guard try visiblePeer(target).isReachable else { throw .peerAway(target) }
        }
        try spendFanOut(of: asker, at: now)
        let asked = visiblePeers.filter { peer in
            peer.id != asker && (target ?? peer.id) == peer.id && request.concerns(peer)
        }
        tell(asked.reachable, .mutesRequested(request, by: asker))
    }
}
