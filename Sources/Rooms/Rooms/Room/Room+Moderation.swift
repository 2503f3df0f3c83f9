public import MediaKernel

/// Peers' requests to moderate who may unmute. Unlike a mute request this is enforced: a held track
/// is muted for all others, whatever its client says, and its media are not forwarded.
extension Room {
    /// A peer requested that a kind of tracks be moderated, or no longer, or that another peer may
    /// unmute, or no longer.
    ///
    /// - Parameter asker: nil for the room itself, where nobody is left who could.
    /// - Returns: false if it was so already.
    public mutating func moderationRequested(
        _ change: Moderation.Change, by asker: PeerID?, at now: Instant
    ) throws(RoomError) -> Bool {
        if let asker { try peers.require(.mute, of: asker) }
        let target: Peer?
        if let id = change.target { target = try peers.member(id) } else { target = nil }
        if let asker { try peers.spendFanOut(of: asker, at: now) }
        guard peers.moderation.apply(change, by: asker) else { return false }
        let changed = (target.map { [$0] } ?? peers.joined).filter { !$0.tracks.isEmpty }
        effects.askToMute(peers.moderate(changed))
        for peer in changed { tellTrackChanges(of: peer.id, at: now) }
        // Which media are held back.
        if !changed.isEmpty { effects.resubscribe(peers.joined) }
        return true
    }
}
