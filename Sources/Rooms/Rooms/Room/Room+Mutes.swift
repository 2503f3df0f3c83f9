public import MediaKernel

/// Peers that ask others to be silent, or to speak.
extension Room {
    /// A peer asked that one track of another one be muted or unmuted. One that is away is told when
    /// it is back.
    ///
    /// - Parameter stream: the track's, where the client names it.
    public mutating func muteRequested(
        _ isMuted: Bool, track id: TrackID, stream: String?, of target: PeerID,
        by asker: PeerID, at now: Instant
    ) throws(RoomError) {
        try require(isMuted ? .mute : .unmute, of: asker)
        let peer = try member(target)
        guard let track = peer.track(id) else { throw .unknownTrack(id) }
        guard (stream ?? track.streamID) == track.streamID else {
            throw .invalidField(field: "stream_id", reason: "is not that of track \(id)")
        }
        try spendFanOut(of: asker, at: now)
        // One may ask oneself.
        say(
            .trackMuteRequested(track, isMuted: isMuted, by: asker),
            to: Addressees(audience: .peer(target)), at: now)
    }

    /// A peer asked that all tracks of a kind be muted or unmuted: of one peer, of some roles, or
    /// of all others. Who publishes no such track is not told, and who is away when it is back.
    public mutating func mutesRequested(
        _ request: MuteRequest, of target: PeerID? = nil, by asker: PeerID, at now: Instant
    ) throws(RoomError) {
        try require(request.permission, of: asker)
        if let source = request.source {
            try Check.bytes(source, field: "source", maximum: RoomLimits.wordBytes)
        }
        try checkRoles(request.roles)
        if let target { _ = try member(target) }
        try spendFanOut(of: asker, at: now)
        say(
            .mutesRequested(request, by: asker),
            to: Addressees(
                audience: target.map(Audience.peer) ?? .everybody, sender: asker, mutes: request),
            at: now)
    }
}
