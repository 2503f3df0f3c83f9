import MediaKernel

/// Decides which peers are told about which others in rooms with many viewers.
///
/// In a large room a newcomer without publishing rights is quiet: it is not listed, and no peer is
/// told when it joins, changes or leaves. It counts, searches find it, and it is shown as soon as
/// it may publish or raises its hand. Peers from before the room was large stay in the lists.
///
/// Clients look up unknown peers only while the room is announced as large. So it is large until all
/// peers have been shown.
extension Room {
    /// A peer has become visible: it counts for the room's size, and in the audience of running
    /// polls.
    mutating func audienceGrew() {
        let count = peers.visibleCount
        if count >= limits.largeRoomPeers { isLarge = true }
        if !polls.running.isEmpty { polls.audienceIs(count) }
    }

    /// When few are left in a large room, shows the quiet peers to all, some at a time; when none
    /// are left, the room is no longer large. They then count as peers from before it was large.
    mutating func showQuietPeers() {
        guard isLarge, peers.visibleCount < limits.smallRoomPeers else { return }
        let late = peers.all.filter(\.cameLate).inOrder
        let quiet = late.filter(\.isQuiet)
        let recipients = peers.reachable()
        let next: [Peer] = late.filter { !$0.isQuiet } + quiet.prefix(RoomLimits.shownAtOnce)
        for peer in next {
            var shown = peer
            shown.cameLate = false
            shown.isQuiet = false
            peers[peer.id] = shown
            guard peer.isQuiet, peer.isVisible else { continue }
            effects.tell(recipients.filter { $0 != peer.id }, .peerUpdated(shown))
        }
        if !quiet.isEmpty { effects.append(.refreshPreviews) }
        isLarge = quiet.count > RoomLimits.shownAtOnce
    }

    /// Reports a peer's changes: always to itself, because its client takes its own name and role
    /// from this event, and to all others that know it, or will from now on. Changes of an
    /// invisible peer are not reported.
    mutating func tellUpdated(_ id: PeerID) {
        guard var peer = peers[id], peer.isVisible else { return }
        effects.append(.refreshPreviews)
        let wasQuiet = peer.isQuiet
        peer.isQuiet = peer.cameLate && peers.isOfNoInterest(peer)
        peers[id] = peer
        guard peer.isQuiet else { return effects.tell(peers.reachable(), .peerUpdated(peer)) }
        effects.tell([peer].reachable, .peerUpdated(peer))
        if !wasQuiet { effects.tell(peers.reachable(except: id), .peerReceded(peer)) }
    }
}
