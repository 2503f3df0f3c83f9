public import MediaKernel

/// Peers' requests to mute or unmute others.
extension Room {
    /// A peer requested to mute or unmute one track of another. A peer that is away gets the
    /// request when it is back.
    ///
    /// - Parameter stream: the track's, if the client gives it.
    public mutating func muteRequested(
        _ isMuted: Bool, track id: TrackID, stream: String?, of target: PeerID,
        by asker: PeerID, at now: Instant
    ) throws(RoomError) {
        try peers.require(isMuted ? .mute : .unmute, of: asker)
        let peer = try peers.member(target)
        guard let track = peer.track(id) else { throw .unknownTrack(id) }
        guard (stream ?? track.streamID) == track.streamID else {
            throw .invalidField(field: "stream_id", reason: "is not that of track \(id)")
        }
        try peers.spendFanOut(of: asker, at: now)
        // A peer may address itself.
        say(
            .trackMuteRequested(track, isMuted: isMuted, by: asker),
            to: Addressees(audience: .peer(target)), at: now)
    }

    /// A peer requested to mute or unmute all tracks of a kind: of one peer, of some roles, or of
    /// all others. Peers without such a track are not asked, and peers that are away are asked when
    /// they are back.
    public mutating func mutesRequested(
        _ request: MuteRequest, of target: PeerID? = nil, by asker: PeerID, at now: Instant
    ) throws(RoomError) {
        try peers.require(request.permission, of: asker)
        if let source = request.source {
            try Check.bytes(source, field: "source", maximum: RoomLimits.wordBytes)
        }
        try policy.checkVisible(request.roles)
        if let target { _ = try peers.member(target) }
        try peers.spendFanOut(of: asker, at: now)
        say(
            .mutesRequested(request, by: asker),
            to: Addressees(
                audience: target.map(Audience.peer) ?? .everybody, sender: asker, mutes: request),
            at: now)
    }
}
