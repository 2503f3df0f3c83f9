internal import MediaKernel

/// The effects that a room has yet to hand over, in order.
struct RoomEffects: Sendable {
    // Bounded by the effects of one call: a few per peer, drained before the next call.
    private var effects = PollQueue<RoomEffect>()

    mutating func append(_ effect: RoomEffect) { effects.append(effect) }

    /// The next effect; nil when there are no more.
    mutating func next() -> RoomEffect? { effects.poll() }

    // MARK: - What peers hear

    mutating func tell(_ recipients: [PeerID], _ event: RoomEvent) {
        guard !recipients.isEmpty else { return }
        append(.tell(recipients, event))
    }

    /// Peers that have unmuted what they may not are asked to mute it.
    mutating func askToMute(_ all: [RoomPeers.Held]) {
        for held in all where held.peer.isReachable {
            tell(
                [held.peer.id], .unmuteHeld(held.track, by: held.starter))
        }
    }

    mutating func resubscribe(_ subscribers: [Peer]) {
        for subscriber in subscribers { append(.resubscribe(subscriber.id)) }
    }

    /// Tells the receivers of these tracks that they are gone. For a peer that is gone itself this
    /// comes after its leave: clients remove a track's elements when they hear that it was
    /// removed, but forget the track first if its peer is still there.
    mutating func withdraw(_ tracks: [Track], of peer: Peer, from listeners: [Peer]) {
        guard !tracks.isEmpty else { return }
        tell(listeners.reachable, .tracksRemoved(tracks, of: peer))
        resubscribe(listeners)
    }

    /// Tells the receivers of this peer about added and removed tracks.
    mutating func listenersChanged(
        from old: [Peer], to new: [Peer], of peer: Peer, before: [Track], withdrawn: [Track]
    ) {
        let (gone, came) = (old.without(new), new.without(old))
        let stayed = new.without(came)
        withdraw(before, of: peer, from: gone)
        withdraw(withdrawn, of: peer, from: stayed)
        guard !peer.tracks.isEmpty else { return }
        tell(came.reachable, .tracksAdded(peer.tracks, of: peer))
        resubscribe(came)
    }

    /// Tells this peer which tracks it receives from now on, and which no longer.
    mutating func publishersChanged(from old: [Peer], to new: [Peer], for peer: Peer) {
        let listener = [peer].reachable
        for publisher in old.without(new) {
            tell(listener, .tracksRemoved(publisher.tracks, of: publisher))
        }
        for publisher in new.without(old) {
            tell(listener, .tracksAdded(publisher.tracks, of: publisher))
        }
    }

    // MARK: - The audit log

    mutating func noteLeaving(
        _ peer: Peer, from session: Room.Session?, _ reason: LeaveReason, message: String
    ) {
        guard let session, !peer.isHidden else { return }
        append(.noted(.peerLeft(peer, session, reason, message: message)))
    }
}

extension [Peer] {
    fileprivate func without(_ others: [Peer]) -> [Peer] {
        let known = Set(others.map(\.id))
        return filter { !known.contains($0.id) }
    }
}
