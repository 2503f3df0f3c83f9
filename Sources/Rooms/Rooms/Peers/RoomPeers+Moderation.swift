public import MediaKernel

/// Who may unmute what.
extension RoomPeers {
    /// A track that its client has unmuted, though its peer may not.
    struct Held: Hashable {
        let track: Track
        let peer: Peer
        /// Who has started the moderation.
        let starter: PeerID
    }

    /// Whether a peer may not unmute that kind of tracks.
    public func isHeld(_ kind: PublishParameters.Kind, of peer: Peer) -> Bool {
        guard let floor = moderation[kind], !floor.allowed.contains(peer.id) else { return false }
        return policy.role(peer.role).map { !$0.permissions.mute } ?? true
    }

    /// Whether nobody hears or sees a track because of that, whatever its client sends.
    public func isHeldBack(_ track: TrackID, of id: PeerID) -> Bool {
        guard moderation.isOn, let peer = self[id], let track = peer.track(track) else {
            return false
        }
        return track.isMuted && isHeld(track.moderatedKind, of: peer)
    }

    /// Whether the room has muted a track that its client has not.
    public func isOverruled(_ track: TrackID, of peer: PeerID) -> Bool {
        moderation.overrules(track, of: peer)
    }

    /// A client says whether it has unmuted a track, which is muted or unmuted accordingly, and as
    /// its peer may.
    ///
    /// - Returns: nil if it may.
    mutating func setMuted(_ isMuted: Bool, _ track: inout Track, of peer: Peer) -> Held? {
        let floor = isHeld(track.moderatedKind, of: peer) ? moderation[track.moderatedKind] : nil
        moderation.setOverruled(!isMuted && floor != nil, track.id, of: peer.id)
        track.isMuted = isMuted || floor != nil
        guard !isMuted, let floor else { return nil }
        return Held(track: track, peer: peer, starter: floor.starter)
    }

    /// These peers may unmute other kinds than before.
    ///
    /// - Returns: what they have to mute.
    mutating func moderate(_ changed: [Peer]) -> [Held] {
        var all: [Held] = []
        for var peer in changed {
            for index in peer.tracks.indices {
                var track = peer.tracks[index]
                // Muted ones stay so until their clients say otherwise.
                guard
                    isHeld(track.moderatedKind, of: peer)
                        ? !track.isMuted : moderation.overrules(track.id, of: peer.id)
                else { continue }
                if let held = setMuted(false, &track, of: peer) { all.append(held) }
                peer.tracks[index] = track
                peer.untold.insert(track.id)
            }
            self[peer.id] = peer
        }
        return all
    }
}
